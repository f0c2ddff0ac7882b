#include "isochor/lattice/hierarchy.h"

#include <algorithm>

#include "isochor/grid/coarsening.h"
#include "isochor/lattice/published_cycle.h"
#include "isochor/lattice/state.h"
#include "isochor/math/polar.h"

namespace isochor::lattice {
namespace {

/// Multiplications that a factorisation may cost: what a body of a few hundred nodes takes, and for
/// larger ones about as much as ten applications of the operator.
constexpr double kDirectCost = 3e7, kDirectCostPerNode = 2500;
/// And its solution, of which there are several per cycle: a larger factor is no cache's, and read
/// from memory every time.
constexpr double kDirectSolveCost = 8e6;
/// More nodes than this have no such cost, whatever their order.
constexpr std::size_t kMostDirect = 20000;

/// The cells of a coarse body take what their children have, weighted by how full those are. Where
/// materials differ, the first child's is taken. Skin becomes a part of what is beneath it.
BodySpec coarse_body(const BodySpec& fine, const grid::Coarsening& coarsening) {
  BodySpec coarse{.name = fine.name,
                  .lattice = coarsening.coarse,
                  .law = fine.law,
                  .shape = fine.shape,
                  .more_materials = fine.more_materials,
                  .density = fine.density};
  const std::size_t cells = coarse.lattice.cell_count();
  const bool has_axes = !fine.axes.empty();
  coarse.mu.assign(cells, 0);
  coarse.lambda.assign(cells, 0);
  coarse.fill.assign(cells, 0);
  coarse.activation.assign(fine.activation.empty() ? 0 : cells, 0);
  coarse.fibres.assign(fine.fibres.empty() ? 0 : cells, 0);
  coarse.axes.assign(has_axes ? cells : 0, Mat3d::zero());
  coarse.cell_materials.assign(fine.cell_materials.empty() ? 0 : cells, 255);
  const std::vector<double> skin_mu = smeared_skin(fine);
  for (std::size_t c = 0; c < coarsening.parent.size(); ++c) {
    const std::int32_t parent = coarsening.parent[c];
    const double fill = fine.fill.empty() ? 1 : fine.fill[c];
    coarse.fill[parent] += fill / 8;
    coarse.mu[parent] += fill * fine.mu[c];
    if (!skin_mu.empty()) coarse.mu[parent] += skin_mu[c];
    coarse.lambda[parent] += fill * fine.lambda[c];
    if (!fine.activation.empty()) coarse.activation[parent] += fill * fine.activation[c];
    if (!fine.fibres.empty()) coarse.fibres[parent] += fill * fine.fibres[c];
    if (has_axes) coarse.axes[parent] += fine.axes[c] * fill;
    if (!fine.cell_materials.empty() && coarse.cell_materials[parent] == 255) {
      coarse.cell_materials[parent] = fine.cell_materials[c];
    }
  }
  for (std::size_t c = 0; c < cells; ++c) {
    const double weight = 1 / (8 * coarse.fill[c]);
    coarse.mu[c] *= weight;
    coarse.lambda[c] *= weight;
    if (!coarse.activation.empty()) coarse.activation[c] *= weight;
    if (!coarse.fibres.empty()) coarse.fibres[c] *= weight;
    if (has_axes) coarse.axes[c] = polar_decomposition(coarse.axes[c]).R;
  }
  return coarse;
}

/// Where a fine node is seen from a coarse cell: weights of the eight corners of which some vanish.
void add_terms(std::vector<Transfer::Term>& terms, const std::array<std::int32_t, 8>& corners,
               const std::array<int, 3>& half_steps) {
  for (int c = 0; c < 8; ++c) {
    float weight = 1;
    for (int a = 0; a < 3; ++a) {
      const float along = 0.5f * static_cast<float>(half_steps[a]);
      weight *= c >> a & 1 ? along : 1 - along;
    }
    if (weight > 0) terms.emplace_back(corners[c], weight);
  }
}

void add_row(Transfer::Rows& rows, std::span<const Transfer::Term> terms) {
  rows.terms.insert(rows.terms.end(), terms.begin(), terms.end());
  rows.first.push_back(static_cast<std::int32_t>(rows.terms.size()));
}

Transfer::Rows transposed(const Transfer::Rows& rows, std::size_t columns) {
  Transfer::Rows out;
  out.first.assign(columns + 1, 0);
  for (const Transfer::Term& term : rows.terms) ++out.first[term.node() + 1];
  for (std::size_t c = 0; c < columns; ++c) out.first[c + 1] += out.first[c];
  out.terms.resize(rows.terms.size());
  std::vector<std::int32_t> next(out.first.begin(), out.first.end() - 1);
  for (std::size_t r = 0; r + 1 < rows.first.size(); ++r) {
    for (std::int32_t t = rows.first[r]; t < rows.first[r + 1]; ++t) {
      const Transfer::Term& term = rows.terms[t];
      out.terms[next[term.node()]++] = {static_cast<std::int32_t>(r), term.weight()};
    }
  }
  return out;
}

/// Appends what one body contributes to the way between two levels.
void add_transfer(const grid::Lattice& fine, const grid::Coarsening& coarsening,
                  std::int32_t first_coarse_node, Transfer::Rows& to_fine) {
  const auto fine_nodes = fine.cell_nodes(), coarse_nodes = coarsening.coarse.cell_nodes();
  std::vector<std::array<std::int32_t, 2>> seen_from(fine.rest_positions.size(), {-1, 0});
  std::vector<grid::Index3> coordinates;
  fine.for_each_cell([&](std::size_t b, int lane) {
    coordinates.push_back(grid::cell_coordinate(fine.blocks[b], lane));
  });
  for (std::size_t c = 0; c < fine_nodes.size(); ++c) {
    for (int corner = 0; corner < 8; ++corner) {
      auto& from = seen_from[fine_nodes[c][corner]];
      if (from[0] < 0) from = {static_cast<std::int32_t>(c), corner};
    }
  }
  std::vector<Transfer::Term> terms;
  for (const auto& [cell, corner] : seen_from) {
    std::array<std::int32_t, 8> corners = coarse_nodes[coarsening.parent[cell]];
    for (std::int32_t& n : corners) n += first_coarse_node;
    std::array<int, 3> half_steps;
    for (int a = 0; a < 3; ++a) half_steps[a] = (coordinates[cell][a] & 1) + (corner >> a & 1);
    terms.clear();
    add_terms(terms, corners, half_steps);
    add_row(to_fine, terms);
  }
}

CoarseLevel coarsen(const std::vector<BodySpec>& fine, const Model& fine_model,
                    std::vector<BodySpec>& coarse) {
  CoarseLevel level;
  std::int32_t first_node = 0, first_cell = 0;
  std::vector<std::int32_t> parent;
  for (std::size_t b = 0; b < fine.size(); ++b) {
    const grid::Coarsening coarsening = grid::coarsen(fine[b].lattice);
    add_transfer(fine[b].lattice, coarsening, first_node, level.transfer.to_fine);
    for (const std::int32_t p : coarsening.parent) parent.push_back(first_cell + p);
    coarse.push_back(coarse_body(fine[b], coarsening));
    first_node += static_cast<std::int32_t>(coarsening.coarse.rest_positions.size());
    first_cell += static_cast<std::int32_t>(coarsening.coarse.cell_count());
  }
  Params params = fine_model.params;
  params.quadrature = Quadrature::OnePoint;
  params.preconditioner = Preconditioner::Jacobi;
  params.solver = Solver::Newton;
  level.model = build_model(coarse, params);
  level.transfer.to_coarse = transposed(level.transfer.to_fine, level.model.node_count());

  level.first_child.assign(level.model.cells.size() + 1, 0);
  for (const std::int32_t p : parent) ++level.first_child[p + 1];
  for (std::size_t c = 0; c < level.model.cells.size(); ++c) {
    level.first_child[c + 1] += level.first_child[c];
  }
  level.children.resize(parent.size());
  std::vector<std::int32_t> next(level.first_child.begin(), level.first_child.end() - 1);
  for (std::size_t c = 0; c < parent.size(); ++c) {
    level.children[next[parent[c]]++] = static_cast<std::int32_t>(c);
  }
  return level;
}

std::vector<solve::Spring> springs_of(const Model& model) {
  std::vector<solve::Spring> list;
  for (const solve::Springs* springs : {&model.springs, &model.surfaces.springs}) {
    for (std::size_t s = 0; s < springs->count(); ++s) {
      const auto& [first, terms, stiffness, nodes, node_first, pulls] = *springs;
      list.push_back({{terms.begin() + first[s], terms.begin() + first[s + 1]}, stiffness[s]});
    }
  }
  return list;
}

}  // namespace

std::vector<solve::Spring> coarsened(std::span<const solve::Spring> fine,
                                     const Transfer& transfer) {
  std::vector<solve::Spring> coarse;
  for (const solve::Spring& spring : fine) {
    solve::Spring& out =
        coarse.emplace_back(solve::Spring{.terms = {}, .stiffness = spring.stiffness});
    const Transfer::Rows& rows = transfer.to_fine;
    for (const solve::SpringTerm& term : spring.terms) {
      for (std::int32_t t = rows.first[term.index]; t < rows.first[term.index + 1]; ++t) {
        out.terms.push_back({rows.terms[t].node(), term.weight * rows.terms[t].weight()});
      }
    }
    std::ranges::sort(out.terms, {}, &solve::SpringTerm::index);
    std::size_t kept = 0;
    for (std::size_t t = 1; t < out.terms.size(); ++t) {
      if (out.terms[t].index == out.terms[kept].index) {
        out.terms[kept].weight += out.terms[t].weight;
      } else {
        out.terms[++kept] = out.terms[t];
      }
    }
    out.terms.resize(out.terms.empty() ? 0 : kept + 1);
  }
  return coarse;
}

Hierarchy build_hierarchy(const std::vector<BodySpec>& bodies, const Model& model) {
  Hierarchy hierarchy;
  const std::vector<BodySpec>* fine = &bodies;
  std::vector<BodySpec> kept;
  const Model* fine_model = &model;
  std::vector<solve::Spring> springs = springs_of(model);
  const double most =
      std::max(kDirectCost, kDirectCostPerNode * static_cast<double>(model.node_count()));
  for (;;) {
    if (int(hierarchy.levels.size()) + 1 >= model.params.least_levels &&
        fine_model->node_count() <= kMostDirect) {
      DirectPlan plan = plan_direct(*fine_model, spring_matrix(springs));
      if (plan.envelope.cost() <= most && plan.envelope.solve_cost() <= kDirectSolveCost) {
        hierarchy.direct = std::move(plan);
        break;
      }
    }
    std::vector<BodySpec> coarse;
    CoarseLevel level = coarsen(*fine, *fine_model, coarse);
    if (4 * level.model.node_count() > 3 * fine_model->node_count()) break;
    springs = coarsened(springs, level.transfer);
    level.springs = spring_matrix(springs);
    hierarchy.levels.push_back(std::move(level));
    kept = std::move(coarse);
    fine = &kept;
    fine_model = &hierarchy.levels.back().model;
  }
  if (model.params.cycle == Cycle::Published || model.params.solver == Solver::Fas) {
    hierarchy.published = plan_published(model, hierarchy);
  }
  return hierarchy;
}

std::size_t bytes_allocated(const Hierarchy& hierarchy) {
  std::size_t bytes = hierarchy.direct.bytes();
  for (const PublishedLevel& level : hierarchy.published) {
    bytes += level.held.capacity() + level.damping.capacity() * sizeof(float);
  }
  for (const CoarseLevel& level : hierarchy.levels) {
    const auto sum = [](const auto&... v) {
      return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
    };
    bytes += bytes_allocated(level.model) + level.springs.bytes() +
             sum(level.transfer.to_fine.first, level.transfer.to_fine.terms,
                 level.transfer.to_coarse.first, level.transfer.to_coarse.terms, level.first_child,
                 level.children);
  }
  return bytes;
}

}  // namespace isochor::lattice
