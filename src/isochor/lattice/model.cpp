#include "isochor/lattice/model.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <iterator>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/lattice/block_groups.h"
#include "isochor/lattice/braces.h"
#include "isochor/lattice/cut_cells.h"
#include "isochor/lattice/hierarchy.h"
#include "isochor/materials/registry.h"

namespace isochor::lattice {
namespace {

template <class F>
void for_each_lane(const Block& block, F&& f) {
  for (int lane = 0; lane < 8; ++lane) {
    if (block.active >> lane & 1) f(lane);
  }
}

GroupAxes unturned_axes() {
  GroupAxes axes{};
  for (int lane = 0; lane < 8; ++lane) {
    for (const int i : {0, 4, 8}) std::fill_n(axes.Q[i][lane], kGroupBlocks, 1.0);
  }
  return axes;
}

/// The body's blocks by themselves, in the order of its lattice.
std::vector<Block> make_blocks(const BodySpec& body) {
  std::vector<Block> blocks;
  blocks.reserve(body.lattice.blocks.size());
  std::size_t cell = 0;
  for (const grid::Block& source : body.lattice.blocks) {
    Block block{.active = source.active, .h = body.lattice.spacing};
    for_each_lane(block, [&](int lane) {
      if (!body.cell_materials.empty()) block.material[lane] = body.cell_materials[cell];
      ++cell;
    });
    blocks.push_back(block);
  }
  return blocks;
}

/// Names the nodes of a block in one lane of a group.
void set_nodes(const grid::Block& source, std::int32_t first_node, int lane, BlockGroup& group) {
  const std::int32_t any = *std::find_if(source.nodes.begin(), source.nodes.end(),
                                         [](std::int32_t n) { return n != grid::kNoNode; });
  for (int s = 0; s < 27; ++s) {
    const std::int32_t n = source.nodes[s] == grid::kNoNode ? any : source.nodes[s];
    group.nodes[s][lane] = 3 * (first_node + n);
  }
}

/// The lattice's blocks in groups, those with directions apart. Fills blocks and the groups' nodes;
/// returns where in Model::blocks each block of the lattice went.
std::vector<std::int32_t> add_groups(Model& model, const BodySpec& body, const BodyRange& range) {
  const std::vector<Block> blocks = make_blocks(body);
  std::vector<std::int32_t> chosen[2];  // without and with directions
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    bool dense = false;
    for_each_lane(blocks[b], [&](int lane) {
      const Material& m = model.materials[range.first_material + blocks[b].material[lane]];
      dense = dense || !materials::is_isotropic(m.law);
    });
    chosen[dense].push_back(static_cast<std::int32_t>(b));
  }

