#pragma once

#include "isochor/base/context.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/grid/lattice.h"
#include "isochor/lattice/model.h"
#include "isochor/sim/painting.h"
#include "isochor/sim/part_volume.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// The surface that a scene asks for: made, or read from a file beside the scene. In metres; edges
/// of what is made are those of cells unless the shape says otherwise.
files::SurfaceFile build_surface(const ShapeSpec& shape, double cell_size,
                                 const std::filesystem::path& scene_file);
/// That of a body: its shape, or the boundary of the tets that it is made of.
files::SurfaceFile build_surface(const BodySpec& body, const std::filesystem::path& scene_file);

/// Tells the log what a reader did to a file on the way in.
void log_notes(const std::string& file, const std::vector<std::string>& notes, Context& context);

/// The triangles of a surface, turned to face outward; a warning where they did not. `place` is
/// where the scene speaks of it.
std::vector<geometry::Triangle> outward_triangles(const geometry::SurfaceMesh& surface,
                                                  const std::string& place, Context& context);

/// The cells of a body around its surface.
grid::Lattice build_cells(const BodySpec& spec, const geometry::SurfaceMesh& surface,
                          ThreadArena& arena);

/// A body that nothing holds yet, with the surface that rides on it.
struct Body {
  geometry::SurfaceMesh surface;
  std::vector<std::array<float, 2>> texture_coordinates;  ///< as in files::SurfaceFile
  std::vector<files::FaceGroup> groups;
  std::vector<geometry::Triangle> triangles;  ///< of the surface, turned to face outward
  grid::Lattice lattice;
  lattice::BodySpec spec;
  std::vector<CellField> fields;  ///< what is painted on it
  std::vector<PartVolume> parts;  ///< its bones, then its muscles
};
Body build_body(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context);

}  // namespace isochor::sim
