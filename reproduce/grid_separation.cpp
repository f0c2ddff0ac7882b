/// Two fingers on a palm with a gap much narrower than a cell, spread by their tips. A lattice with
/// one cell per place glues them together; one with a cell per piece of material lets them part.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <set>

#include "isochor/base/file.h"
#include "isochor/grid/embedding.h"
#include "isochor/lattice/fields.h"
#include "isochor/lattice/solver.h"
#include "isochor/run/render.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

constexpr double kWidth = 0.3, kLength = 1.2, kPalm = 0.3;  // m
constexpr double kCell = 0.05, kGap = 0.2 * kCell;
constexpr double kSpread = 0.2;  // how far each tip is moved
constexpr double kMiddle = kWidth + 0.5 * kGap;

bool is_right(const Vec3d& p) { return p[0] > kMiddle; }

/// Equal steps of about an edge, without the first point.
void add_steps(std::vector<double>& lines, double to, double edge) {
  const double from = lines.back();
  const int count = std::max(1, static_cast<int>(std::lround((to - from) / edge)));
  for (int i = 1; i <= count; ++i) lines.push_back(from + (to - from) * i / count);
}

/// The fingers stand on the palm along z, side by side along x: a box with a slot.
geometry::SurfaceMesh make_fingers() {
  constexpr double kEdge = 0.03;
  std::array<std::vector<double>, 3> lines{{{0}, {0}, {-kPalm}}};
  add_steps(lines[0], kWidth, kEdge);
  const std::size_t slot = lines[0].size() - 1;
  lines[0].push_back(kWidth + kGap);
  add_steps(lines[0], 2 * kWidth + kGap, kEdge);
  add_steps(lines[1], kWidth, kEdge);
  add_steps(lines[2], 0, kEdge);
  const std::size_t palm = lines[2].size() - 1;
  add_steps(lines[2], kLength, kEdge);

  using Place = std::array<std::size_t, 3>;
  geometry::SurfaceMesh mesh;
  std::map<Place, std::int32_t> index;
  const auto vertex = [&](const Place& at) {
    const auto [entry, fresh] =
        index.try_emplace(at, static_cast<std::int32_t>(mesh.positions.size()));
    if (fresh) mesh.positions.push_back({lines[0][at[0]], lines[1][at[1]], lines[2][at[2]]});
    return entry->second;
  };
  const auto is_filled = [&](const Place& at) {
    // One below zero is far beyond the end.
    for (int a = 0; a < 3; ++a) {
      if (at[a] >= lines[a].size() - 1) return false;
    }
    return at[0] != slot || at[2] < palm;
  };
  const std::size_t nx = lines[0].size() - 1, ny = lines[1].size() - 1, nz = lines[2].size() - 1;
  for (std::size_t box = 0; box < nx * ny * nz; ++box) {
    const Place at{box % nx, box / nx % ny, box / (nx * ny)};
    for (int face = 0; face < 6 && is_filled(at); ++face) {
      const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
      const bool high = face % 2;
      Place beyond = at;
      beyond[axis] += high ? 1 : std::size_t(-1);
      if (is_filled(beyond)) continue;
      std::array<std::int32_t, 4> quad;
      constexpr int kRound[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
      for (int c = 0; c < 4; ++c) {
        Place corner = at;
        corner[axis] += high;
        corner[u] += kRound[c][0];
        corner[v] += kRound[c][1];
        quad[high ? c : 3 - c] = vertex(corner);
      }
      mesh.add_face(quad);
    }
  }
  return mesh;
}

/// Nodes of the cells that hold one finger's surface between two heights.
std::set<std::int32_t> finger_nodes(const grid::Lattice& lattice,
                                    const geometry::SurfaceMesh& surface, bool right, double low,
                                    double high) {
  const auto cell_nodes = lattice.cell_nodes();
  std::set<std::int32_t> nodes;
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    const Vec3d& p = surface.positions[v];
    if (is_right(p) != right || p[2] < low || p[2] > high) continue;
    const auto& corners = cell_nodes[lattice.vertex_cells[v]];
    nodes.insert(corners.begin(), corners.end());
  }
  return nodes;
}

