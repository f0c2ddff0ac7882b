#pragma once

#include "isochor/base/parallel.h"
#include "isochor/math/vec3.h"
#include "isochor/staggered/model.h"

namespace isochor::staggered {

/// What the corners of cells make of the displacements at faces, and what faces make of forces on
/// corners: means of the four faces around, and beyond the last ones what two corners on a line
/// say. Surfaces ride on corners as those of other lattices do. [Zhu10 sec 9.3]
class NodeMap {
 public:
  /// Of corners by their coordinates: corner (0, 0, 0) is where the domain begins.
  NodeMap(const Model<3>& model, std::span<const Index<3>> nodes);

  /// m, or m/s of a velocity.
  void to_nodes(std::span<const double> u, std::span<Vec3d> out, ThreadArena& arena) const;
  /// Adds forces on corners, N, to a load as loads.h has them. What falls on given faces is theirs.
  void add_forces(const Model<3>& model, std::span<const Vec3d> forces, std::span<double> b) const;

  std::size_t bytes() const {
    return first_.capacity() * sizeof(first_[0]) + terms_.capacity() * sizeof(Term);
  }

 private:
  struct Term {
    std::uint32_t place;
    float weight;
  };
  std::vector<std::uint32_t> first_;  ///< per corner and axis, and an end
  std::vector<Term> terms_;
};

}  // namespace isochor::staggered
