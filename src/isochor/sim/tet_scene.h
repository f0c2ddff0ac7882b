#pragma once

#include "isochor/contact/colliders.h"
#include "isochor/files/frame.h"
#include "isochor/geometry/tet_embedding.h"
#include "isochor/sim/driver.h"
#include "isochor/sim/nodal_loads.h"
#include "isochor/sim/setup.h"
#include "isochor/sim/tet_holds.h"
#include "isochor/sim/tet_zones.h"

namespace isochor::sim {

/// What follows the tets of a body.
struct TetRider {
  geometry::TetEmbedding surface;
  std::vector<geometry::Triangle> triangles;  ///< of the surface, facing outward
  std::vector<CellField> painted;             ///< per tet, as in the topology
  std::vector<Vec3d> fibres;                  ///< the same, as in BodySetup
  std::vector<PartVolume> parts;              ///< bones and muscles
};

/// A scene as a model of bodies made of tets, with what moves them and what they move.
struct TetScene {
  tets::Model model;
  files::Topology topology;      ///< tets in the order of the bodies' meshes; then bands
  std::vector<TetRider> riders;  ///< one per body; those of bands enclose nothing
  std::vector<Driver> holds;     ///< one per Model::holds
  std::vector<Driver> sliding;   ///< one per Model::sliding
  /// One per Model::spring_groups; springs between bodies have no points.
  std::vector<Driver> soft_holds;
  std::vector<BoneInTets> bones;  ///< that flesh slides over
  /// All that move something: holds, those that slide, soft holds, bones.
  std::size_t driver_count() const {
    return holds.size() + sliding.size() + soft_holds.size() + bones.size();
  }
  const Driver& driver(std::size_t number) const {
    if (number < holds.size()) return holds[number];
    number -= holds.size();
    if (number < sliding.size()) return sliding[number];
    number -= sliding.size();
    return number < soft_holds.size() ? soft_holds[number]
                                      : bones[number - soft_holds.size()].driver;
  }
  std::vector<contact::Collider> colliders;
  std::vector<SurfaceLoad> tractions;
  std::vector<ZoneGroup> zones;  ///< of all bodies, where they keep their volume
};

TetScene build_tet_scene(const SceneSpec& scene, const tets::Params& params, Context& context);

/// What holds ask for at a time, as in tets::StepInput; guides are per TetScene::driver.
struct TetDemands {
  std::vector<Vec3d> held_positions, spring_targets;
  std::vector<tets::Slide> slides;
  std::vector<contact::BoneMotion> bones;  ///< where they are
};
TetDemands demands_at(const TetScene& scene, const Guides& guides, double time);

Setup setup_of(const TetScene& scene);

}  // namespace isochor::sim
