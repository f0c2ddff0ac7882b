#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace isochor::files {

/// A file within a zip archive, as the archive's directory has it.
struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  ///< of packing: 0 none, 8 deflate
  bool encrypted = false;
  std::uint64_t offset = 0;  ///< of its local header
  std::uint64_t packed_size = 0, size = 0;
  std::uint32_t crc = 0;
};

/// What is in the archive, which may be larger than 4 GiB. `place` names it in errors.
std::vector<ZipMember> list_zip(const std::string& place, std::span<const std::byte> bytes);

/// The contents of a member, unpacked and compared with its checksum.
std::vector<std::byte> extract(const std::string& place, std::span<const std::byte> bytes,
                               const ZipMember& member);

}  // namespace isochor::files
