#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace isochor::scene {

/// Where something was written; both count from 1. Line 0: on the command line, with --set.
struct Mark {
  int line = 0;
  int column = 0;
};

struct Value;
struct Entry;
using Array = std::vector<Value>;
using Table = std::vector<Entry>;  ///< in the order written, keys are unique

struct Value {
  std::variant<bool, std::int64_t, double, std::string, Array, Table> data;
  Mark mark;
};

struct Entry {
  std::string key;
  Mark mark;  ///< of the key; the value has its own
  Value value;
};

/// A scene file as plain data, not yet checked against any schema.
struct Document {
  std::string file;  ///< as messages name it
  Table root;
};

/// Reads TOML 1.0. Throws an input error with line and column for anything that is not a
/// non-empty TOML file in UTF-8, and for dates, which no scene needs.
Document parse_toml(std::string_view text, const std::string& file_name);

/// Applies one `key=value` of the command line, as in body[0].material.young="12 kPa".
/// Missing tables are made; list items are not. What is no TOML value is taken as text.
void set_value(Document& document, std::string_view assignment);

/// The value of a key, or null.
const Value* find(const Table& table, std::string_view key);

}  // namespace isochor::scene
