#include "isochor/tets/local_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "isochor/tets/ahead.h"
#include "isochor/tets/linear_system.h"

namespace isochor::tets {
namespace {

constexpr std::size_t kRoom = 8;  ///< one node of so many may move
constexpr int kRings = 1;         ///< of neighbours that move with those of large forces
constexpr std::size_t kGrain = 64;
constexpr std::int32_t kStill = -1, kBeside = -2;  ///< places of nodes that do not move

double square(const Vec3d& v) { return dot(v, v); }

/// The equilibrium of few nodes as a problem for solve::newton.
class FewNodes {
 public:
  FewNodes(const Model& model, const Configuration& at, const NodalTerms& nodal, double goal,
           std::span<Vec3d> positions, LocalMemory& memory, ElasticMemory& elastic,
           Stiffnesses& stiffnesses, Context& context)
      : model_(model),
        at_(at),
        nodal_(nodal),
        goal_(goal),
        positions_(positions),
        memory_(memory),
        elastic_(elastic),
        stiffnesses_(stiffnesses),
        context_(context) {}

  solve::Evaluation evaluate() {
    const double elastic =
        elastic_corner_forces(model_, at_, memory_.selection, elastic_, context_.arena);
    double pressed = 0, outer = 0, scale = std::abs(elastic), left = 0;
    if (!at_.pressures.empty()) {
      for (const std::int32_t t : memory_.selection.tets) {
        const geometry::Tet& tet = model_.tets[t];
        pressed -= at_.pressures[t] *
                   dot(volume_slope(tet, 1, positions_), positions_[tet[1]] - positions_[tet[0]]);
      }
      scale += std::abs(pressed);
    }
    each_node([&](std::size_t k) {
      const std::int32_t n = memory_.nodes[k];
      Vec3d sum = nodal_.force(n);
      for (std::int32_t u = model_.first_use[n]; u < model_.first_use[n + 1]; ++u) {
        const std::int32_t use = model_.uses[u];
        sum += elastic_.corner_forces[use];
        if (at_.pressures.empty()) continue;
        sum += at_.pressures[use / 4] * volume_slope(model_.tets[use / 4], use % 4, positions_);
      }
      memory_.force[k] = sum - dot(memory_.normals[k], sum) * memory_.normals[k];
      memory_.energy[k] = nodal_.energy(n);
    });
    for (std::size_t k = 0; k < memory_.nodes.size(); ++k) {
      left += square(memory_.force[k]);
      outer += memory_.energy[k];
      scale += std::abs(memory_.energy[k]);
    }
    if (!first_energy_) first_energy_ = elastic;
    elastic_energy_ = elastic;
    return {.energy = elastic + pressed + outer,
            .energy_scale = scale,
            .residual = std::sqrt(left) / goal_};
  }

  solve::KrylovReport solve(double tolerance) {
    if (fix_ == materials::Definiteness::None) {
      const solve::KrylovReport report = attempt(fix_, tolerance);
      if (!report.indefinite && !report.unfit) return report;
      fix_ = materials::Definiteness::Clamp;
    }
    return attempt(fix_, tolerance);
  }
  solve::KrylovReport solve_cautiously(double tolerance) {
    return attempt(materials::Definiteness::Absolute, tolerance);
  }

  double slope() {
    double sum = 0;
    for (std::size_t k = 0; k < memory_.nodes.size(); ++k) {
      sum -= dot(memory_.force[k], memory_.step[k]);
    }
    return sum;
  }
  void move(double length) {
    for (std::size_t k = 0; k < memory_.nodes.size(); ++k) {
      positions_[memory_.nodes[k]] += length * memory_.step[k];
    }
  }
  /// What the elastic energy has changed by since the first evaluation, J.
  double elastic_change() const { return elastic_energy_ - *first_energy_; }
  bool cancelled() const { return context_.cancelled; }
  void progress(const solve::NewtonReport&) {}

 private:
  solve::KrylovReport attempt(materials::Definiteness fix, double tolerance) {
    constexpr int kMostIterations = 200;
    linearise(model_, at_, fix, memory_.selection, stiffnesses_, context_.arena);
    assemble();
    const auto restrained = [&](std::size_t k, const Vec3d& v) {
      return v - dot(memory_.normals[k], v) * memory_.normals[k];
    };
    return solve::conjugate_gradient(
        context_.arena,
        [&](std::span<const double> p, std::span<double> q) {
          each_node([&](std::size_t k) {
            vectors(q)[k] =
                restrained(k, row_times(memory_.pattern, memory_.matrix, k, vectors(p)));
          });
        },
        [&](std::span<const double> r, std::span<double> z) {
          each_node([&](std::size_t k) {
            vectors(z)[k] = restrained(k, memory_.inverse_diagonal[k] * vectors(r)[k]);
          });
        },
        [&] { return cancelled(); }, flat(std::span<const Vec3d>(memory_.force)),
        flat(std::span(memory_.step)), tolerance, kMostIterations, memory_.krylov);
  }

