#include "isochor/lattice/surfaces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "isochor/base/error.h"
#include "isochor/grid/facet_points.h"
#include "isochor/lattice/cell_weights.h"
#include "isochor/lattice/model.h"

namespace isochor::lattice {
namespace {

/// Of the penalty on gaps, in units of mu / h: docs/loads.md measures it.
constexpr double kPenalty = 10;

void add(const grid::SurfaceFacet& facet, PressurePart& part) {
  grid::integrate(facet, [&](const Vec3d& at, const Vec3d& area) {
    const CellWeights w(at);
    int pair = 0;
    for (int i = 0; i < 8; ++i) {
      for (int j = i + 1; j < 8; ++j, ++pair) {
        const double turn = dot(cross(w.gradient[i], w.gradient[j]), area);
        for (int c = 0; c < 8; ++c) part.pairs[c][pair] += w.value[c] * turn;
      }
    }
  });
}

void add(const grid::SurfaceFacet& facet, double h, HeldPart& part) {
  grid::integrate(facet, [&](const Vec3d& at, const Vec3d& area) {
    const CellWeights w(at);
    const double size = norm(area);
    for (int c = 0; c < 8; ++c) {
      part.normals[c] += (h * h * w.value[c]) * area;
      for (int d = 0; d < 8; ++d) part.overlaps[c][d] += h * h * w.value[c] * w.value[d] * size;
    }
  });
}

/// A facet on its way to its cell.
struct Piece {
  std::int32_t tile, cell;  ///< as an entry of Model::cells
  bool held;
  std::int32_t number;  ///< of the load or the hold
  const grid::SurfaceFacet* facet;
  const grid::CutCell* cut;  ///< of the cell, or null
};

std::vector<Piece> sorted_pieces(const std::vector<BodySpec>& bodies, const Model& model) {
  std::vector<std::int32_t> tile_of(model.groups.size());
  for (std::size_t t = 0; t + 1 < model.tile_starts.size(); ++t) {
    std::fill(tile_of.begin() + model.tile_starts[t], tile_of.begin() + model.tile_starts[t + 1],
              static_cast<std::int32_t>(t));
  }
  std::vector<Piece> pieces;
  std::int32_t load = 0, hold = 0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto add_all = [&](const std::vector<grid::SurfaceFacet>& facets, bool held,
                             std::int32_t number) {
      const std::vector<grid::CutCell>& cuts = bodies[b].lattice.cut_cells;
      for (const grid::SurfaceFacet& facet : facets) {
        const auto cut = std::ranges::lower_bound(cuts, facet.cell, {}, &grid::CutCell::cell);
        const bool is_cut = cut != cuts.end() && cut->cell == facet.cell;
        const std::int32_t cell = model.cells[model.bodies[b].first_cell + facet.cell];
        pieces.push_back({tile_of[cell / 8 / kGroupBlocks], cell, held, number, &facet,
                          is_cut ? &*cut : nullptr});
      }
    };
    for (const PressureSpec& spec : bodies[b].pressures) add_all(spec.facets, false, load++);
    for (const HeldSurfaceSpec& spec : bodies[b].held_surfaces) add_all(spec.facets, true, hold++);
  }
  std::ranges::stable_sort(
      pieces, {}, [](const Piece& p) { return std::tuple(p.tile, p.cell, p.held, p.number); });
  return pieces;
}

/// `cut` has the points of the cell, or is null.
SurfaceCell make_cell(const Model& model, std::int32_t cell, const grid::CutCell* cut) {
  SurfaceCell out{.cell = cell, .nodes = {}};
  for (int c = 0; c < 8; ++c) out.nodes[c] = model.corner(cell, c);
  out.h = model.blocks[cell / 8].h;
  const GroupModuli& moduli = model.moduli[cell / (8 * kGroupBlocks)];
  out.volume = moduli.fill[cell % 8][cell / 8 % kGroupBlocks] * out.h * out.h * out.h;
  out.penalty = kPenalty * model.mu(cell) / out.h;
  if (cut) out.volume = cut->fraction * out.h * out.h * out.h;
  out.points = cut ? kCutPoints : 1;
  for (int q = 0; q < out.points; ++q) {
    const CellWeights w(cut ? cut->points[q] : Vec3d{0.5, 0.5, 0.5});
    for (int c = 0; c < 8; ++c) out.slopes[q][c] = w.gradient[c] * (1 / out.h);
  }
  return out;
}

/// What a held part does to a rigid motion of its cell, and the normal part of what elasticity
/// does, about the middle of its area.
solve::Spring stand_in(const Model& model, const SurfaceCell& cell, const HeldPart& part,
                       const Mat3d& components) {
  solve::Spring spring{.terms = {}, .stiffness = Mat3d::zero()};
  double area = 0;
  Vec3d normal{0, 0, 0};
  double parts[8];
  for (int c = 0; c < 8; ++c) {
    parts[c] = 0;
    for (int d = 0; d < 8; ++d) parts[c] += part.overlaps[c][d];
    area += parts[c];
    normal += part.normals[c];
  }
  for (int c = 0; c < 8; ++c) spring.terms.push_back({cell.nodes[c], parts[c] / area});
  const double mu = model.mu(cell.cell), lambda = std::max(0.0, model.lambda(cell.cell));
  const double across = area * area / cell.volume;
  Mat3d stiffness = Mat3d::identity() * (area * cell.penalty + across * mu);
  for (int j = 0; j < 3; ++j) {
    stiffness.column[j] += (across * (mu + lambda) / (area * area) * normal[j]) * normal;
  }
  spring.stiffness = components * stiffness * components;
  return spring;
}

}  // namespace

