#include "isochor/lattice/fas.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/lattice/element_kernel.h"
#include "isochor/math/reduce.h"
#include "isochor/solve/vector_ops.h"

namespace isochor::lattice {
namespace {

/// Rounds of linearising and smoothing before and after a coarse correction.
constexpr int kRounds = 2;
/// Newton steps on the level that is factorised, unless one gains no more than a part of what all
/// have gained.
constexpr int kCoarsestSteps = 4;
constexpr double kEnough = 0.01;

template <class F>
void each_node(ThreadArena& arena, std::size_t count, F&& f) {
  parallel_for(arena, count, solve::kVectorGrain, f);
}

Vec3f to_float(const Vec3d& v) { return {float(v[0]), float(v[1]), float(v[2])}; }
Vec3d to_double(const Vec3f& v) { return {v[0], v[1], v[2]}; }

}  // namespace

FasMemory::FasMemory(const Model& model) {
  if (model.params.solver != Solver::Fas || !model.hierarchy) return;
  for (const CoarseLevel& coarse : model.hierarchy->levels) {
    const std::vector<Vec3d> nodal(coarse.model.node_count());
    levels.push_back({nodal, nodal, nodal, nodal, std::vector<double>(coarse.model.blocks.size())});
  }
}

std::size_t FasMemory::bytes() const {
  std::size_t bytes = 0;
  for (const Level& l : levels) {
    bytes += (l.u.capacity() + l.load.capacity() + l.force.capacity() + l.step.capacity()) *
                 sizeof(Vec3d) +
             l.block_energy.capacity() * sizeof(double);
  }
  return bytes;
}

void FasMemory::poison() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (Level& l : levels) {
    for (auto* v : {&l.u, &l.load, &l.force, &l.step}) std::ranges::fill(*v, Vec3d{nan, nan, nan});
    std::ranges::fill(l.block_energy, nan);
  }
}

/// The energy of a coarse level as solve::line_search and its loops want it.
class CoarseProblem {
 public:
  CoarseProblem(Fas& fas, std::size_t level, std::span<const double> activations)
      : fas_(fas),
        level_(level),
        activations_(activations),
        memory_(fas.scratch_.fas.levels[level - 1]),
        linear_(fas.scratch_.multigrid.levels[level]),
        arena_(fas.arena_) {}

  Configuration configuration() const {
    Configuration at(memory_.u, activations_);
    at.stabilise = coarse_stabilisation(fas_.model_.params);
    at.offsets = fas_.scratch_.multigrid.gradients[level_ - 1];
    return at;
  }

  solve::Evaluation evaluate() {
    const double elastic = elastic_force(fas_.model(level_), configuration(), memory_.force,
                                         memory_.block_energy, arena_);
    const double springs = add_springs() + add_anchors();
    const double load = sum([&](std::size_t i) { return dot(memory_.load[i], memory_.u[i]); });
    each_node(arena_, memory_.u.size(),
              [&](std::size_t i) { memory_.force[i] += memory_.load[i]; });
    return {.energy = elastic + springs - load,
            .energy_scale = std::abs(elastic) + std::abs(springs) + std::abs(load),
            .residual = 0};
  }

  double slope() {
    return -sum([&](std::size_t i) { return dot(memory_.force[i], memory_.step[i]); });
  }

  void move(double length) {
    each_node(arena_, memory_.u.size(),
              [&](std::size_t i) { memory_.u[i] += length * memory_.step[i]; });
  }

  /// Linearises about u; the diagonal comes with it.
  void linearise() {
    lattice::linearise(fas_.model(level_), configuration(), materials::Definiteness::Clamp,
                       fas_.tangents(level_), arena_);
    stiffness_diagonal(fas_.model(level_), fas_.tangents(level_), std::span(linear_.image), arena_);
    add_diagonal(fas_.model_.hierarchy->levels[level_ - 1].springs, linear_.image);
    each_node(arena_, linear_.image.size(),
              [&](std::size_t i) { linear_.image[i] += linear_.anchors[i]; });
    fas_.invert_diagonal(level_, linear_.image);
    each_node(arena_, memory_.u.size(),
              [&](std::size_t i) { linear_.b[i] = to_float(memory_.force[i]); });
  }

  void smooth(solve::Evaluation& now) {
    for (int round = 0; round < kRounds; ++round) {
      linearise();
      fas_.relax(level_);
      each_node(arena_, memory_.u.size(),
                [&](std::size_t i) { memory_.step[i] = to_double(linear_.x[i]); });
      search(now);
    }
  }

