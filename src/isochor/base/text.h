#pragma once

#include <span>
#include <string>
#include <string_view>

namespace isochor {

/// The candidate a person most likely meant by `word`, or empty if none is near enough.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates);

/// "a, b, c" for messages that list what is allowed.
std::string join(std::span<const std::string_view> words, std::string_view separator = ", ");

/// "did you mean 'x'?", or the list of what is known where nothing is near.
std::string suggest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace isochor
