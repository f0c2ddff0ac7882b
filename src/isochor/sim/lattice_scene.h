#pragma once

#include "isochor/files/frame.h"
#include "isochor/grid/embedding.h"
#include "isochor/lattice/mixed_model.h"
#include "isochor/lattice/solver.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/motion.h"

namespace isochor::sim {

/// What follows the cells of a body.
struct Rider {
  grid::Embedding surface;
  std::vector<geometry::Triangle> triangles;  ///< of the surface, facing outward
  std::vector<CellField> painted;
};

/// The motion of nodes or springs that a hold asks for.
struct Driver {
  HoldSpec spec;
  std::vector<Vec3d> points;  ///< at rest, m
  Vec3d center{0, 0, 0};      ///< of the points
};

/// A load on a part of a body's surface.
struct SurfaceLoad {
  LoadSpec spec;
  std::string name;             ///< "body.load"
  std::vector<Vec3d> points;    ///< vertices of the part at rest, m
  std::int32_t first_node = 0;  ///< of its body
  std::vector<double> areas;    ///< of a traction, per node of its body, m^2
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
  std::vector<SurfaceLoad> pressures;  ///< one per Surfaces::pressures
  std::vector<SurfaceLoad> tractions;

  /// All that move something: holds, soft holds, held surfaces.
  std::size_t driver_count() const {
    return holds.size() + soft_holds.size() + held_surfaces.size();
  }
  const Driver& driver(std::size_t number) const;
};

/// The motion of a hold that a caller moves, in place of its keys: from one pose to another within
/// a frame.
struct Guide {
  double since = 0;  ///< frames
  Pose from, to;
};

/// Per LatticeScene::driver; nothing where the scene's keys count.
using Guides = std::vector<std::optional<Guide>>;

/// Where a driver is; its number counts as in Guides.
Pose driver_pose(const LatticeScene& scene, const Guides& guides, std::size_t number, double time);

/// What the holds of a scene ask for at a time.
struct Demands {
  std::vector<Vec3d> held_positions, slide_directions, spring_targets;  ///< as in StepInput
  std::vector<lattice::SurfaceMotion> surface_motions;                  ///< as in SurfaceDemands
  std::vector<double> pressures;                                        ///< the same
};
Demands demands_at(const LatticeScene& scene, const Guides& guides, double time);

/// Adds what tractions push nodes with at a time, N; makes room for it where there is none.
void add_tractions(const LatticeScene& scene, double time, std::vector<Vec3d>& loads);

/// Parts of a body that nothing holds have no state of rest: where the scene starts with one, they
/// are held where they are, with a warning, and a body whose largest part nothing holds is an input
/// error.
LatticeScene build_lattice_scene(const SceneSpec& scene, const lattice::Params& params,
                                 Context& context);

}  // namespace isochor::sim
