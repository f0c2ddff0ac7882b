#pragma once

#include "isochor/contact/sliding_bones.h"
#include "isochor/sim/driver.h"
#include "isochor/sim/tet_body.h"

/// What holds bodies of tets, from outside or by each other.
namespace isochor::sim {

/// A bone that the flesh of a body slides over.
struct BoneInTets {
  Driver driver;  ///< with the points of its surface that are in tets
  contact::SlidingBone bone;
};

struct TetHolds {
  std::vector<std::vector<HoldSpec>> nodes;    ///< per body, as in its tets::BodySpec
  std::vector<std::vector<HoldSpec>> sliding;  ///< the same of those that slide
  std::vector<tets::SpringGroupSpec> springs;
  std::vector<Driver> soft;  ///< one per group of springs; those between bodies have no points
  std::vector<BoneInTets> bones;
};

/// Adds the holds of a scene to its bodies. A part of the surface that is held without springs
/// holds the nodes of tets on it. Springs hold points that ride on tets: the vertices of a part of
/// the surface, or those of a bone that are in tets. Where the scene starts in equilibrium, parts
/// that nothing holds are treated as those of a lattice (build_lattice_scene).
TetHolds hold_bodies(const SceneSpec& scene, std::span<TetBody> bodies, Context& context);

}  // namespace isochor::sim
