#pragma once

#include "isochor/grid/embedding.h"
#include "isochor/lattice/solver.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/method.h"

namespace isochor::sim {

/// Hexahedral lattices, displacement formulation, static.
class LatticeMethod final : public Method {
 public:
  LatticeMethod(const SceneSpec& scene, Context& context);

  const files::Topology& topology() const override { return topology_; }
  Summary summary() const override;
  solve::NewtonReport advance(double time) override;
  Snapshot snapshot() const override;
  void save(files::ByteWriter& writer) const override;
  void load(files::ByteReader& reader) override;
  void poison_scratch() override { scratch_.poison(); }

 private:
  /// A hold's spec and the middle of its nodes at rest.
  struct Driver {
    HoldSpec spec;
    Vec3d center{0, 0, 0};
  };
  Vec3d gravity_at(double time) const;
  std::vector<double> activations_at(double time) const;

  Context& context_;
  Vec3d gravity_;
  std::vector<BodySpec> bodies_;
  std::vector<Driver> drivers_;                             ///< one per Model::holds
  std::vector<grid::Embedding> embeddings_;                 ///< one per body
  std::vector<std::vector<geometry::Triangle>> triangles_;  ///< one list per body
  std::vector<std::vector<CellField>> painted_;             ///< one list per body
  files::Topology topology_;
  lattice::Model model_;
  lattice::State state_;
  double time_ = -1;  ///< frames; part of the state
  lattice::Scratch scratch_;
  std::vector<Vec3d> held_positions_;
};

}  // namespace isochor::sim
