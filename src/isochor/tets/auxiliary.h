#pragma once

#include "isochor/grid/lattice.h"
#include "isochor/lattice/hierarchy.h"
#include "isochor/tets/model.h"

namespace isochor::tets {

/// A lattice around the bodies of a model whose multigrid preconditions the tets' stiffness (Xu
/// 1996: an auxiliary space). It has the tets' moduli on average, and their laws where those have
/// no directions; nodes of tets ride on it, and held ones tie it to the ground by springs as stiff
/// as they are themselves. Springs of the model are springs of its own. Constant.
class Auxiliary {
 public:
  Auxiliary(const Model& model, ThreadArena& arena);

  struct Term {
    std::int32_t index;
    float weight;
  };
  struct Rows {
    std::vector<std::int32_t> first{0};  ///< row i: terms [first[i], first[i + 1])
    std::vector<Term> terms;
  };

  lattice::Model lattice;
  Rows to_tets;     ///< per node of the tets those of the lattice
  Rows to_lattice;  ///< the same by nodes of the lattice
  /// Per cell of lattice::Model::cells the tets whose deformation it has, weights that sum to one.
  Rows cell_tets;
  std::vector<double> mass;  ///< per node of the lattice, kg
};

}  // namespace isochor::tets
