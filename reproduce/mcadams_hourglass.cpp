/// [McAdams11 fig 3]: a patch is pulled by pinning its four corners to target places, once with
/// bare one-point quadrature and once with the stabilisation.
///
/// The paper shows a picture. Here the picture becomes a number: the root mean square of what
/// one-point quadrature does not see (the spread of edge derivatives within a cell), relative to
/// the strain. A smooth deformation has a spread of the order of the cell size, so that it vanishes
/// under refinement; hourglass modes do not.
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/solver.h"
#include "isochor/run/render.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

struct Patch {
  grid::Lattice lattice;
  lattice::Model model;
  std::vector<Vec3d> targets;
};

/// A unit square of n x n cells, one cell thick. Its corners are pulled outwards by half.
Patch make_patch(int n, bool stabilise, Context& context) {
  const double h = 1.0 / n;
  Patch patch;
  patch.lattice =
      grid::build_lattice(geometry::make_box({0, 0, 0}, {1, 1, h}, h), h, "patch", context.arena);
  const std::size_t cells = patch.lattice.cell_count();
  lattice::HoldSpec corners{.name = "corners"};
  for (std::size_t i = 0; i < patch.lattice.rest_positions.size(); ++i) {
    const Vec3d& x = patch.lattice.rest_positions[i];
    if (std::abs(x[0]) > 0.5 - 0.1 * h && std::abs(x[1]) > 0.5 - 0.1 * h) {
      corners.nodes.push_back(static_cast<std::int32_t>(i));
      patch.targets.push_back({1.5 * x[0], 1.5 * x[1], x[2]});
    }
  }
  patch.model = lattice::build_model({{.name = "patch",
                                       .lattice = patch.lattice,
                                       .mu = std::vector<double>(cells, 1e4),
                                       .lambda = std::vector<double>(cells, 1.5e4),
                                       .holds = {corners}}},
                                     {.stabilise = stabilise, .newton = {.max_iterations = 1000}});
  return patch;
}

/// Root mean square of the spread over that of the strain F - I.
double hourglass_content(const lattice::Model& model, std::span<const Vec3d> positions) {
  double spread = 0, strain = 0;
  for (const std::int32_t cell : model.cells) {
    const lattice::Block& block = model.blocks[cell / 8];
    Vec3d x[8];
    for (int c = 0; c < 8; ++c) x[c] = positions[model.corner(cell, c)];
    const Mat3d F = lattice::deformation_gradient(x, 1 / block.h);
    const double volume = block.h * block.h * block.h;
    spread += lattice::stabilisation_energy(x, F, block.h, 1.0) / volume;
    const Mat3d E = F - Mat3d::identity();
    strain += contract(E, E);
  }
  return std::sqrt(spread / strain);
}

/// The lattice itself as the surface, so that the picture shows what its nodes do.
void draw(const Patch& patch, std::span<const Vec3d> positions, bool stabilise,
          const std::filesystem::path& folder, Context& context) {
  files::BodyTopology body{.name = "patch", .rest_nodes = patch.lattice.rest_positions};
  files::BodyFrame shape;
  shape.nodes.assign(positions.begin(), positions.end());
  shape.vertices = shape.nodes;
  body.surface.positions = body.rest_nodes;
  for (const std::int32_t cell : patch.model.cells) {
    constexpr int kFaces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    std::array<std::int32_t, 8> corners;
    for (int c = 0; c < 8; ++c) corners[c] = patch.model.corner(cell, c);
    body.cells.push_back(corners);
    for (const auto& face : kFaces) {
      body.surface.add_face(
          std::array{corners[face[0]], corners[face[1]], corners[face[2]], corners[face[3]]});
    }
  }
  const files::Topology topology{{body}};
  const files::Frame frame{.bodies = {shape}};
  const run::RenderOptions options{.width = 900,
                                   .height = 900,
                                   .show_lattice = true,
                                   .camera_direction = Vec3d{0, 0, 1},
                                   .ground = false,
                                   .caption = stabilise ? "stabilised" : "one-point quadrature"};
  make_directory(folder);
  write_file_atomic(
      folder / fmt::format("mcadams_hourglass_{}.png", stabilise ? "stabilised" : "bare"),
      encode_png(run::render(topology, frame, options, std::nullopt, context.arena)));
}

}  // namespace

std::vector<Row> mcadams_hourglass(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  for (const bool stabilise : {false, true}) {
    std::optional<double> coarser;
    for (const int n : {8, 16, 32}) {
      // Bare quadrature has no unique equilibrium to converge to; it takes its time.
      if (!stabilise && n > 16 && !options.full) continue;
      const Patch patch = make_patch(n, stabilise, context);
      lattice::State state{patch.model.rest_positions};
      lattice::Scratch scratch(patch.model);
      const lattice::StepReport report =
          lattice::advance(patch.model, state, {.held_positions = patch.targets}, scratch, context);
      Row row{.id = "mcadams/hourglass",
              .quantity = fmt::format("hourglass content, {0} x {0} cells", n),
              .variant = stabilise ? "stabilised" : "one-point",
              .source = "McAdams 2011, fig. 3 (a picture)",
              .unit = "rms spread / rms strain",
              .relation = stabilise ? Relation::AtMost : Relation::AtLeast,
              .bound = stabilise ? 0.5 : 2.0};
      if (!report.converged()) {
        row.note =
            fmt::format("no equilibrium: {} (residual {:.1e})", text(report.end), report.residual);
        rows.push_back(std::move(row));
        continue;
      }
      row.ours = hourglass_content(patch.model, state.positions);
      row.note =
          fmt::format("{} Newton, {} CG iterations", report.iterations, report.krylov_iterations);
      rows.push_back(row);
      if (stabilise && coarser) {
        rows.push_back(
            {.id = row.id,
             .quantity = fmt::format("content at {} over content at {} cells", n, n / 2),
             .variant = row.variant,
             .source = row.source,
             .ours = *row.ours / *coarser,
             .relation = Relation::Below,
             .bound = 1.0,
             .note = "falls with refinement; slowly, for pinned corners are point loads"});
      }
      coarser = row.ours;
      if (n == 16 && !options.pictures.empty()) {
        draw(patch, state.positions, stabilise, options.pictures, context);
      }
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
