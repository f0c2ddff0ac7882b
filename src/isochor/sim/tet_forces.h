#pragma once

#include <string>
#include <vector>

#include "isochor/contact/contact_report.h"
#include "isochor/files/frame.h"
#include "isochor/sim/method.h"
#include "isochor/sim/tet_scene.h"

namespace isochor::sim {

/// What contacts push bodies of tets with, on nodes, and what users see of it on their surfaces.
class TetForces {
 public:
  /// The scene must outlive this.
  TetForces(const TetScene& scene, const contact::Colliders& colliders);

  /// Of the step just made. Part of the state.
  void keep(const contact::ContactForces& forces);
  void save(files::ByteWriter& writer) const;
  void load(files::ByteReader& reader);

  /// Of colliders, then of bones, on bodies; positions are those of nodes.
  std::vector<NamedReaction> reactions(std::span<const Vec3d> positions) const;
  /// Adds what bones push nodes with.
  void add_bones(std::span<Vec3d> force) const;
  /// Of a body, on vertices: `contact_force` and `contact_gap`, from gaps of nodes, m; with
  /// `contact_pressure` unless another is known. What pushes a node is shared by the vertices that
  /// ride on it, by their areas: sums are those of nodes.
  std::vector<files::Field> fields(std::size_t body, std::span<const double> gaps,
                                   bool with_pressure) const;

 private:
  std::vector<Vec3d> on_vertices(std::size_t body) const;
  std::size_t sliding_points() const;

  const TetScene* scene_;
  std::vector<std::string> names_;          ///< of colliders
  std::vector<std::vector<double>> areas_;  ///< per body and vertex, at rest, m^2
  contact::ContactForces forces_;
};

}  // namespace isochor::sim
