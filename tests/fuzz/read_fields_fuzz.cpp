/// Feeds one reader of fields, ISOCHOR_FUZZ_READER, with whatever the fuzzer thinks of. Nothing but
/// isochor::Error may be thrown, and what is read must be consistent. `./dev fuzz` runs it.
#include <cstdint>
#include <cstdlib>
#include <zlib.h>

#include "isochor/base/error.h"
#include "isochor/files/byte_stream.h"
#include "isochor/files/vtu_reader.h"

namespace isochor::files {
namespace {

bool is_consistent(const FieldFile& file) {
  const auto are_full = [](const std::vector<FieldArray>& arrays, std::size_t count) {
    for (const FieldArray& a : arrays) {
      if (a.components == 0 || a.values.size() != count * a.components) return false;
    }
    return true;
  };
  const FieldCells& cells = file.cells;
  if (cells.starts.size() != cells.count() + 1) return false;
  if (cells.starts.back() != static_cast<std::int64_t>(cells.corners.size())) return false;
  for (const std::int32_t corner : cells.corners) {
    if (corner < 0 || static_cast<std::size_t>(corner) >= file.points.size()) return false;
  }
  for (const FieldArray& a : file.loose) {
    if (a.components == 0 || a.count() * a.components != a.values.size()) return false;
  }
  return are_full(file.on_points, file.points.size()) && are_full(file.on_cells, cells.count());
}

void feed(std::span<const std::byte> bytes) {
  try {
    if (!is_consistent(ISOCHOR_FUZZ_READER("fuzz", bytes))) std::abort();
  } catch (const Error& error) {
    if (error.problem().empty() || error.remedy().empty()) std::abort();
  }
}

template <class... T>
void put_all(ByteWriter& out, T... numbers) {
  (out.put(numbers), ...);
}

/// A zip archive with `bytes` as its only member: no fuzzer guesses a checksum.
std::vector<std::byte> in_archive(std::span<const std::byte> bytes) {
  constexpr std::string_view kName = "points.npy";
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  const auto size = static_cast<std::uint32_t>(bytes.size());
  constexpr auto kNameSize = static_cast<std::uint16_t>(kName.size());
  constexpr std::uint16_t kZero = 0;
  ByteWriter zip;
  put_all(zip, 0x04034b50u, kZero, kZero, kZero, kZero, kZero, crc, size, size, kNameSize, kZero);
  zip.append(std::as_bytes(std::span(kName)));
  zip.append(bytes);
  const auto directory = static_cast<std::uint32_t>(zip.bytes().size());
  put_all(zip, 0x02014b50u, kZero, kZero, kZero, kZero, kZero, kZero, crc, size, size, kNameSize,
          kZero, kZero, kZero, kZero, 0u, 0u);
  zip.append(std::as_bytes(std::span(kName)));
  const auto end = static_cast<std::uint32_t>(zip.bytes().size());
  constexpr std::uint16_t kOne = 1;
  put_all(zip, 0x06054b50u, kZero, kZero, kOne, kOne, end - directory, directory, kZero);
  return zip.take();
}

}  // namespace
}  // namespace isochor::files

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isochor::files;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  feed(bytes);
  // An array without its archive.
  if (size > 0 && data[0] == 0x93) feed(in_archive(bytes));
  return 0;
}
