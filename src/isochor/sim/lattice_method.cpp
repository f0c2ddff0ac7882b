#include "isochor/sim/lattice_method.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isochor/lattice/fields.h"
#include "isochor/lattice/operator.h"
#include "isochor/sim/motion.h"

namespace isochor::sim {
namespace {

lattice::Params params_of(const MethodSpec& method) {
  return {.stabilise = method.stabilise,
          .always_definite = method.variant == "paper",
          .definiteness = method.definiteness == "none"       ? materials::Definiteness::None
                          : method.definiteness == "absolute" ? materials::Definiteness::Absolute
                                                              : materials::Definiteness::Clamp,
          .newton = method.newton};
}

/// The model, with topology, embeddings, triangles and painted fields filled on the way.
lattice::Model build(const SceneSpec& scene, Context& context, files::Topology& topology,
                     std::vector<grid::Embedding>& embeddings,
                     std::vector<std::vector<geometry::Triangle>>& triangles,
                     std::vector<std::vector<CellField>>& painted) {
  std::vector<lattice::BodySpec> bodies;
  for (const BodySpec& spec : scene.bodies) {
    Body body = build_body(spec, scene.file, context);
    files::BodyTopology shape{.name = spec.name,
                              .rest_nodes = body.lattice.rest_positions,
                              .cells = {},
                              .surface = body.surface};
    body.lattice.for_each_cell([&](std::size_t b, int lane) {
      std::array<std::int32_t, 8> cell;
      for (int c = 0; c < 8; ++c) {
        cell[c] = body.lattice.blocks[b].nodes[grid::block_node(lane, c)];
      }
      shape.cells.push_back(cell);
    });
    embeddings.push_back(
        grid::embed(body.lattice, body.surface.positions, body.lattice.vertex_cells));
    triangles.push_back(std::move(body.triangles));
    painted.push_back(std::move(body.fields));
    topology.bodies.push_back(std::move(shape));
    bodies.push_back(std::move(body.spec));
  }
  return lattice::build_model(bodies, params_of(scene.method));
}

files::Field make_field(std::string name, std::string unit, files::Support support,
                        std::span<const double> values) {
  files::Field field{.name = std::move(name), .unit = std::move(unit), .support = support};
  field.values.assign(values.begin(), values.end());
  return field;
}

files::Field displacement(files::Support support, std::span<const Vec3d> now,
                          std::span<const Vec3d> rest) {
  files::Field field{.name = "displacement", .unit = "m", .support = support, .components = 3};
  field.values.reserve(3 * now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (int a = 0; a < 3; ++a) field.values.push_back(static_cast<float>(now[i][a] - rest[i][a]));
  }
  return field;
}

}  // namespace

LatticeMethod::LatticeMethod(const SceneSpec& scene, Context& context)
    : context_(context),
      gravity_(scene.world.gravity),
      bodies_(scene.bodies),
      model_(build(scene, context, topology_, embeddings_, triangles_, painted_)),
      state_{model_.rest_positions},
      scratch_(model_) {
  std::size_t hold = 0;
  for (const BodySpec& body : scene.bodies) {
    for (const HoldSpec& spec : body.holds) {
      const auto& nodes = model_.holds[hold++].nodes;
      Driver driver{.spec = spec};
      for (const std::int32_t n : nodes) driver.center += model_.rest_positions[n];
      driver.center *= 1.0 / static_cast<double>(nodes.size());
      drivers_.push_back(std::move(driver));
    }
  }
  held_positions_.resize(summary().held_nodes);
}

Summary LatticeMethod::summary() const {
  Summary result{.cells = model_.cells.size(), .nodes = model_.node_count()};
  for (const lattice::Hold& hold : model_.holds) result.held_nodes += hold.nodes.size();
  result.mass = std::accumulate(model_.mass.begin(), model_.mass.end(), 0.0);
  for (std::size_t b = 0; b < topology_.bodies.size(); ++b) {
    const auto& positions = topology_.bodies[b].surface.positions;
    result.surface_vertices += positions.size();
    result.volume += std::abs(geometry::enclosed_volume(positions, triangles_[b]));
  }
  result.memory = lattice::bytes_allocated(model_, state_, scratch_);
  return result;
}

Vec3d LatticeMethod::gravity_at(double time) const {
  return gravity_ * std::clamp(1 + time, 0.0, 1.0);
}

std::vector<double> LatticeMethod::activations_at(double time) const {
  std::vector<double> result;
  for (const BodySpec& body : bodies_) result.push_back(activation_at(body, time));
  return result;
}

solve::NewtonReport LatticeMethod::advance(double time) {
  std::size_t next = 0;
  for (std::size_t h = 0; h < drivers_.size(); ++h) {
    const Pose pose = pose_at(drivers_[h].spec, time);
    for (const std::int32_t n : model_.holds[h].nodes) {
      held_positions_[next++] = pose(model_.rest_positions[n], drivers_[h].center);
    }
  }
  const std::vector<double> activations = activations_at(time);
  const solve::NewtonReport report = lattice::advance(
      model_, state_, {gravity_at(time), held_positions_, activations}, scratch_, context_);
  if (report.converged()) time_ = time;
  return report;
}

Snapshot LatticeMethod::snapshot() const {
  Snapshot result;
  const std::span<const Vec3d> positions = state_.positions;
  const std::vector<double> activations = activations_at(time_);
  const lattice::Configuration at(positions, activations);
  const lattice::CellFields cells = lattice::cell_fields(model_, at, context_.arena);

  Measures& m = result.measures;
  std::vector<double> block_energy(model_.blocks.size());
  m.elastic_energy = lattice::elastic_energy(model_, at, block_energy, context_.arena);
  const Vec3d gravity = gravity_at(time_);
  for (std::size_t n = 0; n < positions.size(); ++n) {
    m.gravity_energy -= model_.mass[n] * dot(gravity, positions[n] - model_.rest_positions[n]);
  }
  m.min_j = *std::min_element(cells.J.begin(), cells.J.end());
  for (const double j : cells.J) {
    m.worst_cell_volume_error = std::max(m.worst_cell_volume_error, std::abs(j - 1));
    m.inverted_cells += j <= 0;
  }
  const auto reactions = lattice::reactions(model_, at, gravity, context_.arena);
  for (std::size_t h = 0; h < reactions.size(); ++h) {
    m.reactions.push_back({model_.holds[h].name, reactions[h].force, reactions[h].moment});
  }

  struct Quantity {
    const char *name, *unit;
    const std::vector<double>* per_cell;
    std::vector<double> per_node;
  };
  std::array<Quantity, 3> quantities{{{"J", "", &cells.J, {}},
                                      {"pressure", "Pa", &cells.pressure, {}},
                                      {"von_mises", "Pa", &cells.von_mises, {}}}};
  for (Quantity& q : quantities) q.per_node = lattice::to_nodes(model_, *q.per_cell);

  double volume = 0, rest_volume = 0;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const lattice::BodyRange& range = model_.bodies[b];
    const files::BodyTopology& topology = topology_.bodies[b];
    files::BodyFrame frame;
    const auto nodes = positions.subspan(range.first_node, range.node_count);
    frame.nodes.assign(nodes.begin(), nodes.end());
    frame.vertices.resize(topology.surface.positions.size());
    embeddings_[b].interpolate(nodes, frame.vertices);
    volume += std::abs(geometry::enclosed_volume(frame.vertices, triangles_[b]));
    rest_volume += std::abs(geometry::enclosed_volume(topology.surface.positions, triangles_[b]));

    frame.fields.push_back(displacement(files::Support::Node, frame.nodes, topology.rest_nodes));
    frame.fields.push_back(
        displacement(files::Support::Vertex, frame.vertices, topology.surface.positions));
    std::vector<double> at_vertices(frame.vertices.size());
    for (const Quantity& q : quantities) {
      frame.fields.push_back(
          make_field(q.name, q.unit, files::Support::Cell,
                     std::span(*q.per_cell).subspan(range.first_cell, range.cell_count)));
      embeddings_[b].interpolate(
          std::span<const double>(q.per_node).subspan(range.first_node, range.node_count),
          at_vertices);
      frame.fields.push_back(make_field(q.name, q.unit, files::Support::Vertex, at_vertices));
    }
    for (const CellField& painted : painted_[b]) {
      frame.fields.push_back(make_field(painted.name, "", files::Support::Cell, painted.values));
    }
    result.bodies.push_back(std::move(frame));
  }
  m.volume_error = volume / rest_volume - 1;
  return result;
}

void LatticeMethod::save(files::ByteWriter& writer) const {
  writer.put(time_);
  writer.put(state_.positions);
}

void LatticeMethod::load(files::ByteReader& reader) {
  const double time = reader.get<double>();
  std::vector<Vec3d> positions = reader.get_vector<Vec3d>();
  if (positions.size() != model_.node_count()) {
    reader.fail("it holds another number of nodes than the scene");
  }
  time_ = time;
  state_.positions = std::move(positions);
}

std::unique_ptr<Method> make_method(const SceneSpec& scene, Context& context) {
  return std::make_unique<LatticeMethod>(scene, context);
}

}  // namespace isochor::sim
