#pragma once

#include "isochor/sim/body_motion.h"
#include "isochor/sim/method.h"
#include "isochor/sim/nodal_loads.h"
#include "isochor/sim/staggered_contact.h"
#include "isochor/sim/staggered_scene.h"
#include "isochor/staggered/dynamics.h"

namespace isochor::sim {

/// Bodies on staggered grids (Zhu et al. 2010): linear or corotated, static and in time.
class StaggeredMethod final : public Method {
 public:
  StaggeredMethod(const SceneSpec& scene, Context& context);
  ~StaggeredMethod() override;

  const files::Topology& topology() const override { return scene_.topology; }
  Summary summary() const override;
  Setup setup() const override { return setup_of(scene_); }
  solve::NewtonReport advance(double time) override;
  void move_hold(const std::string& name, const Pose& pose) override;
  void push_surface(std::size_t body, std::span<const Vec3d> forces) override;
  void push_mass(std::size_t body, const Vec3d& force) override;
  Snapshot snapshot() const override;
  void save(files::ByteWriter& writer) const override;
  void load(files::ByteReader& reader) override;
  void poison_scratch() override;

 private:
  using Motion = staggered::Motion<3>;
  /// What solving for a body takes; nothing of it survives a step.
  struct Work;

  staggered::SolveReport relax(std::size_t body, double time, Motion& motion);
  staggered::SolveReport step(std::size_t body, double from, double to, Motion& motion);
  /// Brings all bodies to a time by f(body, motion), or none; with `again`, f begins anew for every
  /// pressure of what they touch.
  template <class F>
  solve::NewtonReport all_or_none(double time, bool again, F&& f);

  std::vector<double> load_at(std::size_t body, double time) const;
  /// Displacements of given faces at a time, in place.
  void set_given(std::size_t body, double time, std::span<double> u) const;
  void set_velocities();
  std::vector<Vec3d> nodes_of(std::size_t body, std::span<const double> field) const;
  std::vector<Vec3d> positions_of(std::size_t body) const;
  /// Where a body's nodes begin among all.
  std::size_t first_node(std::size_t body) const;

  /// What holds push with at each given face, N.
  std::vector<double> pushes(std::size_t body, const Motion& motion) const;
  double elastic_energy(std::size_t body, const Motion& motion) const;
  double total_energy() const;
  solve::Momenta momenta() const;

  Context& context_;
  TimeSpec timing_;
  Vec3d gravity_;
  solve::NewtonParams newton_;
  std::vector<BodySpec> bodies_;
  StaggeredScene scene_;
  std::unique_ptr<StaggeredContact> contact_;
  std::vector<Motion> motions_;            ///< the state, one per body
  StaggeredContact::Pressures pressures_;  ///< of what touches them; part of the state
  double time_ = -1;                       ///< frames; part of the state
  Ledger ledger_;
  Guides guides_;
  NodalLoads loads_;
  std::vector<std::unique_ptr<Work>> work_;
};

}  // namespace isochor::sim
