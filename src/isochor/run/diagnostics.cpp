#include "isochor/run/diagnostics.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/base/file.h"

namespace isochor::run {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The cells of the line that starts at `position`, which moves behind it. A cell in quotes may
/// hold commas, line ends and doubled quotes: names are the user's.
std::vector<std::string> read_cells(std::string_view text, std::size_t& position) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  for (; position < text.size(); ++position) {
    const char c = text[position];
    if (c == '"') {
      const bool doubled = quoted && position + 1 < text.size() && text[position + 1] == '"';
      if (doubled) {
        cell += text[++position];
      } else {
        quoted = !quoted;
      }
    } else if (!quoted && (c == ',' || c == '\n')) {
      cells.emplace_back(trimmed(cell));
      cell.clear();
      if (c == '\n') {
        ++position;
        return cells;
      }
    } else {
      cell += c;
    }
  }
  cells.emplace_back(trimmed(cell));
  return cells;
}

}  // namespace

ColumnHeader parse_column(std::string_view header) {
  const std::size_t open = header.rfind(" [");
  if (open == std::string_view::npos || !header.ends_with(']')) return {std::string(header), ""};
  return {std::string(header.substr(0, open)),
          std::string(header.substr(open + 2, header.size() - open - 3))};
}

int DiagnosticsTable::column(std::string_view name) const {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (parse_column(columns[c]).name == name) return static_cast<int>(c);
  }
  return -1;
}

std::vector<double> DiagnosticsTable::values(std::string_view name) const {
  std::vector<double> result;
  const int c = column(name);
  if (c < 0) return result;
  for (const std::vector<double>& row : rows) result.push_back(row[c]);
  return result;
}

DiagnosticsTable read_diagnostics(const std::filesystem::path& path) {
  const std::string text = read_text_file(path);
  const auto refuse = [&](std::size_t line, std::string problem) {
    throw Error(Fault::Input, fmt::format("{}:{}", path.string(), line), std::move(problem),
                "let the run write its diagnostics again, or restore the file");
  };
  DiagnosticsTable table;
  std::size_t position = 0;
  if (!text.empty()) table.columns = read_cells(text, position);
  if (table.columns.empty()) refuse(1, "the file is empty, expected a header line");
  const std::size_t whole = text.rfind('\n') + 1;
  for (std::size_t line = 2; position < whole; ++line) {
    const std::vector<std::string> cells = read_cells(text, position);
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() != table.columns.size()) {
      refuse(line, fmt::format("found {} values, the header names {} columns", cells.size(),
                               table.columns.size()));
    }
    std::vector<double>& row = table.rows.emplace_back();
    for (std::size_t c = 0; c < cells.size(); ++c) {
      double value = std::numeric_limits<double>::quiet_NaN();  // an empty cell has no value
      const char* end = cells[c].data() + cells[c].size();
      const auto [stop, code] = std::from_chars(cells[c].data(), end, value);
      if (!cells[c].empty() && (code != std::errc() || stop != end)) {
        refuse(line, fmt::format("'{}' in column '{}' is no number", cells[c], table.columns[c]));
      }
      row.push_back(value);
    }
  }
  return table;
}

std::string rows_through(std::string_view table, int last) {
  std::string kept;
  for (std::size_t begin = 0, end = 0; begin < table.size(); begin = end) {
    const std::vector<std::string> cells = read_cells(table, end);
    if (table[end - 1] != '\n') break;
    int frame = -1;
    const std::string& first = cells.front();
    const bool is_row =
        std::from_chars(first.data(), first.data() + first.size(), frame).ec == std::errc{};
    if (begin == 0 || (is_row && frame <= last)) kept += table.substr(begin, end - begin);
  }
  return kept;
}

}  // namespace isochor::run
