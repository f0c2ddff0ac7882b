#pragma once

#include <string>
#include <string_view>

#include "isochor/scene/document.h"

// How keys and values are spelled, in TOML and in messages.
namespace isochor::scene {

/// The text as a TOML string, with its quotes.
std::string toml_string(std::string_view text);

/// The shortest TOML float that reads back as the same bits.
std::string toml_float(double value);

/// Whether TOML lets this key stand without quotes.
bool is_bare_key(std::string_view key);

/// Without the blanks at both ends.
std::string_view trimmed(std::string_view text);

/// "path.key", for messages: a key that is odd is quoted, one that is long is cut.
std::string join_key(std::string_view path, std::string_view key);

/// `text` in quotes, for messages: cut where it is long.
std::string excerpt(std::string_view text);

/// "the number 3", "a list of 2", "a table": what stands where something else was expected.
std::string found_text(const Value& value);

}  // namespace isochor::scene
