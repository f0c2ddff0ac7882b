#include "isochor/lattice/model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/materials/registry.h"

namespace isochor::lattice {
namespace {

/// The first colour that no node of the block has seen, for each block in turn. On a regular grid
/// this gives the eight parities; where copies of cells share nodes it still separates them.
std::vector<int> color_blocks(const std::vector<Block>& blocks, std::size_t node_count) {
  std::vector<std::uint64_t> seen(node_count, 0);
  std::vector<int> colors;
  colors.reserve(blocks.size());
  for (const Block& block : blocks) {
    std::uint64_t taken = 0;
    for (const std::int32_t n : block.nodes) {
      if (n != grid::kNoNode) taken |= seen[n];
    }
    const int color = std::countr_one(taken);
    if (color == 64) {
      throw Error(Fault::Simulation, "lattice", "more than 64 blocks share a node",
                  "this is a mistake of the program; please report the mesh");
    }
    for (const std::int32_t n : block.nodes) {
      if (n != grid::kNoNode) seen[n] |= std::uint64_t{1} << color;
    }
    colors.push_back(color);
  }
  return colors;
}

/// Sorts blocks by colour and renumbers the cells that point into them.
void sort_by_color(Model& model) {
  const std::vector<int> colors = color_blocks(model.blocks, model.node_count());
  const int color_count = colors.empty() ? 0 : 1 + *std::max_element(colors.begin(), colors.end());
  std::vector<Block> sorted;
  std::vector<std::int32_t> moved_to(model.blocks.size());
  sorted.reserve(model.blocks.size());
  for (int c = 0; c < color_count; ++c) {
    model.color_starts.push_back(static_cast<std::int32_t>(sorted.size()));
    for (std::size_t b = 0; b < model.blocks.size(); ++b) {
      if (colors[b] != c) continue;
      moved_to[b] = static_cast<std::int32_t>(sorted.size());
      sorted.push_back(model.blocks[b]);
    }
  }
  model.color_starts.push_back(static_cast<std::int32_t>(sorted.size()));
  model.blocks = std::move(sorted);
  // Tangents and axes lie in the order in which blocks are visited.
  std::vector<BlockAxes> axes;
  std::int32_t principal = 0;
  for (Block& block : model.blocks) {
    if (block.has_axes) {
      axes.push_back(model.axes[block.tangent]);
      block.tangent = static_cast<std::int32_t>(axes.size()) - 1;
    } else {
      block.tangent = principal++;
    }
  }
  model.axes = std::move(axes);
  for (std::int32_t& cell : model.cells) cell = moved_to[cell / 8] * 8 + cell % 8;
}

/// The nodes of a hold that are its own; marks them in the model.
Hold make_hold(Model& model, const BodySpec& body, const HoldSpec& spec, std::int32_t first_node,
               std::vector<const HoldSpec*>& holder) {
  Hold hold{.name = body.name + "." + spec.name, .nodes = {}, .slide = spec.slide};
  for (const std::int32_t n : spec.nodes) {
    const bool slides = spec.slide != Slide::None;
    if (holder[n] && !slides) {
      throw Error(Fault::Input, spec.place,
                  fmt::format("holds a node that '{}' holds already", holder[n]->name),
                  "make the two regions apart from each other");
    }
    if (holder[n]) continue;
    if (!slides) holder[n] = &spec;
    Freedom& freedom = model.freedom[first_node + n];
    if (slides && freedom == Freedom::Free) model.sliding.push_back(first_node + n);
    freedom = slides ? Freedom::Sliding : Freedom::Held;
    hold.nodes.push_back(first_node + n);
  }
  return hold;
}

/// Holds that slide come last, since they get only nodes that nothing holds altogether.
void add_holds(Model& model, const BodySpec& body, std::int32_t first_node) {
  std::vector<const HoldSpec*> holder(body.lattice.rest_positions.size(), nullptr);
  const std::size_t first = model.holds.size();
  model.holds.resize(first + body.holds.size());
  for (const bool slides : {false, true}) {
    for (std::size_t s = 0; s < body.holds.size(); ++s) {
      if ((body.holds[s].slide != Slide::None) != slides) continue;
      model.holds[first + s] = make_hold(model, body, body.holds[s], first_node, holder);
    }
  }
  std::sort(model.sliding.begin(), model.sliding.end());
}

void add_body(Model& model, const BodySpec& body) {
  const grid::Lattice& lattice = body.lattice;
  BodyRange range{.name = body.name,
                  .first_node = static_cast<std::int32_t>(model.node_count()),
                  .node_count = static_cast<std::int32_t>(lattice.rest_positions.size()),
                  .first_cell = static_cast<std::int32_t>(model.cells.size()),
                  .cell_count = static_cast<std::int32_t>(lattice.cell_count())};
  model.rest_positions.insert(model.rest_positions.end(), lattice.rest_positions.begin(),
                              lattice.rest_positions.end());
  model.mass.resize(model.node_count(), 0);
  model.freedom.resize(model.node_count(), Freedom::Free);

  const auto first_block = model.blocks.size();
  const bool has_axes = !materials::is_isotropic(body.law);
  for (const grid::Block& source : lattice.blocks) {
    Block block{.nodes = source.nodes,
                .active = source.active,
                .has_axes = has_axes,
                .material = static_cast<std::int32_t>(model.materials.size()),
                .h = lattice.spacing};
    for (std::int32_t& n : block.nodes) {
      if (n != grid::kNoNode) n += range.first_node;
    }
    if (has_axes) {
      block.tangent = static_cast<std::int32_t>(model.axes.size());
      model.axes.push_back({});
    }
    model.blocks.push_back(block);
  }
  model.materials.push_back({body.law, body.shape});
  const double corner_mass = body.density * lattice.spacing * lattice.spacing * lattice.spacing / 8;
  double reach = 0;
  for (const Vec3d& p : lattice.rest_positions) reach = std::max(reach, norm(p));
  std::size_t cell = 0;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    Block& block = model.blocks[first_block + b];
    block.mu[lane] = body.mu[cell];
    block.lambda[lane] = body.lambda[cell];
    if (has_axes) {
      const Mat3d Q = body.axes.empty() ? Mat3d::identity() : body.axes[cell];
      BlockAxes& axes = model.axes[block.tangent];
      for (int i = 0; i < 9; ++i) axes.Q[i][lane] = Q(i % 3, i / 3);
      axes.activation[lane] = body.activation.empty() ? 1 : body.activation[cell];
    }
    model.cells.push_back(static_cast<std::int32_t>((first_block + b) * 8 + lane));
    for (int c = 0; c < 8; ++c) model.mass[block.nodes[grid::block_node(lane, c)]] += corner_mass;
    // Positions are rounded relative to their size, forces are stiffness times their differences.
    constexpr double kEpsilon = 16 * std::numeric_limits<double>::epsilon();
    const double stiffness = (body.mu[cell] + std::abs(body.lambda[cell])) * lattice.spacing;
    model.rounding_force =
        std::max(model.rounding_force, kEpsilon * stiffness * (reach + lattice.spacing));
    ++cell;
  });

  add_holds(model, body, range.first_node);
  model.bodies.push_back(std::move(range));
}

void add_springs(Model& model, const std::vector<SpringGroupSpec>& groups) {
  std::vector<Spring> all;
  for (const SpringGroupSpec& group : groups) {
    model.spring_groups.push_back({group.name, static_cast<std::int32_t>(all.size()),
                                   static_cast<std::int32_t>(group.springs.size())});
    all.insert(all.end(), group.springs.begin(), group.springs.end());
  }
  model.springs = build_springs(all);
}

}  // namespace

Model build_model(const std::vector<BodySpec>& bodies, const Params& params,
                  const std::vector<SpringGroupSpec>& springs) {
  Model model;
  model.params = params;
  for (const BodySpec& body : bodies) add_body(model, body);
  add_springs(model, springs);
  sort_by_color(model);
  return model;
}

}  // namespace isochor::lattice
