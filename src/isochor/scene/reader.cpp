#include "isochor/scene/reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/base/text.h"
#include "isochor/scene/notation.h"
#include "isochor/scene/units.h"

namespace isochor::scene {
namespace {

std::string with_unit(std::string_view what, Unit unit) {
  return unit == Unit::None ? std::string(what) : fmt::format("{} {}", what, symbol(unit));
}

std::string number_text(Unit unit, const Range& range) {
  return fmt::format("a number ({})", with_unit(range.text(), unit));
}

}  // namespace

Reader::Reader(const Document& document) : document_(document) {
  levels_.push_back({.key = {}, .mark = {1, 1}, .table = &document.root});
}

void Reader::flag(std::string_view name, bool& value, std::string_view doc) {
  const Value* const found = look_up(name, doc, Need::Optional, "true or false");
  if (!found) return;
  const bool* const flag = std::get_if<bool>(&found->data);
  if (!flag) fail_type(*found, key_of(name), "true or false", "write true or false, unquoted");
  value = *flag;
}

void Reader::integer(std::string_view name, int& value, Range range, std::string_view doc,
                     Need need) {
  const std::string expected = fmt::format("a whole number ({})", range.text());
  const Value* const found = look_up(name, doc, need, expected);
  if (!found) return;
  double number = std::numeric_limits<double>::quiet_NaN();
  if (const auto* const whole = std::get_if<std::int64_t>(&found->data)) {
    number = static_cast<double>(*whole);
  } else if (const auto* const real = std::get_if<double>(&found->data)) {
    number = *real;
  }
  if (number != std::trunc(number)) {
    fail_type(*found, key_of(name), expected, "write digits only, unquoted");
  }
  range.min = std::max<double>(range.min, std::numeric_limits<int>::min());
  range.max = std::min<double>(range.max, std::numeric_limits<int>::max());
  if (!range.contains(number)) {
    fail(found->mark, key_of(name), fmt::format("{} is out of range", number),
         fmt::format("choose {}", expected));
  }
  value = static_cast<int>(number);
}

void Reader::number(std::string_view name, double& value, Unit unit, Range range,
                    std::string_view doc, Need need) {
  const Value* const found = look_up(name, doc, need, number_text(unit, range));
  if (found) value = to_number(*found, key_of(name), unit, range);
}

void Reader::number(std::string_view name, std::optional<double>& value, Unit unit, Range range,
                    std::string_view doc) {
  const Value* const found = look_up(name, doc, Need::Optional, number_text(unit, range));
  if (found) value = to_number(*found, key_of(name), unit, range);
}

void Reader::vector(std::string_view name, std::span<double> value, Unit unit, Range range,
                    std::string_view doc, Need need) {
  const std::string expected = fmt::format("a list of {} numbers", value.size());
  const Value* const found = look_up(name, doc, need, expected);
  if (!found) return;
  const std::string key = key_of(name);
  const Array* const items = std::get_if<Array>(&found->data);
  if (!items || items->size() != value.size()) {
    fail_type(*found, key, expected,
              fmt::format("write {} numbers in square brackets, with commas", value.size()));
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    value[i] = to_number((*items)[i], fmt::format("{}[{}]", key, i), unit, range);
  }
}

void Reader::text(std::string_view name, std::string& value, std::string_view doc, Need need) {
  const Value* const found = look_up(name, doc, need, "text in quotes");
  if (!found) return;
  const auto* const text = std::get_if<std::string>(&found->data);
  if (!text) fail_type(*found, key_of(name), "text", "put it in quotes");
  value = *text;
}

void Reader::choice(std::string_view name, std::string& value,
                    std::span<const std::string_view> options, std::string_view doc, Need need) {
  const std::string expected = fmt::format("one of {}", join(options));
  const Value* const found = look_up(name, doc, need, expected);
  if (!found) return;
  const auto* const text = std::get_if<std::string>(&found->data);
  if (!text) fail_type(*found, key_of(name), expected, "write the name in quotes");
  if (std::ranges::find(options, *text) == options.end()) {
    fail_type(*found, key_of(name), expected, suggest(*text, options));
  }
  value = *text;
}

void Reader::place(Place& place) {
  const Level& level = levels_.back();
  place = {level.mark.line > 0 ? document_.file : "--set", level.mark.line, level.mark.column,
           level.key};
}

void Reader::finish() { refuse_unvisited_keys(); }

void Reader::begin_group(std::string_view name, std::string_view doc) {
  const Value* const found = look_up(name, doc, Need::Optional, "a table");
  Level level{.key = key_of(name), .mark = levels_.back().mark};
  if (found) {
    level.mark = found->mark;
    level.table = std::get_if<Table>(&found->data);
    if (!level.table) {
      fail_type(*found, level.key, "a table", fmt::format("write [{}] on its own line", level.key));
    }
  }
  levels_.push_back(std::move(level));
}

void Reader::end_group() {
  refuse_unvisited_keys();
  levels_.pop_back();
}

std::size_t Reader::begin_list(std::string_view name, std::size_t current, std::string_view doc) {
  const Value* const found = look_up(name, doc, Need::Optional, "a list of tables");
  Level level{.key = key_of(name), .mark = levels_.back().mark};
  if (found) {
    level.mark = found->mark;
    level.items = std::get_if<Array>(&found->data);
    if (!level.items) {
      fail_type(*found, level.key, "a list of tables",
                fmt::format("write [[{}]], with two brackets, once for each", level.key));
    }
    current = level.items->size();
  }
  levels_.push_back(std::move(level));
  return current;
}

void Reader::begin_item(std::size_t index) {
  const Level& list = levels_.back();
  Level level{.key = fmt::format("{}[{}]", list.key, index), .mark = list.mark};
  if (list.items) {
    const Value& item = (*list.items)[index];
    level.mark = item.mark;
    level.table = std::get_if<Table>(&item.data);
    if (!level.table) {
      fail_type(item, level.key, "a table", fmt::format("write [[{}]] for each item", list.key));
    }
  }
  levels_.push_back(std::move(level));
}

void Reader::end_item() {
  refuse_unvisited_keys();
  levels_.pop_back();
}

void Reader::end_list() { levels_.pop_back(); }

const Value* Reader::look_up(std::string_view name, std::string_view doc, Need need,
                             std::string_view expected) {
  Level& level = levels_.back();
  level.visited.emplace_back(name);
  const Value* const found = level.table ? find(*level.table, name) : nullptr;
  if (!found && need == Need::Required) {
    refuse_misspelling(name);
    fail(level.mark, key_of(name), fmt::format("'{}' is missing: {}", name, doc),
         fmt::format("add {} = ... with {}", name, expected));
  }
  return found;
}

double Reader::to_number(const Value& value, const std::string& key, Unit unit, Range range) const {
  double number = 0;
  if (const auto* const whole = std::get_if<std::int64_t>(&value.data)) {
    number = static_cast<double>(*whole);
  } else if (const auto* const real = std::get_if<double>(&value.data)) {
    number = *real;
  } else if (const auto* const text = std::get_if<std::string>(&value.data)) {
    number = parse_quantity(*text, unit, place_text(value.mark, key));
  } else {
    fail_type(value, key, number_text(unit, range),
              fmt::format("write, say, 1.5 or \"{}\"", with_unit("1.5", unit)));
  }
  if (!range.contains(number)) {
    fail(value.mark, key,
         fmt::format("{} is out of range", with_unit(fmt::format("{}", number), unit)),
         fmt::format("choose {}", number_text(unit, range)));
  }
  return number;
}

std::string Reader::key_of(std::string_view name) const {
  return join_key(levels_.back().key, name);
}

std::string Reader::place_text(Mark mark, const std::string& key) const {
  if (mark.line == 0) return fmt::format("--set {}", key);
  return Place{document_.file, mark.line, mark.column, key}.text();
}

void Reader::fail(Mark mark, const std::string& key, std::string problem,
                  std::string remedy) const {
  throw Error(Fault::Input, place_text(mark, key), std::move(problem), std::move(remedy));
}

void Reader::fail_type(const Value& value, const std::string& key, std::string_view expected,
                       std::string remedy) const {
  fail(value.mark, key, fmt::format("found {}, expected {}", found_text(value), expected),
       std::move(remedy));
}

void Reader::refuse_misspelling(std::string_view name) const {
  const Level& level = levels_.back();
  if (!level.table) return;
  for (const Entry& entry : *level.table) {
    if (std::ranges::find(level.visited, entry.key) == level.visited.end() &&
        !nearest_name(entry.key, {&name, 1}).empty()) {
      refuse(entry, {name});
    }
  }
}

void Reader::refuse_unvisited_keys() const {
  const Level& level = levels_.back();
  if (!level.table) return;
  for (const Entry& entry : *level.table) {
    if (std::ranges::find(level.visited, entry.key) != level.visited.end()) continue;
    refuse(entry, {level.visited.begin(), level.visited.end()});
  }
}

void Reader::refuse(const Entry& entry, const std::vector<std::string_view>& known) const {
  fail(entry.mark, key_of(entry.key), "unknown key",
       known.empty() ? "remove it; nothing may stand here" : suggest(entry.key, known));
}

}  // namespace isochor::scene
