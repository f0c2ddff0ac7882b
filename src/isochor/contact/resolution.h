#pragma once

#include "isochor/contact/impacts.h"
#include "isochor/contact/projection.h"

namespace isochor::contact {

struct ResolutionOptions {
  double time_step = 0;                         ///< s
  double friction = 0;                          ///< coefficient, of bodies
  std::span<const double> obstacle_friction{};  ///< of each obstacle
  double distance = 0;                          ///< m that parts keep
  int impulse_rounds = 6;                       ///< of inelastic impulses, before zones are made
  int zone_rounds = 64;                         ///< after these it is given up
};

struct ResolutionReport {
  std::int64_t impacts = 0;      ///< found at first
  int rounds = 0;                ///< of impulses and of zones
  std::int64_t zone_points = 0;  ///< that could only go on together with others
  bool clear = false;            ///< no parts meet on the way
};

/// Changes velocities so that nothing meets on the straight way from `positions` by a time step, as
/// in Bridson, Fedkiw and Anderson 2002: rounds of inelastic impulses with friction at all impacts;
/// then what still meets goes on with one velocity per zone of parts that meet each other, that of
/// the zone's momentum, or of its points without inverse mass. Zones only grow, and a zone meets
/// nothing inside, so that this ends; only points without inverse mass that move against each other
/// can make it fail. Momentum is conserved. Nothing may cross at the start.
class ImpactResolver {
 public:
  /// Keeps what points without inverse mass were pushed with, `on_held`.
  ResolutionReport resolve(SurfaceBvh& bvh, std::span<const Vec3d> positions,
                           std::span<Vec3d> velocities, std::span<const double> inverse_masses,
                           const ResolutionOptions& options, const PairFilter& filter,
                           ThreadArena& arena);

  /// The impulse on a point that cannot be moved, in the last call, N s.
  Vec3d on_held(std::int32_t point) const;

 private:
  using Held = std::pair<std::int32_t, Vec3d>;  ///< a point and an impulse on it, N s
  void keep_held(std::span<const double> inverse_masses);
  void join_zones(std::span<Vec3d> velocities, std::span<const double> inverse_masses);

  std::vector<Vec3d> end_;
  std::vector<Impact> impacts_;
  std::vector<std::uint8_t> changed_;  ///< per point: in the last round
  std::vector<Row> rows_;
  std::vector<Vec3d> impulses_;
  ContactProjection projection_;
  std::vector<std::int32_t> zone_points_;  ///< ascending
  std::vector<std::int32_t> zone_of_;      ///< per point: another of its zone, or itself
  std::vector<Held> held_;                 ///< by point, at the end of a call
};

}  // namespace isochor::contact
