#include "isochor/lattice/published_cycle.h"

#include <algorithm>

#include "isochor/lattice/multigrid.h"
#include "isochor/solve/vector_ops.h"

namespace isochor::lattice {
namespace {

/// Above this Poisson's ratio all nodes are damped as at the boundary.
constexpr double kHighPoisson = 0.4;

/// A node is near the boundary if it lies on it, is held or pulled at, or shares a cell with one
/// that does or is.
std::vector<float> damping_of(const Model& model, std::span<const std::uint8_t> held,
                              std::span<const std::int32_t> pulled) {
  std::vector<std::uint8_t> cells_around(model.node_count(), 0), near(model.node_count(), 0);
  for (const std::int32_t cell : model.cells) {
    const double mu = model.mu(cell), lambda = model.lambda(cell);
    for (int c = 0; c < 8; ++c) {
      const std::int32_t n = model.corner(cell, c);
      ++cells_around[n];
      if (lambda > 2 * kHighPoisson * (lambda + mu)) near[n] = 1;
    }
  }
  for (const std::int32_t n : pulled) near[n] = 1;
  std::vector<std::uint8_t> edge = near;
  for (std::size_t n = 0; n < edge.size(); ++n) {
    edge[n] = edge[n] || held[n] || cells_around[n] < 8;
  }
  near = edge;
  for (const std::int32_t cell : model.cells) {
    bool any = false;
    for (int c = 0; c < 8; ++c) any = any || edge[model.corner(cell, c)];
    for (int c = 0; any && c < 8; ++c) near[model.corner(cell, c)] = 1;
  }
  std::vector<float> damping(near.size());
  std::ranges::transform(near, damping.begin(),
                         [](bool is_near) { return is_near ? kDampingNear : kDampingInside; });
  return damping;
}

}  // namespace

std::vector<PublishedLevel> plan_published(const Model& model, const Hierarchy& hierarchy) {
  std::vector<PublishedLevel> plan(1);
  for (const Freedom freedom : model.freedom) {
    plan[0].held.push_back(freedom == Freedom::Held);
  }
  plan[0].damping = damping_of(model, plan[0].held, model.springs.nodes);
  for (const CoarseLevel& level : hierarchy.levels) {
    PublishedLevel coarse;
    const Transfer::Rows& rows = level.transfer.to_coarse;
    for (std::size_t i = 0; i < level.model.node_count(); ++i) {
      bool held = false;
      for (std::int32_t t = rows.first[i]; t < rows.first[i + 1]; ++t) {
        held = held || plan.back().held[rows.terms[t].node()];
      }
      coarse.held.push_back(held);
    }
    coarse.damping = damping_of(level.model, coarse.held, level.springs.nodes);
    plan.push_back(std::move(coarse));
  }
  return plan;
}

/// The damping is part of the inverse diagonal.
void Multigrid::sweep(std::size_t l, bool from_zero) {
  Level& level = memory_.levels[l];
  for (int k = 0; k < model_.params.sweeps; ++k) {
    const bool zero = from_zero && k == 0;
    if (!zero) multiply(l, level.x, level.image);
    parallel_for(arena_, level.x.size(), solve::kVectorGrain, [&](std::size_t i) {
      const Vec3f residual = zero ? level.b[i] : level.b[i] - level.image[i];
      for (int a = 0; a < 3; ++a) {
        const float push = level.inverse_diagonal[i][a] * residual[a];
        level.x[i][a] = zero ? push : level.x[i][a] + push;
      }
    });
    if (l == 0) keep_sliding(model_, slides_, std::span(level.x));
  }
}

}  // namespace isochor::lattice
