#include "isochor/base/file_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/core.h>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>

#include "isochor/base/error.h"

namespace isochor {
namespace {

/// Whether the name still stands for the opened file: whoever had it before may have removed it.
bool is_at(const std::filesystem::path& path, int descriptor) {
  struct ::stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void sign(int descriptor) {
  struct utsname system {};
  ::uname(&system);
  const std::string text = fmt::format("process {} on {}\n", ::getpid(), system.nodename);
  // Only for messages: a full disk must not be in the way here.
  if (::ftruncate(descriptor, 0) == 0) (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

}  // namespace

std::optional<FileLock> FileLock::take(const std::filesystem::path& path) {
  while (true) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      throw Error(Fault::System, path.string(),
                  "cannot write: " + std::generic_category().message(errno),
                  "choose a place you may write to (--out DIR)");
    }
    FileLock lock(path, file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(std::exchange(lock.descriptor_, -1));
      return std::nullopt;
    }
    if (is_at(path, file)) {
      sign(file);
      return lock;
    }
    ::close(std::exchange(lock.descriptor_, -1));
  }
}

std::string FileLock::holder(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string text;
  std::getline(in, text);
  return text.empty() ? "another process" : text;
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  // While it is still ours, so that nobody else's is removed.
  if (is_at(path_, descriptor_)) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace isochor
