#pragma once

#include "isochor/lattice/fields.h"
#include "isochor/lattice/mixed_state.h"
#include "isochor/lattice/solver.h"
#include "isochor/lattice/surface_operator.h"
#include "isochor/sim/blended_guess.h"
#include "isochor/sim/body_motion.h"
#include "isochor/sim/lattice_contact.h"
#include "isochor/sim/lattice_scene.h"
#include "isochor/sim/method.h"
#include "isochor/sim/nodal_loads.h"

namespace isochor::sim {

/// Hexahedral lattices: displacements alone or with a pressure per cell, static and in time.
class LatticeMethod final : public Method {
 public:
  LatticeMethod(const SceneSpec& scene, Context& context);

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
    Demands demands;
    std::vector<double> activations;
    std::vector<Vec3d> loads;  ///< as in StepInput

    lattice::StepInput input() const {
      return {.gravity = gravity,
              .held_positions = demands.held_positions,
              .activations = activations,
              .slide_directions = demands.slide_directions,
              .spring_targets = demands.spring_targets,
              .loads = loads,
              .surfaces = {.pressures = demands.pressures, .motions = demands.surface_motions}};
    }
  };
  World world_at(double time) const;

  /// What the cells of a state say for themselves.
  struct Elastic {
    lattice::CellFields cells;
    double energy = 0;         ///< J
    std::vector<Vec3d> force;  ///< on all nodes, N
  };
  Elastic elastic_in(const World& world) const;

  /// Held and loaded surfaces in a state.
  lattice::SurfaceConfiguration surfaces_in(const World& world) const;

  /// Moves the state to equilibrium.
  solve::NewtonReport relax(const World& world, double time);
  /// Brings the state to a time up to that of frame 0.
  solve::NewtonReport start(double time);
  solve::NewtonReport step(double time);
  /// At rest, pressures included where cells have them.
  lattice::mixed::State rest() const;
  /// What advance() of the lattice does, with or without pressures; and what went in and out.
  struct Stepped {
    solve::NewtonReport report;
    lattice::Balance balance;
  };
  Stepped advance_state(lattice::StepInput input);
  double stored_energy(const World& world) const;
  void set_velocities();
  /// What changing the world at fixed positions does to the energy, J.
  double energy_change(const World& from, const World& to);
  /// On the straight way of nodes from where they were, J.
  double work_of_pressures(std::span<const Vec3d> from, std::span<const double> pressures);
  double total_energy() const;

  /// Loads that differ from those of now on the nodes of a body, where there are none yet.
  std::span<Vec3d> renew_loads(const lattice::BodyRange& range);
  double work_of_loads(std::span<const Vec3d> loads) const {
    return work_of(loads, state_.positions, model_.rest_positions);
  }

  Context& context_;
  TimeSpec timing_;
  Vec3d gravity_;
  std::vector<BodySpec> bodies_;
  LatticeScene scene_;
  const lattice::Model& model_;  ///< in scene_
  lattice::mixed::State state_;  ///< pressures only where cells have them
  double time_ = -1;             ///< frames; part of the state
  Ledger ledger_;
  Guides guides_;  ///< part of the state
  NodalLoads loads_;
  BlendedGuess guess_;
  std::unique_ptr<LatticeContact> contact_;  ///< forces are part of the state

  std::optional<lattice::mixed::Scratch> mixed_scratch_;  ///< where cells have pressures
  lattice::Scratch scratch_;                              ///< of scene_.plain
};

}  // namespace isochor::sim
