#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace isochor {

/// Keeps a file to itself: as long as one lives, no other process gets one for the same file, nor
/// does another place of this process. The system lets go of it when the process ends, however it
/// ends. On file systems without locks it protects nothing.
class FileLock {
 public:
  /// Makes the file where it is missing, and writes into it who has it. Nothing if somebody else
  /// does.
  static std::optional<FileLock> take(const std::filesystem::path& path);
  /// Who has the file, "process 4711 on host", for messages.
  static std::string holder(const std::filesystem::path& path);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  /// Removes the file.
  ~FileLock();

  /// The file is elsewhere now: a folder above it was renamed.
  void moved_to(std::filesystem::path path) { path_ = std::move(path); }

 private:
  FileLock(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;  ///< negative: moved from
};

}  // namespace isochor
