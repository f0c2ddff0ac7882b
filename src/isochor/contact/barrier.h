#pragma once

#include "isochor/contact/collider_contacts.h"
#include "isochor/contact/term.h"

/// Contact as an energy that grows without bound as parts come together, and is zero beyond a small
/// reach (Li et al. 2020, incremental potential contact). With steps bounded by `largest_step` no
/// parts ever cross.
namespace isochor::contact {

/// b(d) = -stiffness (d - reach)^2 ln(d / reach) for d < reach, 0 from there on: twice continuously
/// differentiable.
struct Barrier {
  double reach = 0;      ///< m
  double stiffness = 0;  ///< N/m
  /// The sine of the angle between two edges below which their energy fades to nothing. The
  /// distance of parallel edges is not smooth; that of their ends, as points near triangles, is.
  double parallel = 0.03;
};

/// A function of the distance with its derivatives.
struct BarrierValue {
  double energy = 0;     ///< J
  double slope = 0;      ///< N, not positive
  double curvature = 0;  ///< N/m, not negative
};
BarrierValue evaluate(const Barrier& barrier, double distance);

/// Of the distance of x[0] and the triangle x[1..3], or of two edges. `rest` has the same points at
/// rest; only edges need them. The members that name points are left to the caller.
Term barrier_term(PairKind kind, const FourVectors& x, const FourVectors& rest,
                  const Barrier& barrier, Curvature curvature);

/// Of a point near a collider; the curvature of the collider's surface, which pushes less, is left
/// out of the second derivatives.
Term barrier_term(const ColliderContact& contact, const Barrier& barrier);

}  // namespace isochor::contact
