#include "isochor/tets/model.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/materials/registry.h"
#include "isochor/tets/auxiliary.h"

namespace isochor::tets {
namespace {

/// The inverse of the matrix with these columns, whose determinant is given.
Mat3d inverse(const Mat3d& A, double det) {
  const Vec3d r0 = cross(A.column[1], A.column[2]), r1 = cross(A.column[2], A.column[0]),
              r2 = cross(A.column[0], A.column[1]);
  return transpose(Mat3d{{r0, r1, r2}}) * (1 / det);
}

void check(const BodySpec& body) {
  const geometry::TetMesh& mesh = body.mesh;
  const auto fail = [&](std::string problem, std::string remedy) {
    throw Error(Fault::Input, fmt::format("body '{}'", body.name), std::move(problem),
                std::move(remedy));
  };
  if (mesh.tets.empty() && body.sheets.empty()) {
    fail("its mesh has no tets", "give it a mesh of tets, or a sheet");
  }
  for (const materials::Material& m : body.materials) {
    if (m.incompressible()) {
      fail("tets take no law with Poisson's ratio 0.5",
           "give a ratio below 0.5, and have volumes kept by one-rings or zones");
    }
  }
  std::size_t bad = 0, first = 0;
  for (std::size_t t = mesh.tets.size(); t-- > 0;) {
    const auto [a, b, c, d] = mesh.tets[t];
    double longest = 0;
    for (const std::int32_t n : {b, c, d}) {
      const Vec3d edge = mesh.positions[n] - mesh.positions[a];
      longest = std::max(longest, dot(edge, edge));
    }
    // Flat to rounding, or inside out.
    if (geometry::signed_volume(mesh, t) > 1e-12 * longest * std::sqrt(longest)) continue;
    ++bad;
    first = t;
  }
  if (bad > 0) {
    fail(fmt::format("{} of its tets are flat or inside out, the first is number {}", bad, first),
         "repair the mesh, or have it made by `isochor tetrahedralise`");
  }
}

void append_nodes(const BodySpec& body, Model& model) {
  model.rest_positions.insert(model.rest_positions.end(), body.mesh.positions.begin(),
                              body.mesh.positions.end());
  model.mass.resize(model.rest_positions.size(), 0);
  model.held.resize(model.rest_positions.size(), 0);
}

/// That of tet t of a body, where any body has such factors: of the last of `count` tets.
void append_factor(const std::vector<double>& of_body, std::size_t t, std::size_t count,
                   std::vector<double>& to) {
  if (of_body.empty() && to.empty()) return;
  to.resize(count - 1, 1.0);
  to.push_back(of_body.empty() ? 1 : of_body[t]);
}

/// Tets of one body, by material.
void append_tets(const BodySpec& body, BodyRange& range, Model& model) {
  const std::size_t count = body.mesh.tets.size();
  const auto material_of = [&](std::size_t t) {
    return body.tet_materials.empty() ? 0 : int(body.tet_materials[t]);
  };
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, material_of);
  const bool turned = std::ranges::any_of(
      body.materials, [](const auto& m) { return !materials::is_isotropic(m.law); });
  for (const std::int32_t t : order) {
    const materials::Material& material = body.materials[material_of(t)];
    geometry::Tet tet = body.mesh.tets[t];
    const Vec3d& x0 = body.mesh.positions[tet[0]];
    const Mat3d D{{body.mesh.positions[tet[1]] - x0, body.mesh.positions[tet[2]] - x0,
                   body.mesh.positions[tet[3]] - x0}};
    const double det = determinant(D);
    Mat3d Q = Mat3d::identity();
    if (!materials::is_isotropic(material.law)) {
      Q = body.axes.empty() ? material.axes : body.axes[t];
    }
    for (std::int32_t& n : tet) {
      n += range.first_node;
      model.mass[n] += material.density * det / 24;
    }
    const double factor = body.stiffness.empty() ? 1 : body.stiffness[t];
    model.tets.push_back(tet);
    model.source.push_back(t);
    model.volume.push_back(det / 6);
    model.mu.push_back(factor * (body.mu.empty() ? material.mu : body.mu[t]));
    model.lambda.push_back(factor * (body.lambda.empty() ? material.lambda : body.lambda[t]));
    model.gradient.push_back(inverse(D, det) * Q);
    if (turned || !model.axes.empty()) {
      model.axes.resize(model.tets.size() - 1, Mat3d::identity());
      model.axes.push_back(Q);
    }
    append_factor(body.activation, t, model.tets.size(), model.activation);
    append_factor(body.fibres, t, model.tets.size(), model.fibres);
    const std::int32_t place = std::int32_t(model.tets.size()) - 1;
    const std::int32_t number = range.first_material + material_of(t);
    if (model.batches.empty() || model.batches.back().material != number ||
        model.batches.back().count == kBatch) {
      model.batches.push_back({.first = place, .count = 0, .material = number});
    }
    ++model.batches.back().count;
  }
}

void append_sheets(const BodySpec& body, const BodyRange& range, Model& model) {
  for (const shells::SheetSpec& spec : body.sheets) {
    const std::size_t before = model.sheets.triangles.size();
    shells::append(spec, model.rest_positions, range.first_node,
                   fmt::format("body '{}'", body.name), model.sheets);
    for (std::size_t t = before; t < model.sheets.triangles.size(); ++t) {
      const shells::SheetTriangle& triangle = model.sheets.triangles[t];
      for (const std::int32_t n : triangle.points) {
        model.mass[n] += spec.density * triangle.volume / 3;
      }
    }
  }
}

void append_holds(const BodySpec& body, const BodyRange& range, Model& model) {
  for (const HoldSpec& spec : body.holds) {
    Hold hold{.name = body.name + "." + spec.name, .nodes = {}};
    for (const std::int32_t n : spec.nodes) {
      const std::int32_t node = range.first_node + n;
      if (model.held[node]) {
        throw Error(Fault::Input, hold.name,
                    fmt::format("node {} is in another hold already, or twice in this one", n),
                    "let holds select different nodes");
      }
      model.held[node] = 1;
      hold.nodes.push_back(node);
    }
    model.holds.push_back(std::move(hold));
  }
  for (const SlidingHoldSpec& spec : body.sliding) {
    SlidingHold hold{
        .name = body.name + "." + spec.name, .nodes = {}, .along_line = spec.along_line};
    for (const std::int32_t n : spec.nodes) {
      const std::int32_t node = range.first_node + n;
      if (model.held[node]) {
        throw Error(Fault::Input, hold.name,
                    fmt::format("node {} is in a hold that does not slide", n),
                    "leave it out of this one");
      }
      hold.nodes.push_back(node);
    }
    model.sliding.push_back(std::move(hold));
  }
}

void append_zones(const BodySpec& body, const BodyRange& range, Model& model) {
  if (body.zones.empty()) return;
  std::vector<std::int32_t> place(range.tet_count);
  for (std::int32_t t = 0; t < range.tet_count; ++t) {
    place[model.source[range.first_tet + t]] = range.first_tet + t;
  }
  Zones& zones = model.zones;
  std::vector<std::int32_t> last(range.tet_count, -1);
  for (const ZoneSpec& spec : body.zones) {
    const std::int32_t number = std::int32_t(zones.count());
    zones.names.push_back(body.name + "." + spec.name);
    const auto fail = [&](std::string problem) {
      throw Error(Fault::Input, zones.names.back(), std::move(problem),
                  "let the zone list tets of its body, each once");
    };
    if (spec.tets.empty()) fail("the zone has no tets");
    double volume = 0;
    for (const std::int32_t t : spec.tets) {
      if (t < 0 || t >= range.tet_count) fail(fmt::format("there is no tet {}", t));
      if (last[t] == number) fail(fmt::format("tet {} is listed twice", t));
      last[t] = number;
      zones.tets.push_back(place[t]);
      volume += model.volume[place[t]];
    }
    std::sort(zones.tets.begin() + zones.first.back(), zones.tets.end());
    zones.first.push_back(std::int32_t(zones.tets.size()));
    zones.volume.push_back(volume);
  }
}

void append_obstacles(std::vector<contact::Obstacle> obstacles, Model& model) {
  model.first_obstacle_node = model.node_count();
  model.obstacles = std::move(obstacles);
  std::size_t count = model.node_count();
  for (const contact::Obstacle& obstacle : model.obstacles) count += obstacle.vertex_count();
  model.rest_positions.resize(count, Vec3d{0, 0, 0});
  model.mass.resize(count, 0);
  model.held.resize(count, 1);
  place_obstacles(model, 0, std::span(model.rest_positions).subspan(model.first_obstacle_node));
}

void find_uses(Model& model) {
  model.first_use.assign(model.node_count() + 1, 0);
  for (const geometry::Tet& tet : model.tets) {
    for (const std::int32_t n : tet) ++model.first_use[n + 1];
  }
  std::partial_sum(model.first_use.begin(), model.first_use.end(), model.first_use.begin());
  model.uses.resize(4 * model.tets.size());
  std::vector<std::int32_t> next(model.first_use.begin(), model.first_use.end() - 1);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    for (int c = 0; c < 4; ++c) model.uses[next[model.tets[t][c]]++] = std::int32_t(4 * t) + c;
  }
}