  /// Newton's method, which needs no more than a few steps on so few cells.
  void solve_directly(solve::Evaluation& now) {
    solve::SplitCholesky& cholesky = fas_.scratch_.multigrid.coarsest;
    const DirectPlan& plan = fas_.model_.hierarchy->direct;
    std::vector<double>& x = fas_.scratch_.multigrid.coarsest_solution;
    const double first = now.energy;
    for (int k = 0; k < kCoarsestSteps; ++k) {
      linearise();
      factorise(
          plan, cholesky, linear_.x, linear_.image,
          [&](std::int32_t n, int a) { return linear_.inverse_diagonal[n][a] == 0; },
          [&] { fas_.multiply(level_, linear_.x, linear_.image); }, arena_);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[3 * plan.place[i / 3] + i % 3] = memory_.force[i / 3][int(i % 3)];
      }
      cholesky.solve(x, arena_);
      for (std::size_t i = 0; i < x.size(); ++i) {
        memory_.step[i / 3][int(i % 3)] = x[3 * plan.place[i / 3] + i % 3];
      }
      const double before = now.energy;
      if (!search(now) || before - now.energy <= kEnough * (first - now.energy)) break;
    }
  }

  /// Along the step that is there, unless no length of it will do.
  bool search(solve::Evaluation& now) {
    const std::optional<solve::Evaluation> next = solve::line_search(*this, now);
    now = next ? *next : evaluate();
    return next.has_value();
  }

 private:
  template <class F>
  double sum(F&& f) {
    return deterministic_sum(arena_, memory_.u.size(), [&](std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t i = begin; i < end; ++i) total += f(i);
      return total;
    });
  }

  /// The same for what holds do.
  double add_anchors() {
    each_node(arena_, memory_.u.size(), [&](std::size_t i) {
      for (int a = 0; a < 3; ++a) memory_.force[i][a] -= linear_.anchors[i][a] * memory_.u[i][a];
    });
    return sum([&](std::size_t i) {
      double energy = 0;
      for (int a = 0; a < 3; ++a) {
        energy += 0.5 * linear_.anchors[i][a] * memory_.u[i][a] * memory_.u[i][a];
      }
      return energy;
    });
  }

  /// Adds what springs do to the force; returns their energy beyond that of the offset.
  double add_springs() {
    const BlockMatrix& A = fas_.model_.hierarchy->levels[level_ - 1].springs;
    double energy = 0;
    for (std::size_t r = 0; r < A.nodes.size(); ++r) {
      Vec3d pull{0, 0, 0};
      for (std::int32_t e = A.first[r]; e < A.first[r + 1]; ++e) {
        const Mat3<float>& block = A.entries[e].block;
        const Vec3d& u = memory_.u[A.entries[e].node];
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) pull[i] += double(block(i, j)) * u[j];
        }
      }
      energy += 0.5 * dot(pull, memory_.u[A.nodes[r]]);
      memory_.force[A.nodes[r]] -= pull;
    }
    return energy;
  }

  Fas& fas_;
  std::size_t level_;
  std::span<const double> activations_;
  FasMemory::Level& memory_;
  MultigridMemory::Level& linear_;
  ThreadArena& arena_;
};

void Fas::smooth(std::span<const Vec3f> diagonal, std::span<const Vec3d> r, std::span<Vec3d> step) {
  MultigridMemory::Level& level = scratch_.multigrid.levels[0];
  invert_diagonal(0, diagonal);
  linear_.set_anchors(diagonal);
  each_node(arena_, r.size(), [&](std::size_t i) { level.b[i] = to_float(r[i]); });
  relax(0);
  each_node(arena_, r.size(), [&](std::size_t i) { step[i] = to_double(level.x[i]); });
}

void Fas::correct(const Configuration& at, std::span<const Vec3d> r, std::span<Vec3d> step) {
  if (scratch_.fas.levels.empty()) {
    each_node(arena_, step.size(), [&](std::size_t i) { step[i] = {0, 0, 0}; });
    return;
  }
  restrict_gradients(0, at.positions);
  restrict_force(0, r);
  cycle(1, at.activations);
  prolong(0, step);
}

void Fas::cycle(std::size_t l, std::span<const double> activations) {
  FasMemory::Level& level = scratch_.fas.levels[l - 1];
  CoarseProblem problem(*this, l, activations);
  // The load makes u = 0 as far from equilibrium as the finer level is.
  std::ranges::fill(level.u, Vec3d{0, 0, 0});
  std::ranges::fill(level.load, Vec3d{0, 0, 0});
  problem.evaluate();
  each_node(arena_, level.u.size(),
            [&](std::size_t i) { level.load[i] = level.step[i] - level.force[i]; });
  solve::Evaluation now = problem.evaluate();

  const bool last = l == scratch_.fas.levels.size();
  if (last && scratch_.multigrid.coarsest.size() > 0) {
    problem.solve_directly(now);
    return;
  }
  problem.smooth(now);
  if (!last) {
    restrict_gradients(l, level.u);
    restrict_force(l, level.force);
    cycle(l + 1, activations);
    prolong(l, level.step);
    problem.search(now);
  }
  problem.smooth(now);
}

