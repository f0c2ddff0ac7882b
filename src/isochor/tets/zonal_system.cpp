#include "isochor/tets/zonal_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace isochor::tets {
namespace {

/// Stiffness of the augmentation where an outer iteration finds pressures, in multiples of what
/// zones have by themselves.
constexpr double kMultiplierWeight = 100;
/// Pivots of the Schur complement below this are zero, in coordinates of Zones::metric.
constexpr double kLeastPivot = 1e-8;

bool goes_direct(const Model& model) {
  const solve::PivotedCholesky& metric = model.zones.metric;
  return metric.size() > 0 && metric.rank() <= std::size_t(model.params.zones.most_direct);
}

}  // namespace

ZonalMemory::ZonalMemory(const Model& model) : slopes(model) {
  const std::size_t zones = model.zones.count(), nodes = model.node_count();
  if (zones == 0) return;
  tet_pressures.resize(model.tets.size());
  for (auto* v : {&wanted, &excess, &pressures, &effective, &right, &change, &reduced}) {
    v->resize(zones);
  }
  kept_positions.resize(nodes);
  kept_pressures.resize(zones);
  if (model.params.zones.method == ZoneMethod::Multiplier) return;
  if (goes_direct(model)) {
    const std::size_t rank = model.zones.metric.rank();
    loads.assign(rank, std::vector<Vec3d>(nodes));
    responses.assign(rank, std::vector<Vec3d>(nodes));
    schur.resize(rank * rank);
    schur_inverse.resize(rank * rank);
    elimination.resize(rank * (rank + 1));
    lacking.resize(rank);
    motion.resize(nodes);
    order.resize(rank);
  } else {
    minres = solve::MinresScratch(3 * nodes + zones);
    whole_b.resize(3 * nodes + zones);
    whole_x.resize(3 * nodes + zones);
    schur_diagonal.resize(zones);
  }
}

void ZonalMemory::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (auto* v : {&slopes.tet,    &tet_pressures, &wanted,      &excess,        &pressures,
                  &effective,     &right,         &change,      &reduced,       &kept_pressures,
                  &schur,         &schur_inverse, &elimination, &lacking,       &minres.v,
                  &minres.last_v, &minres.next_v, &minres.z,    &minres.next_z, &minres.w,
                  &minres.last_w, &whole_b,       &whole_x,     &schur_diagonal}) {
    std::fill(v->begin(), v->end(), nan);
  }
  for (auto* v : {&slopes.positions, &kept_positions, &motion}) {
    std::fill(v->begin(), v->end(), Vec3d{nan, nan, nan});
  }
  for (auto* list : {&loads, &responses}) {
    for (auto& v : *list) std::fill(v.begin(), v.end(), Vec3d{nan, nan, nan});
  }
}

void ZonalSystem::begin(std::span<const Vec3d> positions, std::span<const double> pressures,
                        std::span<const double> wanted, ZoneMethod method) {
  method_ = method;
  contradiction_ = wanted_contradicts_ = false;
  std::ranges::copy(pressures, memory_.pressures.begin());
  for (std::size_t z = 0; z < model_.zones.count(); ++z) {
    memory_.wanted[z] = model_.zones.volume[z] * (wanted.empty() ? 1 : wanted[z]);
  }
  if (!wanted.empty()) check_wanted();
  contradiction_ = wanted_contradicts_ && method != ZoneMethod::Multiplier;
  if (method != ZoneMethod::Linear) return;
  measure_zones(model_, positions, memory_.slopes, memory_.right, context_.arena);
  zone_change(model_, memory_.slopes, positions, memory_.change, context_.arena);
  // Volumes are then B x + what is kept here.
  for (std::size_t z = 0; z < model_.zones.count(); ++z) {
    memory_.wanted[z] -= memory_.right[z] - memory_.change[z];
  }
}

/// Whether zones that consist of others may have what is wanted.
void ZonalSystem::check_wanted() {
  const solve::PivotedCholesky& metric = model_.zones.metric;
  if (metric.rank() == metric.size()) return;
  metric.forward(memory_.wanted, memory_.reduced);
  metric.dependent(memory_.wanted, memory_.reduced, [&](std::size_t z, double difference) {
    wanted_contradicts_ =
        wanted_contradicts_ ||
        std::abs(difference) > model_.params.zones.tolerance * model_.zones.volume[z];
  });
}

