#include "isochor/tets/one_ring.h"

#include <algorithm>
#include <cmath>

#include "isochor/math/reduce.h"

namespace isochor::tets {

OneRings::OneRings(const Model& model, ThreadArena& arena)
    : model_(model),
      arena_(arena),
      tet_slopes_(model.tets.size()),
      tet_volumes_(model.tets.size()),
      slope_(model.pattern.columns.size()),
      push_(model.pattern.columns.size()),
      inverse_mass_(model.node_count()),
      rest_(model.node_count()),
      volumes_(model.node_count()),
      right_(model.node_count()),
      addition_(model.node_count()),
      diagonal_(model.node_count()),
      change_(model.node_count()),
      minres_(model.node_count()),
      krylov_(model.node_count()) {
  for (std::size_t i = 0; i < inverse_mass_.size(); ++i) {
    inverse_mass_[i] = model.held[i] || !(model.mass[i] > 0) ? 0 : 1 / model.mass[i];
  }
  measure(model.rest_positions);
  rest_ = volumes_;
}

void OneRings::measure(std::span<const Vec3d> x) {
  differentiated_ = false;
  parallel_for(arena_, model_.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    const auto [a, b, c, d] = model_.tets[t];
    const Vec3d e1 = x[b] - x[a], e2 = x[c] - x[a], e3 = x[d] - x[a];
    std::array<Vec3d, 4>& s = tet_slopes_[t];
    s[1] = (1.0 / 6) * cross(e2, e3);
    s[2] = (1.0 / 6) * cross(e3, e1);
    s[3] = (1.0 / 6) * cross(e1, e2);
    s[0] = -1.0 * (s[1] + s[2] + s[3]);
    tet_volumes_[t] = dot(s[1], e1);
  });
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    double sum = 0;
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      sum += tet_volumes_[model_.uses[u] / 4];
    }
    volumes_[i] = sum / 4;
  });
}

/// Volumes of one-rings by positions of nodes, and the other way round: rows of the stiffness
/// matrix name the neighbours.
void OneRings::differentiate() {
  if (differentiated_) return;
  differentiated_ = true;
  parallel_for(arena_, model_.node_count(), 64, [&](std::size_t i) {
    const std::int32_t row = model_.pattern.first[i], end = model_.pattern.first[i + 1];
    std::fill(slope_.begin() + row, slope_.begin() + end, Vec3d{0, 0, 0});
    std::fill(push_.begin() + row, push_.begin() + end, Vec3d{0, 0, 0});
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      const std::array<Vec3d, 4>& s = tet_slopes_[model_.uses[u] / 4];
      const Vec3d own = 0.25 * s[model_.uses[u] % 4];
      for (int k = 0; k < 4; ++k) {
        slope_[row + model_.places[u][k]] += 0.25 * s[k];
        push_[row + model_.places[u][k]] += own;
      }
    }
    double sum = 0;
    for (std::int32_t k = row; k < end; ++k) {
      const std::int32_t j = model_.pattern.columns[k];
      if (!model_.held[j]) sum += dot(slope_[k], slope_[k]) / model_.mass[j];
    }
    diagonal_[i] = sum > 0 ? sum : 1;
  });
}

/// [Irving07 sec 3]: (div v)_k is a quarter of what the tets around k gain.
void OneRings::divergence(std::span<const Vec3d> v, std::span<double> out) {
  differentiate();
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    double sum = 0;
    for (std::int32_t k = model_.pattern.first[i]; k < model_.pattern.first[i + 1]; ++k) {
      sum += dot(slope_[k], v[model_.pattern.columns[k]]);
    }
    out[i] = sum;
  });
}

/// [Irving07 sec 3]: (grad p)_k is the sum of mean pressures times an_k / 3 = -dV/dx_k.
void OneRings::gradient(std::span<const double> p, std::span<Vec3d> out) {
  differentiate();
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t k = model_.pattern.first[i]; k < model_.pattern.first[i + 1]; ++k) {
      sum -= p[model_.pattern.columns[k]] * push_[k];
    }
    out[i] = sum;
  });
}

/// out = -div P M^-1 grad p.
void OneRings::apply(std::span<const double> p, std::span<double> out, Projection project) {
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t k = model_.pattern.first[i]; k < model_.pattern.first[i + 1]; ++k) {
      sum += p[model_.pattern.columns[k]] * push_[k];
    }
    change_[i] = inverse_mass_[i] * sum;
  });
  project(change_);
  divergence(change_, out);
}

