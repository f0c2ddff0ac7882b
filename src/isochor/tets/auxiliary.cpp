#include "isochor/tets/auxiliary.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "isochor/grid/embedding.h"
#include "isochor/grid/sliver_cells.h"
#include "isochor/materials/registry.h"

namespace isochor::tets {
namespace {

using Rows = Auxiliary::Rows;

/// Where each tet's volume is counted: its centre, and half way from there to its corners.
constexpr int kSamples = 5;

/// A body's tets seen from the cells of a lattice around it.
struct CellContents {
  Rows tets;  ///< weights are volumes until normalised
  std::vector<double> mu, lambda;
  std::vector<std::uint8_t> material;
};

Rows transposed(const Rows& rows, std::size_t columns) {
  Rows out;
  out.first.assign(columns + 1, 0);
  for (const auto& term : rows.terms) ++out.first[term.index + 1];
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  out.terms.resize(rows.terms.size());
  std::vector<std::int32_t> next(out.first.begin(), out.first.end() - 1);
  for (std::size_t i = 0; i + 1 < rows.first.size(); ++i) {
    for (std::int32_t t = rows.first[i]; t < rows.first[i + 1]; ++t) {
      out.terms[next[rows.terms[t].index]++] = {std::int32_t(i), rows.terms[t].weight};
    }
  }
  return out;
}

double mean_edge(const Model& model, const BodyRange& body) {
  double sum = 0;
  for (std::int32_t t = body.first_tet; t < body.first_tet + body.tet_count; ++t) {
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) {
        const Vec3d edge =
            model.rest_positions[model.tets[t][b]] - model.rest_positions[model.tets[t][a]];
        sum += std::sqrt(dot(edge, edge));
      }
    }
  }
  return sum / (6.0 * body.tet_count);
}

/// The outside of a body's tets, by numbers within the body.
geometry::SurfaceMesh surface_of(const Model& model, const BodyRange& body) {
  geometry::SurfaceMesh surface;
  const auto first = model.rest_positions.begin() + body.first_node;
  surface.positions.assign(first, first + body.node_count);
  const std::span<const geometry::Tet> tets(model.tets);
  for (geometry::Triangle t :
       geometry::boundary_triangles(tets.subspan(body.first_tet, body.tet_count))) {
    for (std::int32_t& n : t) n -= body.first_node;
    surface.add_face(t);
  }
  return surface;
}

/// Tets by cells: volumes of their samples. Cells without any take what a neighbour has.
Rows tets_by_cell(const Model& model, const BodyRange& body, const grid::Lattice& lattice) {
  std::vector<Vec3d> points;
  points.reserve(std::size_t(kSamples) * body.tet_count);
  for (std::int32_t t = body.first_tet; t < body.first_tet + body.tet_count; ++t) {
    Vec3d centre{0, 0, 0};
    for (const std::int32_t n : model.tets[t]) centre += 0.25 * model.rest_positions[n];
    points.push_back(centre);
    for (const std::int32_t n : model.tets[t]) {
      points.push_back(0.5 * (centre + model.rest_positions[n]));
    }
  }
  const std::vector<std::int32_t> cells = grid::find_cells(lattice, points);
  Rows by_tet;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::int32_t tet = body.first_tet + std::int32_t(p / kSamples);
    by_tet.terms.push_back({cells[p], float(model.volume[tet] / kSamples)});
    if (p % kSamples == kSamples - 1) by_tet.first.push_back(std::int32_t(by_tet.terms.size()));
  }
  const Rows samples = transposed(by_tet, lattice.cell_count());
  // Those of one tet follow each other.
  Rows rows;
  for (std::size_t c = 0; c < lattice.cell_count(); ++c) {
    const std::size_t begin = rows.terms.size();
    for (std::int32_t k = samples.first[c]; k < samples.first[c + 1]; ++k) {
      const auto [tet, volume] = samples.terms[k];
      if (rows.terms.size() > begin && rows.terms.back().index == tet + body.first_tet) {
        rows.terms.back().weight += volume;
      } else {
        rows.terms.push_back({tet + body.first_tet, volume});
      }
    }
    rows.first.push_back(std::int32_t(rows.terms.size()));
  }
  return rows;
}

