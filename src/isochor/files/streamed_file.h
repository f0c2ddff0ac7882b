#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/math/vec3.h"

/// What the writers of whole animations share.
namespace isochor::files {

/// A file too large to be held in memory: written piece by piece beside its place, and put there as
/// a whole by `commit`. Without that nothing is left of it, and an earlier file stays as it was.
class StreamedFile {
 public:
  explicit StreamedFile(std::filesystem::path path);
  ~StreamedFile();
  StreamedFile(const StreamedFile&) = delete;
  StreamedFile& operator=(const StreamedFile&) = delete;

  void append(std::string_view text);
  void append(std::span<const std::byte> bytes);
  /// Moves all of `section` to the end of this file.
  void take(StreamedFile& section);
  /// Replaces bytes that were appended earlier.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);

  std::uint64_t size() const { return written_ + buffer_.size(); }
  const std::filesystem::path& path() const { return path_; }
  void commit();

 private:
  void flush();

  std::filesystem::path path_, temporary_;
  std::string buffer_;         ///< what comes after `written_`
  std::uint64_t written_ = 0;  ///< bytes in the temporary
};

/// x, y and z of all points as the formats of other programs have them.
std::vector<float> single_precision(std::span<const Vec3d> points);

}  // namespace isochor::files
