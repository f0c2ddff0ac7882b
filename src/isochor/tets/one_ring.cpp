#include "isochor/tets/one_ring.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isochor/base/streaming.h"
#include "isochor/math/reduce.h"
#include "isochor/tets/ahead.h"

namespace isochor::tets {
namespace {

/// Entries of a row that are added up together; sixteen numbers of them at a time are rounded.
constexpr int kTogether = 64;
static_assert(3 * kTogether % 16 == 0);

Vec3f to_single(const Vec3d& v) { return {float(v[0]), float(v[1]), float(v[2])}; }

}  // namespace

OneRings::OneRings(const Model& model, ThreadArena& arena)
    : model_(model),
      arena_(arena),
      tet_slopes_(model.tets.size()),
      tet_volumes_(model.tets.size()),
      of_tet_(model.tets.size()),
      slopes_(3 * model.pattern.columns.size() + kMoreHalves, Half{0}),
      pushes_(slopes_),
      units_(model.node_count(), 1),
      numbers_(model.node_count(), 0),
      vectors_(4 * model.node_count(), 0),
      is_touched_(model.node_count(), 0),
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
  touched_.reserve(model.node_count());
  measure(model.rest_positions);
  rest_ = volumes_;
}

void OneRings::measure(std::span<const Vec3d> x) {
  differentiated_ = false;
  const std::size_t tets = model_.tets.size();
  const bool past_caches = sizeof(TetSlopes) * tets > kLargerThanCaches;
  arena_.for_chunks(tets, solve::kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const auto [a, b, c, d] = model_.tets[t];
      const Vec3d e1 = x[b] - x[a], e2 = x[c] - x[a], e3 = x[d] - x[a];
      TetSlopes s;
      s.others[0] = (1.0 / 6) * cross(e2, e3);
      s.others[1] = (1.0 / 6) * cross(e3, e1);
      s.others[2] = (1.0 / 6) * cross(e1, e2);
      tet_volumes_[t] = dot(s.others[0], e1);
      if (past_caches) {
        stream(s, &tet_slopes_[t]);
      } else {
        tet_slopes_[t] = s;
      }
    }
    if (past_caches) finish_streaming();
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
  arena_.for_chunks(model_.node_count(), 64, [&](std::size_t begin, std::size_t end) {
    Vec3f sums[kTogether];
    for (std::size_t i = begin; i < end; ++i) {
      ask_for_tets(model_, i + kAhead, tet_slopes_.data());
      differentiate_row(i, sums);
    }
  });
  constexpr std::size_t kEntriesAhead = 64;
  parallel_for(arena_, model_.mirrored.size(), solve::kVectorGrain, [&](std::size_t k) {
    const std::size_t ahead = std::min(k + kEntriesAhead, model_.mirrored.size() - 1);
    prefetch(&slopes_[3 * std::size_t(model_.mirrored[ahead])]);
    std::copy_n(&slopes_[3 * std::size_t(model_.mirrored[k])], 3, &pushes_[3 * k]);
  });
  for (const contact::Row& row : contacts) {
    if (row.count != 1) continue;
    const std::int32_t j = row.points[0], end = model_.pattern.first[j + 1];
    Vec3f pushes[kTogether];
    for (std::int32_t k = model_.pattern.first[j]; k < end; ++k) {
      const int in_part = (k - model_.pattern.first[j]) % kTogether;
      if (in_part == 0) read_pushes(k, std::span(pushes, std::min(kTogether, end - k)));
      const Vec3f& push = pushes[in_part];
      const double along = dot(row.normal, Vec3d{push[0], push[1], push[2]});
      double& diagonal = diagonal_[model_.pattern.columns[k]];
      // A node in a corner is in two rows.
      constexpr double kLeast = 0.1;
      diagonal = std::max(diagonal - response_[j] * along * along, kLeast * diagonal);
    }
  }
}

/// In a unit in which the largest of a row is far below what there is in half precision. Most rows
/// are of one part.
void OneRings::differentiate_row(std::size_t i, std::span<Vec3f> sums) {
  constexpr float kLargest = 1000;
  const std::int32_t row = model_.pattern.first[i];
  const int count = model_.pattern.first[i + 1] - row, parts = (count - 1) / kTogether;
  double diagonal = 0;
  float largest = 0;
  const auto add_up = [&](int part) {
    const int first = part * kTogether, size = std::min(kTogether, count - first);
    std::fill_n(sums.begin(), size, Vec3f{0, 0, 0});
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      const TetSlopes& s = tet_slopes_[model_.uses[u] / 4];
      for (int k = 0; k < 4; ++k) {
        const int place = model_.places[u][k] - first;
        if (place >= 0 && place < size) sums[place] += to_single(0.25 * s[k]);
      }
    }
    return size;
  };
  for (int part = 0; part <= parts; ++part) {
    const int size = add_up(part);
    for (int k = 0; k < size; ++k) {
      const float squared = dot(sums[k], sums[k]);
      diagonal += response_[model_.pattern.columns[row + part * kTogether + k]] * double(squared);
      largest = std::max(largest, squared);
    }
  }
  diagonal_[i] = diagonal > 0 ? diagonal : 1;
  units_[i] = largest > 0 ? std::sqrt(largest) / kLargest : 1;
  for (int part = 0; part <= parts; ++part) {
    const int size = parts > 0 ? add_up(part) : count;
    Half rounded[3 * kTogether];
    round_numbers(sums.data()->e, 1 / units_[i], 3 * std::size_t(size), rounded);
    std::copy_n(rounded, 3 * size, &slopes_[3 * std::size_t(row + part * kTogether)]);
  }
}

