#pragma once

#include "isochor/solve/minres.h"
#include "isochor/tets/linear_system.h"

namespace isochor::tets {

/// Memory of the pressures of zones. Part of Scratch; empty in a model without zones.
struct ZonalMemory {
  explicit ZonalMemory(const Model& model);
  void poison();

  ZoneSlopes slopes;
  std::vector<double> tet_pressures;
  // Per zone.
  std::vector<double> wanted;     ///< volume, m^3
  std::vector<double> excess;     ///< volume less that, m^3
  std::vector<double> pressures;  ///< multipliers p, Pa
  std::vector<double> effective;  ///< p - W excess, which is what pushes
  std::vector<double> right, change;
  std::vector<double> reduced;  ///< in coordinates of Zones::metric
  // Where an attempt started that may lead nowhere.
  std::vector<Vec3d> kept_positions;
  std::vector<double> kept_pressures;
  // Few zones, in coordinates of Zones::metric: columns of B^T, and what M, the preconditioner of
  // K, makes of them.
  std::vector<std::vector<Vec3d>> loads, responses;
  std::vector<double> schur;          ///< B M^-1 B^T by rows
  std::vector<double> schur_inverse;  ///< the same; zero for what it leaves still
  std::vector<double> elimination;    ///< memory of solve_by_pivots
  std::vector<double> lacking;        ///< volume
  std::vector<Vec3d> motion;
  std::vector<std::int32_t> order;
  // All in one.
  solve::MinresScratch minres;
  std::vector<double> whole_b, whole_x, schur_diagonal;
};

/// What zones add to the energy that a step minimises.
struct ZonalTerms {
  double energy = 0, energy_scale = 0;  ///< J
  double violation = 0;                 ///< of the worst zone's volume, relative
};

/// The pressures of zones within a Newton iteration. The energy of a step is that of its positions
/// and
///     - p.c + c.W c / 2,
/// c what zones have too much: the augmented Lagrangian, whose minima are those of the constrained
/// problem where p are its pressures. Each iteration finds positions and pressures together from
///     K dx - B^T p = f,   B dx = -c        (B = dc/dx, f without pressures)
/// With K definite dx descends the augmented Lagrangian of the new p: slope -dx K dx - c.W c. W is
/// the inverse of Zones::metric, what zones resist with all together: zones that share tets would
/// be counted many times by a diagonal, and those that nearly depend on each other never found.
/// Signs: a pressure is positive where its zone is compressed, minus the p of [Sheen21 (9)].
class ZonalSystem {
 public:
  ZonalSystem(const Model& model, ZonalMemory& memory, Context& context)
      : model_(model), memory_(memory), context_(context) {}

  /// For a step from `positions`, about pressures; `wanted` volumes relative to rest, none: 1.
  void begin(std::span<const Vec3d> positions, std::span<const double> pressures,
             std::span<const double> wanted, ZoneMethod method);

  /// Measures zones, and adds what they push with to forces.
  ZonalTerms evaluate(std::span<const Vec3d> positions, std::span<Vec3d> force);
  ZonalTerms measure(std::span<const Vec3d> positions);

  /// The same after solving, where positions are as they were and pressures new; `force` has what
  /// zones pushed with before.
  ZonalTerms renew(std::span<Vec3d> force);

  /// Counts what volumes change by along a way, to first order, as if they had changed.
  void expect(std::span<const Vec3d> way);

  /// What curves with volumes; none where zones are linear.
  std::span<const double> curving_pressures();

  /// dx, and the pressures, from f as last evaluated. Minimises for the present pressures alone
  /// with ZoneMethod::Multiplier.
  solve::KrylovReport solve(LinearSystem& linear, std::span<const Vec3d> force,
                            const solve::Accuracy& accuracy,
                            const std::optional<solve::TimeStep>& time, std::span<Vec3d> step);

  /// Moves multipliers by what is left: the outer iteration of ZoneMethod::Multiplier.
  void move_multipliers();

  /// Remembers an iterate and its pressures, and goes back to them.
  void keep(std::span<const Vec3d> positions);
  void go_back(std::span<Vec3d> positions);
  std::span<const double> pressures() const { return memory_.pressures; }

  ZoneMethod method() const { return method_; }
  /// Zones were found to contradict each other, or what is held.
  bool contradiction() const { return contradiction_; }

 private:
  /// W c. Zones that contradict each other are to be wrong all alike: the row sums of the metric
  /// then stand for it.
  void resist(std::span<const double> c, std::span<double> out);
  void check_wanted();
  bool direct() const;
  solve::KrylovReport solve_direct(LinearSystem&, std::span<const Vec3d>, const solve::Accuracy&,
                                   std::span<Vec3d>);
  solve::KrylovReport solve_whole(LinearSystem&, std::span<const Vec3d>, const solve::Accuracy&,
                                  const std::optional<solve::TimeStep>&, std::span<Vec3d>);
  solve::KrylovReport solve_weighted(LinearSystem&, std::span<const Vec3d>, const solve::Accuracy&,
                                     std::span<Vec3d>);
  void find_schur_diagonal(const std::optional<solve::TimeStep>& time);
  void give_way(const std::optional<solve::TimeStep>& time, std::span<const double> r,
                std::span<double> z);
  ZonalTerms weigh();
  void find_responses(LinearSystem& linear);
  bool invert_schur();
  /// S^-1 of volumes, to memory_.right.
  void find_pressures(std::span<const double> volumes);
  void add_responses(std::span<Vec3d> step);
  void project(std::span<Vec3d> r);
  double product(std::span<const Vec3d> a, std::span<const Vec3d> b);
  bool arrives(std::span<const Vec3d> step);
  void check_change(std::span<const Vec3d> step);

  const Model& model_;
  ZonalMemory& memory_;
  Context& context_;
  ZoneMethod method_ = ZoneMethod::Exact;
  bool contradiction_ = false;
  bool wanted_contradicts_ = false;
};

/// Solves A x = b with complete pivoting, A by rows with b as its last column, n (n + 1) numbers
/// that are lost; `order` has room for n. Numbers below `least` count as zero. Returns the largest
/// part of b that is left over where A has no full rank.
double solve_by_pivots(std::span<double> rows, std::span<std::int32_t> order, double least,
                       std::span<double> x);

}  // namespace isochor::tets
