#include "isochor/files/npz_archive.h"

#include <array>
#include <fmt/format.h>
#include <stdexcept>

namespace isochor::files {
namespace {

constexpr std::uint16_t kZipVersion = 45;     // the first with 64-bit fields
constexpr std::uint16_t kFirstDate = 0x0021;  // 1980-01-01: equal runs give equal files
constexpr std::uint32_t kSeeWideField = 0xffffffff;
constexpr std::uint16_t kWideField = 1;
constexpr std::uint64_t kCrcOffset = 14;  // in a local header

/// The checksum of zip and PNG files, a byte at a time.
constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    table[byte] = crc;
  }
  return table;
}();

/// Goes on from the checksum of what came before, 0 for nothing.
std::uint32_t crc_of(std::span<const std::byte> bytes, std::uint32_t crc) {
  crc = ~crc;
  for (const std::byte b : bytes) {
    crc = kCrcTable[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xff] ^ crc >> 8;
  }
  return ~crc;
}

template <Number... T>
void put_all(ByteWriter& out, T... numbers) {
  (out.put(numbers), ...);
}

std::uint16_t short_size(std::string_view name) { return static_cast<std::uint16_t>(name.size()); }

/// The header of one array: a Python dictionary, padded so that the numbers begin at a multiple of
/// 64 bytes [NEP 1].
std::string array_header(std::string_view type, std::span<const std::size_t> shape) {
  // In Python a tuple of one needs its comma.
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 type, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  const std::size_t used = kPrefix + text.size() + 1;
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  const std::size_t size = text.size();
  std::string prefix = "\x93NUMPY";
  prefix += {1, 0, static_cast<char>(size & 0xff), static_cast<char>(size >> 8)};
  return prefix + text;
}

}  // namespace

void NpzArchive::begin_array(std::string_view name, std::string_view type, std::size_t number_size,
                             std::span<const std::size_t> shape) {
  if (missing_ != 0) throw std::logic_error("NpzArchive: the array before is not complete");
  const std::string header = array_header(type, shape);
  std::uint64_t size = number_size;
  for (const std::size_t n : shape) size *= n;
  size += header.size();
  members_.push_back({std::string(name) + ".npy", file_.size(), size});
  const Member& member = members_.back();

  // Sizes always in their 64-bit field, as numpy does it; the checksum comes with `end`.
  ByteWriter local;
  put_all(local, std::uint32_t{0x04034b50}, kZipVersion, std::uint16_t{0}, std::uint16_t{0},
          std::uint16_t{0}, kFirstDate, member.crc, kSeeWideField, kSeeWideField,
          short_size(member.name), std::uint16_t{20});
  local.append(std::as_bytes(std::span(member.name)));
  put_all(local, kWideField, std::uint16_t{16}, size, size);
  file_.append(local.bytes());
  missing_ = size;
  append_bytes(std::as_bytes(std::span(header)));
}

void NpzArchive::append_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() > missing_) throw std::logic_error("NpzArchive: more numbers than announced");
  missing_ -= bytes.size();
  members_.back().crc = crc_of(bytes, members_.back().crc);
  file_.append(bytes);
}

void NpzArchive::end() {
  if (missing_ != 0) throw std::logic_error("NpzArchive: fewer numbers than announced");
  const Member& member = members_.back();
  file_.overwrite(member.offset + kCrcOffset, std::as_bytes(std::span(&member.crc, 1)));
}

ByteWriter NpzArchive::directory_entry(const Member& member) const {
  const bool wide = member.size > largest_plain_ || member.offset > largest_plain_;
  const auto size = wide ? kSeeWideField : static_cast<std::uint32_t>(member.size);
  const auto offset = wide ? kSeeWideField : static_cast<std::uint32_t>(member.offset);
  ByteWriter entry;
  put_all(entry, std::uint32_t{0x02014b50}, kZipVersion, kZipVersion, std::uint16_t{0},
          std::uint16_t{0}, std::uint16_t{0}, kFirstDate, member.crc, size, size,
          short_size(member.name), static_cast<std::uint16_t>(wide ? 28 : 0), std::uint16_t{0},
          std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0}, offset);
  entry.append(std::as_bytes(std::span(member.name)));
  if (wide) {
    put_all(entry, kWideField, std::uint16_t{24}, member.size, member.size, member.offset);
  }
  return entry;
}

void NpzArchive::finish() {
  if (missing_ != 0) throw std::logic_error("NpzArchive: an array is not complete");
  const std::uint64_t start = file_.size();
  for (const Member& member : members_) file_.append(directory_entry(member).bytes());
  const std::uint64_t end = file_.size(), size = end - start;
  const std::uint64_t count = members_.size();
  ByteWriter tail;
  const bool wide = end > largest_plain_;
  if (wide) {
    put_all(tail, std::uint32_t{0x06064b50}, std::uint64_t{44}, kZipVersion, kZipVersion,
            std::uint32_t{0}, std::uint32_t{0}, count, count, size, start);
    put_all(tail, std::uint32_t{0x07064b50}, std::uint32_t{0}, end, std::uint32_t{1});
  }
  put_all(tail, std::uint32_t{0x06054b50}, std::uint16_t{0}, std::uint16_t{0},
          static_cast<std::uint16_t>(count), static_cast<std::uint16_t>(count),
          wide ? kSeeWideField : static_cast<std::uint32_t>(size),
          wide ? kSeeWideField : static_cast<std::uint32_t>(start), std::uint16_t{0});
  file_.append(tail.bytes());
  file_.commit();
}

}  // namespace isochor::files
