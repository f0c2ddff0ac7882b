#include "isochor/base/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/files/temporary_folder.h"

namespace isochor {
namespace {

TEST(FileLock, IsGivenToOneAtATimeAndLeavesNothing) {
  const files::TemporaryFolder folder;
  const auto path = folder / "lock";
  {
    const auto lock = FileLock::take(path);
    ASSERT_TRUE(lock);
    EXPECT_FALSE(FileLock::take(path));
    EXPECT_THAT(FileLock::holder(path), ::testing::StartsWith("process "));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(FileLock::take(path));
}

TEST(FileLock, OfAKilledProcessIsFree) {
  const files::TemporaryFolder folder;
  const auto path = folder / "lock";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::take(path);
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(FileLock::take(path));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(FileLock::take(path));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FileLock, FollowsAFolderThatIsRenamed) {
  const files::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  {
    auto lock = FileLock::take(folder / "a/lock");
    std::filesystem::rename(folder / "a", folder / "b");
    lock->moved_to(folder / "b/lock");
    std::filesystem::create_directory(folder / "a");
    EXPECT_TRUE(FileLock::take(folder / "a/lock")) << "another file";
    EXPECT_FALSE(FileLock::take(folder / "b/lock"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "b/lock"));
}

}  // namespace
}  // namespace isochor
