#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace isochor::files {

/// The bytes that base64 text stands for, about `limit` of them at most: a few more may come where
/// the text goes on. Pieces that were encoded one by one, each with its own padding, may follow
/// each other. Nothing if a character is no digit.
std::optional<std::vector<std::byte>> decode_base64(
    std::string_view text, std::size_t limit = std::numeric_limits<std::size_t>::max());

}  // namespace isochor::files
