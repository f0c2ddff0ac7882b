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

DiagnosticsTable read_diagnostics(const std::filesystem::path& path);

}  // namespace isochor::run