double OneRings::largest_error() const {
  double largest = 0;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (rest_[i] > 0) largest = std::max(largest, std::abs(volumes_[i] / rest_[i] - 1));
  }
  return largest;
}

double OneRings::squared_error() const {
  double sum = 0;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const double error = rest_[i] > 0 ? volumes_[i] / rest_[i] - 1 : 0;
    sum += error * error;
  }
  return sum;
}

/// Both are squares of velocities times masses.
bool OneRings::is_rounding(std::span<const Vec3d> velocities) {
  constexpr double kRounding = 1e-12;
  const auto sum = [&](auto&& term) {
    return deterministic_sum(arena_, velocities.size(), [&](std::size_t begin, std::size_t end) {
      double part = 0;
      for (std::size_t i = begin; i < end; ++i) part += term(i);
      return part;
    });
  };
  const double wrong = sum([&](std::size_t i) { return right_[i] * right_[i] / diagonal_[i]; });
  const double whole =
      sum([&](std::size_t i) { return model_.mass[i] * dot(velocities[i], velocities[i]); });
  return wrong <= kRounding * kRounding * whole;
}

solve::KrylovReport OneRings::correct(std::span<Vec3d> velocities, std::span<const double> wanted,
                                      std::span<double> pressures, Projection project,
                                      const OneRingParams& params,
                                      const std::atomic<bool>& cancelled) {
  const double give = params.compliance;
  differentiate();
  const auto multiply = [&](std::span<const double> p, std::span<double> q) {
    apply(p, q, project);
    if (give == 0) return;
    parallel_for(arena_, q.size(), solve::kRowGrain,
                 [&](std::size_t i) { q[i] += give * diagonal_[i] * p[i]; });
  };
  const auto precondition = [&](std::span<const double> r, std::span<double> z) {
    parallel_for(arena_, z.size(), solve::kRowGrain,
                 [&](std::size_t i) { z[i] = params.precondition ? r[i] / diagonal_[i] : r[i]; });
  };
  const auto norm = [&](std::span<const double> r) {
    precondition(r, addition_);
    return std::sqrt(solve::dot(arena_, r, addition_));
  };
  divergence(velocities, right_);
  parallel_for(arena_, right_.size(), solve::kRowGrain,
               [&](std::size_t i) { right_[i] = wanted[i] - right_[i]; });
  if (is_rounding(velocities)) {
    solve::fill(arena_, 0, pressures);
    return {.relative_residual = 0, .converged = true};
  }
  const double whole = norm(right_);
  // From the guess, unless it is worse than none.
  multiply(pressures, addition_);
  parallel_for(arena_, right_.size(), solve::kRowGrain,
               [&](std::size_t i) { right_[i] -= addition_[i]; });
  double left = norm(right_);
  if (!(left < whole)) {
    multiply(pressures, addition_);
    parallel_for(arena_, right_.size(), solve::kRowGrain, [&](std::size_t i) {
      right_[i] += addition_[i];
      pressures[i] = 0;
    });
    left = whole;
  }
  solve::KrylovReport report{.relative_residual = 0, .converged = true};
  if (left > params.tolerance * whole) {
    const double tolerance = params.tolerance * whole / left;
    const auto stop = [&] { return bool(cancelled); };
    report = params.conjugate_gradient
                 ? solve::conjugate_gradient(arena_, multiply, precondition, stop, right_,
                                             addition_, tolerance, params.max_iterations, krylov_)
                 : solve::minres(arena_, multiply, precondition, stop, right_, addition_, tolerance,
                                 params.max_iterations, minres_);
    parallel_for(arena_, right_.size(), solve::kRowGrain,
                 [&](std::size_t i) { pressures[i] += addition_[i]; });
    report.relative_residual *= left / whole;
  }
  gradient(pressures, change_);
  parallel_for(arena_, change_.size(), solve::kRowGrain,
               [&](std::size_t i) { change_[i] *= -inverse_mass_[i]; });
  project(change_);
  parallel_for(arena_, change_.size(), solve::kRowGrain,
               [&](std::size_t i) { velocities[i] += change_[i]; });
  return report;
}

}  // namespace isochor::tets