struct Outcome {
  std::size_t shared_nodes = 0;   ///< by the fingers, two cells above the palm and higher
  std::optional<double> opening;  ///< of the gap at half length, m
  double force = 0;               ///< on a tip, N
  double stress = 0;              ///< largest von Mises stress, Pa
  std::string note;
  files::Topology topology;
  files::Frame frame;
};

/// The mean distance of the two walls of the gap at half length, less the gap at rest.
double opening_of(const geometry::SurfaceMesh& rest, std::span<const Vec3d> moved) {
  double sides[2] = {0, 0}, counts[2] = {0, 0};
  for (std::size_t v = 0; v < moved.size(); ++v) {
    const Vec3d& p = rest.positions[v];
    if (std::abs(p[0] - kMiddle) > 0.6 * kGap || std::abs(p[2] - 0.5 * kLength) > kCell) continue;
    sides[is_right(p)] += moved[v][0];
    counts[is_right(p)] += 1;
  }
  return sides[1] / counts[1] - sides[0] / counts[0] - kGap;
}

Outcome spread(const geometry::SurfaceMesh& surface, bool separate, Context& context) {
  Outcome outcome;
  const grid::Lattice lattice = grid::build_lattice(
      surface, {.spacing = kCell, .separate = separate}, "fingers", context.arena);
  const auto left = finger_nodes(lattice, surface, false, 2 * kCell, kLength);
  const auto right = finger_nodes(lattice, surface, true, 2 * kCell, kLength);
  for (const std::int32_t n : left) outcome.shared_nodes += right.contains(n);

  // The palm stays, the tips go apart. Where the tips share nodes, each gets its side of them.
  lattice::HoldSpec palm{.name = "palm"}, tips[2] = {{.name = "left"}, {.name = "right"}};
  std::vector<Vec3d> targets;
  for (std::size_t n = 0; n < lattice.rest_positions.size(); ++n) {
    if (lattice.rest_positions[n][2] > -kPalm + 0.1 * kCell) continue;
    palm.nodes.push_back(static_cast<std::int32_t>(n));
    targets.push_back(lattice.rest_positions[n]);
  }
  for (const bool is_right_tip : {false, true}) {
    for (const std::int32_t n :
         finger_nodes(lattice, surface, is_right_tip, kLength - 0.5 * kCell, kLength)) {
      const Vec3d& x = lattice.rest_positions[n];
      const bool mine = separate || is_right(x) == is_right_tip;
      if (!mine || x[2] < kLength - 2.5 * kCell) continue;
      tips[is_right_tip].nodes.push_back(n);
      targets.push_back(x + Vec3d{is_right_tip ? kSpread : -kSpread, 0, 0});
    }
  }
  const std::size_t cells = lattice.cell_count();
  const lattice::Model model = lattice::build_model({{.name = "fingers",
                                                      .lattice = lattice,
                                                      .mu = std::vector<double>(cells, 1e4),
                                                      .lambda = std::vector<double>(cells, 2e4),
                                                      .holds = {palm, tips[0], tips[1]}}},
                                                    {.newton = {.max_iterations = 500}});
  lattice::State state{model.rest_positions};
  lattice::Scratch scratch(model);
  const lattice::StepReport report =
      lattice::advance(model, state, {.held_positions = targets}, scratch, context);
  if (!report.converged()) {
    outcome.note =
        fmt::format("no equilibrium: {} (residual {:.1e})", text(report.end), report.residual);
    return outcome;
  }
  outcome.note = fmt::format("{} cells, {} nodes, {} Newton iterations", cells, model.node_count(),
                             report.iterations);

  const grid::Embedding embedding =
      grid::embed(lattice, surface.positions, lattice.vertex_cells, grid::Interpolation::Tricubic);
  files::BodyFrame shape{.nodes = state.positions};
  shape.vertices.resize(surface.positions.size());
  embedding.interpolate(shape.nodes, shape.vertices);
  outcome.opening = opening_of(surface, shape.vertices);
  outcome.force =
      norm(lattice::reactions(model, state.positions, {0, 0, 0}, context.arena)[2].force);
  const std::vector<double> von_mises =
      lattice::cell_fields(model, state.positions, context.arena).von_mises;
  outcome.stress = *std::max_element(von_mises.begin(), von_mises.end());

  files::Field field{.name = "von_mises", .unit = "Pa", .support = files::Support::Vertex};
  std::vector<double> at_vertices(surface.positions.size());
  grid::embed(lattice, surface.positions, lattice.vertex_cells)
      .interpolate(lattice::to_nodes(model, von_mises), at_vertices);
  field.values.assign(at_vertices.begin(), at_vertices.end());
  shape.fields = {field};
  outcome.topology.bodies = {{.name = "fingers",
                              .rest_nodes = lattice.rest_positions,
                              .cells = lattice.cell_nodes(),
                              .surface = surface}};
  outcome.frame.bodies = {shape};
  return outcome;
}

