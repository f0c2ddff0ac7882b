#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace isochor::files {

/// What surrounds deflated bytes: nothing in a zip archive, else header and checksum of zlib.
enum class DeflateFrame { None, Zlib };

/// Unpacks bytes that must become exactly `size` bytes. Nothing if they do not, or are damaged. No
/// memory is taken for a size that the packed bytes cannot reach.
std::optional<std::vector<std::byte>> inflated(std::span<const std::byte> packed, std::size_t size,
                                               DeflateFrame frame);

}  // namespace isochor::files
