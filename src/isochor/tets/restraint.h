#pragma once

#include <span>

#include "isochor/tets/model.h"

namespace isochor::tets {

/// A node that may not move along a unit vector: one in contact, or in a hold that slides.
struct Slide {
  std::int32_t node;
  Vec3d normal;
  double place;             ///< where it has to be along the normal at the end of the step, m
  double friction = 0;      ///< coefficient; needs StepInput::contact
  Vec3d velocity{0, 0, 0};  ///< m/s, of the surface it slides on
  std::int32_t held = -1;   ///< of a hold, which may also pull: its place in State::pushes
  std::int32_t collider = -1;
  double push = 0;  ///< N, along the normal on the node, at the end of a step
};

/// What holds that slide ask for, by node: normals of one node are orthonormal. Directions, unit,
/// are those of planes' normals or of lines, per Model::sliding; targets of its nodes, one hold
/// after another, m.
std::vector<Slide> slides_of_holds(const Model& model, std::span<const Vec3d> directions,
                                   std::span<const Vec3d> targets);

/// The inverse of a symmetric matrix; zero where it is not positive definite.
Mat3d inverse_or_zero(const Mat3d& A);

/// Takes away from a nodal vector what may not move, in single and in double precision.
struct Restraint {
  const Model& model;
  std::span<const Slide> slides;

  template <class S>
  void operator()(std::span<Vec3<S>> v, ThreadArena& arena) const {
    parallel_for(arena, v.size(), solve::kRowGrain, [&](std::size_t i) {
      if (model.held[i]) v[i] = {0, 0, 0};
    });
    for (const Slide& slide : slides) {
      const Vec3<S> n{S(slide.normal[0]), S(slide.normal[1]), S(slide.normal[2])};
      v[slide.node] -= dot(n, v[slide.node]) * n;
    }
  }
};

}  // namespace isochor::tets
