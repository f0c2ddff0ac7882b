#pragma once

#include "isochor/run/report_page.h"
#include "isochor/sim/setup.h"

namespace isochor::run {

/// Bones and muscles with the volumes of their surfaces and what cells have of them, in cm^3; no
/// table where bodies have none. Bodies have the names of `bodies`.
std::vector<TextTable> part_tables(const sim::Setup& setup, std::span<const std::string> bodies);

}  // namespace isochor::run
