#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "isochor/contact/contact_report.h"
#include "isochor/files/frame.h"
#include "isochor/sim/method.h"
#include "isochor/sim/painting.h"

/// What a method says about a state in frames and diagnostics.
namespace isochor::sim {

files::Field make_field(std::string name, std::string unit, files::Support support,
                        std::span<const double> values);
files::Field displacement(files::Support support, std::span<const Vec3d> now,
                          std::span<const Vec3d> rest);

/// A quantity on the cells of a body, with means around its nodes.
struct Quantity {
  const char *name, *unit;
  std::span<const double> per_cell, per_node;
};

/// A frame of a body from its nodes, and from the embedding that its surface rides on.
template <class Embedding>
files::BodyFrame make_body_frame(const files::BodyTopology& topology, std::span<const Vec3d> nodes,
                                 const Embedding& embedding, std::span<const Quantity> quantities,
                                 std::span<const CellField> painted) {
  files::BodyFrame frame;
  frame.nodes.assign(nodes.begin(), nodes.end());
  frame.vertices.resize(topology.surface.positions.size());
  embedding.interpolate(nodes, frame.vertices);
  frame.fields.push_back(displacement(files::Support::Node, frame.nodes, topology.rest_nodes));
  frame.fields.push_back(
      displacement(files::Support::Vertex, frame.vertices, topology.surface.positions));
  std::vector<double> at_vertices(frame.vertices.size());
  for (const Quantity& q : quantities) {
    frame.fields.push_back(make_field(q.name, q.unit, files::Support::Cell, q.per_cell));
    embedding.interpolate(q.per_node, at_vertices);
    // A smooth interpolation overshoots: stresses below zero, and colour scales that show them.
    const auto [least, most] = std::ranges::minmax(q.per_node);
    for (double& value : at_vertices) value = std::clamp(value, least, most);
    frame.fields.push_back(make_field(q.name, q.unit, files::Support::Vertex, at_vertices));
  }
  for (const CellField& field : painted) {
    frame.fields.push_back(make_field(field.name, "", files::Support::Cell, field.values));
  }
  return frame;
}

/// Moves a body, and what its fields say about where it is.
void move(files::BodyFrame& frame, const Vec3d& offset);

/// With what counts only where bodies may touch each other and themselves, or meet obstacles.
ContactMeasures measures_of(const contact::ContactReport& report, double reach, bool self_contact,
                            bool with_obstacles = false);

/// The worst of the volume ratios of all cells.
void add_volume_ratios(std::span<const double> J, Measures& measures);

}  // namespace isochor::sim
