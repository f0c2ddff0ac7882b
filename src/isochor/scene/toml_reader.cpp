// The only file that sees toml++.
#include <algorithm>
#include <fmt/core.h>
#include <toml++/toml.h>
#include <tuple>

#include "isochor/base/error.h"
#include "isochor/base/fields.h"
#include "isochor/scene/document.h"

namespace isochor::scene {
namespace {

/// toml++ and we walk nested tables by recursion, so depth is bounded before either starts.
constexpr int kMaxBrackets = 32;
constexpr int kMaxDots = 15;

std::string place_text(const std::string& file, Mark mark) {
  return Place{file, mark.line, mark.column, {}}.text();
}

Mark mark_of(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Mark mark_at(std::string_view text, std::size_t offset) {
  Mark mark{1, 1};
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      mark = {mark.line + 1, 1};
    } else if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) {
      ++mark.column;
    }
  }
  return mark;
}

/// The offset behind the string that opens at `begin`.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string fence(text.substr(begin, 3) == std::string(3, quote) ? 3 : 1, quote);
  for (std::size_t i = begin + fence.size(); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text.substr(i, fence.size()) == fence) {
      i += fence.size();
      // Up to two quotes may stand right before the closing three.
      const std::size_t last = fence.size() == 3 ? std::min(i + 2, text.size()) : i;
      while (i < last && text[i] == quote) ++i;
      return i;
    } else if (fence.size() == 1 && text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

/// Counts brackets and dots outside strings and comments. This follows TOML up to the first
/// syntax error, which is as far as toml++ will read.
void check_nesting(std::string_view text, const std::string& file) {
  int brackets = 0, dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = end_of_string(text, i) - 1;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '.') {
      ++dots;
    } else if (std::string_view("[]{}=,\n").find(c) != std::string_view::npos) {
      brackets += (c == '[' || c == '{') - (c == ']' || c == '}');
      dots = 0;
    }
    if (brackets > kMaxBrackets || dots > kMaxDots) {
      throw Error(Fault::Input, place_text(file, mark_at(text, i)), "nested too deeply",
                  "check for a missing closing bracket");
    }
  }
}

Value convert(const toml::node& node, const std::string& file);

Table convert_table(const toml::table& table, const std::string& file) {
  Table out;
  out.reserve(table.size());
  for (auto&& [key, node] : table) {
    out.push_back({std::string(key.str()), mark_of(key.source()), convert(node, file)});
  }
  // toml++ sorts by name; the user reads from top to bottom.
  std::ranges::stable_sort(
      out, {}, [](const Entry& entry) { return std::tuple(entry.mark.line, entry.mark.column); });
  return out;
}

Value convert(const toml::node& node, const std::string& file) {
  Value value;
  value.mark = mark_of(node.source());
  if (const auto* const table = node.as_table()) {
    value.data = convert_table(*table, file);
  } else if (const auto* const items = node.as_array()) {
    Array out;
    out.reserve(items->size());
    for (const toml::node& item : *items) out.push_back(convert(item, file));
    value.data = std::move(out);
  } else if (const auto* const text = node.as_string()) {
    value.data = text->get();
  } else if (const auto* const integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* const number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* const flag = node.as_boolean()) {
    value.data = flag->get();
  } else {
    throw Error(Fault::Input, place_text(file, value.mark), "found a date or time of day",
                "no scene key takes one; put text in quotes");
  }
  return value;
}

std::string remedy_for(std::string_view problem) {
  const auto mentions = [&](std::string_view word) { return problem.find(word) != problem.npos; };
  if (mentions("redefine")) {
    return "a key or [table] may be written once; remove one, or write [[name]] for a list item";
  }
  if (mentions("utf-8")) return "save the file as UTF-8 text";
  return "text and quantities with a unit need quotes, as in \"12 kPa\"; see toml.io for the rest";
}

}  // namespace

Document parse_toml(std::string_view text, const std::string& file_name) {
  check_nesting(text, file_name);
  try {
    Document document{file_name, convert_table(toml::parse(text, file_name), file_name)};
    if (document.root.empty()) {
      throw Error(Fault::Input, file_name, "the file has no keys", "start from a file in scenes/");
    }
    return document;
  } catch (const toml::parse_error& error) {
    std::string_view problem = error.description();
    constexpr std::string_view kPreamble = "Error while parsing ";
    if (problem.starts_with(kPreamble)) problem.remove_prefix(kPreamble.size());
    throw Error(Fault::Input, place_text(file_name, mark_of(error.source())),
                fmt::format("not valid TOML: {}", problem), remedy_for(problem));
  }
}

}  // namespace isochor::scene
