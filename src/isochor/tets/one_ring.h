#pragma once

#include "isochor/base/context.h"
#include "isochor/base/function_ref.h"
#include "isochor/solve/minres.h"
#include "isochor/tets/coarse_pressures.h"
#include "isochor/tets/model.h"
#include "isochor/tets/ring_rows.h"

namespace isochor::tets {

/// What solves for the pressures of one-rings.
struct OneRingParams {
  double tolerance = 0.01;  ///< of the residual [Irving07 sec 4]
  int max_iterations = 1000;
  /// How far volumes give way to their pressures, in parts of the diagonal. With none, where holds
  /// and contacts leave some one-rings no motion, systems are singular and may have no solution.
  double compliance = 1e-6;
  /// By the diagonal and smooth pressures; the published method does not.
  bool precondition = true;
  bool conjugate_gradient = false;  ///< instead of MINRES, which also takes singular systems
  /// How far nodes give way to a push, 1/kg, 0 where held; none: by their inverse mass, which keeps
  /// momenta. The projection goes by the same.
  std::span<const double> response;
};

/// The volume around every node, a quarter of that of its tets, and what keeps it [Irving07 sec 3].
/// The gradient is minus the transpose of the divergence, so that pressures conserve momentum and
/// angular momentum tet by tet. All operators are weighted by volume, and about the positions last
/// given to `measure`. The same bits for any number of threads. Allocates nothing after it is made.
class OneRings {
 public:
  OneRings(const Model& model, ThreadArena& arena);

  /// Per node at rest, m^3.
  std::span<const double> rest_volumes() const { return rest_; }

  /// Volumes, and how they change, at positions x, m.
  void measure(std::span<const Vec3d> x);
  /// The next correction prepares anew what preconditions; later ones take it as it is. Once a
  /// step, so that none depends on what was before it.
  void begin_step() { prepared_ = false; }
  /// Of the volumes last measured, relative to those at rest.
  double largest_error() const;
  /// The same, squared and added up.
  double squared_error() const;
  /// Per node at the positions last measured, m^3.
  std::span<const double> volumes() const { return volumes_; }

  /// m^3/s per node.
  void divergence(std::span<const Vec3d> velocities, std::span<double> out);
  /// N per node of pressures in Pa.
  void gradient(std::span<const double> pressures, std::span<Vec3d> out);

  /// Takes away from a change of velocities what may not be: holds, contacts. Symmetric where it
  /// is multiplied by the inverse mass.
  using Projection = FunctionRef<void(std::span<Vec3d>)>;

  /// `contacts` are those that project knows of, and nothing but their points is changed by it.
  /// What preconditions knows of those with colliders.
  ///
  /// Adds to velocities the change -P M^-1 grad p that gives them the divergence of `wanted`
  /// [Irving07 (1)], [Irving07 (2)], m^3/s per node. Held nodes do not change. `pressures`, Pa
  /// times the step, are a first guess and become p; those of the step before are a good one.
  solve::KrylovReport correct(std::span<Vec3d> velocities, std::span<const double> wanted,
                              std::span<double> pressures, Projection project,
                              const OneRingParams& params, const std::atomic<bool>& cancelled,
                              std::span<const contact::Row> contacts = {});

 private:
  void push_roughly(std::span<const double> p);
  /// What that found.
  Vec3d rough_change(std::size_t node) const;
  void apply(std::span<const double> p, std::span<double> out, Projection project);
  /// Whether right_ has nothing that velocities have beyond rounding: bodies in free flight.
  bool is_rounding(std::span<const Vec3d> velocities);
  void find_touched(std::span<const contact::Row> contacts);
  /// Of the volumes last measured, unless done already. The diagonal knows of contacts with
  /// colliders.
  void differentiate(std::span<const contact::Row> contacts);
  /// Slopes and the diagonal of row i; `sums` are memory.
  void differentiate_row(std::size_t i, std::span<Vec3f> sums);
  /// How volumes of the nodes that entries from `first` on name change with that of their row.
  void read_pushes(std::int32_t first, std::span<Vec3f> pushes) const;

  const Model& model_;
  ThreadArena& arena_;
  /// dV/dx of corners. That of the first follows: a tet that is shifted keeps its volume.
  struct TetSlopes {
    Vec3d others[3];
    Vec3d operator[](int corner) const {
      return corner > 0 ? others[corner - 1] : -1.0 * (others[0] + others[1] + others[2]);
    }
  };
  std::vector<TetSlopes> tet_slopes_;
  std::vector<double> tet_volumes_, of_tet_;
  /// Per entry (i, j) of Model::pattern: how the volume of one-ring i changes with x_j, in
  /// units_[i], and how that of j does with x_i, in units_[j]; m^2.
  std::vector<Half> slopes_, pushes_;
  std::vector<float> units_;
  std::vector<float> numbers_, vectors_;  ///< for these: one a node, and four
  std::vector<std::int32_t> touched_;     ///< points of contacts
  std::vector<std::uint8_t> is_touched_;
  bool differentiated_ = false, prepared_ = false;
  std::vector<double> inverse_mass_;  ///< 1/kg, 0 where held
  std::span<const double> response_;  ///< of the last correction
  std::vector<double> rest_, volumes_;
  std::vector<double> right_, left_, addition_, diagonal_;
  std::vector<Vec3d> change_;
  CoarsePressures coarse_;
  solve::MinresScratch minres_;
  solve::KrylovScratch krylov_;
};

}  // namespace isochor::tets
