#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "isochor/run/run_directory.h"

namespace isochor::run {

/// Names of the formats that export_run knows (docs/formats/exports.md).
std::span<const std::string_view> export_formats();

/// Writes frames [first, last] of a run in a format of other programs, into its export folder:
/// "vtu", volume and surface per body and frame, with a PVD collection for each;
/// "obj" and "ply", the user's surface per body and frame;
/// "usd" and "gltf", one animated file for all bodies;
/// "pc2" and "npz", one animated file per body.
/// Returns the files that a user would open.
std::vector<std::filesystem::path> export_run(const RunDirectory& directory,
                                              std::string_view format, int first, int last);

}  // namespace isochor::run
