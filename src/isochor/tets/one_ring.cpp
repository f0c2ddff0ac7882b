#include "isochor/tets/one_ring.h"

#include <algorithm>
#include <cmath>

namespace isochor::tets {

OneRings::OneRings(const Model& model, ThreadArena& arena)
    : model_(model),
      arena_(arena),
      slopes_(model.tets.size()),
      tet_(model.tets.size()),
      rest_(model.node_count()),
      volumes_(model.node_count()),
      right_(model.node_count()),
      addition_(model.node_count()),
      diagonal_(model.node_count()),
      change_(model.node_count()),
      minres_(model.node_count()),
      krylov_(model.node_count()) {
  measure(model.rest_positions);
  rest_ = volumes_;
}

void OneRings::measure(std::span<const Vec3d> x) {
  parallel_for(arena_, model_.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    const auto [a, b, c, d] = model_.tets[t];
    const Vec3d e1 = x[b] - x[a], e2 = x[c] - x[a], e3 = x[d] - x[a];
    std::array<Vec3d, 4>& s = slopes_[t];
    s[1] = (1.0 / 6) * cross(e2, e3);
    s[2] = (1.0 / 6) * cross(e3, e1);
    s[3] = (1.0 / 6) * cross(e1, e2);
    s[0] = -1.0 * (s[1] + s[2] + s[3]);
    tet_[t] = dot(s[1], e1);
  });
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    double sum = 0;
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      sum += tet_[model_.uses[u] / 4];
    }
    volumes_[i] = sum / 4;
  });
}

/// [Irving07 sec 3]: (div v)_k is a quarter of what the tets around k gain.
void OneRings::divergence(std::span<const Vec3d> v, std::span<double> out) {
  parallel_for(arena_, model_.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    double gain = 0;
    for (int k = 0; k < 4; ++k) gain += dot(slopes_[t][k], v[model_.tets[t][k]]);
    tet_[t] = gain;
  });
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    double sum = 0;
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      sum += tet_[model_.uses[u] / 4];
    }
    out[i] = sum / 4;
  });
}

/// [Irving07 sec 3]: (grad p)_k is the sum of mean pressures times an_k / 3 = -dV/dx_k.
void OneRings::gradient(std::span<const double> p, std::span<Vec3d> out) {
  parallel_for(arena_, model_.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    const auto [a, b, c, d] = model_.tets[t];
    tet_[t] = (p[a] + p[b] + p[c] + p[d]) / 4;
  });
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      const std::int32_t use = model_.uses[u];
      sum -= tet_[use / 4] * slopes_[use / 4][use % 4];
    }
    out[i] = sum;
  });
}

/// out = -div P M^-1 grad p.
void OneRings::apply(std::span<const double> p, std::span<double> out, Projection project) {
  gradient(p, change_);
  parallel_for(arena_, change_.size(), solve::kRowGrain, [&](std::size_t i) {
    change_[i] = model_.held[i] ? Vec3d{0, 0, 0} : (1 / model_.mass[i]) * change_[i];
  });
  project(change_);
  divergence(change_, out);
  parallel_for(arena_, out.size(), solve::kRowGrain, [&](std::size_t i) { out[i] = -out[i]; });
}

/// Of the same without contacts: node i pushes its neighbours j with the sum of slopes of the tets
/// that both have.
void OneRings::find_diagonal() {
  parallel_for(arena_, model_.node_count(), 64, [&](std::size_t i) {
    // Rows of the stiffness matrix name the neighbours; few enough to add up in place.
    constexpr int kMost = 128;
    std::array<Vec3d, kMost> pushes;
    const std::int32_t row = model_.pattern.first[i];
    const int count = model_.pattern.first[i + 1] - row;
    double sum = 0;
    if (count <= kMost) {
      std::fill_n(pushes.begin(), count, Vec3d{0, 0, 0});
      for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
        for (int k = 0; k < 4; ++k) pushes[model_.places[u][k]] += slopes_[model_.uses[u] / 4][k];
      }
      for (int k = 0; k < count; ++k) {
        const std::int32_t j = model_.pattern.columns[row + k];
        if (!model_.held[j]) sum += dot(pushes[k], pushes[k]) / (16 * model_.mass[j]);
      }
    }
    diagonal_[i] = sum > 0 ? sum : 1;
  });
}

double OneRings::largest_error() const {
  double largest = 0;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (rest_[i] > 0) largest = std::max(largest, std::abs(volumes_[i] / rest_[i] - 1));
  }
  return largest;
}

solve::KrylovReport OneRings::correct(std::span<Vec3d> velocities, std::span<const double> wanted,
                                      std::span<double> pressures, Projection project,
                                      const OneRingParams& params,
                                      const std::atomic<bool>& cancelled) {
  const double give = params.compliance;
  if (params.precondition || give > 0) find_diagonal();
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
  // From the guess, unless it is worse than none.
  const double whole = norm(right_);
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
  parallel_for(arena_, change_.size(), solve::kRowGrain, [&](std::size_t i) {
    change_[i] = model_.held[i] ? Vec3d{0, 0, 0} : (-1 / model_.mass[i]) * change_[i];
  });
  project(change_);
  parallel_for(arena_, change_.size(), solve::kRowGrain,
               [&](std::size_t i) { velocities[i] += change_[i]; });
  return report;
}

}  // namespace isochor::tets
