#include "isochor/tets/one_ring.h"

#include <algorithm>
#include <cmath>

#include "isochor/math/reduce.h"

namespace isochor::tets {
namespace {

Vec3f to_single(const Vec3d& v) { return {float(v[0]), float(v[1]), float(v[2])}; }

}  // namespace

OneRings::OneRings(const Model& model, ThreadArena& arena)
    : model_(model),
      arena_(arena),
      tet_slopes_(model.tets.size()),
      tet_volumes_(model.tets.size()),
      of_tet_(model.tets.size()),
      slope_(model.pattern.columns.size()),
      push_(model.pattern.columns.size()),
      half_slope_(3 * model.pattern.columns.size() + kMoreHalves, Half{0}),
      half_push_(half_slope_),
      single_(5 * model.node_count(), 0),
      inverse_mass_(model.node_count()),
      rest_(model.node_count()),
      volumes_(model.node_count()),
      right_(model.node_count()),
      left_(model.node_count()),
      addition_(model.node_count()),
      diagonal_(model.node_count()),
      change_(model.node_count()),
      coarse_(model),
      minres_(model.node_count()),
      krylov_(model.node_count()) {
  for (std::size_t i = 0; i < inverse_mass_.size(); ++i) {
    inverse_mass_[i] = model.held[i] || !(model.mass[i] > 0) ? 0 : 1 / model.mass[i];
  }
  response_ = inverse_mass_;
  measure(model.rest_positions);
  rest_ = volumes_;
}

void OneRings::measure(std::span<const Vec3d> x) {
  differentiated_ = false;
  parallel_for(arena_, model_.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    const auto [a, b, c, d] = model_.tets[t];
    const Vec3d e1 = x[b] - x[a], e2 = x[c] - x[a], e3 = x[d] - x[a];
    TetSlopes& s = tet_slopes_[t];
    s.others[0] = (1.0 / 6) * cross(e2, e3);
    s.others[1] = (1.0 / 6) * cross(e3, e1);
    s.others[2] = (1.0 / 6) * cross(e1, e2);
    tet_volumes_[t] = dot(s.others[0], e1);
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
/// matrix name the neighbours. What cannot move for a collider is no part of the diagonal.
void OneRings::differentiate(std::span<const contact::Row> contacts) {
  if (differentiated_) return;
  differentiated_ = true;
  parallel_for(arena_, model_.node_count(), 64, [&](std::size_t i) {
    const std::int32_t row = model_.pattern.first[i], end = model_.pattern.first[i + 1];
    std::fill(slope_.begin() + row, slope_.begin() + end, Vec3f{0, 0, 0});
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      const TetSlopes& s = tet_slopes_[model_.uses[u] / 4];
      for (int k = 0; k < 4; ++k) slope_[row + model_.places[u][k]] += to_single(0.25 * s[k]);
    }
    double sum = 0;
    float largest = 0;
    for (std::int32_t k = row; k < end; ++k) {
      const std::int32_t j = model_.pattern.columns[k];
      const float squared = dot(slope_[k], slope_[k]);
      sum += response_[j] * double(squared);
      largest = std::max(largest, squared);
    }
    diagonal_[i] = sum > 0 ? sum : 1;
    addition_[i] = std::sqrt(largest);
  });
  parallel_for(arena_, push_.size(), solve::kVectorGrain,
               [&](std::size_t k) { push_[k] = slope_[model_.mirrored[k]]; });
  round_slopes();
  for (const contact::Row& row : contacts) {
    if (row.count != 1) continue;
    const std::int32_t j = row.points[0];
    for (std::int32_t k = model_.pattern.first[j]; k < model_.pattern.first[j + 1]; ++k) {
      const Vec3f& push = push_[k];
      const double along = dot(row.normal, Vec3d{push[0], push[1], push[2]});
      double& diagonal = diagonal_[model_.pattern.columns[k]];
      // A node in a corner is in two rows.
      constexpr double kLeast = 0.1;
      diagonal = std::max(diagonal - response_[j] * along * along, kLeast * diagonal);
    }
  }
}

/// In a unit in which the largest is far below what there is in half precision.
void OneRings::round_slopes() {
  constexpr double kLargest = 1000;
  const double largest = *std::ranges::max_element(addition_);
  half_unit_ = largest > 0 ? float(largest / kLargest) : 1;
  constexpr std::size_t kGrain = 16 * 1024;
  arena_.for_chunks(3 * slope_.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    round_numbers(slope_.data()->e + begin, 1 / half_unit_, end - begin, &half_slope_[begin]);
    round_numbers(push_.data()->e + begin, 1 / half_unit_, end - begin, &half_push_[begin]);
  });
}

/// [Irving07 sec 3]: (div v)_k is a quarter of what the tets around k gain.
void OneRings::divergence(std::span<const Vec3d> v, std::span<double> out) {
  parallel_for(arena_, model_.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) sum += dot(tet_slopes_[t][k], v[model_.tets[t][k]]);
    of_tet_[t] = sum;
  });
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    double sum = 0;
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      sum += of_tet_[model_.uses[u] / 4];
    }
    out[i] = 0.25 * sum;
  });
}