Mat3d held_components(Slide slide, const Vec3d& direction) {
  if (slide == Slide::None) return Mat3d::identity();
  Mat3d along;
  for (int j = 0; j < 3; ++j) along.column[j] = direction[j] * direction;
  return slide == Slide::InPlane ? along : Mat3d::identity() - along;
}

Surfaces build_surfaces(const std::vector<BodySpec>& bodies, Model& model) {
  Surfaces out;
  std::vector<Vec3d> directions;
  for (const BodySpec& body : bodies) {
    for (const PressureSpec& spec : body.pressures) {
      out.pressures.push_back(body.name + "." + spec.name);
    }
    for (const HeldSurfaceSpec& spec : body.held_surfaces) {
      out.holds.push_back({.name = body.name + "." + spec.name, .slide = spec.slide});
      directions.push_back(spec.direction);
    }
  }
  const std::vector<Piece> pieces = sorted_pieces(bodies, model);
  out.tile_first.assign(model.tile_starts.size(), 0);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const Piece& piece = pieces[k];
    const bool new_cell = k == 0 || pieces[k - 1].cell != piece.cell;
    if (new_cell) {
      out.cells.push_back(make_cell(model, piece.cell, piece.cut));
      SurfaceCell& cell = out.cells.back();
      cell.first_pressure = cell.pressure_end =
          static_cast<std::int32_t>(out.pressure_parts.size());
      cell.first_held = cell.held_end = static_cast<std::int32_t>(out.held_parts.size());
      ++out.tile_first[piece.tile + 1];
    }
    SurfaceCell& cell = out.cells.back();
    const bool new_part =
        new_cell || pieces[k - 1].held != piece.held || pieces[k - 1].number != piece.number;
    if (piece.held) {
      if (new_part) out.held_parts.push_back(HeldPart{.hold = piece.number});
      cell.held_end = static_cast<std::int32_t>(out.held_parts.size());
      if (cell.held_end - cell.first_held > kMostHolds) {
        throw Error(Fault::Input, out.holds[piece.number].name,
                    "shares a cell with too many other held surfaces",
                    "hold with fewer, or make cells smaller");
      }
      add(*piece.facet, cell.h, out.held_parts.back());
    } else {
      if (new_part) out.pressure_parts.push_back(PressurePart{.load = piece.number});
      cell.pressure_end = static_cast<std::int32_t>(out.pressure_parts.size());
      add(*piece.facet, out.pressure_parts.back());
    }
  }
  for (std::size_t t = 1; t < out.tile_first.size(); ++t)
    out.tile_first[t] += out.tile_first[t - 1];

  std::vector<solve::Spring> springs;
  std::vector<double> areas(out.holds.size(), 0);
  for (const SurfaceCell& cell : out.cells) {
    for (std::int32_t k = cell.first_held; k < cell.held_end; ++k) {
      const HeldPart& part = out.held_parts[k];
      HeldSurface& hold = out.holds[part.hold];
      springs.push_back(
          stand_in(model, cell, part, held_components(hold.slide, directions[part.hold])));
      constexpr double kEpsilon = 16 * std::numeric_limits<double>::epsilon();
      model.rounding_stiffness =
          std::max(model.rounding_stiffness, kEpsilon * trace(springs.back().stiffness));
      for (int c = 0; c < 8; ++c) {
        for (int d = 0; d < 8; ++d) {
          hold.center += part.overlaps[c][d] * model.rest_positions[cell.nodes[c]];
          areas[part.hold] += part.overlaps[c][d];
        }
      }
    }
  }
  for (std::size_t h = 0; h < areas.size(); ++h) out.holds[h].center *= 1 / areas[h];
  out.springs = build_springs(springs);
  return out;
}

std::vector<double> nodal_areas(const grid::Lattice& lattice,
                                std::span<const grid::SurfaceFacet> facets) {
  std::vector<double> areas(lattice.rest_positions.size(), 0);
  const auto nodes = lattice.cell_nodes();
  for (const grid::SurfaceFacet& facet : facets) {
    grid::integrate(facet, [&](const Vec3d& at, const Vec3d& area) {
      const CellWeights w(at);
      const double size = lattice.spacing * lattice.spacing * norm(area);
      for (int c = 0; c < 8; ++c) areas[nodes[facet.cell][c]] += size * w.value[c];
    });
  }
  return areas;
}

std::size_t Surfaces::bytes() const {
  const auto sum = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  return sum(pressures, holds, cells, tile_first, pressure_parts, held_parts, springs.first,
             springs.terms, springs.stiffness, springs.nodes, springs.node_first, springs.pulls);
}

}  // namespace isochor::lattice
