#pragma once

#include <span>
#include <string>

#include "isochor/run/run_directory.h"
#include "isochor/sim/simulation.h"

/// Pages beside the report of a run (runner.h); each is one file that needs nothing else.
namespace isochor::run {

/// A scene as it is set up, before anything is simulated.
std::string preview_page(const sim::Simulation& simulation);

/// Several runs side by side: the same camera, scale and frame, and their numbers in a table. Their
/// frames need not have anything in common; where surfaces do, differences can be shown.
std::string comparison_page(std::span<const RunDirectory> runs);

}  // namespace isochor::run