void Fas::multiply(std::size_t l, std::span<const Vec3f> v, std::span<Vec3f> out) {
  apply_stiffness(model(l), tangents(l), v, out, arena_);
  if (l > 0) {
    const std::vector<Vec3f>& anchors = scratch_.multigrid.levels[l].anchors;
    each_node(arena_, v.size(), [&](std::size_t i) {
      for (int a = 0; a < 3; ++a) out[i][a] += anchors[i][a] * v[i][a];
    });
    add_product(model_.hierarchy->levels[l - 1].springs, v, out, arena_);
    return;
  }
  add_spring_stiffness(model_.springs, v, scratch_.multigrid.pull, out, arena_);
  keep_sliding(model_, slides_, out);
}

void Fas::invert_diagonal(std::size_t l, std::span<const Vec3f> diagonal) {
  const PublishedLevel& plan = model_.hierarchy->published[l];
  const bool constrained = l == 0 || model_.params.cycle == Cycle::Published;
  std::vector<Vec3f>& inverse = scratch_.multigrid.levels[l].inverse_diagonal;
  each_node(arena_, diagonal.size(), [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) {
      const float d = diagonal[i][a];
      inverse[i][a] = !(constrained && plan.held[i]) && d > 0 ? plan.damping[i] / d : 0.0f;
    }
  });
}

/// x = what sweeps from zero make of b.
void Fas::relax(std::size_t l) {
  MultigridMemory::Level& level = scratch_.multigrid.levels[l];
  for (int k = 0; k < kSweeps; ++k) {
    if (k > 0) multiply(l, level.x, level.image);
    each_node(arena_, level.x.size(), [&](std::size_t i) {
      for (int a = 0; a < 3; ++a) {
        const float rest = k > 0 ? level.b[i][a] - level.image[i][a] : level.b[i][a];
        const float push = level.inverse_diagonal[i][a] * rest;
        level.x[i][a] = k > 0 ? level.x[i][a] + push : push;
      }
    });
    if (l == 0) keep_sliding(model_, slides_, std::span(level.x));
  }
}

/// Mean F of the children of every cell of level l + 1; positions of level l are corrections where
/// that has an offset itself.
void Fas::restrict_gradients(std::size_t l, std::span<const Vec3d> positions) {
  const CoarseLevel& coarse = model_.hierarchy->levels[l];
  const Model& fine = model(l);
  auto& gradients = scratch_.multigrid.gradients;
  parallel_for(arena_, coarse.model.cells.size(), 64, [&](std::size_t cell) {
    const std::int32_t begin = coarse.first_child[cell], end = coarse.first_child[cell + 1];
    Mat3d sum = Mat3d::zero();
    for (std::int32_t k = begin; k < end; ++k) {
      const std::int32_t child = fine.cells[coarse.children[k]];
      Vec3d x[8];
      for (int c = 0; c < 8; ++c) x[c] = positions[fine.corner(child, c)];
      sum += deformation_gradient(x, 1 / fine.blocks[child / 8].h);
      if (l > 0) sum += gradients[l - 1][child];
    }
    gradients[l][coarse.model.cells[cell]] = sum * (1.0 / (end - begin));
  });
}

/// Leaves the restricted force in the coarse step, where cycle() looks for it.
void Fas::restrict_force(std::size_t l, std::span<const Vec3d> r) {
  const Transfer::Rows& rows = model_.hierarchy->levels[l].transfer.to_coarse;
  const std::vector<Vec3f>& inverse = scratch_.multigrid.levels[l].inverse_diagonal;
  FasMemory::Level& coarse = scratch_.fas.levels[l];
  each_node(arena_, coarse.step.size(), [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t t = rows.first[i]; t < rows.first[i + 1]; ++t) {
      const std::int32_t n = rows.terms[t].node();
      for (int a = 0; a < 3; ++a) {
        if (inverse[n][a] > 0) sum[a] += double(rows.terms[t].weight()) * r[n][a];
      }
    }
    coarse.step[i] = sum;
  });
}

void Fas::prolong(std::size_t l, std::span<Vec3d> step) {
  const Transfer::Rows& rows = model_.hierarchy->levels[l].transfer.to_fine;
  const std::vector<Vec3f>& inverse = scratch_.multigrid.levels[l].inverse_diagonal;
  const std::vector<Vec3d>& u = scratch_.fas.levels[l].u;
  each_node(arena_, step.size(), [&](std::size_t i) {
    Vec3d sum{0, 0, 0};
    for (std::int32_t t = rows.first[i]; t < rows.first[i + 1]; ++t) {
      sum += double(rows.terms[t].weight()) * u[rows.terms[t].node()];
    }
    for (int a = 0; a < 3; ++a) step[i][a] = inverse[i][a] > 0 ? sum[a] : 0.0;
  });
  if (l == 0) keep_sliding(model_, slides_, step);
}

}  // namespace isochor::lattice
