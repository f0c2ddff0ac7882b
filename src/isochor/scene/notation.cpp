#include "isochor/scene/notation.h"

#include <algorithm>
#include <fmt/core.h>

namespace isochor::scene {
namespace {

constexpr std::size_t kExcerptBytes = 48;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
// clang 14 does not deduce this for an aggregate.
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\u{:04X}", code);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string toml_float(double value) {
  std::string text = fmt::format("{}", value);
  // "12" would be a TOML integer, and "-0" would lose its sign.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string join_key(std::string_view path, std::string_view key) {
  const bool plain = is_bare_key(key) && key.size() <= kExcerptBytes;
  return fmt::format("{}{}{}", path, path.empty() ? "" : ".", plain ? key : excerpt(key));
}

std::string excerpt(std::string_view text) {
  if (text.size() <= kExcerptBytes) return toml_string(text);
  std::size_t end = kExcerptBytes;
  // Not between the bytes of one UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return toml_string(std::string(text.substr(0, end)) + "...");
}

std::string found_text(const Value& value) {
  return std::visit(
      Overloaded{
          [](bool flag) { return std::string(flag ? "true" : "false"); },
          [](std::int64_t number) { return fmt::format("the number {}", number); },
          [](double number) { return fmt::format("the number {}", number); },
          [](const std::string& text) { return "the text " + excerpt(text); },
          [](const Array& items) { return fmt::format("a list of {}", items.size()); },
          [](const Table&) { return std::string("a table"); },
      },
      value.data);
}

}  // namespace isochor::scene