/// [Irving07 sec 3]: (grad p)_k is the sum of mean pressures times an_k / 3 = -dV/dx_k.
void OneRings::gradient(std::span<const double> p, std::span<Vec3d> out) {
  parallel_for(arena_, model_.tets.size(), solve::kRowGrain, [&](std::size_t t) {
    const auto [a, b, c, d] = model_.tets[t];
    of_tet_[t] = 0.25 * (p[a] + p[b] + p[c] + p[d]);
  });
  parallel_for(arena_, model_.node_count(), solve::kRowGrain, [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      sum -= of_tet_[model_.uses[u] / 4] * tet_slopes_[model_.uses[u] / 4][model_.uses[u] % 4];
    }
    out[i] = sum;
  });
}

/// out = -div P M^-1 grad p.
void OneRings::apply(std::span<const double> p, std::span<double> out, Projection project) {
  const std::size_t nodes = model_.node_count();
  const double unit = half_unit_;
  float* const numbers = single_.data();
  float* const vectors = numbers + nodes;
  parallel_for(arena_, nodes, solve::kVectorGrain,
               [&](std::size_t i) { numbers[i] = float(p[i]); });
  const RingRows pushes{model_.pattern, half_push_.data()};
  arena_.for_chunks(nodes, solve::kRowGrain, [&](std::size_t begin, std::size_t end) {
    sum_pushes(pushes, numbers, begin, end, vectors);
    for (std::size_t i = begin; i < end; ++i) {
      const float* const sum = vectors + 4 * i;
      change_[i] = (unit * response_[i]) * Vec3d{sum[0], sum[1], sum[2]};
    }
  });
  project(change_);
  parallel_for(arena_, nodes, solve::kVectorGrain, [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) vectors[4 * i + a] = float(change_[i][a]);
  });
  const RingRows slopes{model_.pattern, half_slope_.data()};
  arena_.for_chunks(nodes, solve::kRowGrain, [&](std::size_t begin, std::size_t end) {
    sum_along(slopes, vectors, begin, end, numbers);
    for (std::size_t i = begin; i < end; ++i) out[i] = unit * double(numbers[i]);
  });
}

double OneRings::largest_error() const {
  double largest = 0;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    if (rest_[i] > 0) largest = std::max(largest, std::abs(volumes_[i] / rest_[i] - 1));
  }
  return largest;
}

