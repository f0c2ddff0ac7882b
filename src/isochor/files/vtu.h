#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/frame.h"
#include "isochor/geometry/tet_mesh.h"

namespace isochor::files {

/// VTK unstructured grids for ParaView: deformed positions, the displacement from rest, and every
/// field that lives on this part of the body, named with its unit ("pressure [Pa]").
void write_vtu_volume(const std::filesystem::path& path, const BodyTopology& topology,
                      const BodyFrame& frame);
void write_vtu_surface(const std::filesystem::path& path, const BodyTopology& topology,
                       const BodyFrame& frame);

/// A solid of tets at rest, with the array `region` if it has regions.
void write_vtu_tets(const std::filesystem::path& path, const geometry::TetMesh& mesh);

/// One file of an animation.
struct PvdEntry {
  double time = 0;   ///< s
  int part = 0;      ///< which body
  std::string file;  ///< relative to the collection
};
/// The collection that ParaView opens to play an animation.
void write_pvd(const std::filesystem::path& path, std::span<const PvdEntry> entries);

}  // namespace isochor::files
