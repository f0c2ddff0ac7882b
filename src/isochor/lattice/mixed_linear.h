#pragma once

#include <algorithm>
#include <cmath>

#include "isochor/lattice/inertia.h"
#include "isochor/lattice/mixed_operator.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/lattice/surface_memory.h"
#include "isochor/solve/gmres.h"

namespace isochor::lattice {
class Contacts;
}

/// The linear systems of the mixed lattice: [A B^T; B -C] [dx; dp] = [f; -g] [Patterson12 (12)].
namespace isochor::lattice::mixed {

/// Positions first, three numbers per node, then pressures in units of alpha.
inline std::size_t unknowns(const Model& model) {
  return 3 * model.node_count() + model.pressure_count();
}
template <class S>  // double or const double
auto positions_of(const Model& model, std::span<S> u) {
  using V = std::conditional_t<std::is_const_v<S>, const Vec3d, Vec3d>;
  return std::span<V>(reinterpret_cast<V*>(u.data()), model.node_count());
}
template <class S>
std::span<S> pressures_of(const Model& model, std::span<S> u) {
  return u.subspan(3 * model.node_count());
}

/// What a linear solve works with. Part of Scratch.
struct LinearMemory {
  explicit LinearMemory(const Model& model);

  Tangents tangents;
  /// Of the tangents of cycles, springs and inertia included; then its inverse.
  std::vector<Vec3f> diagonal;
  std::vector<GroupSchur> schur;
  std::vector<double> pressure, volume;  ///< per cell
  std::vector<Vec3d> load;
  std::vector<Vec3d> pull;  ///< per spring
  std::vector<std::vector<double>> coarse_pressures;
  SurfaceMemory surfaces;  ///< linearised by whoever calls LinearSystem::linearise
  MultigridMemory multigrid;
};

/// The matrix about a configuration, and what it is preconditioned by. Rows of volumes, gamma/W
/// times B^T of them, are added to those of forces, which changes no solution: A becomes
///     A + gamma B^T W^-1 B,
/// which resists a change of volume as a material of Poisson's ratio 0.25 or so does, and what is
/// left to pressures differs less from place to place (augmented Lagrangian; Benzi and Olshanskii
/// 2006). Then pressures come first, through an approximate Schur complement, and positions after
/// them, through one cycle of multigrid on that matrix,
///     z_p = -S^-1 r_p,  z_x = V (r_x + B^T (gamma W^-1 (r_p + C z_p) - z_p)).
/// Linear up to the rounding of single precision. Pressure jumps make the number of iterations
/// independent of resolution and of Poisson's ratio. With inertia, A has what that adds to it, and
/// V is one cycle on the same but for a factor per body, which is taken back. Rows of volumes are
/// multiplied by a weight, which says what counts in residuals.
class LinearSystem {
 public:
  LinearSystem(const Model& model, std::span<const SlideFrame> slides, LinearMemory& memory,
               ThreadArena& arena, Inertia* inertia = nullptr, double volume_weight = 1,
               Contacts* contacts = nullptr)
      : model_(model),
        slides_(slides),
        memory_(memory),
        arena_(arena),
        inertia_(inertia),
        volume_weight_(volume_weight),
        contacts_(contacts),
        multigrid_(model.base, slides, memory.multigrid, arena) {}

  void linearise(const Configuration& at, Fix fix);
  /// Makes what precondition() needs.
  void prepare(const Configuration& at);

  /// out = K u on all nodes, held ones included.
  void apply_everywhere(std::span<const double> u, std::span<double> out);
  /// out = K u among the motions that holds leave free.
  void apply(std::span<const double> u, std::span<double> out);
  void precondition(std::span<const double> r, std::span<double> z);
  /// Takes away what no hold leaves free, and constant pressures that do nothing.
  void keep_free(std::span<double> u);

  int applications() const { return multigrid_.applications(); }

 private:
  void project_pressure(std::span<double> p);
  template <class F>
  void each_node(F&& f) const;

  const Model& model_;
  std::span<const SlideFrame> slides_;
  LinearMemory& memory_;
  ThreadArena& arena_;
  Inertia* inertia_;  ///< none in a static step
  const double volume_weight_;
  Contacts* contacts_;  ///< linearised by whoever calls linearise(); none where nothing touches
  Multigrid multigrid_;
};

/// What energy and forces say about the iterate.
struct Iterate {
  double energy = 0;   ///< with gravity, loads and springs, J
  double scale = 0;    ///< sum of the magnitudes that were added up to it
  double penalty = 0;  ///< sum of kPenalty mu g^2 / W over cells, J
  double least_j = 0;
  double residual = 0, volume_residual = 0;

  /// The augmented Lagrangian.
  double merit() const { return energy + 0.5 * penalty; }
  double merit_scale() const { return scale + 0.5 * penalty; }
  bool is_finite() const { return std::isfinite(energy) && std::isfinite(residual); }
};

/// How far the residual of the next linear system has to fall: as far as Newton's method makes use
/// of it (Eisenstat and Walker 1996, choice 2), and no further than the end. `before` is the
/// residual of the iterate before this one; 0: there is none. What loads change is followed well:
/// nodes next to stiff springs alone would crush their cells.
inline double forcing_term(double residual, double before, double tolerance, double tightest) {
  constexpr double kLoosest = 0.03, kShare = 0.9, kSpare = 0.3;
  if (before == 0) return tightest;
  const double fell = residual / before;
  const double wanted = std::max(kShare * fell * fell, kSpare * tolerance / residual);
  return std::clamp(wanted, tightest, std::max(tightest, kLoosest));
}

}  // namespace isochor::lattice::mixed
