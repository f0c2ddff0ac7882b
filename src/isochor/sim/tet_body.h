#pragma once

#include "isochor/base/context.h"
#include "isochor/files/tet_file.h"
#include "isochor/sim/painting.h"
#include "isochor/sim/part_volume.h"
#include "isochor/tets/model.h"

namespace isochor::sim {

/// The tets of a body's file, in metres.
files::TetFile read_body_tets(const BodySpec& spec, const std::filesystem::path& scene_file);

/// The boundary of tets as a surface: those vertices that it has, in their order.
geometry::SurfaceMesh boundary_surface(const geometry::TetMesh& mesh);

/// A body of tets that nothing holds yet, with the surface that rides on it.
struct TetBody {
  files::SurfaceFile surface;                 ///< as the scene has it, m
  std::vector<geometry::Triangle> triangles;  ///< of the surface, turned to face outward
  double spacing = 0;  ///< m, what its tets were made with, else their mean edge
  tets::BodySpec spec;
  std::vector<std::string> region_names;  ///< of the file
  std::vector<CellField> fields;          ///< what is painted on it, per tet of the spec's mesh
  std::vector<PartVolume> parts;          ///< its bones, then its muscles
};

/// From the file of tets that the scene names, or by filling its surface with tets.
TetBody build_tet_body(const BodySpec& spec, const std::filesystem::path& scene_file,
                       Context& context);

}  // namespace isochor::sim