/// Calls f(u, the points of its term) for the uses u of a node by sheets.
template <class Function>
void for_sheet_uses(const shells::Sheets& sheets, std::size_t node, Function&& f) {
  for (std::int32_t u = sheets.first_use[node]; u < sheets.first_use[node + 1]; ++u) {
    const std::size_t term = sheets.uses[u] / 4, triangles = sheets.triangles.size();
    f(u, term < triangles ? std::span<const std::int32_t>(sheets.triangles[term].points)
                          : std::span<const std::int32_t>(sheets.hinges[term - triangles].points));
  }
}

/// Calls f(node) for the nodes of all springs that pull at one, itself among them.
template <class Function>
void for_partners(const solve::Springs& springs, std::size_t node, Function&& f) {
  const auto found = std::ranges::lower_bound(springs.nodes, std::int32_t(node));
  if (found == springs.nodes.end() || *found != std::int32_t(node)) return;
  const std::size_t k = found - springs.nodes.begin();
  for (std::int32_t p = springs.node_first[k]; p < springs.node_first[k + 1]; ++p) {
    const std::int32_t s = springs.pulls[p].index;
    for (std::int32_t t = springs.first[s]; t < springs.first[s + 1]; ++t) {
      f(springs.terms[t].index);
    }
  }
}

