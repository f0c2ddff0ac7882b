#pragma once

#include <span>

#include "isochor/tets/element_batch.h"
#include "isochor/tets/model.h"

/// The energy of all tets, sheets and springs and its derivatives: the same bits for any number of
/// threads.
namespace isochor::tets {

/// What elasticity depends on.
struct Configuration {
  std::span<const Vec3d> positions;          ///< per node, m
  std::span<const double> activations = {};  ///< per Model::materials, 0 to 1; none: no muscle acts
  /// Per tet, Pa: `linearise` adds what they do as volumes curve. Forces have none of them.
  std::span<const double> pressures = {};
  std::span<const double> tightening = {};     ///< as in shells::SheetConfiguration
  std::span<const Vec3d> spring_targets = {};  ///< per spring, m; none: springs do not act
  /// What holds nodes of free sheets back, N/m: `add_sheet_stiffness` adds it. Forces have none.
  double drag = 0;
};

/// What tets leave for their nodes to add up.
struct ElasticMemory {
  ElasticMemory() = default;
  explicit ElasticMemory(const Model& model)
      : corner_forces(4 * model.tets.size()),
        batch_energy(model.batches.size()),
        sheet_terms(model.sheets.term_count()),
        pulls(model.springs.count()) {}
  std::vector<Vec3d> corner_forces;
  std::vector<double> batch_energy;
  std::vector<contact::Term> sheet_terms;  ///< as many as there are in Model::sheets
  std::vector<Vec3d> pulls;                ///< of springs, N
};

/// Some tets of a model.
struct TetSelection {
  std::vector<std::int32_t> tets;    ///< ascending
  std::vector<Batch> batches;        ///< of these
  std::vector<double> batch_energy;  ///< J

  /// To be called when tets are chosen, in any order, some twice perhaps.
  void complete(const Model& model);
};

/// Elastic energy of tets, sheets and springs, J.
double elastic_energy(const Model& model, const Configuration& at, ElasticMemory& memory,
                      ThreadArena& arena);

/// The elastic force on every node, held ones included, N. Returns the energy.
double elastic_force(const Model& model, const Configuration& at, std::span<Vec3d> force,
                     ElasticMemory& memory, ThreadArena& arena);

/// The same of some tets alone: leaves the forces on their corners in memory. Where the others have
/// not moved, `sum_corner_forces` then has those on all nodes, but for sheets and springs.
double elastic_corner_forces(const Model& model, const Configuration& at, TetSelection& selection,
                             ElasticMemory& memory, ThreadArena& arena);

/// Adds them up on some nodes, and leaves the force on others as it is. Tets alone.
void sum_corner_forces(const Model& model, const ElasticMemory& memory,
                       std::span<const std::int32_t> nodes, std::span<Vec3d> force,
                       ThreadArena& arena);

/// What a tet adds to the stiffness matrix beside the diagonal, N/m: a block per kCornerPairs, its
/// rows those of the node with the lower number. Single precision: a search direction needs no
/// more.
struct TetStiffness {
  static constexpr int kSize = kStiffnessNumbers;
  float entry[kSize];
};
using Stiffnesses = std::vector<TetStiffness>;

void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               Stiffnesses& stiffnesses, ThreadArena& arena);
void linearise(const Model& model, const Configuration& at, materials::Definiteness fix,
               const TetSelection& selection, Stiffnesses& stiffnesses, ThreadArena& arena);

/// The stiffness matrix of tets, N/m, in the places of Model::pattern.
void assemble(const Model& model, const Stiffnesses& stiffnesses, solve::Blocks<double>& blocks,
              ThreadArena& arena);

/// Adds that of sheets, where the model has any. `terms` is memory, as in ElasticMemory.
void add_sheet_stiffness(const Model& model, const Configuration& at, materials::Definiteness fix,
                         std::vector<contact::Term>& terms, solve::Blocks<double>& blocks,
                         ThreadArena& arena);

/// Adds that of springs, where they act.
void add_spring_stiffness(const Model& model, const Configuration& at,
                          solve::Blocks<double>& blocks, ThreadArena& arena);

/// The deformation gradient of a tet.
Mat3d deformation_gradient(const Model& model, std::size_t tet, std::span<const Vec3d> positions);

/// F and the Cauchy stress of every tet, Pa.
struct TetStress {
  Mat3d F, cauchy;
};
void stresses(const Model& model, const Configuration& at, std::span<TetStress> out,
              ThreadArena& arena);

}  // namespace isochor::tets
