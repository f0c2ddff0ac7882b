#include "isochor/files/byte_stream.h"

#include <algorithm>
#include <fmt/core.h>

#include "isochor/base/hash.h"

namespace isochor::files {
namespace {

constexpr std::size_t kHeaderSize = sizeof(Magic) + sizeof(std::uint32_t);
constexpr std::size_t kHashSize = sizeof(std::uint64_t);

constexpr const char* kWriteAgain =
    "copy the file again from where it was whole, or let the run write it again (--resume)";

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

/// For messages: what cannot be printed becomes a dot.
std::string printable(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    const char c = static_cast<char>(b);
    text += c >= ' ' && c <= '~' ? c : '.';
  }
  return text;
}

}  // namespace

void ByteWriter::append(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::string ByteReader::get_string() {
  const std::span<const std::byte> bytes = take(get_count(1));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t ByteReader::get_count(std::size_t bytes_each) {
  const auto count = get<std::uint64_t>();
  if (count > left() / bytes_each) {
    throw Error(Fault::Input, place_,
                fmt::format("truncated: {} items of {} bytes announced, {} bytes left", count,
                            bytes_each, left()),
                kWriteAgain);
  }
  return count;
}

void ByteReader::expect_end() const {
  if (left() > 0) fail(fmt::format("{} bytes more than its contents need", left()));
}

void ByteReader::fail(const std::string& problem) const {
  throw Error(Fault::Input, place_, problem,
              "the program that wrote this file did it wrongly; write it with Isochor");
}

std::span<const std::byte> ByteReader::take(std::size_t count) {
  if (count > left()) {
    throw Error(Fault::Input, place_,
                fmt::format("truncated: {} bytes expected, {} left", count, left()), kWriteAgain);
  }
  const std::span<const std::byte> taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

VersionError::VersionError(const std::filesystem::path& path, std::uint32_t found,
                           std::uint32_t expected)
    : Error(Fault::Input, path.string(),
            fmt::format("format version {}, this program reads {}", found, expected),
            "use the version of Isochor that wrote it, or run the scene again with this one") {}

std::vector<std::byte> seal(Magic magic, std::uint32_t version,
                            std::span<const std::byte> payload) {
  ByteWriter file;
  file.append(std::as_bytes(std::span(magic.text)));
  file.put(version);
  file.append(payload);
  file.put(hash_of(file.bytes()));
  return file.take();
}

ByteReader open_sealed(const std::filesystem::path& path, std::span<const std::byte> bytes,
                       Magic magic, std::uint32_t version) {
  const std::string place = path.string();
  // Kind and version come before the hash: the file of a later program is not called damaged.
  const std::span<const std::byte> start = bytes.first(std::min(bytes.size(), sizeof(Magic)));
  if (!std::ranges::equal(start, std::as_bytes(std::span(magic.text)).first(start.size()))) {
    throw Error(Fault::Input, place,
                fmt::format("begins with '{}', expected '{}'", printable(start), magic.view()),
                "this is another kind of file; name one that Isochor wrote for this purpose");
  }
  ByteReader header(place, bytes.subspan(start.size()));
  if (const auto found = header.get<std::uint32_t>(); found != version) {
    throw VersionError(path, found, version);
  }
  if (bytes.size() < kHeaderSize + kHashSize) {
    throw Error(Fault::Input, place, "truncated: the file ends within its header", kWriteAgain);
  }
  if (hash_of(bytes.first(bytes.size() - kHashSize)) != sealed_hash(bytes)) {
    throw Error(Fault::Input, place, "damaged or truncated: its hash does not match its contents",
                kWriteAgain);
  }
  return {place, bytes.subspan(kHeaderSize, bytes.size() - kHeaderSize - kHashSize)};
}

std::uint64_t sealed_hash(std::span<const std::byte> sealed) {
  return ByteReader("sealed bytes", sealed.last(kHashSize)).get<std::uint64_t>();
}

}  // namespace isochor::files
