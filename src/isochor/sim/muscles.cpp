#include "isochor/sim/muscles.h"

#include <algorithm>
#include <cmath>

#include "isochor/grid/solid_shares.h"
#include "isochor/materials/material_spec.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/tissues.h"

namespace isochor::sim {
namespace {

/// Shares below this make no cell part of a muscle.
constexpr double kLeastShare = 0.01;

/// What a muscle has of a cell.
struct Part {
  std::int32_t cell = 0;
  double share = 0;  ///< of the cell's material
  Vec3d centroid;    ///< of the muscle in the cell, m
  Vec3d place;       ///< the same in the cell, from 0 to 1
};

/// A muscle on its way into a body.
struct Placed {
  const MuscleSpec& spec;
  materials::Material material;
  anatomy::FibreField fibres;
  std::vector<Part> parts;
};

/// What every surface has of cells, in the order of Tissues::surfaces.
using Shares = std::vector<std::vector<grid::CellShare>>;

double volume_of(std::span<const grid::CellShare> shares, const Body& body) {
  double volume = 0;
  for (const grid::CellShare& s : shares) volume += std::min(s.fraction, body.spec.fill[s.cell]);
  return volume * std::pow(body.lattice.spacing, 3);
}

/// Settles overlaps, and adds the parts of the body.
Shares divide_body(const BodySpec& spec, const Tissues& tissues, Context& context, Body& body) {
  const std::vector<std::size_t> order = tissues.precedence();
  std::vector<grid::SolidSurface> solids;
  for (const std::size_t s : order) {
    solids.push_back({tissues.surfaces[s].file.mesh.positions, tissues.surfaces[s].triangles});
  }
  Shares ordered = grid::shares_in_cells(body.lattice, solids, context.arena);
  std::vector<double> alone(order.size()), left(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) alone[order[k]] = volume_of(ordered[k], body);
  grid::give_to_first(body.lattice, solids, ordered, context.arena);
  Shares shares(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    left[order[k]] = volume_of(ordered[k], body);
    shares[order[k]] = std::move(ordered[k]);
  }
  body.parts = part_volumes(spec, tissues, alone, left,
                            {geometry::bounds_of_faces(body.surface), "cell"}, context);
  return shares;
}

std::vector<Part> parts_of(std::span<const grid::CellShare> shares, const Body& body) {
  std::vector<Part> parts;
  const auto nodes = body.lattice.cell_nodes();
  for (const grid::CellShare& s : shares) {
    const double fill = body.spec.fill[s.cell];
    if (!(s.fraction > kLeastShare * fill)) continue;
    const Vec3d low = body.lattice.rest_positions[nodes[s.cell][0]];
    parts.push_back({s.cell, std::min(1.0, s.fraction / fill), s.centroid,
                     (1 / body.lattice.spacing) * (s.centroid - low)});
  }
  return parts;
}

/// Of what is in each cell, from 0 to 1.
std::vector<Vec3d> centroids_of_cells(const grid::Lattice& lattice) {
  std::vector<Vec3d> centroids(lattice.cell_count(), Vec3d{0.5, 0.5, 0.5});
  for (const grid::CutCell& cut : lattice.cut_cells) {
    Vec3d& centroid = centroids[cut.cell];
    centroid = {0, 0, 0};
    for (const Vec3d& p : cut.points) centroid += 0.25 * p;
  }
  return centroids;
}

/// Gives a cell to a muscle.
void set_cell(const Placed& muscle, const Part& part, lattice::BodySpec& body) {
  const materials::Material& m = muscle.material;
  double &mu = body.mu[part.cell], &lambda = body.lambda[part.cell];
  // Pressures of both are the same, so that what adds up is compliance.
  const double compliance = part.share / m.kappa() + (1 - part.share) / (lambda + 2 * mu / 3);
  mu = part.share * m.mu + (1 - part.share) * mu;
  lambda = 1 / compliance - 2 * mu / 3;
  body.axes[part.cell] =
      materials::axes_along(muscle.fibres(part.centroid), muscle.spec.material.sheet);
  // Laws take the stiffness of fibres in multiples of mu.
  body.fibres[part.cell] = part.share * m.mu / mu;
  body.fibre_points[part.cell] = part.place;
}

}  // namespace

void add_tissues(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context,
                 Body& body) {
  const double spacing = body.lattice.spacing;
  const Tissues tissues = build_tissues(spec, spacing, scene_file, context);
  const Shares shares = divide_body(spec, tissues, context, body);
  if (spec.muscles.empty()) return;
  std::vector<anatomy::FibreField> fibres =
      muscle_fibres(spec, tissues, spacing, scene_file, context);
  std::vector<Placed> muscles;
  for (std::size_t m = 0; m < spec.muscles.size(); ++m) {
    const MuscleSpec& muscle = spec.muscles[m];
    muscles.push_back({.spec = muscle,
                       .material = materials::resolve(muscle.material),
                       .fibres = std::move(fibres[m]),
                       .parts = parts_of(shares[tissues.bones.size() + m], body)});
  }

  const std::size_t cells = body.lattice.cell_count();
  body.spec.cell_materials.assign(cells, 0);
  body.spec.fibres.assign(cells, 1);
  body.spec.fibre_points = centroids_of_cells(body.lattice);
  if (body.spec.axes.empty()) body.spec.axes.assign(cells, Mat3d::identity());
  // Per cell, the part of the muscle that has most of it.
  std::vector<const Part*> owned(cells, nullptr);
  for (std::size_t m = 0; m < muscles.size(); ++m) {
    body.spec.more_materials.push_back({muscles[m].material.law, muscles[m].material.shape});
    for (const Part& part : muscles[m].parts) {
      const Part*& best = owned[part.cell];
      if (!(part.share > kLeastShare) || (best && best->share > part.share)) continue;
      best = &part;
      body.spec.cell_materials[part.cell] = static_cast<std::uint8_t>(m + 1);
    }
  }
  CellField field{.name = "muscle", .values = std::vector<double>(cells, 0)};
  for (std::size_t c = 0; c < cells; ++c) {
    const int number = body.spec.cell_materials[c];
    if (number == 0) continue;
    set_cell(muscles[std::size_t(number - 1)], *owned[c], body.spec);
    field.values[c] = number;
  }
  for (std::size_t m = 0; m < muscles.size(); ++m) {
    if (std::ranges::find(body.spec.cell_materials, m + 1) != body.spec.cell_materials.end()) {
      continue;
    }
    throw nothing_left(muscles[m].spec, "cell");
  }
  body.fields.push_back(std::move(field));
}

}  // namespace isochor::sim