void draw(const Outcome& outcome, bool separate, const std::filesystem::path& folder,
          Context& context) {
  const run::RenderOptions options{
      .width = 900,
      .height = 1000,
      .field = "von_mises",
      .show_lattice = true,
      .up = {0, 0, 1},
      .camera_direction = Vec3d{0.3, -1, 0.25},
      .caption = separate ? "a cell per piece of material" : "a cell per place"};
  make_directory(folder);
  write_file_atomic(folder / fmt::format("grid_separation_{}.png", separate ? "separate" : "whole"),
                    encode_png(run::render(outcome.topology, outcome.frame, options, std::nullopt,
                                           context.arena)));
}

}  // namespace

std::vector<Row> grid_separation(const ExperimentOptions& options, Context& context) {
  const geometry::SurfaceMesh surface = make_fingers();
  std::vector<Row> rows;
  std::array<Outcome, 2> outcomes;
  for (const bool separate : {false, true}) {
    Outcome& outcome = outcomes[separate];
    outcome = spread(surface, separate, context);
    const auto add = [&](std::string quantity, std::optional<double> value, std::string unit,
                         Relation relation, std::optional<double> bound) {
      rows.push_back({.id = "grid/separation",
                      .quantity = std::move(quantity),
                      .variant = separate ? "a cell per piece" : "a cell per place",
                      .source = "ours: a gap of 0.2 cells",
                      .ours = value,
                      .unit = std::move(unit),
                      .relation = relation,
                      .bound = bound,
                      .note = outcome.note});
    };
    add("nodes that the fingers share", double(outcome.shared_nodes), "",
        separate ? Relation::AtMost : Relation::Above, 0);
    std::optional<double> opening;
    if (outcome.opening) opening = *outcome.opening / (2 * kSpread);
    // A beam held at both ends moves by half at its middle.
    add("opening of the gap at half length / at the tips", opening, "",
        separate ? Relation::AtLeast : Relation::AtMost, separate ? 0.4 : 0.1);
    add("force on a tip", outcome.force, "N", Relation::Shown, {});
    add("largest von Mises stress", outcome.stress, "Pa", Relation::Shown, {});
    if (outcome.opening && !options.pictures.empty()) {
      draw(outcome, separate, options.pictures, context);
    }
  }
  rows.push_back({.id = "grid/separation",
                  .quantity = "force on a tip, a cell per place / per piece",
                  .variant = "ratio",
                  .source = "ours: a gap of 0.2 cells",
                  .ours = outcomes[0].force / outcomes[1].force,
                  .relation = Relation::AtLeast,
                  .bound = 5,
                  .note = "what the glue costs"});
  return rows;
}

}  // namespace isochor::reproduce