void ZonalSystem::resist(std::span<const double> c, std::span<double> out) {
  const Zones& zones = model_.zones;
  const double weight = method_ == ZoneMethod::Multiplier ? kMultiplierWeight : 1;
  if (zones.metric.size() > 0 && !wanted_contradicts_) {
    zones.metric.forward(c, memory_.reduced);
    zones.metric.backward(memory_.reduced, out);
    for (double& resistance : out) resistance *= weight;
  } else {
    for (std::size_t z = 0; z < zones.count(); ++z) out[z] = weight * c[z] / zones.compliance[z];
  }
}

bool ZonalSystem::direct() const { return goes_direct(model_); }

ZonalTerms ZonalSystem::measure(std::span<const Vec3d> positions) {
  if (method_ == ZoneMethod::Linear) {
    zone_change(model_, memory_.slopes, positions, memory_.excess, context_.arena);
  } else {
    measure_zones(model_, positions, memory_.slopes, memory_.excess, context_.arena);
  }
  for (std::size_t z = 0; z < model_.zones.count(); ++z) memory_.excess[z] -= memory_.wanted[z];
  return weigh();
}

/// Of what zones have too much, for the present pressures.
ZonalTerms ZonalSystem::weigh() {
  resist(memory_.excess, memory_.effective);
  ZonalTerms terms;
  for (std::size_t z = 0; z < model_.zones.count(); ++z) {
    const double c = memory_.excess[z], p = memory_.pressures[z], resistance = memory_.effective[z];
    memory_.effective[z] = p - resistance;
    terms.energy += (0.5 * resistance - p) * c;
    terms.energy_scale += std::abs(p * c) + 0.5 * std::abs(resistance * c);
    terms.violation = std::max(terms.violation, std::abs(c) / model_.zones.volume[z]);
  }
  return terms;
}

ZonalTerms ZonalSystem::evaluate(std::span<const Vec3d> positions, std::span<Vec3d> force) {
  const ZonalTerms terms = measure(positions);
  add_zone_force(model_, memory_.slopes, memory_.effective, force, context_.arena);
  return terms;
}

ZonalTerms ZonalSystem::renew(std::span<Vec3d> force) {
  std::ranges::copy(memory_.effective, memory_.right.begin());
  const ZonalTerms terms = weigh();
  for (std::size_t z = 0; z < model_.zones.count(); ++z) {
    memory_.right[z] = memory_.effective[z] - memory_.right[z];
  }
  add_zone_force(model_, memory_.slopes, memory_.right, force, context_.arena);
  return terms;
}

void ZonalSystem::expect(std::span<const Vec3d> way) {
  zone_change(model_, memory_.slopes, way, memory_.change, context_.arena);
  for (std::size_t z = 0; z < model_.zones.count(); ++z) memory_.excess[z] += memory_.change[z];
}

std::span<const double> ZonalSystem::curving_pressures() {
  if (method_ == ZoneMethod::Linear) return {};
  tet_pressures(model_, memory_.effective, memory_.tet_pressures, context_.arena);
  return memory_.tet_pressures;
}

solve::KrylovReport ZonalSystem::solve(LinearSystem& linear, std::span<const Vec3d> force,
                                       const solve::Accuracy& accuracy,
                                       const std::optional<solve::TimeStep>& time,
                                       std::span<Vec3d> step) {
  if (method_ == ZoneMethod::Multiplier) return solve_weighted(linear, force, accuracy, step);
  return direct() ? solve_direct(linear, force, accuracy, step)
                  : solve_whole(linear, force, accuracy, time, step);
}

void ZonalSystem::move_multipliers() {
  std::ranges::copy(memory_.effective, memory_.pressures.begin());
}

void ZonalSystem::keep(std::span<const Vec3d> positions) {
  std::ranges::copy(positions, memory_.kept_positions.begin());
  std::ranges::copy(memory_.pressures, memory_.kept_pressures.begin());
}

void ZonalSystem::go_back(std::span<Vec3d> positions) {
  std::ranges::copy(memory_.kept_positions, positions.begin());
  std::ranges::copy(memory_.kept_pressures, memory_.pressures.begin());
}

