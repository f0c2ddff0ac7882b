#pragma once

#include "isochor/anatomy/fibre_field.h"
#include "isochor/anatomy/harmonic_fibres.h"
#include "isochor/base/context.h"
#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/sim/part_volume.h"
#include "isochor/sim/scene_spec.h"

/// Bones and muscles of a body as surfaces and directions, whatever the body is made of.
namespace isochor::sim {

/// The surface of a muscle or a bone, facing outward.
struct TissueSurface {
  files::SurfaceFile file;
  std::vector<geometry::Triangle> triangles;

  anatomy::Solid solid() const { return {file.mesh.positions, triangles}; }
  double volume() const { return geometry::enclosed_volume(file.mesh.positions, triangles); }
};

/// Bones (holds inside of a surface) and muscles.
struct Tissues {
  std::vector<const HoldSpec*> bones;
  std::vector<TissueSurface> surfaces;  ///< of bones, then of muscles, as in the scene

  const TissueSurface& muscle(std::size_t m) const { return surfaces[bones.size() + m]; }
  /// Where surfaces overlap, the first of these is there: bones, then muscles, the last one first.
  std::vector<std::size_t> precedence() const;
};

/// `spacing` is that of the body's cells or tets, m. What encloses nothing is an input error.
Tissues build_tissues(const BodySpec& spec, double spacing, const std::filesystem::path& scene_file,
                      Context& context);

/// Where a body is, and what it is made of.
struct BodyPlace {
  geometry::Bounds bounds;
  std::string_view element;  ///< "cell" or "tet"
};

/// From the volume that each surface has of the body by itself, and once overlaps are settled, m^3.
/// A muscle outside of the body is an input error; what others take, or what reaches out of the
/// body, is warned about.
std::vector<PartVolume> part_volumes(const BodySpec& spec, const Tissues& tissues,
                                     std::span<const double> alone, std::span<const double> left,
                                     const BodyPlace& body, Context& context);

/// The directions of fibres, one field for each muscle.
std::vector<anatomy::FibreField> muscle_fibres(const BodySpec& spec, const Tissues& tissues,
                                               double spacing,
                                               const std::filesystem::path& scene_file,
                                               Context& context);

/// The input error of a muscle that others leave nothing.
Error nothing_left(const MuscleSpec& muscle, std::string_view element);

}  // namespace isochor::sim
