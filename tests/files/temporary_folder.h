#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <unistd.h>

#include "isochor/base/error.h"

namespace isochor::files {

/// An empty folder that goes away with the test.
class TemporaryFolder {
 public:
  /// In memory, where the system has such a place, files need not wait for a disk.
  enum class Where { Disk, Memory };

  explicit TemporaryFolder(Where where = Where::Disk) {
    static int count = 0;
    const char* memory = "/dev/shm";
    const bool in_memory = where == Where::Memory && ::access(memory, W_OK) == 0;
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(in_memory ? memory : ::testing::TempDir()) /
            (std::string(test->test_suite_name()) + "." + test->name() + "." +
             std::to_string(::getpid()) + "." + std::to_string(count++));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_),
                                                  std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

/// Fast enough for thousands of damaged files: no syncing, and a new file each time because some
/// file systems sync one that is truncated.
inline void write_quickly(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::filesystem::remove(path);
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}
inline void write_quickly(const std::filesystem::path& path, std::string_view text) {
  write_quickly(path, std::as_bytes(std::span(text)));
}

/// The error that a call ends with. Not getting one fails the test.
template <class Call>
Error error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no isochor::Error was thrown";
  return Error(Fault::System, "", "", "");
}

}  // namespace isochor::files
