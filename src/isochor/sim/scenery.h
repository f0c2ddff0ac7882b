#pragma once

#include <string>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/contact/colliders.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// Something that bodies touch, as a surface for pictures.
struct SceneryPart {
  std::string name;
  geometry::SurfaceMesh surface;          ///< in its own coordinates, m
  std::vector<contact::PoseKey> keys;     ///< how it moves; times in s
  std::vector<contact::MeshKey> shapes;   ///< of one that changes its shape
  Vec3d turned{0, 0, 0};                  ///< before it moves, as that of a Collider
  Vec3d endless{0, 0, 0};                 ///< the normal of a plane, of which a part is drawn

  /// Where its vertices are at a time, s.
  std::vector<Vec3d> at(double time) const;
};

/// The colliders of a scene. Of planes a square is drawn, a little larger than all that has an end.
std::vector<SceneryPart> scenery_of(const SceneSpec& scene, const geometry::Bounds& bodies,
                                    Context& context);

}  // namespace isochor::sim
