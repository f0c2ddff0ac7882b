#pragma once

#include "isochor/base/context.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/grid/lattice.h"
#include "isochor/lattice/model.h"
#include "isochor/sim/painting.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// The surface that a scene asks for: made, or read from a file beside the scene. In metres; edges
/// of what is made are those of cells unless the shape says otherwise.
files::SurfaceFile build_surface(const ShapeSpec& shape, double cell_size,
                                 const std::filesystem::path& scene_file);
inline files::SurfaceFile build_surface(const BodySpec& body,
                                        const std::filesystem::path& scene_file) {
  return build_surface(body.shape, body.cell_size, scene_file);
}

/// A body that nothing holds yet, with the surface that rides on it.
struct Body {
  geometry::SurfaceMesh surface;
  std::vector<std::array<float, 2>> texture_coordinates;  ///< as in files::SurfaceFile
  std::vector<files::FaceGroup> groups;
  std::vector<geometry::Triangle> triangles;  ///< of the surface, turned to face outward
  grid::Lattice lattice;
  lattice::BodySpec spec;
  std::vector<CellField> fields;  ///< what is painted on it
};
Body build_body(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context);

}  // namespace isochor::sim
