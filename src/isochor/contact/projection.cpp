#include "isochor/contact/projection.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace isochor::contact {
namespace {

/// Gives an impulse, N s, to the points of a row. Points that cannot move are not written: rows on
/// other threads may have them too.
void push(const Row& row, const std::array<double, 4>& response, const Vec3d& impulse,
          std::span<Vec3d> v) {
  for (int i = 0; i < row.count; ++i) {
    if (response[i] != 0) v[row.points[i]] += response[i] * impulse;
  }
}

/// c^T v without the velocity of the collider.
double along_normal(const Row& row, std::span<const Vec3d> v) {
  double sum = 0;
  for (int i = 0; i < row.count; ++i) sum += row.weights[i] * dot(row.normal, v[row.points[i]]);
  return sum;
}

/// The impulse that slows sliding, at most `most` N s.
Vec3d friction_impulse(const Row& row, double inverse_mass, double most, std::span<const Vec3d> v) {
  const Vec3d u = relative_velocity(row, v);
  const Vec3d sliding = u - dot(row.normal, u) * row.normal;
  const double speed = norm(sliding);
  if (speed == 0) return {0, 0, 0};
  return sliding * (-min(most / speed, 1 / inverse_mass));
}

}  // namespace

void ContactProjection::build(std::span<const Row> rows, std::span<const double> inverse_masses) {
  row_count_ = rows.size();
  rows_.clear();
  colours_.assign(1, 0);
  taken_.resize(inverse_masses.size());
  for (const bool edges : {false, true}) {
    unsorted_.clear();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].edges != edges) continue;
      ActiveRow active{.row = rows[r], .response = {}, .inverse_mass = 0, .number = r};
      for (int i = 0; i < active.row.count; ++i) {
        const double w = active.row.weights[i];
        active.response[i] = w * inverse_masses[active.row.points[i]];
        active.inverse_mass += w * active.response[i];
      }
      if (active.inverse_mass > 0) unsorted_.push_back(active);
    }
    colour(unsorted_);
  }
}

/// Gives each row the first colour that none of its movable points has yet, 64 colours at a time,
/// and appends the rows by colour.
void ContactProjection::colour(std::span<const ActiveRow> group) {
  constexpr std::int32_t kNone = -1, kDone = -2;
  colour_of_.assign(group.size(), kNone);
  for (std::size_t left = group.size(); left > 0;) {
    for (std::size_t r = 0; r < group.size(); ++r) {
      for (int i = 0; i < group[r].row.count; ++i) taken_[group[r].row.points[i]] = 0;
    }
    std::array<std::size_t, 64> counts{};
    for (std::size_t r = 0; r < group.size(); ++r) {
      if (colour_of_[r] != kNone) continue;
      const ActiveRow& active = group[r];
      std::uint64_t taken = 0;
      for (int i = 0; i < active.row.count; ++i) {
        if (active.response[i] != 0) taken |= taken_[active.row.points[i]];
      }
      const int colour = std::countr_one(taken);
      if (colour == 64) continue;
      colour_of_[r] = colour;
      ++counts[colour];
      for (int i = 0; i < active.row.count; ++i) {
        if (active.response[i] != 0) taken_[active.row.points[i]] |= std::uint64_t{1} << colour;
      }
    }
    std::array<std::size_t, 64> next{};
    std::size_t end = rows_.size();
    for (int c = 0; c < 64 && counts[c] > 0; ++c) {
      next[c] = end;
      end += counts[c];
      colours_.push_back(end);
    }
    left -= end - rows_.size();
    rows_.resize(end);
    for (std::size_t r = 0; r < group.size(); ++r) {
      if (colour_of_[r] < 0) continue;
      rows_[next[colour_of_[r]]++] = group[r];
      colour_of_[r] = kDone;
    }
  }
}

