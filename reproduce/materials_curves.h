#pragma once

#include <string_view>
#include <vector>

#include "reproduce/experiment.h"

/// The two halves of the experiment materials/curves: laws beside closed forms, and laws beside
/// measurements.
namespace isochor::reproduce {

inline constexpr std::string_view kMaterialsCurves = "materials/curves";

/// Fits of the laws to measured silicones, skin and muscle, and every preset against what it was
/// fitted to. Leaves pictures where options say so.
void add_measured_materials(const ExperimentOptions& options, std::vector<Row>& rows);

}  // namespace isochor::reproduce