double OneRings::squared_error() const {
  return deterministic_sum(arena_, rest_.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double error = rest_[i] > 0 ? volumes_[i] / rest_[i] - 1 : 0;
      sum += error * error;
    }
    return sum;
  });
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
                                      const std::atomic<bool>& cancelled,
                                      std::span<const contact::Row> contacts) {
  const double give = params.compliance;
  const std::span<const double> response =
      params.response.empty() ? std::span<const double>(inverse_mass_) : params.response;
  differentiated_ &= response.data() == response_.data();
  response_ = response;
  differentiate(contacts);
  const auto multiply = [&](std::span<const double> p, std::span<double> q) {
    apply(p, q, project);
    if (give == 0) return;
    parallel_for(arena_, q.size(), solve::kRowGrain,
                 [&](std::size_t i) { q[i] += give * diagonal_[i] * p[i]; });
  };
  const auto scale = [&](std::span<const double> r, std::span<double> z) {
    parallel_for(arena_, z.size(), solve::kRowGrain,
                 [&](std::size_t i) { z[i] = params.precondition ? r[i] / diagonal_[i] : r[i]; });
  };
  const bool coarse = params.precondition && coarse_.size() > 0;
  const auto precondition = [&](std::span<const double> r, std::span<double> z) {
    scale(r, z);
    if (coarse) coarse_.add_correction(r, z, arena_);
  };
  const auto norm = [&](std::span<const double> r) {
    scale(r, addition_);
    return std::sqrt(solve::dot(arena_, r, addition_));
  };
  const bool still = std::ranges::all_of(velocities, [](const Vec3d& v) { return dot(v, v) == 0; });
  if (!still) divergence(velocities, right_);
  parallel_for(arena_, right_.size(), solve::kRowGrain,
               [&](std::size_t i) { right_[i] = still ? wanted[i] : wanted[i] - right_[i]; });
  if (!still && is_rounding(velocities)) {
    solve::fill(arena_, 0, pressures);
    return {.relative_residual = 0, .converged = true};
  }
  // What pressures change.
  const auto evaluate = [&] {
    gradient(pressures, change_);
    parallel_for(arena_, change_.size(), solve::kRowGrain,
                 [&](std::size_t i) { change_[i] *= -response_[i]; });
    project(change_);
  };
  // And leave to do.
  const auto find_left = [&] {
    divergence(change_, left_);
    parallel_for(arena_, left_.size(), solve::kRowGrain, [&](std::size_t i) {
      left_[i] = right_[i] - left_[i] - give * diagonal_[i] * pressures[i];
    });
    return norm(left_);
  };
  const double whole = norm(right_);
  // From the guess, unless there is none or it is worse than none.
  const bool guessed = solve::dot(arena_, pressures, pressures) > 0;
  double left = whole;
  if (guessed) {
    evaluate();
    left = find_left();
  }
  if (!(left < whole)) {
    solve::fill(arena_, 0, pressures);
    solve::copy(arena_, right_, left_);
    std::ranges::fill(change_, Vec3d{0, 0, 0});
    left = whole;
  }
  // Iterations read half precision, good for so much; what they leave is solved again.
  constexpr double kHalf = 1e-3;
  solve::KrylovReport report{.relative_residual = left / whole, .converged = true};
  const auto stop = [&] { return bool(cancelled); };
  for (bool again = left > params.tolerance * whole; again;) {
    if (coarse && !prepared_) {
      coarse_.prepare(push_, response_, diagonal_, give, contacts, arena_);
      prepared_ = true;
    }
    const double tolerance = params.tolerance * whole / left, before = left;
    const int most = params.max_iterations - report.iterations;
    const solve::KrylovReport part =
        params.conjugate_gradient
            ? solve::conjugate_gradient(arena_, multiply, precondition, stop, left_, addition_,
                                        std::max(tolerance, kHalf), most, krylov_)
            : solve::minres(arena_, multiply, precondition, stop, left_, addition_,
                            std::max(tolerance, kHalf), most, minres_);
    parallel_for(arena_, pressures.size(), solve::kRowGrain,
                 [&](std::size_t i) { pressures[i] += addition_[i]; });
    evaluate();
    report.iterations += part.iterations;
    report.operator_applications += part.operator_applications;
    report.converged = part.converged;
    report.relative_residual = part.relative_residual * before / whole;
    again = part.converged && tolerance < kHalf;
    if (again) {
      left = find_left();
      report.converged = left < before;
      report.relative_residual = left / whole;
      again = report.converged && left > params.tolerance * whole;
    }
  }
  parallel_for(arena_, change_.size(), solve::kRowGrain,
               [&](std::size_t i) { velocities[i] += change_[i]; });
  return report;
}

}  // namespace isochor::tets
