#pragma once

#include "isochor/base/context.h"
#include "isochor/files/frame.h"
#include "isochor/grid/embedding.h"
#include "isochor/sim/driver.h"
#include "isochor/sim/painting.h"
#include "isochor/sim/setup.h"
#include "isochor/staggered/nodes.h"

namespace isochor::sim {

/// A given face of a body: which hold moves it, and where it is at rest.
struct GivenFace {
  std::size_t place;  ///< among the fields
  staggered::Index<3> cell;
  int axis;
  std::int32_t hold;  ///< among StaggeredScene::holds
  Vec3d at;           ///< m
};

/// A traction of full size as a load of its body.
struct StaggeredLoad {
  LoadSpec spec;
  std::string name;
  std::vector<Vec3d> points;
  std::vector<double> b;  ///< as loads.h has them
};

/// A body on a staggered grid, and what rides on it.
struct StaggeredBody {
  std::string name, place;
  staggered::Domain<3> domain;
  staggered::Model<3> model;               ///< without inertia
  double density = 0;                      ///< of what fills cells, kg/m^3
  double damping = 0;                      ///< s
  Vec3d origin{0, 0, 0};                   ///< where the domain begins, m
  std::vector<staggered::Index<3>> cells;  ///< of the lattice, in its order
  staggered::NodeMap nodes;
  std::vector<double> node_mass;  ///< kg
  grid::Embedding surface;
  std::vector<geometry::Triangle> triangles;  ///< of the surface, facing outward
  std::vector<CellField> painted;
  std::vector<GivenFace> given;
  std::vector<StaggeredLoad> tractions;

  bool corotated() const { return model.params.law == staggered::Law::Corotated; }
  /// The same for steps in time.
  staggered::Model<3> model_with(double inertia) const;
};

/// A scene as bodies on staggered grids [Zhu10 sec 9.3], with what moves them and what they move.
struct StaggeredScene {
  std::vector<StaggeredBody> bodies;
  files::Topology topology;
  std::vector<Driver> holds;
  std::vector<std::string> hold_names;
};

/// A hold takes the cells that lie in its region with all their corners; beyond the body's surface
/// those of its padding, so that what is held at a face ends there. Parts that nothing holds are
/// treated as those of a lattice (build_lattice_scene).
StaggeredScene build_staggered_scene(const SceneSpec& scene, Context& context);

Setup setup_of(const StaggeredScene& scene);

}  // namespace isochor::sim
