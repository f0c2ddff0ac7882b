#pragma once

#include "isochor/lattice/solver.h"
#include "isochor/sim/lattice_scene.h"
#include "isochor/sim/method.h"

namespace isochor::sim {

/// Hexahedral lattices, displacement formulation, static.
class LatticeMethod final : public Method {
 public:
  LatticeMethod(const SceneSpec& scene, Context& context);

  const files::Topology& topology() const override { return scene_.topology; }
  Summary summary() const override;
  Setup setup() const override { return setup_of(scene_); }
  solve::NewtonReport advance(double time) override;
  Snapshot snapshot() const override;
  void save(files::ByteWriter& writer) const override;
  void load(files::ByteReader& reader) override;
  void poison_scratch() override { scratch_.poison(); }

 private:
  /// What surrounds the bodies at a time.
  struct World {
    Vec3d gravity;
    Demands demands;
    std::vector<double> activations;

    lattice::StepInput input() const {
      return {.gravity = gravity,
              .held_positions = demands.held_positions,
              .activations = activations,
              .slide_directions = demands.slide_directions,
              .spring_targets = demands.spring_targets};
    }
  };
  World world_at(double time) const;

  Context& context_;
  Vec3d gravity_;
  std::vector<BodySpec> bodies_;
  LatticeScene scene_;
  const lattice::Model& model_;  ///< in scene_
  lattice::State state_;
  double time_ = -1;  ///< frames; part of the state
  lattice::Scratch scratch_;
};

}  // namespace isochor::sim