/// Fills rows that are empty with the terms of a neighbour that is not, ring by ring.
void fill_empty(Rows& rows, const grid::Lattice& lattice) {
  const std::vector<std::array<std::int32_t, 8>> corners = lattice.cell_nodes();
  std::vector<std::int32_t> donor(corners.size(), -1), of_node(lattice.rest_positions.size(), -1);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    if (rows.first[c] < rows.first[c + 1]) donor[c] = std::int32_t(c);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t c = 0; c < corners.size(); ++c) {
      if (donor[c] < 0) continue;
      for (const std::int32_t n : corners[c]) {
        if (of_node[n] < 0) of_node[n] = donor[c];
      }
    }
    for (std::size_t c = 0; c < corners.size(); ++c) {
      if (donor[c] >= 0) continue;
      for (const std::int32_t n : corners[c]) {
        if (donor[c] < 0 && of_node[n] >= 0) donor[c] = of_node[n], changed = true;
      }
    }
  }
  Rows filled;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    const std::int32_t from = donor[c] < 0 ? std::int32_t(c) : donor[c];
    filled.terms.insert(filled.terms.end(), rows.terms.begin() + rows.first[from],
                        rows.terms.begin() + rows.first[from + 1]);
    filled.first.push_back(std::int32_t(filled.terms.size()));
  }
  rows = std::move(filled);
}

CellContents contents_of(const Model& model, const BodyRange& body, const grid::Lattice& lattice) {
  CellContents contents{.tets = tets_by_cell(model, body, lattice), .mu = {}, .lambda = {}};
  Rows& rows = contents.tets;
  fill_empty(rows, lattice);
  std::vector<std::uint8_t> material_of(body.tet_count);
  for (const Batch& batch : model.batches) {
    for (std::int32_t t = batch.first; t < batch.first + batch.count; ++t) {
      if (t < body.first_tet || t >= body.first_tet + body.tet_count) continue;
      material_of[t - body.first_tet] = std::uint8_t(batch.material - body.first_material);
    }
  }
  for (std::size_t c = 0; c + 1 < rows.first.size(); ++c) {
    double mu = 0, lambda = 0, volume = 0;
    float most = 0;
    std::uint8_t material = 0;
    for (std::int32_t k = rows.first[c]; k < rows.first[c + 1]; ++k) {
      const auto& [tet, weight] = rows.terms[k];
      mu += weight * model.mu[tet];
      lambda += weight * model.lambda[tet];
      volume += weight;
      if (weight > most) most = weight, material = material_of[tet - body.first_tet];
    }
    for (std::int32_t k = rows.first[c]; k < rows.first[c + 1]; ++k) {
      rows.terms[k].weight = float(rows.terms[k].weight / volume);
    }
    contents.mu.push_back(mu / volume);
    contents.lambda.push_back(lambda / volume);
    contents.material.push_back(material);
  }
  return contents;
}

/// A law that a preconditioner may take for another: the same, or one without directions.
lattice::Material stand_in(const materials::Material& material) {
  if (materials::is_isotropic(material.law)) return {material.law, material.shape};
  return {materials::law_index("stable_neo_hookean"), {}};
}

/// How much a node resists, one third of the trace of its block of the stiffness matrix at rest,
/// N/m.
double node_stiffness(const Model& model, std::int32_t node) {
  double sum = 0;
  for (std::int32_t u = model.first_use[node]; u < model.first_use[node + 1]; ++u) {
    const std::int32_t t = model.uses[u] / 4;
    const int corner = model.uses[u] % 4;
    const Mat3d& G = model.gradient[t];
    Vec3d g{0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      const Vec3d row{G(k, 0), G(k, 1), G(k, 2)};
      if (corner == k + 1) g += row;
      if (corner == 0) g -= row;
    }
    const double mu = model.mu[t], lambda = model.lambda[t];
    sum += model.volume[t] * (4 * mu + lambda) / 3 * dot(g, g);
  }
  return sum;
}

void append(const Rows& from, Rows& to) {
  const std::int32_t before = to.first.back();
  to.terms.insert(to.terms.end(), from.terms.begin(), from.terms.end());
  for (std::size_t i = 1; i < from.first.size(); ++i) to.first.push_back(before + from.first[i]);
}