/// (K + B^T W B) dx = f: as many eigenvalues stand out as there are zones, which costs conjugate
/// gradients as many iterations.
solve::KrylovReport ZonalSystem::solve_weighted(LinearSystem& linear, std::span<const Vec3d> force,
                                                const solve::Accuracy& accuracy,
                                                std::span<Vec3d> step) {
  std::ranges::copy(force, linear.right_side().begin());
  return linear.solve(step, accuracy, [&](std::span<const Vec3d> p, std::span<Vec3d> q) {
    zone_change(model_, memory_.slopes, p, memory_.change, context_.arena);
    resist(memory_.change, memory_.right);
    add_zone_force(model_, memory_.slopes, memory_.right, q, context_.arena);
  });
}

/// Conjugate gradients among the motions that keep volumes (Gould, Hribar and Nocedal 2001), about
/// an x0 that gives zones what they lack. With S = B M^-1 B^T and
///     P r = r - B^T S^-1 B M^-1 r,   B M^-1 P r = 0,
/// all iterates for P K x = P (f - K x0), preconditioned by M, keep volumes: one solve however many
/// zones there are, and one application of M^-1 for each. Whatever its accuracy, B dx = -c holds to
/// rounding: volumes converge quadratically.
solve::KrylovReport ZonalSystem::solve_direct(LinearSystem& linear, std::span<const Vec3d> force,
                                              const solve::Accuracy& accuracy,
                                              std::span<Vec3d> step) {
  const solve::PivotedCholesky& metric = model_.zones.metric;
  const std::size_t rank = metric.rank();
  ThreadArena& arena = context_.arena;
  find_responses(linear);
  if (!invert_schur()) {
    linear.precondition(force, step);
    return {.iterations = int(rank), .unfit = true};
  }

  for (std::size_t z = 0; z < model_.zones.count(); ++z) memory_.change[z] = -memory_.excess[z];
  metric.forward(memory_.change, memory_.lacking);
  const std::span<Vec3d> start = memory_.motion, b = linear.right_side();
  std::fill(start.begin(), start.end(), Vec3d{0, 0, 0});
  find_pressures(memory_.lacking);
  add_responses(start);
  linear.multiply(start, b);
  parallel_for(arena, b.size(), solve::kVectorGrain,
               [&](std::size_t i) { b[i] = force[i] - b[i]; });
  linear.restraint()(b, arena);
  project(b);
  solve::KrylovReport report =
      linear.solve(step, accuracy, [&](std::span<const Vec3d>, std::span<Vec3d> q) { project(q); });
  report.iterations += int(rank);
  report.operator_applications += 2 + int(rank) * linear.applications();

  // What rounding, in single precision, lets volumes change by.
  solve::axpy(arena, 1, flat(std::span<const Vec3d>(start)), flat(step));
  for (std::size_t k = 0; k < rank; ++k)
    memory_.reduced[k] = memory_.lacking[k] - product(memory_.loads[k], step);
  find_pressures(memory_.reduced);
  add_responses(step);

  // q = -S^-1 B M^-1 (f - K dx).
  linear.multiply(step, start);
  const double curvature = product(start, step);
  parallel_for(arena, start.size(), solve::kVectorGrain,
               [&](std::size_t i) { start[i] -= force[i]; });
  for (std::size_t k = 0; k < rank; ++k) memory_.reduced[k] = product(memory_.responses[k], start);
  find_pressures(memory_.reduced);
  metric.backward(std::span(memory_.right).first(rank), memory_.change);
  for (std::size_t z = 0; z < model_.zones.count(); ++z) {
    memory_.pressures[z] = memory_.effective[z] + memory_.change[z];
  }
  if (!arrives(step)) check_change(step);
  // Where volumes change, the direction descends only if K is definite there, too.
  report.indefinite = report.indefinite || !(curvature >= 0);
  return report;
}

/// B^T and M^-1 B^T, column by column, and S.
void ZonalSystem::find_responses(LinearSystem& linear) {
  const solve::PivotedCholesky& metric = model_.zones.metric;
  const std::size_t rank = metric.rank();
  for (std::size_t k = 0; k < rank; ++k) {
    std::vector<Vec3d>& load = memory_.loads[k];
    std::ranges::fill(memory_.reduced, 0.0);
    memory_.reduced[k] = 1;
    metric.backward(memory_.reduced, memory_.right);
    std::ranges::fill(load, Vec3d{0, 0, 0});
    add_zone_force(model_, memory_.slopes, memory_.right, load, context_.arena);
    linear.restraint()(std::span(load), context_.arena);
    linear.precondition(load, memory_.responses[k]);
    for (std::size_t j = 0; j <= k; ++j) {
      memory_.schur[j * rank + k] = memory_.schur[k * rank + j] =
          product(memory_.loads[j], memory_.responses[k]);
    }
  }
}

