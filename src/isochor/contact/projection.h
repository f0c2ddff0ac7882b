#pragma once

#include <span>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/contact/row.h"

namespace isochor::contact {

/// Repulsion as in Bridson, Fedkiw and Anderson 2002.
struct Repulsion {
  double thickness = 0;  ///< m; contacts with a smaller gap are pushed apart
  double stiffness = 0;  ///< N/m, of the spring between them; 0: only stops what approaches
  double time_step = 0;  ///< s
  /// How much of what is missing of the thickness may come back in one step, 0 to 1.
  double recovery = 0.1;
};

/// Many contacts at once, one after the other in a fixed order, in which contacts of points with
/// colliders and triangles come first, since their normals are more coherent than those of edges.
/// Within these two groups rows are sorted by colour: rows of a colour have no point in common, so
/// that they commute and run on many threads, with the same bits for any number. A row all of whose
/// points have no inverse mass can do nothing and is left out.
class ContactProjection {
 public:
  /// `inverse_masses`, 1/kg, has one number for each point of the method; zero holds a point.
  /// Takes memory only where there are more rows than ever before.
  void build(std::span<const Row> rows, std::span<const double> inverse_masses);

  std::size_t row_count() const { return row_count_; }
  /// Of those that can do something.
  std::size_t active_count() const { return rows_.size(); }
  std::size_t colour_count() const { return colours_.empty() ? 0 : colours_.size() - 1; }

  /// v = (P_1 ... P_n ... P_1)^q v, where P_i takes c_i^T v out of a change of velocities by the
  /// impulse of least energy, P = 1 - M^-1 c (c^T M^-1 c)^-1 c^T [Irving07 sec 4]. Times M^-1 it
  /// is symmetric, for any q, and never increases v^T M v. Adds to impulses as `match` does, where
  /// they are asked for.
  void project(std::span<Vec3d> change, int sweeps, ThreadArena& arena,
               std::span<Vec3d> impulses = {}) const;

  /// Makes velocities of contacts the wanted ones, c_i^T v = 0 with all of u, by as many
  /// symmetric sweeps. Adds the impulse on the first part of row i, N s, to impulses[i].
  void match(std::span<Vec3d> velocities, int sweeps, std::span<Vec3d> impulses,
             ThreadArena& arena) const;

  /// One pass in which each row stops what approaches, pushes what is too near, and slows sliding
  /// by Coulomb's law; nothing is pulled. Adds to impulses as above. Rows of holds have no part in
  /// it.
  void repel(std::span<Vec3d> velocities, const Repulsion& repulsion, std::span<Vec3d> impulses,
             ThreadArena& arena) const;

  /// Slows sliding: row i by a tangential impulse of friction times the normal part of impulses[i]
  /// at most, which is added there.
  void rub(std::span<Vec3d> velocities, std::span<Vec3d> impulses, ThreadArena& arena) const;

  /// The largest |c_i^T v| of all rows, with all of u, m/s.
  double largest_violation(std::span<const Vec3d> velocities) const;

 private:
  struct ActiveRow {
    Row row;
    std::array<double, 4> response;  ///< velocity of each point per impulse
    double inverse_mass;             ///< c^T M^-1 c, 1/kg
    std::size_t number;              ///< of the row
  };
  void colour(std::span<const ActiveRow> group);
  template <class F>
  void in_colour(std::size_t colour, ThreadArena& arena, F&& f) const;
  template <class F>
  void sweep(int count, ThreadArena& arena, F&& f) const;

  std::size_t row_count_ = 0;
  std::vector<ActiveRow> rows_;          ///< by colour
  std::vector<std::size_t> colours_;     ///< where each begins, and the end
  std::vector<ActiveRow> unsorted_;      ///< memory of `build`
  std::vector<std::uint64_t> taken_;     ///< memory of `build`: per point, colours of its rows
  std::vector<std::int32_t> colour_of_;  ///< memory of `build`
};

}  // namespace isochor::contact
