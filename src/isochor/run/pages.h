#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isochor/run/run_directory.h"
#include "isochor/sim/simulation.h"

/// Pages beside the report of a run (runner.h); each is one file that needs nothing else.
namespace isochor::run {

/// A scene as it is set up, before anything is simulated.
std::string preview_page(const sim::Simulation& simulation);

/// What a comparison shows: a run, or why there is none.
struct Contender {
  std::string title;
  std::optional<RunDirectory> run;
  std::string problem;  ///< of a run that failed, or why there is none
};

/// Several runs side by side: the same camera, scale and frame, and their numbers in a table. Their
/// frames need not have anything in common; where surfaces do, differences can be shown. Those
/// without a whole frame stand in the table only.
std::string comparison_page(const std::string& title, std::span<const Contender> contenders);

/// Runs as contenders, told apart by their directories. One without a frame is an input error.
std::vector<Contender> contenders_of(std::span<const RunDirectory> runs);

}  // namespace isochor::run