/// Column by column; zero for combinations of zones that M^-1 does not move. Whether M is definite
/// as far as that shows.
bool ZonalSystem::invert_schur() {
  const std::size_t rank = model_.zones.metric.rank();
  for (std::size_t k = 0; k < rank; ++k) {
    if (!(memory_.schur[k * rank + k] >= 0)) return false;
    for (std::size_t row = 0; row < rank; ++row) {
      double* to = &memory_.elimination[row * (rank + 1)];
      std::copy_n(&memory_.schur[row * rank], rank, to);
      to[rank] = row == k ? 1 : 0;
    }
    solve_by_pivots(memory_.elimination, memory_.order, kLeastPivot,
                    std::span(memory_.schur_inverse).subspan(k * rank, rank));
  }
  return true;
}

void ZonalSystem::find_pressures(std::span<const double> volumes) {
  const std::size_t rank = model_.zones.metric.rank();
  for (std::size_t k = 0; k < rank; ++k) {
    memory_.right[k] = std::inner_product(volumes.begin(), volumes.begin() + rank,
                                          &memory_.schur_inverse[k * rank], 0.0);
  }
}

void ZonalSystem::add_responses(std::span<Vec3d> step) {
  for (std::size_t k = 0; k < model_.zones.metric.rank(); ++k) {
    solve::axpy(context_.arena, memory_.right[k],
                flat(std::span<const Vec3d>(memory_.responses[k])), flat(step));
  }
}

/// r = P r.
void ZonalSystem::project(std::span<Vec3d> r) {
  const std::size_t rank = model_.zones.metric.rank();
  for (std::size_t k = 0; k < rank; ++k) memory_.reduced[k] = product(memory_.responses[k], r);
  find_pressures(memory_.reduced);
  for (std::size_t k = 0; k < rank; ++k) {
    solve::axpy(context_.arena, -memory_.right[k], flat(std::span<const Vec3d>(memory_.loads[k])),
                flat(r));
  }
}

/// Whether independent zones get what they lack.
bool ZonalSystem::arrives(std::span<const Vec3d> step) {
  double largest = 0, left = 0;
  for (std::size_t k = 0; k < memory_.lacking.size(); ++k) {
    largest = std::max(largest, std::abs(memory_.lacking[k]));
    left = std::max(left, std::abs(memory_.lacking[k] - product(memory_.loads[k], step)));
  }
  return left <= kLeastPivot * largest;
}

double ZonalSystem::product(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  return solve::dot(context_.arena, flat(a), flat(b));
}

/// Whether zones stay away from their volumes though pressures were free to choose.
void ZonalSystem::check_change(std::span<const Vec3d> step) {
  zone_change(model_, memory_.slopes, step, memory_.change, context_.arena);
  for (std::size_t z = 0; z < model_.zones.count(); ++z) {
    contradiction_ = contradiction_ || std::abs(memory_.change[z] + memory_.excess[z]) >
                                           model_.params.zones.tolerance * model_.zones.volume[z];
  }
}

/// Many zones: MINRES on K dx + B^T q = f, B dx = -c, with the preconditioner of K and what zones
/// give way roughly for the Schur complement.
solve::KrylovReport ZonalSystem::solve_whole(LinearSystem& linear, std::span<const Vec3d> force,
                                             const solve::Accuracy& accuracy,
                                             const std::optional<solve::TimeStep>& time,
                                             std::span<Vec3d> step) {
  const std::size_t size = 3 * model_.node_count(), zones = model_.zones.count();
  ThreadArena& arena = context_.arena;
  if (model_.zones.metric.size() == 0) find_schur_diagonal(time);
  const std::span<double> b = memory_.whole_b, x = memory_.whole_x;
  std::ranges::copy(force, vectors(b.first(size)).begin());
  linear.restraint()(vectors(b.first(size)), arena);
  for (std::size_t z = 0; z < zones; ++z) b[size + z] = -memory_.excess[z];
  solve::KrylovReport report = solve::minres(
      arena,
      [&](std::span<const double> p, std::span<double> q) {
        linear.multiply(vectors(p.first(size)), vectors(q.first(size)));
        add_zone_force(model_, memory_.slopes, p.subspan(size), vectors(q.first(size)), arena);
        linear.restraint()(vectors(q.first(size)), arena);
        zone_change(model_, memory_.slopes, vectors(p.first(size)), q.subspan(size), arena);
      },
      [&](std::span<const double> r, std::span<double> z) {
        linear.precondition(vectors(r.first(size)), vectors(z.first(size)));
        give_way(time, r.subspan(size), z.subspan(size));
      },
      [&] { return bool(context_.cancelled); }, b, x, accuracy,
      model_.params.newton.max_krylov_iterations, memory_.minres);
  report.operator_applications += report.iterations * linear.applications();
  std::ranges::copy(vectors(x.first(size)), step.begin());
  for (std::size_t z = 0; z < zones; ++z) {
    memory_.pressures[z] = memory_.effective[z] - x[size + z];
  }
  return report;
}

