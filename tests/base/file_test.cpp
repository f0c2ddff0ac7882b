#include "isochor/base/file.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/files/temporary_folder.h"

namespace isochor {
namespace {

using files::error_of;
using files::TemporaryFolder;
using ::testing::HasSubstr;

/// No file of this process may grow beyond `bytes` while this lives: a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

/// Puts the handlers of both interrupts back.
class SignalGuard {
 public:
  SignalGuard() {
    ::sigaction(SIGINT, nullptr, &interrupt_);
    ::sigaction(SIGTERM, nullptr, &terminate_);
  }
  ~SignalGuard() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

TEST(BaseFile, WhatIsWrittenIsReadBack) {
  const TemporaryFolder folder;
  std::string everything;
  for (int i = 0; i < 1000; ++i) everything += static_cast<char>(i % 256);
  for (const std::string& text : {std::string(), std::string("one line\n"), everything}) {
    write_file_atomic(folder / "a.bin", text);
    EXPECT_EQ(read_text_file(folder / "a.bin"), text);
    EXPECT_EQ(read_file(folder / "a.bin").size(), text.size());
  }
}

TEST(BaseFile, AtomicWriteReplacesAndLeavesNoTemporary) {
  const TemporaryFolder folder;
  write_file_atomic(folder / "a.txt", "a long first version");
  write_file_atomic(folder / "a.txt", "short");
  EXPECT_EQ(read_text_file(folder / "a.txt"), "short");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(BaseFile, ATemporaryLeftByAKilledRunDoesNotMatter) {
  const TemporaryFolder folder;
  files::write_quickly(folder / "a.txt.part", "half of a much longer file");
  write_file_atomic(folder / "a.txt", "new");
  EXPECT_EQ(read_text_file(folder / "a.txt"), "new");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(BaseFile, AFullDiskKeepsTheEarlierFile) {
  ignore_write_signals();
  const TemporaryFolder folder;
  write_file_atomic(folder / "a.txt", "earlier");
  const std::string large(100000, 'x');
  const Error error = error_of([&] {
    const FileSizeLimit limit(4096);
    write_file_atomic(folder / "a.txt", large);
  });
  EXPECT_EQ(error.fault(), Fault::System);
  EXPECT_EQ(error.place(), (folder / "a.txt").string());
  EXPECT_THAT(error.problem(), HasSubstr("cannot write"));
  EXPECT_THAT(error.remedy(), HasSubstr("free space"));
  EXPECT_EQ(read_text_file(folder / "a.txt"), "earlier");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(BaseFile, AMissingDirectoryIsAnErrorAndIsNotMade) {
  const TemporaryFolder folder;
  const Error error = error_of([&] { write_file_atomic(folder / "none/a.txt", "text"); });
  EXPECT_EQ(error.fault(), Fault::System);
  EXPECT_EQ(error.place(), (folder / "none/a.txt").string());
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(BaseFile, ADirectoryIsNotReplacedByAFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "results");
  error_of([&] { write_file_atomic(folder / "results", "text"); });
  EXPECT_TRUE(std::filesystem::is_directory(folder / "results"));
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(BaseFile, ADeviceIsWrittenToAndNeverReplaced) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Error error = error_of([] { write_file_atomic("/dev/full", "text"); });
  EXPECT_EQ(error.fault(), Fault::System);
  EXPECT_EQ(error.place(), "/dev/full");
  EXPECT_NO_THROW(write_file_atomic("/dev/null", "text"));
  for (const char* device : {"/dev/full", "/dev/null"}) {
    EXPECT_TRUE(std::filesystem::is_character_file(device)) << device;
    EXPECT_FALSE(std::filesystem::exists(std::string(device) + ".part")) << device;
  }
}

TEST(BaseFile, AppendingAddsToTheEnd) {
  const TemporaryFolder folder;
  write_file_atomic(folder / "log.csv", "a\n");
  append_to_file(folder / "log.csv", "b\n");
  append_to_file(folder / "log.csv", "");
  append_to_file(folder / "log.csv", "c\n");
  EXPECT_EQ(read_text_file(folder / "log.csv"), "a\nb\nc\n");
}

TEST(BaseFile, AppendingToAMissingFileIsAnErrorAndMakesNone) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { append_to_file(folder / "log.csv", "a"); }).fault(), Fault::System);
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(BaseFile, ReadingWhatIsNoFileIsAnInputErrorThatNamesIt) {
  const TemporaryFolder folder;
  files::write_quickly(folder / "file", "text");
  std::filesystem::create_directory(folder / "directory");
  for (const char* name : {"missing", "directory", "file/below", "missing/below"}) {
    const Error error = error_of([&] { read_file(folder / name); });
    EXPECT_EQ(error.fault(), Fault::Input) << name;
    EXPECT_EQ(error.place(), (folder / name).string());
    EXPECT_FALSE(error.remedy().empty()) << name;
  }
  EXPECT_THAT(error_of([&] { read_file(folder / "missing"); }).problem(),
              HasSubstr("No such file"));
  EXPECT_THAT(error_of([&] { read_file(folder / "directory"); }).problem(), HasSubstr("directory"));
}

TEST(BaseFile, DirectoriesAreMadeWithTheirParents) {
  const TemporaryFolder folder;
  make_directory(folder / "a/b/c");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
  EXPECT_NO_THROW(make_directory(folder / "a/b/c"));
}

TEST(BaseFile, ADirectoryAtOrBelowAFileIsRefused) {
  const TemporaryFolder folder;
  files::write_quickly(folder / "file", "text");
  for (const char* name : {"file", "file/below", "file/far/below"}) {
    const Error error = error_of([&] { make_directory(folder / name, Fault::Input); });
    EXPECT_EQ(error.fault(), Fault::Input) << name;
    EXPECT_EQ(error.place(), (folder / name).string());
    EXPECT_THAT(error.remedy(), HasSubstr("is a file")) << name;
  }
  EXPECT_EQ(read_text_file(folder / "file"), "text");
  EXPECT_EQ(error_of([&] { make_directory(folder / "file"); }).fault(), Fault::System);
}

TEST(BaseFile, OneInterruptSetsTheFlag) {
  const SignalGuard guard;
  for (const int signal : {SIGINT, SIGTERM}) {
    std::atomic<bool> flag{false};
    set_on_interrupt(&flag);
    std::raise(signal);
    EXPECT_TRUE(flag) << signal;
  }
}

TEST(BaseFileDeathTest, ASecondInterruptEndsTheProcess) {
  const auto interrupt_twice = [] {
    static std::atomic<bool> flag{false};
    set_on_interrupt(&flag);
    std::raise(SIGINT);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(interrupt_twice(), testing::ExitedWithCode(130), "");
}

TEST(BaseFile, TheMachineIsDescribedInOneLine) {
  const std::string text = describe_machine();
  EXPECT_THAT(text, HasSubstr("cores"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace isochor
