#pragma once

#include "isochor/base/context.h"
#include "isochor/base/function_ref.h"
#include "isochor/solve/conjugate_gradient.h"
#include "isochor/tets/elasticity.h"
#include "isochor/tets/restraint.h"

namespace isochor::tets {

/// Memory of a LocalSearch. Part of Scratch.
struct LocalMemory {
  LocalMemory() = default;
  explicit LocalMemory(const Model& model);
  void poison();

  std::size_t most = 0;             ///< nodes there is room for
  std::vector<std::int32_t> nodes;  ///< those that move, ascending
  std::vector<std::int32_t> place;  ///< per node of the model: where it is among them, or negative
  TetSelection selection;           ///< all tets of these
  std::vector<std::int32_t> touched;  ///< nodes of these tets
  solve::BlockPattern pattern;        ///< as Model::pattern, of these
  /// Per block in the rows of Model::pattern of these nodes: its number in `matrix`, or -1.
  std::vector<std::int32_t> first_block, blocks;
  solve::Blocks<double> matrix;
  std::vector<Mat3d> inverse_diagonal;
  std::vector<Vec3d> force, step, kept;
  std::vector<double> energy;  ///< of nodes, J
  std::vector<Vec3d> normals;  ///< that they may not move along; zero: none
  solve::KrylovScratch krylov;
};

/// What acts on single nodes, beside tets: the force, N, its energy, J, and what it resists with,
/// N/m.
struct NodalTerms {
  FunctionRef<Vec3d(std::size_t)> force;
  FunctionRef<double(std::size_t)> energy;
  FunctionRef<Mat3d(std::size_t)> stiffness;
};

/// Newton's method on the few nodes with the largest forces left, all others still. Where a body is
/// hit, the small and flat tets there are squeezed to a fraction within a step: as long as they are
/// far from equilibrium all others wait for them, though each iteration costs as much as all tets
/// do. Nonlinear elimination (Lanzkron, Rose and Wilkes 1996; Cai and Li 2011): iterations of all
/// tets then are as few as if there were no such tets. Pressures of zones stay as they are.
class LocalSearch {
 public:
  LocalSearch(const Model& model, const Restraint& restraint, LocalMemory& memory, Context& context)
      : model_(model), restraint_(restraint), memory_(memory), context_(context) {}

  /// Chooses nodes by what forces are left, held ones zero, no more than so large a part of all.
  /// False where no few have most of them.
  bool choose(std::span<const Vec3d> left, double part);

  /// Moves these in `positions`; `at` refers to them and has the pressures of tets. Leaves forces
  /// on corners in memory; returns what the elastic energy changes by, J.
  double search(const Configuration& at, const NodalTerms& nodal, std::span<Vec3d> positions,
                ElasticMemory& elastic, Stiffnesses& stiffnesses);
  void go_back(std::span<Vec3d> positions) const;
  /// Nodes on which the search changed forces.
  std::span<const std::int32_t> touched() const { return memory_.touched; }

 private:
  bool add_rings();
  void complete();
  void find_touched();

  const Model& model_;
  const Restraint& restraint_;
  LocalMemory& memory_;
  Context& context_;
  double goal_ = 0;  ///< size of the force to be left on them, N
};

}  // namespace isochor::tets