void find_pattern(Model& model, ThreadArena& arena) {
  const std::size_t nodes = model.node_count();
  std::vector<std::vector<std::int32_t>> rows(nodes);
  parallel_for(arena, nodes, 256, [&](std::size_t i) {
    std::vector<std::int32_t>& row = rows[i];
    row.push_back(std::int32_t(i));
    for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
      const geometry::Tet& tet = model.tets[model.uses[u] / 4];
      row.insert(row.end(), tet.begin(), tet.end());
    }
    for_sheet_uses(model.sheets, i, [&](std::int32_t, std::span<const std::int32_t> points) {
      row.insert(row.end(), points.begin(), points.end());
    });
    for_partners(model.springs, i, [&](std::int32_t node) { row.push_back(node); });
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
  });
  solve::BlockPattern& pattern = model.pattern;
  for (const auto& row : rows) {
    pattern.columns.insert(pattern.columns.end(), row.begin(), row.end());
    pattern.first.push_back(std::int32_t(pattern.columns.size()));
  }
  model.mirrored.resize(pattern.columns.size());
  model.places.resize(model.uses.size());
  model.sheet_places.resize(model.sheets.uses.size());
  parallel_for(arena, nodes, 256, [&](std::size_t i) {
    for (std::int32_t k = pattern.first[i]; k < pattern.first[i + 1]; ++k) {
      const std::int32_t j = pattern.columns[k];
      const auto at = std::ranges::lower_bound(rows[j], std::int32_t(i));
      model.mirrored[k] = pattern.first[j] + std::int32_t(at - rows[j].begin());
    }
    for (std::int32_t u = model.first_use[i]; u < model.first_use[i + 1]; ++u) {
      const geometry::Tet& tet = model.tets[model.uses[u] / 4];
      for (int k = 0; k < 4; ++k) {
        const auto at = std::ranges::lower_bound(rows[i], tet[k]);
        model.places[u][k] = std::uint16_t(at - rows[i].begin());
      }
    }
    for_sheet_uses(model.sheets, i, [&](std::int32_t u, std::span<const std::int32_t> points) {
      for (std::size_t k = 0; k < points.size(); ++k) {
        const auto at = std::ranges::lower_bound(rows[i], points[k]);
        model.sheet_places[u][k] = std::uint16_t(at - rows[i].begin());
      }
    });
  });
}

