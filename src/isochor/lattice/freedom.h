#pragma once

#include <span>

#include "isochor/lattice/model.h"
#include "isochor/solve/vector_ops.h"

namespace isochor::lattice {

/// The directions in which a node that slides is held, orthonormal, and where it is along them.
struct SlideFrame {
  int count = 0;
  Vec3d direction[3];
  double place[3];  ///< m
};

/// Takes away from a nodal vector what sliding holds do not leave free.
template <class S>
void keep_sliding(const Model& model, std::span<const SlideFrame> slides, std::span<Vec3<S>> v) {
  for (std::size_t k = 0; k < model.sliding.size(); ++k) {
    Vec3<S>& at = v[model.sliding[k]];
    for (int d = 0; d < slides[k].count; ++d) {
      const Vec3d& q = slides[k].direction[d];
      const Vec3<S> direction{static_cast<S>(q[0]), static_cast<S>(q[1]), static_cast<S>(q[2])};
      at -= dot(direction, at) * direction;
    }
  }
}

/// Takes away what no hold leaves free.
template <class S>
void keep_free(const Model& model, std::span<const SlideFrame> slides, std::span<Vec3<S>> v,
               ThreadArena& arena) {
  parallel_for(arena, v.size(), solve::kVectorGrain, [&](std::size_t i) {
    if (model.freedom[i] == Freedom::Held) v[i] = {0, 0, 0};
  });
  keep_sliding(model, slides, v);
}

}  // namespace isochor::lattice
