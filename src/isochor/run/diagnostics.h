#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace isochor::run {

/// diagnostics.csv: one row per frame, one named column per quantity, units in the header as
/// "name [unit]". Plain numbers only.
struct DiagnosticsTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;

  /// Index of the column whose name without its unit is `name`, or -1.
  int column(std::string_view name) const;
  /// All values of that column; empty if there is none.
  std::vector<double> values(std::string_view name) const;
};

struct ColumnHeader {
  std::string name, unit;
};
/// The parts of "name [unit]"; the unit is empty where there is none.
ColumnHeader parse_column(std::string_view header);

/// A last line that does not end was cut off while it was written, and is left out.
DiagnosticsTable read_diagnostics(const std::filesystem::path& path);

/// The header and the rows of frames up to `last` of a table whose first column is the frame. What
/// was cut off while it was written is left out.
std::string rows_through(std::string_view table, int last);

}  // namespace isochor::run
