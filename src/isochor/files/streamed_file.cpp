#include "isochor/files/streamed_file.h"

#include <fstream>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/base/file.h"

namespace isochor::files {
namespace {

/// Every piece is brought to the disk, so pieces must not be small.
constexpr std::size_t kPieceSize = std::size_t{4} << 20;

}  // namespace

StreamedFile::StreamedFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + ".part") {
  write_file_atomic(temporary_, std::string_view{});
}

StreamedFile::~StreamedFile() {
  std::error_code ignored;  // after commit there is nothing to remove
  std::filesystem::remove(temporary_, ignored);
}

void StreamedFile::append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kPieceSize) flush();
}

void StreamedFile::append(std::span<const std::byte> bytes) {
  append(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void StreamedFile::take(StreamedFile& section) {
  section.flush();
  std::ifstream in(section.temporary_, std::ios::binary);
  std::string piece(kPieceSize, '\0');
  std::uint64_t left = section.written_;
  while (left > 0 && in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(in.gcount());
    append(std::string_view(piece).substr(0, count));
    left -= count;
  }
  if (left > 0) {
    throw Error(Fault::System, section.temporary_.string(), "cannot be read back",
                "check the disk, and that no other export writes here");
  }
  std::filesystem::remove(section.temporary_);
}

void StreamedFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  flush();
  std::fstream file(temporary_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw Error(Fault::System, temporary_.string(), "cannot be written to",
                "check the disk, and that no other export writes here");
  }
}

void StreamedFile::commit() {
  flush();
  std::error_code code;
  std::filesystem::rename(temporary_, path_, code);
  if (code) {
    throw Error(Fault::System, path_.string(), "cannot write: " + code.message(),
                "check the path and the disk");
  }
}

void StreamedFile::flush() {
  append_to_file(temporary_, buffer_);
  written_ += buffer_.size();
  buffer_.clear();
}

std::vector<float> single_precision(std::span<const Vec3d> points) {
  std::vector<float> numbers;
  numbers.reserve(3 * points.size());
  for (const Vec3d& p : points) {
    for (const double coordinate : p.e) numbers.push_back(static_cast<float>(coordinate));
  }
  return numbers;
}

}  // namespace isochor::files
