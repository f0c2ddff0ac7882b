// The only platform calls of the project.
#include "isochor/base/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <fstream>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace isochor {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::string remedy_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free space or raise the file size limit, then go on with --resume";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a place you may write to (--out DIR)";
    case ENOTDIR:
      return "a part of this path is a file; choose another place (--out DIR)";
    default:
      return "check the path and the disk";
  }
}

[[noreturn]] void fail_write(const std::filesystem::path& path, int error) {
  throw Error(Fault::System, path.string(), "cannot write: " + reason(error), remedy_for(error));
}

/// Writes all bytes and syncs; returns 0 or the error number.
int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  // Devices and pipes do not sync; that is no failure.
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) return errno;
  return 0;
}

std::atomic<bool>* interrupt_flag = nullptr;

extern "C" void on_signal(int signal) {
  if (interrupt_flag->exchange(true)) ::_exit(128 + signal);
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    throw Error(Fault::Input, path.string(), "is a directory, expected a file", "name a file");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) {
    throw Error(Fault::Input, path.string(), "cannot read: " + reason(errno),
                "check the spelling and the folder");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw Error(Fault::System, path.string(), "cannot read to the end", "check the disk");
  return bytes;
}

std::string read_text_file(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_file_atomic(const std::filesystem::path& name, std::span<const std::byte> bytes) {
  // Through a link to what it points at: renaming would replace the link.
  std::error_code code;
  const bool is_link = std::filesystem::is_symlink(name, code);
  const std::filesystem::path path = is_link ? std::filesystem::weakly_canonical(name, code) : name;
  struct ::stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    const int direct = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (direct < 0) fail_write(path, errno);
    const int error = write_all(direct, bytes);
    ::close(direct);
    if (error) fail_write(path, error);
    return;
  }
  const std::filesystem::path temporary = path.string() + ".part";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail_write(path, errno);
  int error = write_all(file, bytes);
  if (::close(file) != 0 && !error) error = errno;
  if (!error && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error) {
    ::unlink(temporary.c_str());
    fail_write(path, error);
  }
  // The rename itself must survive a power cut too.
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  if (const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

void write_file_atomic(const std::filesystem::path& name, std::string_view text) {
  write_file_atomic(name, std::as_bytes(std::span(text.data(), text.size())));
}

void append_to_file(const std::filesystem::path& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) fail_write(path, errno);
  const off_t size = ::lseek(file, 0, SEEK_END);
  const int error = write_all(file, std::as_bytes(std::span(text.data(), text.size())));
  if (error && size >= 0) (void)!::ftruncate(file, size);
  ::close(file);
  if (error) fail_write(path, error);
}

void make_directory(const std::filesystem::path& path, Fault fault) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code || !std::filesystem::is_directory(path, code)) {
    throw Error(fault, path.string(),
                "cannot make this directory: " + (code ? code.message() : reason(ENOTDIR)),
                remedy_for(code ? code.value() : ENOTDIR));
  }
}

void ignore_write_signals() {
  ::signal(SIGXFSZ, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
}

void set_on_interrupt(std::atomic<bool>* flag) {
  interrupt_flag = flag;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::string describe_machine() {
  std::string processor = "unknown processor";
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);) {
    if (line.starts_with("model name")) {
      processor = line.substr(line.find(':') + 2);
      break;
    }
  }
  struct utsname system {};
  ::uname(&system);
  return fmt::format("{}, {} cores, {} {}", processor, std::thread::hardware_concurrency(),
                     system.sysname, system.release);
}

std::size_t last_level_cache_bytes() {
  for (const int name : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    if (const long bytes = ::sysconf(name); bytes > 0) return static_cast<std::size_t>(bytes);
  }
  return 0;
}

}  // namespace isochor