  std::vector<std::int32_t> moved_to(blocks.size());
  for (const bool dense : {false, true}) {
    for (const BlockList& members : group_blocks(body.lattice, chosen[dense])) {
      BlockGroup group{.nodes = {},
                       .h = body.lattice.spacing,
                       .body = static_cast<std::int32_t>(model.bodies.size()),
                       .tangent = static_cast<std::int32_t>(dense ? model.axes.size() : 0),
                       .dense = dense,
                       .whole = true};
      const auto count = std::ranges::find(members, -1) - members.begin();
      for (int i = 0; i < kGroupBlocks; ++i) {
        const bool padding = members[i] < 0;
        const Block block = padding ? Block{.h = group.h} : blocks[members[i]];
        if (!padding) moved_to[members[i]] = static_cast<std::int32_t>(model.blocks.size());
        set_nodes(body.lattice.blocks[members[i % count]], range.first_node, i, group);
        for_each_lane(
            block, [&](int lane) { group.materials |= std::uint64_t{1} << block.material[lane]; });
        group.whole = group.whole && block.active == 0xff;
        model.blocks.push_back(block);
      }
      model.groups.push_back(group);
      model.moduli.push_back({});
      if (dense) model.axes.push_back(unturned_axes());
    }
  }
  return moved_to;
}

/// What the body says about a cell, which is `place` = block * 8 + lane in the model.
void set_cell(Model& model, const BodySpec& body, std::size_t cell, std::int32_t place) {
  const std::size_t g = place / (8 * kGroupBlocks);
  const BlockGroup& group = model.groups[g];
  GroupModuli& moduli = model.moduli[g];
  const int lane = place % 8, block = place / 8 % kGroupBlocks;
  moduli.mu[lane][block] = body.mu[cell];
  moduli.fill[lane][block] = body.fill.empty() ? 1 : body.fill[cell];
  moduli.weight[lane][block] = moduli.fill[lane][block];
  moduli.lambda[lane][block] = body.lambda[cell];
  if (!group.dense) return;
  const Mat3d Q = body.axes.empty() ? Mat3d::identity() : body.axes[cell];
  GroupAxes& axes = model.axes[group.tangent];
  for (int i = 0; i < 9; ++i) axes.Q[i][lane][block] = Q(i % 3, i / 3);
  axes.activation[lane][block] = body.activation.empty() ? 1 : body.activation[cell];
  axes.fibres[lane][block] = body.fibres.empty() ? 1 : body.fibres[cell];
}

/// Puts groups and all that is theirs into the order of tiles.
void sort_groups(Model& model) {
  const std::vector<std::int32_t> order = make_tiles(model);
  std::vector<BlockGroup> groups;
  std::vector<Block> blocks;
  std::vector<GroupModuli> moduli;
  std::vector<GroupAxes> axes;
  std::vector<std::int32_t> moved_to(order.size());
  groups.reserve(order.size());
  moduli.reserve(order.size());
  blocks.reserve(model.blocks.size());
  axes.reserve(model.axes.size());
  std::int32_t principal = 0;
  for (const std::int32_t g : order) {
    moved_to[g] = static_cast<std::int32_t>(groups.size());
    groups.push_back(model.groups[g]);
    moduli.push_back(model.moduli[g]);
    BlockGroup& group = groups.back();
    if (group.dense) axes.push_back(model.axes[group.tangent]);
    group.tangent = group.dense ? static_cast<std::int32_t>(axes.size()) - 1 : principal++;
    const auto first = model.blocks.begin() + std::ptrdiff_t{g} * kGroupBlocks;
    blocks.insert(blocks.end(), first, first + kGroupBlocks);
  }
  model.groups = std::move(groups);
  model.moduli = std::move(moduli);
  model.blocks = std::move(blocks);
  model.axes = std::move(axes);
  find_tile_nodes(model);
  constexpr int kCells = 8 * kGroupBlocks;
  for (std::int32_t& cell : model.cells) cell = moved_to[cell / kCells] * kCells + cell % kCells;
}

/// Kernels count the numbers of all vectors in 32 bits.
void check_size(const Model& model, const BodySpec& body) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max() / 3;
  const std::size_t nodes = model.node_count() + body.lattice.rest_positions.size();
  if (nodes <= kMost) return;
  throw Error(Fault::Input, body.name,
              fmt::format("brings the simulation to {} nodes; {} are possible", nodes, kMost),
              "choose larger cells");
}

void check_materials(const BodySpec& body) {
  const std::size_t count = 1 + body.more_materials.size();
  const auto most = std::max_element(body.cell_materials.begin(), body.cell_materials.end());
  if (count > 64 || (most != body.cell_materials.end() && *most >= count)) {
    throw Error(Fault::Input, body.name,
                fmt::format("has {} materials, and a cell asks for number {}", count,
                            most == body.cell_materials.end() ? 0 : *most),
                "give every cell one of at most 64 materials");
  }
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

/// Adds a cell's mass to its corners: where its points are, if it has some of its own.
void add_mass(Model& model, std::int32_t place, double mass, const grid::CutCell* cut) {
  for (int c = 0; c < 8; ++c) {
    double share = cut ? 0 : 1.0 / 8;
    for (int q = 0; cut && q < kCutPoints; ++q) {
      double weight = 1.0 / kCutPoints;
      for (int a = 0; a < 3; ++a) {
        const double s = cut->points[q][a];
        weight *= c >> a & 1 ? s : 1 - s;
      }
      share += weight;
    }
    model.mass[model.corner(place, c)] += share * mass;
  }
}

void add_body(Model& model, const BodySpec& body) {
  const grid::Lattice& lattice = body.lattice;
  BodyRange range{.name = body.name,
                  .first_node = static_cast<std::int32_t>(model.node_count()),
                  .node_count = static_cast<std::int32_t>(lattice.rest_positions.size()),
                  .first_cell = static_cast<std::int32_t>(model.cells.size()),
                  .cell_count = static_cast<std::int32_t>(lattice.cell_count()),
                  .first_material = static_cast<std::int32_t>(model.materials.size()),
                  .mass_damping = body.mass_damping,
                  .stiffness_damping = body.stiffness_damping};
  check_size(model, body);
  check_materials(body);
  model.materials.push_back({body.law, body.shape});
  model.materials.insert(model.materials.end(), body.more_materials.begin(),
                         body.more_materials.end());
  model.rest_positions.insert(model.rest_positions.end(), lattice.rest_positions.begin(),
                              lattice.rest_positions.end());
  model.mass.resize(model.node_count(), 0);
  model.freedom.resize(model.node_count(), Freedom::Free);

  const std::vector<std::int32_t> place_of = add_groups(model, body, range);
  model.cells.reserve(model.cells.size() + lattice.cell_count());
  const double full_mass = body.density * lattice.spacing * lattice.spacing * lattice.spacing;
  std::size_t cell = 0;
  auto cut = lattice.cut_cells.begin();
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const std::int32_t place = 8 * place_of[b] + lane;
    model.cells.push_back(place);
    set_cell(model, body, cell, place);
    const bool is_cut = cut != lattice.cut_cells.end() && std::size_t(cut->cell) == cell;
    const double fill = body.fill.empty() ? 1 : body.fill[cell];
    add_mass(model, place, full_mass * (is_cut ? cut->fraction : fill), is_cut ? &*cut : nullptr);
    if (is_cut) ++cut;
    // Positions are rounded relative to their size, forces are stiffness times their differences.
    constexpr double kEpsilon = 16 * std::numeric_limits<double>::epsilon();
    const double stiffness = (body.mu[cell] + std::abs(body.lambda[cell])) * lattice.spacing;
    model.rounding_stiffness = std::max(model.rounding_stiffness, kEpsilon * stiffness);
    ++cell;
  });

  add_holds(model, body, range.first_node);
  model.bodies.push_back(std::move(range));
}

