#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/error.h"

namespace isochor {

/// The whole file. A missing or unreadable one is an input error that names it.
std::vector<std::byte> read_file(const std::filesystem::path& path);
std::string read_text_file(const std::filesystem::path& path);

/// Replaces the file `name` by `bytes` as one step: a temporary beside it, fsync, rename. On
/// failure the earlier file stays as it was and the temporary is removed. A target that exists and
/// is no regular file (a pipe, a device) is written to directly.
void write_file_atomic(const std::filesystem::path& name, std::span<const std::byte> bytes);
void write_file_atomic(const std::filesystem::path& name, std::string_view text);

/// Adds to the end of a file that exists. On failure the file is as long as before.
void append_to_file(const std::filesystem::path& path, std::string_view text);

/// Creates the directory and its parents; `fault` says whose mistake a refusal is.
void make_directory(const std::filesystem::path& path, Fault fault = Fault::System);

/// A limit on file size or a closed pipe then shows as a failed write, not as a killed process.
void ignore_write_signals();

/// Makes Ctrl-C and a termination request set the flag; a second one ends the process at once.
void set_on_interrupt(std::atomic<bool>* flag);

bool is_terminal(int descriptor);

/// One line: processor, cores, operating system. Goes into reports.
std::string describe_machine();

/// Bytes of memory that hold the last-level cache share of this process, or 0 if unknown.
std::size_t last_level_cache_bytes();

}  // namespace isochor
