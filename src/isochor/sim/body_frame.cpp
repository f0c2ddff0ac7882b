#include "isochor/sim/body_frame.h"

#include <algorithm>
#include <cmath>

namespace isochor::sim {

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

void move(files::BodyFrame& frame, const Vec3d& offset) {
  for (Vec3d& p : frame.nodes) p += offset;
  for (Vec3d& p : frame.vertices) p += offset;
  for (files::Field& field : frame.fields) {
    if (field.name != "displacement") continue;
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      field.values[i] += static_cast<float>(offset[static_cast<int>(i % 3)]);
    }
  }
}

ContactMeasures measures_of(const contact::ContactReport& report, double reach, bool self_contact,
                            bool with_obstacles) {
  ContactMeasures out{
      .collider_contacts = std::size_t(report.near_points),
      .deepest = report.deepest_penetration(),
      .smallest_gap = std::min({reach, report.smallest_gap, report.smallest_collider_gap})};
  if (!self_contact && !with_obstacles) return out;
  out.pair_contacts = report.near_pairs;
  // Without contact among bodies nothing keeps them from crossing each other.
  out.crossings = self_contact ? report.crossings.count() : report.crossings.with_obstacles;
  return out;
}

void add_volume_ratios(std::span<const double> J, Measures& measures) {
  measures.min_j = *std::ranges::min_element(J);
  for (const double j : J) {
    measures.worst_cell_volume_error = std::max(measures.worst_cell_volume_error, std::abs(j - 1));
    measures.inverted_cells += j <= 0;
  }
}

}  // namespace isochor::sim
