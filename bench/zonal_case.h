#pragma once

#include "isochor/tets/fields.h"

namespace isochor::bench {

/// Frames of a body that is one zone, for ours and for others: all start from rest, and a frame
/// from where the one before ended.
struct ZonalCase {
  tets::Model model;
  Vec3d gravity{0, 0, 0};
  double dt = 0;  ///< s; 0: static
  int frames = 2;
  Vec3d velocity{0, 0, 0};  ///< of what nothing holds, at first, m/s
  Vec3d motion{0, 0, 0};    ///< of the second hold in a frame, m

  tets::State start() const;
  /// Held nodes at the end of a frame, from 1.
  std::vector<Vec3d> held_at(int frame) const;
};

/// The puck of `isochor reproduce sheen/puck`, indented by 2 % of its height a frame.
ZonalCase puck_case(double spacing, ThreadArena& arena);
/// A ball of 1 m that stands on its lowest part, hit by the ground at 10 m/s, in steps of 1 ms.
ZonalCase ball_case(double spacing, ThreadArena& arena);

/// How far a state is from a solution of a frame that began in `before`, by the definitions alone.
struct KktError {
  double stationarity = 0;  ///< forces on free nodes over those on held ones and from outside
  double volume = 0;        ///< relative
};
KktError kkt_error(const ZonalCase& c, const tets::State& before, const tets::State& after,
                   ThreadArena& arena);

}  // namespace isochor::bench