/// Those of the tets, on the nodes that their nodes ride on.
void add_springs(const Model& model, const Rows& to_tets, std::vector<solve::Spring>& to) {
  const solve::Springs& springs = model.springs;
  for (std::size_t s = 0; s < springs.count(); ++s) {
    std::map<std::int32_t, double> weights;
    for (std::int32_t t = springs.first[s]; t < springs.first[s + 1]; ++t) {
      const auto& [node, weight] = springs.terms[t];
      for (std::int32_t k = to_tets.first[node]; k < to_tets.first[node + 1]; ++k) {
        weights[to_tets.terms[k].index] += weight * double(to_tets.terms[k].weight);
      }
    }
    solve::Spring spring{.terms = {}, .stiffness = springs.stiffness[s]};
    for (const auto& [node, weight] : weights) spring.terms.push_back({node, weight});
    if (!spring.terms.empty()) to.push_back(std::move(spring));
  }
}

}  // namespace

Auxiliary::Auxiliary(const Model& model, ThreadArena& arena) {
  std::vector<lattice::BodySpec> specs;
  lattice::SpringGroupSpec ties{.name = "springs", .springs = {}};
  std::int32_t first_node = 0;
  for (const BodyRange& body : model.bodies) {
    if (body.tet_count == 0) {
      // Sheets: what smoothing leaves of their errors is left to conjugate gradients.
      to_tets.first.resize(to_tets.first.size() + body.node_count, to_tets.first.back());
      continue;
    }
    const geometry::SurfaceMesh surface = surface_of(model, body);
    lattice::BodySpec spec{.name = body.name, .lattice = {}};
    spec.lattice =
        grid::build_lattice(surface,
                            {.spacing = model.params.lattice_spacing * mean_edge(model, body),
                             .least_fraction = grid::kLeastFraction},
                            "body '" + body.name + "'", arena);
    CellContents contents = contents_of(model, body, spec.lattice);
    const std::size_t materials = body.first_material;
    for (std::size_t m = materials;
         m < model.materials.size() &&
         (&body == &model.bodies.back() || std::int32_t(m) < (&body)[1].first_material);
         ++m) {
      const lattice::Material material = stand_in(model.materials[m]);
      if (m > materials) {
        spec.more_materials.push_back(material);
      } else {
        spec.law = material.law;
        spec.shape = material.shape;
      }
    }
    spec.cell_materials = std::move(contents.material);
    spec.mu = std::move(contents.mu);
    spec.lambda = std::move(contents.lambda);
    spec.fill.assign(spec.lattice.fractions.begin(), spec.lattice.fractions.end());
    append(contents.tets, cell_tets);

    const std::span<const Vec3d> nodes =
        std::span(model.rest_positions).subspan(body.first_node, body.node_count);
    const grid::Embedding embedding = grid::embed(spec.lattice, nodes);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const std::int32_t node = body.first_node + std::int32_t(n);
      const bool held = model.held[node] && model.mass[node] > 0;
      solve::Spring tie;
      for (const auto& [index, weight] : embedding.weights(n)) {
        to_tets.terms.push_back({first_node + index, float(weight)});
        if (held) tie.terms.push_back({first_node + index, weight});
      }
      to_tets.first.push_back(std::int32_t(to_tets.terms.size()));
      if (!held) continue;
      const double k = node_stiffness(model, node);
      tie.stiffness = Mat3d::diagonal({k, k, k});
      ties.springs.push_back(std::move(tie));
    }
    first_node += std::int32_t(spec.lattice.rest_positions.size());
    specs.push_back(std::move(spec));
  }
  to_tets.first.resize(model.node_count() + 1, to_tets.first.back());  // of obstacles: none
  add_springs(model, to_tets, ties.springs);
  lattice::Params params{.preconditioner = lattice::Preconditioner::Multigrid};
  std::vector<lattice::SpringGroupSpec> groups;
  if (!ties.springs.empty()) groups.push_back(std::move(ties));
  lattice = lattice::build_model(specs, params, groups);
  to_lattice = transposed(to_tets, lattice.node_count());
  mass.assign(lattice.node_count(), 0);
  for (std::size_t i = 0; i < mass.size(); ++i) {
    for (std::int32_t t = to_lattice.first[i]; t < to_lattice.first[i + 1]; ++t) {
      mass[i] += to_lattice.terms[t].weight * model.mass[to_lattice.terms[t].index];
    }
  }
}

}  // namespace isochor::tets