void OneRings::read_pushes(std::int32_t first, std::span<Vec3f> pushes) const {
  widen_numbers(&pushes_[3 * std::size_t(first)], 3 * pushes.size(), pushes.data()->e);
  for (std::size_t k = 0; k < pushes.size(); ++k) {
    pushes[k] *= units_[model_.pattern.columns[first + k]];
  }
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
    ask_for_tets(model_, i + kAhead, tet_slopes_.data());
    for (std::int32_t u = model_.first_use[i]; u < model_.first_use[i + 1]; ++u) {
      sum -= of_tet_[model_.uses[u] / 4] * tet_slopes_[model_.uses[u] / 4][model_.uses[u] % 4];
    }
    out[i] = sum;
  });
}

/// vectors_ = -M^-1 grad p, as good as half precision.
void OneRings::push_roughly(std::span<const double> p) {
  const std::size_t nodes = model_.node_count();
  float* const numbers = numbers_.data();
  float* const vectors = vectors_.data();
  parallel_for(arena_, nodes, solve::kVectorGrain,
               [&](std::size_t i) { numbers[i] = float(units_[i] * p[i]); });
  const RingRows pushes{model_.pattern, pushes_.data()};
  arena_.for_chunks(nodes, solve::kRowGrain, [&](std::size_t begin, std::size_t end) {
    sum_pushes(pushes, numbers, begin, end, vectors);
    for (std::size_t i = begin; i < end; ++i) {
      for (int a = 0; a < 3; ++a) vectors[4 * i + a] *= float(response_[i]);
    }
  });
}

Vec3d OneRings::rough_change(std::size_t node) const {
  const float* const v = vectors_.data() + 4 * node;
  return {v[0], v[1], v[2]};
}

/// out = -div P M^-1 grad p.
void OneRings::apply(std::span<const double> p, std::span<double> out, Projection project) {
  const std::size_t nodes = model_.node_count();
  float* const numbers = numbers_.data();
  float* const vectors = vectors_.data();
  push_roughly(p);
  if (!touched_.empty()) {
    for (const std::int32_t i : touched_) change_[i] = rough_change(i);
    project(change_);
    for (const std::int32_t i : touched_) {
      for (int a = 0; a < 3; ++a) vectors[4 * i + a] = float(change_[i][a]);
    }
  }
  const RingRows slopes{model_.pattern, slopes_.data()};
  arena_.for_chunks(nodes, solve::kRowGrain, [&](std::size_t begin, std::size_t end) {
    sum_along(slopes, vectors, begin, end, numbers);
    for (std::size_t i = begin; i < end; ++i) out[i] = double(units_[i]) * double(numbers[i]);
  });
}

void OneRings::find_touched(std::span<const contact::Row> contacts) {
  touched_.clear();
  for (const contact::Row& row : contacts) {
    for (int k = 0; k < row.count; ++k) {
      if (std::exchange(is_touched_[row.points[k]], 1) == 0) touched_.push_back(row.points[k]);
    }
  }
  for (const std::int32_t i : touched_) is_touched_[i] = 0;
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
  find_touched(contacts);
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
    if (coarse) {
      coarse_.precondition(r, diagonal_, z, arena_);
    } else {
      scale(r, z);
    }
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
  // Iterations read half precision, good for so much; what they leave is solved again.
  constexpr double kHalf = 1e-3;
  // What pressures change: to rounding where momenta are to be kept.
  const bool roughly = !params.response.empty() && params.tolerance > 10 * kHalf;
  const auto evaluate = [&] {
    if (roughly) {
      push_roughly(pressures);
      parallel_for(arena_, change_.size(), solve::kVectorGrain,
                   [&](std::size_t i) { change_[i] = rough_change(i); });
    } else {
      gradient(pressures, change_);
      parallel_for(arena_, change_.size(), solve::kRowGrain,
                   [&](std::size_t i) { change_[i] *= -response_[i]; });
    }
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
  solve::KrylovReport report{.relative_residual = left / whole, .converged = true};
  const auto stop = [&] { return bool(cancelled); };
  for (bool again = left > params.tolerance * whole; again;) {
    if (coarse && !prepared_) {
      const auto read = [&](std::int32_t first, std::span<Vec3f> to) { read_pushes(first, to); };
      coarse_.prepare(read, response_, diagonal_, give, contacts, arena_);
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