/// With braces, in no group, for bodies that a pressure acts on.
void add_springs(Model& model, const std::vector<SpringGroupSpec>& groups,
                 const std::vector<BodySpec>& bodies) {
  std::vector<solve::Spring> all;
  for (const SpringGroupSpec& group : groups) {
    model.spring_groups.push_back({group.name, static_cast<std::int32_t>(all.size()),
                                   static_cast<std::int32_t>(group.springs.size())});
    all.insert(all.end(), group.springs.begin(), group.springs.end());
  }
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].pressures.empty()) continue;
    std::ranges::move(find_braces(model, model.bodies[b], kBraceOfPressure),
                      std::back_inserter(all));
  }
  model.springs = build_springs(all);
}

}  // namespace

Model build_model(const std::vector<BodySpec>& bodies, const Params& params,
                  const std::vector<SpringGroupSpec>& springs) {
  Model model;
  model.params = params;
  for (const BodySpec& body : bodies) add_body(model, body);
  for (BlockGroup& group : model.groups) {
    const auto last = 3 * (static_cast<std::int32_t>(model.node_count()) - 1);
    for (const auto& slot : group.nodes) {
      group.has_last_node |= std::find(std::begin(slot), std::end(slot), last) != std::end(slot);
    }
  }
  sort_groups(model);
  add_cut_cells(model, bodies);
  add_springs(model, springs, bodies);
  model.skin = build_skin(bodies, model);
  model.surfaces = build_surfaces(bodies, model);
  const bool coarser =
      params.preconditioner == Preconditioner::Multigrid || params.solver == Solver::Fas;
  if (coarser && params.quadrature != Quadrature::Gauss) {
    model.hierarchy = std::make_shared<const Hierarchy>(build_hierarchy(bodies, model));
  }
  return model;
}

bool Model::has_stiffness_damping() const {
  return std::ranges::any_of(bodies, [](const BodyRange& b) { return b.stiffness_damping > 0; });
}

std::size_t Model::held_count() const {
  std::size_t count = 0;
  for (const Hold& hold : holds) count += hold.nodes.size();
  return count;
}

double rounding_force(const Model& model, std::span<const Vec3d> positions) {
  double farthest = 0;
  for (const std::span<const Vec3d> nodes : {positions, std::span(model.rest_positions)}) {
    for (const Vec3d& p : nodes) farthest = std::max(farthest, dot(p, p));
  }
  return model.rounding_stiffness * std::sqrt(farthest);
}

std::size_t bytes_allocated(const Model& model) {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  std::size_t bytes =
      sum(model.bodies, model.materials, model.axes, model.blocks, model.groups, model.moduli,
          model.tile_starts, model.color_starts, model.tile_nodes.runs, model.tile_nodes.first,
          model.opened_nodes.runs, model.opened_nodes.first, model.cut_groups, model.first_cut,
          model.fibre_groups, model.cut_axes, model.cells, model.rest_positions, model.mass,
          model.freedom, model.sliding, model.holds, model.springs.first, model.springs.terms,
          model.springs.stiffness, model.springs.nodes, model.springs.node_first,
          model.springs.pulls, model.spring_groups);
  for (const Hold& hold : model.holds) bytes += sum(hold.nodes);
  bytes += model.surfaces.bytes() + model.skin.bytes();
  return bytes + (model.hierarchy ? bytes_allocated(*model.hierarchy) : 0);
}

}  // namespace isochor::lattice