/// z = S^-1 r, roughly: the inverses of what elasticity and what inertia let zones give add up
/// (Cahouet and Chabard 1988). Zones that depend on others have no part in it.
void ZonalSystem::give_way(const std::optional<solve::TimeStep>& time, std::span<const double> r,
                           std::span<double> z) {
  const Zones& zones = model_.zones;
  if (zones.metric.size() == 0) {
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = r[k] / memory_.schur_diagonal[k];
    return;
  }
  zones.metric.forward(r, memory_.reduced);
  if (time) {
    zones.inertia.forward(memory_.reduced, memory_.change);
    zones.inertia.backward(memory_.change, memory_.right);
    for (std::size_t k = 0; k < zones.metric.rank(); ++k) {
      memory_.reduced[k] += time->rate * time->rate * memory_.right[k];
    }
  }
  zones.metric.backward(memory_.reduced, z);
}

/// B K^-1 B^T by its row sums: how much zones give way by elasticity, less where inertia resists.
/// Tets in many zones count as often.
void ZonalSystem::find_schur_diagonal(const std::optional<solve::TimeStep>& time) {
  const Zones& z = model_.zones;
  parallel_for(context_.arena, z.count(), 16, [&](std::size_t k) {
    double give = z.compliance[k], flow = 0;
    for (std::int32_t e = z.first[k]; e < z.first[k + 1]; ++e) {
      const std::int32_t t = z.tets[e];
      const int shared = z.first_of_tet[t + 1] - z.first_of_tet[t];
      for (int c = 0; time && c < 4; ++c) {
        const Vec3d s = volume_slope(model_.tets[t], c, memory_.slopes.positions);
        const std::int32_t n = model_.tets[t][c];
        if (!model_.held[n]) flow += shared * dot(s, s) / model_.mass[n];
      }
    }
    if (time && flow > 0) give = 1 / (1 / give + time->rate * time->rate / flow);
    memory_.schur_diagonal[k] = give;
  });
}

double solve_by_pivots(std::span<double> rows, std::span<std::int32_t> order, double least,
                       std::span<double> x) {
  const std::size_t n = order.size();
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return rows[i * (n + 1) + j]; };
  std::iota(order.begin(), order.end(), 0);
  std::ranges::fill(x, 0.0);
  std::size_t rank = 0;
  for (; rank < n; ++rank) {
    std::size_t row = rank, column = rank;
    for (std::size_t i = rank; i < n; ++i) {
      for (std::size_t j = rank; j < n; ++j) {
        if (std::abs(at(i, j)) > std::abs(at(row, column))) row = i, column = j;
      }
    }
    if (!(std::abs(at(row, column)) > least)) break;
    for (std::size_t j = 0; j <= n; ++j) std::swap(at(rank, j), at(row, j));
    for (std::size_t i = 0; i < n; ++i) std::swap(at(i, rank), at(i, column));
    std::swap(order[rank], order[column]);
    for (std::size_t i = rank + 1; i < n; ++i) {
      const double factor = at(i, rank) / at(rank, rank);
      for (std::size_t j = rank; j <= n; ++j) at(i, j) -= factor * at(rank, j);
    }
  }
  double left = 0;
  for (std::size_t i = rank; i < n; ++i) left = std::max(left, std::abs(at(i, n)));
  for (std::size_t i = rank; i-- > 0;) {
    double sum = at(i, n);
    for (std::size_t j = i + 1; j < rank; ++j) sum -= at(i, j) * x[order[j]];
    x[order[i]] = sum / at(i, i);
  }
  return left;
}

}  // namespace isochor::tets