template <class F>
void ContactProjection::in_colour(std::size_t colour, ThreadArena& arena, F&& f) const {
  constexpr std::size_t kGrain = 1024;
  const std::size_t begin = colours_[colour];
  parallel_for(arena, colours_[colour + 1] - begin, kGrain,
               [&](std::size_t i) { f(rows_[begin + i]); });
}

/// Symmetric sweeps: forward through the colours and back. Doing the last or the first twice in a
/// row would change nothing, so it is done once.
template <class F>
void ContactProjection::sweep(int count, ThreadArena& arena, F&& f) const {
  const std::size_t colours = colour_count();
  for (int s = 0; s < count; ++s) {
    for (std::size_t c = s == 0 ? 0 : 1; c < colours; ++c) in_colour(c, arena, f);
    for (std::size_t c = colours; c-- > 1;) in_colour(c - 1, arena, f);
  }
}

void ContactProjection::project(std::span<Vec3d> change, int sweeps, ThreadArena& arena,
                                std::span<Vec3d> impulses) const {
  sweep(sweeps, arena, [&](const ActiveRow& a) {
    const double impulse = -along_normal(a.row, change) / a.inverse_mass;
    push(a.row, a.response, impulse * a.row.normal, change);
    if (!impulses.empty()) impulses[a.number] += impulse * a.row.normal;
  });
}

void ContactProjection::match(std::span<Vec3d> velocities, int sweeps, std::span<Vec3d> impulses,
                              ThreadArena& arena) const {
  sweep(sweeps, arena, [&](const ActiveRow& a) {
    const double speed = along_normal(a.row, velocities) - dot(a.row.normal, a.row.velocity);
    const double impulse = -speed / a.inverse_mass;
    push(a.row, a.response, impulse * a.row.normal, velocities);
    impulses[a.number] += impulse * a.row.normal;
  });
}

void ContactProjection::repel(std::span<Vec3d> velocities, const Repulsion& repulsion,
                              std::span<Vec3d> impulses, ThreadArena& arena) const {
  const double dt = repulsion.time_step;
  for (std::size_t c = 0; c < colour_count(); ++c) {
    in_colour(c, arena, [&](const ActiveRow& a) {
      if (a.row.held) return;
      const double speed = along_normal(a.row, velocities) - dot(a.row.normal, a.row.velocity);
      // What approaches is stopped; then a spring pushes, but gives back no more of the thickness
      // than it may in this step.
      double impulse = max(-speed, 0.0) / a.inverse_mass;
      const double missing = repulsion.thickness - a.row.gap;
      if (missing > 0 && repulsion.stiffness > 0) {
        const double faster = repulsion.recovery * missing / dt - max(speed, 0.0);
        impulse += max(min(dt * repulsion.stiffness * missing, faster / a.inverse_mass), 0.0);
      }
      if (impulse == 0) return;
      const Vec3d normal = impulse * a.row.normal;
      push(a.row, a.response, normal, velocities);
      const Vec3d tangential =
          friction_impulse(a.row, a.inverse_mass, a.row.friction * impulse, velocities);
      push(a.row, a.response, tangential, velocities);
      impulses[a.number] += normal + tangential;
    });
  }
}

void ContactProjection::rub(std::span<Vec3d> velocities, std::span<Vec3d> impulses,
                            ThreadArena& arena) const {
  for (std::size_t c = 0; c < colour_count(); ++c) {
    in_colour(c, arena, [&](const ActiveRow& a) {
      const double pressed = max(dot(a.row.normal, impulses[a.number]), 0.0);
      const Vec3d tangential =
          friction_impulse(a.row, a.inverse_mass, a.row.friction * pressed, velocities);
      push(a.row, a.response, tangential, velocities);
      impulses[a.number] += tangential;
    });
  }
}

double ContactProjection::largest_violation(std::span<const Vec3d> velocities) const {
  double largest = 0;
  for (const ActiveRow& a : rows_) {
    largest = max(largest, std::abs(dot(a.row.normal, relative_velocity(a.row, velocities))));
  }
  return largest;
}

}  // namespace isochor::contact