/// Nodes of a mesh that nothing uses have no mass, and nothing to hold them.
void hold_unused(Model& model) {
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    if (!model.is_used(n)) model.held[n] = 1;
  }
}

void add_springs(const std::vector<SpringGroupSpec>& groups, Model& model) {
  std::vector<solve::Spring> all;
  for (const SpringGroupSpec& group : groups) {
    model.spring_groups.push_back(
        {group.name, std::int32_t(all.size()), std::int32_t(group.springs.size())});
    all.insert(all.end(), group.springs.begin(), group.springs.end());
  }
  model.springs = solve::build_springs(all);
}

void find_rounding(Model& model) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    const Mat3d& G = model.gradient[t];
    double square = 0;
    for (const Vec3d& column : G.column) square += dot(column, column);
    model.rounding_stiffness =
        std::max(model.rounding_stiffness,
                 kEpsilon * (2 * model.mu[t] + model.lambda[t]) * model.volume[t] * square);
  }
  for (const Mat3d& stiffness : model.springs.stiffness) {
    model.rounding_stiffness = std::max(model.rounding_stiffness, kEpsilon * trace(stiffness) / 3);
  }
  for (const shells::SheetTriangle& t : model.sheets.triangles) {
    double square = 0;
    for (const auto& g : t.gradients) square += g[0] * g[0] + g[1] * g[1];
    model.rounding_stiffness =
        std::max(model.rounding_stiffness,
                 kEpsilon * shells::modulus_of(model.sheets.laws[t.sheet]) * t.volume * square);
  }
}

void measure_free_sheets(Model& model) {
  constexpr double kSlack = 1e-3;
  double squared = 0;
  for (const shells::SheetTriangle& t : model.sheets.triangles) {
    const double modulus = shells::modulus_of(model.sheets.laws[t.sheet]) * t.volume;
    for (int c = 0; c < 3; ++c) {
      if (!model.is_free_sheet(t.points[c])) continue;
      const auto& [along, across] = t.gradients[c];
      const double slope = along * along + across * across;
      squared += kSlack * modulus * kSlack * modulus * slope;
      model.sheet_stiffness += modulus * slope;
    }
  }
  model.slack_force = std::sqrt(squared);
  double count = 0;
  for (std::size_t n = 0; n < model.node_count(); ++n) count += model.is_free_sheet(n);
  // What is held somewhere does not drift.
  const bool drifts = std::ranges::any_of(model.bodies, [&](const BodyRange& body) {
    const std::span held = std::span(model.held).subspan(body.first_node, body.node_count);
    return body.tet_count == 0 && std::ranges::none_of(held, [](std::uint8_t h) { return h != 0; });
  });
  model.sheet_stiffness = drifts ? model.sheet_stiffness / count : 0;
}

}  // namespace

