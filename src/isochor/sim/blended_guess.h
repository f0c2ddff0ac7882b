#pragma once

#include <span>

#include "isochor/sim/lattice_scene.h"

namespace isochor::sim {

/// Where nodes of bodies that bones move may be expected: each goes along with the holds next to
/// it, by what each of these moves since the last step, blended. Being small motions, their mean is
/// close to rigid; the flesh keeps the shape that it had between the bones.
class BlendedGuess {
 public:
  explicit BlendedGuess(const LatticeScene& scene);

  /// The guess for `time`, in frames, from positions at `last_time`; nothing where no soft hold of
  /// the scene moves in between.
  std::vector<Vec3d> at(const LatticeScene& scene, const Guides& guides, double last_time,
                        double time, std::span<const Vec3d> positions, ThreadArena& arena) const;

 private:
  static constexpr std::size_t kNearest = 4;
  /// What of a node goes with which hold; no more than the nearest ones have a weight.
  struct Blend {
    std::array<std::int32_t, kNearest> driver{};  ///< as in LatticeScene::driver
    std::array<double, kNearest> weight{};
  };
  std::vector<Blend> blends_;  ///< per node; empty where the scene has no soft hold
};

}  // namespace isochor::sim
