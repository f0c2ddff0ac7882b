#pragma once

#include "isochor/contact/sliding_bones.h"
#include "isochor/files/frame.h"
#include "isochor/grid/embedding.h"
#include "isochor/lattice/mixed_model.h"
#include "isochor/lattice/solver.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/driver.h"
#include "isochor/sim/nodal_loads.h"

namespace isochor::sim {

/// What follows the cells of a body.
struct Rider {
  grid::Embedding surface;
  std::vector<geometry::Triangle> triangles;  ///< of the surface, facing outward
  std::vector<CellField> painted;
  std::vector<PartVolume> parts;  ///< bones and muscles
};

/// A bone that the flesh of a body slides over.
struct BoneInFlesh {
  std::string name;  ///< "body.hold"
  std::int32_t body = 0;
  Driver driver;                  ///< with the points of its surface that are in cells
  grid::Embedding points;         ///< of these
  std::vector<double> stiffness;  ///< of their springs, N/m
  geometry::SurfaceMesh surface;
  std::vector<geometry::Triangle> triangles;  ///< of the surface, facing outward
};

/// A scene as a model of lattice bodies, with what moves them and what they move.
struct LatticeScene {
  lattice::Model plain;                        ///< empty where cells have pressures
  std::optional<lattice::mixed::Model> mixed;  ///< where they have
  const lattice::Model& model() const { return mixed ? mixed->base : plain; }

  files::Topology topology;
  std::vector<Rider> riders;  ///< one per body
  std::vector<Driver> holds;  ///< one per Model::holds
  /// One per Model::spring_groups; springs between bodies have no points.
  std::vector<Driver> soft_holds;
  std::vector<Driver> held_surfaces;   ///< one per Surfaces::holds
  std::vector<BoneInFlesh> bones;      ///< that flesh slides over
  std::vector<SurfaceLoad> pressures;  ///< one per Surfaces::pressures
  std::vector<SurfaceLoad> tractions;

  /// All that move something: holds, soft holds, held surfaces, bones.
  std::size_t driver_count() const {
    return holds.size() + soft_holds.size() + held_surfaces.size() + bones.size();
  }
  const Driver& driver(std::size_t number) const;
};

/// What the holds of a scene ask for at a time; guides are per LatticeScene::driver.
struct Demands {
  std::vector<Vec3d> held_positions, slide_directions, spring_targets;  ///< as in StepInput
  std::vector<lattice::SurfaceMotion> surface_motions;                  ///< as in SurfaceDemands
  std::vector<double> pressures;                                        ///< the same
};
Demands demands_at(const LatticeScene& scene, const Guides& guides, double time);

/// Where LatticeScene::bones are.
std::vector<contact::BoneMotion> bone_motions_at(const LatticeScene& scene, const Guides& guides,
                                                 double time);

/// Parts of a body that nothing holds have no state of rest: where the scene starts with one, they
/// are held where they are, with a warning, and a body whose largest part nothing holds is an input
/// error.
LatticeScene build_lattice_scene(const SceneSpec& scene, const lattice::Params& params,
                                 Context& context);

}  // namespace isochor::sim
