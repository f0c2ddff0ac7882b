#pragma once

#include <span>
#include <string>
#include <vector>

#include "isochor/sim/scene_spec.h"

namespace isochor::reproduce {

/// How the generated arm (geometry/organic_shapes.h) is made of cells and bends at its elbow.
struct BendingArm {
  double cell_size = 0.012;          ///< m
  double edge = 0.006;               ///< of the skin, m
  double angle = 2.443460952792061;  ///< in the last frame, rad: 140 degrees
  int frames = 14;                   ///< in which it gets there
  std::string volume = "penalty";    ///< MethodSpec::volume
  std::string law = "corotated";
  double young = 15e3, poisson = 0.45;  ///< Pa, 1
};

/// The arm as a static scene: a skeleton of shoulder, elbow and wrist, bones that hold the flesh by
/// springs along their surface, and the skin. Its skeleton is applied already.
sim::SceneSpec make_bending_arm(const BendingArm& arm);

/// Where linear blend skinning takes points of the skin of a scene with one body and a skeleton, at
/// a frame. Weights fall with the distance from bones: nobody has painted them.
std::vector<Vec3d> blend_skinned(const sim::SceneSpec& scene, std::span<const Vec3d> rest,
                                 double frame);

}  // namespace isochor::reproduce