  /// Blocks on the diagonal are such that a body that is shifted has no force. Those below it are
  /// added up as tets have them, transposed, and turned once.
  void assemble() {
    const solve::BlockPattern& pattern = memory_.pattern;
    each_node([&](std::size_t k) {
      const std::int32_t n = memory_.nodes[k];
      if (k + kAhead / 2 < memory_.nodes.size()) {
        ask_for_tets(model_, memory_.nodes[k + kAhead / 2], stiffnesses_.data());
      }
      const std::int32_t* const blocks = memory_.blocks.data() + memory_.first_block[k];
      const std::int32_t first = pattern.first[k], end = pattern.first[k + 1];
      std::fill(memory_.matrix.begin() + first, memory_.matrix.begin() + end, Mat3d::zero());
      Mat3d above = Mat3d::zero(), below = Mat3d::zero();  // of nodes that do not move
      for (std::int32_t u = model_.first_use[n]; u < model_.first_use[n + 1]; ++u) {
        const std::int32_t t = model_.uses[u] / 4, corner = model_.uses[u] % 4;
        for (int other = 0; other < 4; ++other) {
          if (other == corner) continue;
          const std::int32_t place = blocks[model_.places[u][other]];
          Mat3d& sum = place >= 0                  ? memory_.matrix[place]
                       : model_.tets[t][other] > n ? above
                                                   : below;
          const float* const part = stiffnesses_[t].entry + 9 * kPairOf[corner][other];
          for (int e = 0; e < 9; ++e) sum.column[e / 3][e % 3] += double(part[e]);
        }
      }
      Mat3d others = above + transpose(below);
      std::int32_t own = first;
      for (std::int32_t b = first; b < end; ++b) {
        if (pattern.columns[b] == std::int32_t(k)) {
          own = b;
          continue;
        }
        if (pattern.columns[b] < std::int32_t(k)) {
          memory_.matrix[b] = transpose(memory_.matrix[b]);
        }
        others += memory_.matrix[b];
      }
      memory_.matrix[own] = nodal_.stiffness(n) - others;
      memory_.inverse_diagonal[k] = inverse_or_zero(memory_.matrix[own]);
    });
  }

  template <class F>
  void each_node(F&& f) {
    parallel_for(context_.arena, memory_.nodes.size(), kGrain, f);
  }

  const Model& model_;
  const Configuration& at_;
  const NodalTerms& nodal_;
  const double goal_;
  const std::span<Vec3d> positions_;
  LocalMemory& memory_;
  ElasticMemory& elastic_;
  Stiffnesses& stiffnesses_;
  Context& context_;
  /// What was indefinite once is taken to remain so: each try costs as much as an iteration.
  materials::Definiteness fix_ = materials::Definiteness::None;
  double elastic_energy_ = 0;  ///< of the last evaluation, J
  std::optional<double> first_energy_;
};

}  // namespace

LocalMemory::LocalMemory(const Model& model)
    : most(model.node_count() / kRoom), place(model.node_count(), kStill) {
  // As many tets and neighbours as nodes have; those of more have no room here.
  constexpr std::size_t kTets = 24, kNeighbours = 20;
  nodes.reserve(most);
  touched.reserve(std::min(model.node_count(), kNeighbours * most));
  selection.tets.reserve(kTets * most);
  pattern.first.reserve(most + 1);
  pattern.columns.reserve(kNeighbours * most);
  first_block.reserve(most);
  blocks.reserve(kNeighbours * most);
  matrix.reserve(kNeighbours * most);
}

void LocalMemory::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (auto* v : {&force, &step, &kept, &normals}) {
    std::fill(v->begin(), v->end(), Vec3d{nan, nan, nan});
  }
  for (auto* v : {&selection.batch_energy, &energy}) std::fill(v->begin(), v->end(), nan);
}

/// By powers of two of the squares of forces: which is in the order of nodes, whatever sums round.
bool LocalSearch::choose(std::span<const Vec3d> left, double part) {
  constexpr double kNegligible = 1e-4, kMostOutside = 0.1;  // of the sum of squares
  constexpr int kPowers = 1 << 11, kFraction = 52;          // bits of a double
  std::array<std::pair<std::size_t, double>, kPowers> powers{};
  const auto power_of = [](double squared) {
    return int(std::bit_cast<std::uint64_t>(squared) >> kFraction);
  };
  double all = 0;
  for (const Vec3d& f : left) {
    const double squared = square(f);
    if (!(squared > 0)) continue;
    auto& [count, sum] = powers[power_of(squared)];
    ++count;
    sum += squared;
    all += squared;
  }
  const std::size_t worst = std::size_t(part * double(left.size()));
  std::size_t chosen = 0;
  double outside = all;
  int least = kPowers;
  while (least > 0 && outside > kNegligible * all && chosen + powers[least - 1].first <= worst) {
    --least;
    chosen += powers[least].first;
    outside -= powers[least].second;
  }
  if (chosen == 0 || !(outside <= kMostOutside * all)) return false;
  for (const std::int32_t n : memory_.nodes) memory_.place[n] = kStill;
  memory_.nodes.clear();
  for (std::size_t n = 0; n < left.size(); ++n) {
    const double squared = square(left[n]);
    if (!(squared > 0) || power_of(squared) < least) continue;
    memory_.place[n] = 0;
    memory_.nodes.push_back(std::int32_t(n));
  }
  if (!add_rings()) return false;
  complete();
  constexpr double kGoal = 0.1, kLeastGoal = 1e-3;
  goal_ = std::max(kGoal * std::sqrt(std::max(outside, 0.0)), kLeastGoal * std::sqrt(all));
  return true;
}

