#pragma once

#include "isochor/contact/impacts.h"
#include "isochor/contact/projection.h"

namespace isochor::contact {

struct ResolutionOptions {
  double time_step = 0;    ///< s
  double friction = 0;     ///< coefficient
  double distance = 0;     ///< m that parts keep
  int impulse_rounds = 6;  ///< of inelastic impulses, before zones are made
  int zone_rounds = 64;    ///< after these it is given up
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
  ResolutionReport resolve(SurfaceBvh& bvh, std::span<const Vec3d> positions,
                           std::span<Vec3d> velocities, std::span<const double> inverse_masses,
                           const ResolutionOptions& options, const PairFilter& filter,
                           ThreadArena& arena);

 private:
  void join_zones(std::span<Vec3d> velocities, std::span<const double> inverse_masses);

  std::vector<Vec3d> end_;
  std::vector<Impact> impacts_;
  std::vector<std::uint8_t> changed_;  ///< per point: in the last round
  std::vector<Row> rows_;
  std::vector<Vec3d> impulses_;
  ContactProjection projection_;
  std::vector<std::int32_t> zone_points_;  ///< ascending
  std::vector<std::int32_t> zone_of_;      ///< per point: another of its zone, or itself
};

}  // namespace isochor::contact
