#pragma once

#include <functional>
#include <memory>

#include "isochor/contact/colliders.h"
#include "isochor/sim/method.h"
#include "isochor/sim/staggered_scene.h"
#include "isochor/staggered/dynamics.h"
#include "isochor/staggered/solver.h"

/// Staggered bodies that meet colliders: these push at the vertices of the embedded surface
/// [Zhu10 sec 9.2], without friction, so that none stays inside.
namespace isochor::sim {

class StaggeredContact {
 public:
  using Motion = staggered::Motion<3>;
  /// The scene must outlive it.
  StaggeredContact(const SceneSpec& spec, const StaggeredScene& scene, Context& context);

  /// Per body and vertex, Pa at rest. Part of the state.
  using Pressures = std::vector<std::vector<double>>;
  Pressures none() const;

  /// Moves a body by solve(motion), which sees load(body), until it touches colliders as they are
  /// at a time, s, and is in none. `again`: each solve begins with the motion as it was at first.
  staggered::SolveReport touch(std::size_t body, double time, bool again, Motion& motion,
                               std::vector<double>& pressures,
                               const std::function<staggered::SolveReport(Motion&)>& solve);
  /// What the pressures of the last call to touch() do.
  std::span<const double> load(std::size_t body) const { return loads_[body]; }

  /// Of bodies whose vertices are at `vertices`.
  struct Picture {
    ContactMeasures measures;
    std::vector<NamedReaction> reactions;           ///< of colliders, on bodies
    std::vector<std::vector<files::Field>> fields;  ///< per body, on vertices
  };
  Picture picture(std::span<const std::vector<Vec3d>> vertices, const Pressures& pressures,
                  double time) const;

  void poison();

 private:
  /// A vertex against the collider it is deepest in, or nearest to.
  struct Nearest {
    std::size_t collider = 0;
    double depth = 0;  ///< m, negative outside
    Vec3d push{0, 0, 0};
  };
  static Nearest nearest(const contact::PlacedColliders& placed, const Vec3d& x);
  std::vector<Vec3d> vertices(std::size_t body, const Motion& motion) const;
  void set_load(std::size_t body, std::span<const double> pressures, std::span<const Vec3d> pushes);

  const StaggeredScene& scene_;
  Context& context_;
  contact::Colliders colliders_;
  std::vector<std::vector<double>> areas_;  ///< of vertices at rest that colliders may push, m^2
  std::vector<std::vector<double>> loads_;
};

/// Null where nothing touches anything.
std::unique_ptr<StaggeredContact> make_staggered_contact(const SceneSpec& spec,
                                                         const StaggeredScene& scene,
                                                         Context& context);

}  // namespace isochor::sim