std::int32_t Model::place_of(std::size_t row, std::int32_t column) const {
  const auto first = pattern.columns.begin() + pattern.first[row];
  const auto last = pattern.columns.begin() + pattern.first[row + 1];
  return std::int32_t(std::lower_bound(first, last, column) - pattern.columns.begin());
}

double Model::stiffness_damping() const {
  double largest = 0;
  for (const BodyRange& body : bodies) largest = std::max(largest, body.stiffness_damping);
  return largest;
}

std::size_t Model::held_count() const {
  std::size_t count = 0;
  for (const Hold& hold : holds) count += hold.nodes.size();
  return count;
}

std::size_t Model::sliding_count() const {
  std::size_t count = 0;
  for (const SlidingHold& hold : sliding) count += hold.nodes.size();
  return count;
}

std::vector<std::uint8_t> Model::is_held_at_all() const {
  std::vector<std::uint8_t> out = held;
  for (const SlidingHold& hold : sliding) {
    for (const std::int32_t n : hold.nodes) out[n] = 1;
  }
  return out;
}

void place_obstacles(const Model& model, double time, std::span<Vec3d> obstacle_nodes) {
  std::size_t first = 0;
  for (const contact::Obstacle& obstacle : model.obstacles) {
    obstacle.place(time, obstacle_nodes.subspan(first, obstacle.vertex_count()));
    first += obstacle.vertex_count();
  }
}

Model build_model(const std::vector<BodySpec>& bodies, const Params& params, ThreadArena& arena,
                  const std::vector<SpringGroupSpec>& springs,
                  std::vector<contact::Obstacle> obstacles) {
  Model model{.params = params};
  for (const BodySpec& body : bodies) {
    check(body);
    BodyRange range{.name = body.name,
                    .first_node = std::int32_t(model.node_count()),
                    .node_count = std::int32_t(body.mesh.positions.size()),
                    .first_tet = std::int32_t(model.tets.size()),
                    .tet_count = std::int32_t(body.mesh.tets.size()),
                    .first_material = std::int32_t(model.materials.size()),
                    .mass_damping = body.mass_damping,
                    .stiffness_damping = body.stiffness_damping};
    model.materials.insert(model.materials.end(), body.materials.begin(), body.materials.end());
    append_nodes(body, model);
    append_tets(body, range, model);
    append_sheets(body, range, model);
    append_holds(body, range, model);
    append_zones(body, range, model);
    model.bodies.push_back(std::move(range));
  }
  append_obstacles(std::move(obstacles), model);
  if (!model.axes.empty()) model.axes.resize(model.tets.size(), Mat3d::identity());
  for (auto* factors : {&model.activation, &model.fibres}) {
    if (!factors->empty()) factors->resize(model.tets.size(), 1.0);
  }
  find_uses(model);
  shells::find_uses(model.sheets, model.node_count());
  add_springs(springs, model);
  find_pattern(model, arena);
  hold_unused(model);
  complete_zones(model);
  find_rounding(model);
  measure_free_sheets(model);
  if (params.preconditioner == Preconditioner::Lattice && !model.tets.empty()) {
    model.auxiliary = std::make_shared<const Auxiliary>(model, arena);
  }
  return model;
}

std::size_t bytes_allocated(const Model& model) {
  const auto bytes = [](const auto&... v) {
    return (... + (v.capacity() * sizeof(typename std::remove_cvref_t<decltype(v)>::value_type)));
  };
  return bytes(model.batches, model.tets, model.source, model.volume, model.mu, model.lambda,
               model.activation, model.fibres, model.gradient, model.axes, model.first_use,
               model.uses, model.places, model.mirrored, model.sheet_places, model.rest_positions,
               model.mass, model.held) +
         model.pattern.bytes() + model.sheets.bytes();
}

}  // namespace isochor::tets
