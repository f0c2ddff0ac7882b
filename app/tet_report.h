#pragma once

#include <string>
#include <vector>

#include "app/commands.h"
#include "isochor/base/json.h"
#include "isochor/geometry/tet_quality.h"

/// How the commands speak of a solid of tets.
namespace isochor::app {

/// One line: whether this can be simulated.
std::string verdict(const geometry::TetReport& report);
void print_report(const geometry::TetReport& report, const std::vector<std::string>& region_names);
Json to_json(const geometry::TetReport& report, const std::vector<std::string>& region_names);

/// `inspect` of a file of tets.
int inspect_tets_command(const InspectCommand& command, const CommonOptions& common);

}  // namespace isochor::app