/// Neighbours that move with those that were chosen, as far as there is room.
bool LocalSearch::add_rings() {
  std::vector<std::int32_t>& nodes = memory_.nodes;
  std::size_t begin = 0;
  for (int ring = 0; ring < kRings; ++ring) {
    const std::size_t end = nodes.size();
    for (std::size_t k = begin; k < end; ++k) {
      const std::int32_t n = nodes[k];
      for (std::int32_t e = model_.pattern.first[n]; e < model_.pattern.first[n + 1]; ++e) {
        const std::int32_t other = model_.pattern.columns[e];
        if (memory_.place[other] >= 0 || model_.held[other]) continue;
        if (nodes.size() == memory_.most) return ring > 0;
        memory_.place[other] = 0;
        nodes.push_back(other);
      }
    }
    begin = end;
  }
  return true;
}

void LocalSearch::complete() {
  LocalMemory& m = memory_;
  std::ranges::sort(m.nodes);
  const std::size_t count = m.nodes.size();
  for (std::size_t k = 0; k < count; ++k) m.place[m.nodes[k]] = std::int32_t(k);
  m.selection.tets.clear();
  m.pattern.columns.clear();
  m.pattern.first.assign(1, 0);
  m.first_block.clear();
  m.blocks.clear();
  m.normals.assign(count, Vec3d{0, 0, 0});
  for (std::size_t k = 0; k < count; ++k) {
    const std::int32_t n = m.nodes[k];
    for (std::int32_t u = model_.first_use[n]; u < model_.first_use[n + 1]; ++u) {
      // Once, by the first of its corners that move.
      const std::int32_t t = model_.uses[u] / 4;
      if (std::ranges::none_of(model_.tets[t], [&](std::int32_t corner) {
            return corner < n && m.place[corner] >= 0;
          })) {
        m.selection.tets.push_back(t);
      }
    }
    m.first_block.push_back(std::int32_t(m.blocks.size()));
    for (std::int32_t e = model_.pattern.first[n]; e < model_.pattern.first[n + 1]; ++e) {
      const std::int32_t column = m.place[model_.pattern.columns[e]];
      m.blocks.push_back(column >= 0 ? std::int32_t(m.pattern.columns.size()) : -1);
      if (column >= 0) m.pattern.columns.push_back(column);
    }
    m.pattern.first.push_back(std::int32_t(m.pattern.columns.size()));
  }
  for (const Slide& slide : restraint_.slides) {
    if (const std::int32_t k = m.place[slide.node]; k >= 0) m.normals[k] = slide.normal;
  }
  m.selection.complete(model_);
  find_touched();
  m.matrix.resize(m.pattern.columns.size());
  m.inverse_diagonal.resize(count);
  for (auto* v : {&m.force, &m.step, &m.kept}) v->resize(count);
  m.energy.resize(count);
  for (auto* v : {&m.krylov.r, &m.krylov.p, &m.krylov.image}) v->resize(3 * count);
}

/// Those that move, and their neighbours.
void LocalSearch::find_touched() {
  LocalMemory& m = memory_;
  m.touched.assign(m.nodes.begin(), m.nodes.end());
  for (const std::int32_t n : m.nodes) {
    for (std::int32_t e = model_.pattern.first[n]; e < model_.pattern.first[n + 1]; ++e) {
      std::int32_t& place = m.place[model_.pattern.columns[e]];
      if (place == kStill) {
        place = kBeside;
        m.touched.push_back(model_.pattern.columns[e]);
      }
    }
  }
  for (const std::int32_t n : m.touched) {
    if (m.place[n] == kBeside) m.place[n] = kStill;
  }
}

double LocalSearch::search(const Configuration& at, const NodalTerms& nodal,
                           std::span<Vec3d> positions, ElasticMemory& elastic,
                           Stiffnesses& stiffnesses) {
  for (std::size_t k = 0; k < memory_.nodes.size(); ++k) {
    memory_.kept[k] = positions[memory_.nodes[k]];
  }
  FewNodes problem(model_, at, nodal, goal_, positions, memory_, elastic, stiffnesses, context_);
  constexpr int kMostIterations = 15;
  const solve::NewtonReport report =
      solve::newton(problem, {.tolerance = 1, .max_iterations = kMostIterations});
  // A search that fails has evaluated last what it did not take.
  if (report.end == solve::NewtonEnd::Stalled) problem.evaluate();
  return problem.elastic_change();
}

void LocalSearch::go_back(std::span<Vec3d> positions) const {
  for (std::size_t k = 0; k < memory_.nodes.size(); ++k) {
    positions[memory_.nodes[k]] = memory_.kept[k];
  }
}

}  // namespace isochor::tets
