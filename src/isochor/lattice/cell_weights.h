#pragma once

#include "isochor/math/vec3.h"

namespace isochor::lattice {

/// Trilinear weights of the corners of a cell at a point in it and their gradients, lengths in
/// cells.
struct CellWeights {
  explicit CellWeights(const Vec3d& local) {
    for (int c = 0; c < 8; ++c) {
      double factor[3], slope[3];
      for (int a = 0; a < 3; ++a) {
        const bool high = c >> a & 1;
        factor[a] = high ? local[a] : 1 - local[a];
        slope[a] = high ? 1 : -1;
      }
      value[c] = factor[0] * factor[1] * factor[2];
      gradient[c] = {slope[0] * factor[1] * factor[2], factor[0] * slope[1] * factor[2],
                     factor[0] * factor[1] * slope[2]};
    }
  }

  double value[8];
  Vec3d gradient[8];
};

}  // namespace isochor::lattice
