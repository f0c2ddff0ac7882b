#pragma once

#include "isochor/sim/body_motion.h"
#include "isochor/sim/method.h"
#include "isochor/sim/tet_conserving.h"
#include "isochor/sim/tet_contact.h"
#include "isochor/sim/tet_forces.h"
#include "isochor/sim/tet_scene.h"
#include "isochor/tets/fields.h"

namespace isochor::sim {

/// Bodies of linear tets, static and in time.
class TetMethod final : public Method {
 public:
  TetMethod(const SceneSpec& scene, Context& context);

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
  /// What surrounds the bodies at a time.
  struct World {
    Vec3d gravity;
    TetDemands demands;
    // As in StepInput.
    std::vector<Vec3d> loads;
    std::vector<double> activations, volumes;

    tets::StepInput input() const {
      return {.gravity = gravity,
              .held_positions = demands.held_positions,
              .activations = activations,
              .loads = loads,
              .spring_targets = demands.spring_targets,
              .slides = demands.slides,
              .volumes = volumes};
    }
  };
  World world_at(double time) const;
  /// Lets a step from the state to a time know of bones.
  void place_bones(tets::StepInput& input, double time);

  /// Brings the state to a time up to that of frame 0.
  solve::NewtonReport start(double time);
  solve::NewtonReport step(double time);
  void place_obstacles();
  void set_velocities();
  double gravity_energy(const Vec3d& gravity) const;
  /// What bodies store where they are, and what that changes by as the world goes on, J.
  double stored_energy(const World& world) const;
  double energy_change(const World& from, const World& to) const;
  double total_energy() const;
  /// What elasticity depends on.
  tets::Configuration configuration(const World& world) const;
  /// Of all that guides move, in their order.
  std::vector<std::string> hold_names() const;
  /// Where bodies are pressed, on the surfaces of all of them, and how bands fit.
  void add_bands(Snapshot& snapshot) const;
  /// What touches, and how hard.
  void add_contact(Snapshot& snapshot) const;

  Context& context_;
  TimeSpec timing_;
  Vec3d gravity_;
  std::vector<BodySpec> bodies_;
  TetScene scene_;
  const tets::Model& model_;  ///< in scene_
  tets::State state_;
  double time_ = -1;  ///< frames; part of the state
  Ledger ledger_;
  Guides guides_;  ///< part of the state
  NodalLoads loads_;
  tets::Scratch scratch_;
  contact::SlidingBones bones_;
  /// Takes steps in time where bodies without zones touch something or keep the volume around
  /// nodes; else null.
  std::unique_ptr<tets::Conserving> conserving_;
  std::unique_ptr<TetContact> contact_;  ///< null: none
  std::optional<TetForces> forces_;      ///< where something may touch
};

}  // namespace isochor::sim
