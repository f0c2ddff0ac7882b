#include "isochor/scene/difference.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

#include "isochor/scene/notation.h"

namespace isochor::scene {
namespace {

struct Line {
  std::string key, value;
};

bool is_list_of_tables(const Array& array) {
  return !array.empty() && std::ranges::all_of(array, [](const Value& item) {
    return std::holds_alternative<Table>(item.data);
  });
}

struct Printed {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return toml_float(value); }
  std::string operator()(const std::string& value) const { return toml_string(value); }
  std::string operator()(const Array& array) const {
    std::string text = "[";
    for (const Value& item : array) {
      text += (text.size() > 1 ? ", " : "") + std::visit(*this, item.data);
    }
    return text + "]";
  }
  std::string operator()(const Table&) const { return "a table"; }
};

/// One line per value; tables and lists of them become parts of the keys.
void flatten(const Table& table, const std::string& path, std::vector<Line>& lines) {
  for (const Entry& entry : table) {
    const std::string key = join_key(path, entry.key);
    if (const auto* inner = std::get_if<Table>(&entry.value.data)) {
      flatten(*inner, key, lines);
      continue;
    }
    const auto* array = std::get_if<Array>(&entry.value.data);
    if (!array || !is_list_of_tables(*array)) {
      lines.push_back({key, std::visit(Printed{}, entry.value.data)});
      continue;
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
      flatten(std::get<Table>((*array)[i].data), fmt::format("{}[{}]", key, i), lines);
    }
  }
}

}  // namespace

std::vector<Difference> differences(const Document& before, const Document& after) {
  std::vector<Line> old_lines, new_lines;
  flatten(before.root, "", old_lines);
  flatten(after.root, "", new_lines);
  std::map<std::string, std::string> values;
  for (const Line& line : new_lines) values.emplace(line.key, line.value);
  std::vector<Difference> found;
  for (const Line& line : old_lines) {
    const auto now = values.extract(line.key);
    const std::string value = now.empty() ? "" : now.mapped();
    if (value != line.value) found.push_back({line.key, line.value, value});
  }
  for (const Line& line : new_lines) {
    if (values.contains(line.key)) found.push_back({line.key, "", line.value});
  }
  return found;
}

}  // namespace isochor::scene
