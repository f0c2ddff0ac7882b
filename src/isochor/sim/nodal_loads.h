#pragma once

#include <span>
#include <vector>

#include "isochor/files/byte_stream.h"
#include "isochor/math/vec3.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// Forces on nodes that a caller sets between frames; part of a method's state. In a static scene
/// they come up within a frame.
class NodalLoads {
 public:
  explicit NodalLoads(std::size_t node_count) : node_count_(node_count) {}

  /// Per node, N; nothing where no force was ever set.
  std::vector<Vec3d> at(double time, const TimeSpec& timing) const;

  /// From this time on other forces: those of now, but none on `count` nodes from `first`, which
  /// are the caller's to set.
  std::span<Vec3d> renew(double time, const TimeSpec& timing, std::int32_t first,
                         std::int32_t count);

  void save(files::ByteWriter& writer) const;
  static NodalLoads load(files::ByteReader& reader, std::size_t node_count);

 private:
  std::size_t node_count_;
  double since_ = 0;                   ///< frames
  std::vector<Vec3d> before_, after_;  ///< per node, N; both empty: none
};

/// A load on a part of a body's surface.
struct SurfaceLoad {
  LoadSpec spec;
  std::string name;             ///< "body.load"
  std::vector<Vec3d> points;    ///< vertices of the part at rest, m
  std::int32_t first_node = 0;  ///< of its body
  std::vector<double> areas;    ///< of a traction, per node of its body, m^2
};

/// Adds what tractions push nodes with at a time, N; makes room for all nodes where there is none.
void add_tractions(std::span<const SurfaceLoad> tractions, std::size_t node_count, double time,
                   std::vector<Vec3d>& loads);

/// What forces have done since the nodes were at rest, had they always been the same, J.
double work_of(std::span<const Vec3d> loads, std::span<const Vec3d> positions,
               std::span<const Vec3d> rest_positions);

/// Spreads a force over nodes by their mass.
void spread_by_mass(const Vec3d& force, std::span<const double> mass, std::span<Vec3d> loads);

}  // namespace isochor::sim
