#include "isochor/files/zip_reader.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <zlib.h>

#include "isochor/base/error.h"
#include "isochor/files/inflate.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr std::uint32_t kEndMark = 0x06054b50, kWideLocatorMark = 0x07064b50,
                        kWideEndMark = 0x06064b50, kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr std::size_t kEndSize = 22, kWideLocatorSize = 20, kEntrySize = 46, kLocalSize = 30;
constexpr std::size_t kLongestComment = 0xffff;
constexpr std::uint32_t kSeeWideField = 0xffffffff;
constexpr std::uint16_t kStored = 0, kDeflated = 8, kWideField = 1, kEncryptedFlag = 1;

/// Numbers at any place of the archive; what lies outside of it is refused.
class ZipBytes {
 public:
  ZipBytes(const std::string& place, std::span<const std::byte> bytes)
      : place_(place), bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  std::span<const std::byte> at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) {
      fail(fmt::format("truncated: {} bytes at {} are beyond its end", count, offset));
    }
    return bytes_.subspan(offset, count);
  }
  template <class T>
  T number(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, at(offset, sizeof value).data(), sizeof value);
    return value;
  }
  [[noreturn]] void fail(const std::string& problem,
                         const std::string& remedy = "save the archive again") const {
    throw Error(Fault::Input, place_, problem, remedy);
  }

 private:
  const std::string& place_;
  std::span<const std::byte> bytes_;
};

struct Directory {
  std::uint64_t offset = 0, count = 0;
};

/// The end record is the last thing in the file but for a comment.
Directory find_directory(const ZipBytes& zip) {
  const std::size_t size = zip.size();
  if (size < kEndSize) zip.fail("is no zip archive");
  const std::size_t last = size - kEndSize;
  const std::size_t first = last > kLongestComment ? last - kLongestComment : 0;
  std::size_t end = last;
  while (zip.number<std::uint32_t>(end) != kEndMark) {
    if (end == first) zip.fail("is no zip archive, or its end is missing");
    --end;
  }
  Directory directory{zip.number<std::uint32_t>(end + 16), zip.number<std::uint16_t>(end + 10)};
  const bool wide = end >= kWideLocatorSize &&
                    zip.number<std::uint32_t>(end - kWideLocatorSize) == kWideLocatorMark;
  if (wide) {
    const auto record = zip.number<std::uint64_t>(end - kWideLocatorSize + 8);
    if (zip.number<std::uint32_t>(record) != kWideEndMark) zip.fail("its directory is not found");
    directory = {zip.number<std::uint64_t>(record + 48), zip.number<std::uint64_t>(record + 32)};
  }
  return directory;
}

/// Sizes and offset that do not fit their fields stand, in this order, in an extra field.
void read_wide_fields(const ZipBytes& zip, std::uint64_t at, std::uint64_t end, ZipMember& member) {
  while (end - at >= 4) {
    const auto id = zip.number<std::uint16_t>(at);
    const auto size = zip.number<std::uint16_t>(at + 2);
    at += 4;
    if (size > end - at) zip.fail(fmt::format("{} is damaged", in_quotes(member.name)));
    if (id == kWideField) {
      std::uint64_t field = at;
      for (std::uint64_t* value : {&member.size, &member.packed_size, &member.offset}) {
        if (*value != kSeeWideField) continue;
        if (at + size - field < 8) zip.fail(fmt::format("{} is damaged", in_quotes(member.name)));
        *value = zip.number<std::uint64_t>(field);
        field += 8;
      }
      return;
    }
    at += size;
  }
}

}  // namespace

std::vector<ZipMember> list_zip(const std::string& place, std::span<const std::byte> bytes) {
  const ZipBytes zip(place, bytes);
  const Directory directory = find_directory(zip);
  std::vector<ZipMember> members;
  std::uint64_t at = directory.offset;
  std::uint64_t packed = 0;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    const std::span<const std::byte> entry = zip.at(at, kEntrySize);
    if (zip.number<std::uint32_t>(at) != kEntryMark) zip.fail("its directory is damaged");
    const auto name_size = zip.number<std::uint16_t>(at + 28);
    const auto extra_size = zip.number<std::uint16_t>(at + 30);
    const auto comment_size = zip.number<std::uint16_t>(at + 32);
    ZipMember member{
        .name = std::string(text_of(zip.at(at + entry.size(), name_size))),
        .method = zip.number<std::uint16_t>(at + 10),
        .encrypted = (zip.number<std::uint16_t>(at + 8) & kEncryptedFlag) != 0,
        .offset = zip.number<std::uint32_t>(at + 42),
        .packed_size = zip.number<std::uint32_t>(at + 20),
        .size = zip.number<std::uint32_t>(at + 24),
        .crc = zip.number<std::uint32_t>(at + 16),
    };
    const std::uint64_t extra = at + kEntrySize + name_size;
    read_wide_fields(zip, extra, extra + zip.at(extra, extra_size).size(), member);
    at = extra + extra_size + comment_size;
    // Members that share their bytes are how a small file is made to fill all memory.
    if (member.packed_size > bytes.size() - packed) zip.fail("its members overlap");
    packed += member.packed_size;
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<std::byte> extract(const std::string& place, std::span<const std::byte> bytes,
                               const ZipMember& member) {
  const ZipBytes zip(place, bytes);
  const std::string name = in_quotes(member.name);
  if (member.encrypted) zip.fail(name + " is encrypted", "save the archive without a password");
  if (member.method != kStored && member.method != kDeflated) {
    zip.fail(fmt::format("{} is packed by method {}, known are 0 (stored) and 8 (deflate)", name,
                         member.method),
             "save it with numpy.savez or numpy.savez_compressed");
  }
  zip.at(member.offset, kLocalSize);
  if (zip.number<std::uint32_t>(member.offset) != kLocalMark) zip.fail(name + " is not found");
  // The directory has the truth about sizes; only the local header knows its own length.
  const std::uint64_t start = member.offset + kLocalSize +
                              zip.number<std::uint16_t>(member.offset + 26) +
                              zip.number<std::uint16_t>(member.offset + 28);
  const std::span<const std::byte> packed = zip.at(start, member.packed_size);
  std::optional<std::vector<std::byte>> plain;
  if (member.method == kDeflated) {
    plain = inflated(packed, member.size, DeflateFrame::None);
  } else if (member.size == member.packed_size) {
    plain.emplace(packed.begin(), packed.end());
  }
  const auto crc_of = [](std::span<const std::byte> data) {
    return crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
  };
  if (!plain || crc_of(*plain) != member.crc) {
    zip.fail(name + " is damaged: its bytes are not those that were packed");
  }
  return *std::move(plain);
}

}  // namespace isochor::files
