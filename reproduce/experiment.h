#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"
#include "reproduce/row.h"

namespace isochor::reproduce {

struct ExperimentOptions {
  bool full = false;               ///< at the size of the paper
  std::filesystem::path pictures;  ///< where to leave pictures; empty: none
  std::filesystem::path data;      ///< measurements to compare with; where absent, rows say so
};

/// An experiment of a paper: a function that measures and returns rows.
struct Experiment {
  std::string_view id;
  std::string_view title;
  std::vector<Row> (*run)(const ExperimentOptions&, Context&);
};

/// Every experiment, in the order of `isochor reproduce --list`.
std::span<const Experiment> experiments();

}  // namespace isochor::reproduce
