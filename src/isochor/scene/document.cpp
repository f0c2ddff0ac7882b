#include "isochor/scene/document.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/scene/notation.h"

namespace isochor::scene {
namespace {

/// Far deeper than any scene, and shallow enough to walk by recursion.
constexpr std::size_t kMaxPathParts = 16;

/// Follows one path of the command line through a document.
class PathWalker {
 public:
  PathWalker(Table& root, std::string place) : table_(&root), place_(std::move(place)) {}

  /// One part between dots: "time", "body[0]".
  void enter(std::string_view part) {
    if (value_) enter_table();
    const std::size_t bracket = std::min(part.find('['), part.size());
    std::string_view indices = part.substr(bracket);
    enter_key(part.substr(0, bracket), indices.empty());
    while (!indices.empty()) {
      const std::size_t end = indices.find(']');
      std::size_t index = 0;
      const char* const digits = indices.data() + 1;
      if (indices[0] != '[' || end == std::string_view::npos) fail_spelling();
      const auto [stop, error] = std::from_chars(digits, indices.data() + end, index);
      if (error == std::errc::invalid_argument || stop != indices.data() + end) fail_spelling();
      enter_item(index, error == std::errc{});
      indices.remove_prefix(end + 1);
    }
  }

  Value& value() const { return *value_; }

 private:
  void enter_table() {
    table_ = std::get_if<Table>(&value_->data);
    if (!table_) fail(fmt::format("'{}' is {}, not a table", walked_, found_text(*value_)));
  }

  void enter_key(std::string_view key, bool may_add) {
    if (!is_bare_key(key)) fail_spelling();
    walked_ = join_key(walked_, key);
    const auto entry = std::ranges::find(*table_, key, &Entry::key);
    if (entry != table_->end()) {
      value_ = &entry->value;
    } else if (may_add) {
      value_ = &table_->emplace_back(Entry{std::string(key), {}, {Table{}, {}}}).value;
    } else {
      fail(fmt::format("'{}' is not in the file, so it has no items", walked_));
    }
  }

  void enter_item(std::size_t index, bool representable) {
    Array* const items = std::get_if<Array>(&value_->data);
    if (!items) fail(fmt::format("'{}' is {}, not a list", walked_, found_text(*value_)));
    if (!representable || index >= items->size()) {
      fail(fmt::format("the index is out of range: '{}' has {} items, counted from 0", walked_,
                       items->size()));
    }
    walked_ += fmt::format("[{}]", index);
    value_ = &(*items)[index];
  }

  [[noreturn]] void fail_spelling() const {
    fail("expected keys joined by dots, each with an optional [index]");
  }

  [[noreturn]] void fail(std::string problem) const {
    throw Error(Fault::Input, place_, std::move(problem),
                "name the key as in --set body[0].material.young=\"12 kPa\"; list items must be in "
                "the file");
  }

  Table* table_;
  Value* value_ = nullptr;
  std::string walked_;
  std::string place_;
};

void mark_as_command_line(Value& value) {
  value.mark = {};
  if (Array* const items = std::get_if<Array>(&value.data)) {
    std::ranges::for_each(*items, mark_as_command_line);
  } else if (Table* const table = std::get_if<Table>(&value.data)) {
    for (Entry& entry : *table) {
      entry.mark = {};
      mark_as_command_line(entry.value);
    }
  }
}

std::optional<Value> parse_value(std::string_view text) {
  try {
    Document line = parse_toml("value = " + std::string(text), "--set");
    // More than one entry: the text held a line break and went on as TOML by accident.
    if (line.root.size() == 1) return std::move(line.root.front().value);
  } catch (const Error&) {
    // No TOML value; the caller falls back to text.
  }
  return std::nullopt;
}

}  // namespace

const Value* find(const Table& table, std::string_view key) {
  const auto entry = std::ranges::find(table, key, &Entry::key);
  return entry == table.end() ? nullptr : &entry->value;
}

void set_value(Document& document, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  std::string_view path = trimmed(assignment.substr(0, equals));
  const std::string place = fmt::format("--set {}", path);
  if (equals == std::string_view::npos || path.empty()) {
    throw Error(Fault::Input, place, "expected key=value", "write, say, --set time.frames=10");
  }
  if (static_cast<std::size_t>(std::ranges::count(path, '.')) >= kMaxPathParts) {
    throw Error(Fault::Input, place, "the key has too many parts", "no scene key is that deep");
  }
  const std::string_view text = trimmed(assignment.substr(equals + 1));
  std::optional<Value> value = parse_value(text);
  if (!value) value = parse_value(toml_string(text));
  if (!value) {
    throw Error(Fault::Input, place, "the value is not UTF-8 text", "use a UTF-8 terminal");
  }
  mark_as_command_line(*value);

  PathWalker walker(document.root, place);
  for (std::size_t dot = 0; dot != std::string_view::npos;) {
    dot = path.find('.');
    walker.enter(path.substr(0, dot));
    if (dot != std::string_view::npos) path.remove_prefix(dot + 1);
  }
  walker.value() = *std::move(value);
}

}  // namespace isochor::scene
