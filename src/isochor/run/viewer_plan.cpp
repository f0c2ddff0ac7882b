#include "isochor/run/viewer_plan.h"

#include <algorithm>
#include <array>
#include <numbers>

#include "isochor/run/shading_mesh.h"

namespace isochor::run {
namespace {

/// Of a run that is too large at least this many frames are kept before vertices are dropped.
constexpr int kLeastFrames = 24;
constexpr int kOutlineDirections = 48;
constexpr std::size_t kNumberSize = sizeof(std::uint16_t);

/// The fields of the first frame; all others have the same. Vectors are shown by their magnitude.
std::vector<Channel> find_channels(const ViewerSource& source) {
  std::vector<Channel> channels;
  if (source.frame_count == 0) return channels;
  const files::Frame first = source.frame(0);
  Channel moved{.name = "displacement", .unit = "m", .bodies = {}, .derived = true};
  for (std::size_t b = 0; b < first.bodies.size(); ++b) {
    moved.bodies.push_back(static_cast<int>(b));
    for (const files::Field& field : first.bodies[b].fields) {
      if (field.name == moved.name) continue;
      const auto same = [&](const Channel& c) {
        return c.name == field.name && c.support == field.support;
      };
      auto channel = std::ranges::find_if(channels, same);
      if (channel == channels.end()) {
        channels.push_back({.name = field.name, .unit = field.unit, .support = field.support});
        channel = channels.end() - 1;
      }
      channel->bodies.push_back(static_cast<int>(b));
    }
  }
  // Values on nodes are what those on the surface come from.
  const std::vector<Channel> all = channels;
  std::erase_if(channels, [&](const Channel& c) {
    return c.support == files::Support::Node && std::ranges::any_of(all, [&](const Channel& other) {
             return other.name == c.name && other.support != files::Support::Node;
           });
  });
  channels.insert(channels.begin(), std::move(moved));
  return channels;
}

std::size_t item_count(const ViewerSource& source, const ViewerPlan& plan, files::Support support,
                       std::size_t body) {
  const files::BodyTopology& topology = source.topology.bodies[body];
  return support == files::Support::Vertex ? plan.surfaces[body].vertices.size()
         : support == files::Support::Cell ? topology.cell_count()
                                           : topology.rest_nodes.size();
}

/// Bytes of a frame: the surfaces with their fields, or the lattices with theirs.
std::size_t bytes_of(const ViewerSource& source, const ViewerPlan& plan, bool surface) {
  std::size_t numbers = 0;
  const files::Support points = surface ? files::Support::Vertex : files::Support::Node;
  for (std::size_t b = 0; b < plan.surfaces.size(); ++b) {
    numbers += 3 * item_count(source, plan, points, b);
  }
  for (const Channel& c : plan.channels) {
    if (c.derived || (c.support == files::Support::Vertex) != surface) continue;
    for (const int b : c.bodies) numbers += item_count(source, plan, c.support, b);
  }
  return kNumberSize * numbers;
}

/// Leaves out the lattice, then frames, then vertices, until it fits.
void fit_budget(const ViewerSource& source, std::size_t budget, ViewerPlan& plan) {
  const std::size_t count = std::max(1, source.frame_count);
  const std::size_t surface = bytes_of(source, plan, true);
  // The page draws hexahedra; of tets it has the surface.
  const bool hexahedra = std::ranges::all_of(source.topology.bodies,
                                             [](const auto& body) { return body.tets.empty(); });
  plan.has_lattice = hexahedra && count * (surface + bytes_of(source, plan, false)) <= budget;
  if (!plan.has_lattice) {
    std::erase_if(plan.channels,
                  [](const Channel& c) { return c.support != files::Support::Vertex; });
  }
  const std::size_t most = std::min<std::size_t>(budget / std::max<std::size_t>(surface, 1), count);
  const int shown = std::clamp(static_cast<int>(most), std::min(source.frame_count, kLeastFrames),
                               source.frame_count);
  // Evenly spread, the first and the last among them.
  for (int i = 0; i < shown; ++i) {
    const double place = shown == 1 ? 0 : double(i) * (source.frame_count - 1) / (shown - 1);
    plan.frames.push_back(static_cast<int>(std::lround(place)));
  }
  const double share = double(budget) / (double(std::max(shown, 1)) * double(surface));
  if (plan.has_lattice || share >= 1) return;
  for (std::size_t b = 0; b < plan.surfaces.size(); ++b) {
    const auto all = static_cast<double>(plan.surfaces[b].vertices.size());
    plan.surfaces[b] =
        thinned(source.topology.bodies[b].surface, static_cast<std::size_t>(all * share));
  }
}

/// Finds the box around points, and those that reach out farthest in directions all around.
class Extent {
 public:
  Extent() {
    const double turn = std::numbers::pi * (3 - std::sqrt(5.0));
    for (int i = 0; i < kOutlineDirections; ++i) {
      const double z = 1 - (2.0 * i + 1) / kOutlineDirections, r = std::sqrt(1 - z * z);
      directions_.push_back({r * std::cos(turn * i), r * std::sin(turn * i), z});
    }
    reach_.resize(directions_.size(), -HUGE_VAL);
    outline_.resize(directions_.size(), Vec3d{0, 0, 0});
  }

  void add(const std::vector<Vec3d>& points) {
    for (const Vec3d& p : points) {
      if (!is_finite(p)) continue;
      for (int a = 0; a < 3; ++a) box_[a].add(p[a]);
    }
  }

  void add_outline(const std::vector<Vec3d>& points) {
    add(points);
    for (const Vec3d& p : points) {
      if (!is_finite(p)) continue;
      for (std::size_t d = 0; d < directions_.size(); ++d) {
        const double along = dot(directions_[d], p);
        if (along <= reach_[d]) continue;
        reach_[d] = along;
        outline_[d] = p;
      }
    }
  }

  geometry::Bounds bounds() const {
    geometry::Bounds bounds{};
    for (int a = 0; a < 3; ++a) {
      const Range sound = box_[a].made_sound();
      bounds.low[a] = sound.low;
      bounds.high[a] = sound.high;
    }
    return bounds;
  }
  const std::vector<Vec3d>& outline() const { return outline_; }

 private:
  std::vector<Vec3d> directions_, outline_;
  std::vector<double> reach_;
  std::array<Range, 3> box_;
};

void add_range(const ViewerSource& source, const ViewerPlan& plan, const files::Frame& frame,
               Channel& channel) {
  for (const int b : channel.bodies) {
    if (!channel.derived) {
      for (const double v : shown_values(source, plan, channel, frame, b)) channel.range.add(v);
      continue;
    }
    channel.range.add(0);
    const auto& rest = source.topology.bodies[b].surface.positions;
    for (const std::int32_t v : plan.surfaces[b].vertices) {
      channel.range.add(norm(frame.bodies[b].vertices[v] - rest[v]));
    }
  }
}

/// Looks at every frame of the plan for bounds and ranges.
void survey(const ViewerSource& source, ViewerPlan& plan) {
  Extent extent;
  for (std::size_t b = 0; b < plan.surfaces.size(); ++b) {
    const files::BodyTopology& body = source.topology.bodies[b];
    extent.add_outline(shown_vertices(plan, b, body.surface.positions));
    if (plan.has_lattice) extent.add(body.rest_nodes);
  }
  for (const sim::Attachment& a : source.setup.attachments) extent.add(a.points);
  for (const int f : plan.frames) {
    const files::Frame frame = source.frame(f);
    for (std::size_t b = 0; b < plan.surfaces.size(); ++b) {
      extent.add_outline(shown_vertices(plan, b, frame.bodies[b].vertices));
      if (plan.has_lattice) extent.add(frame.bodies[b].nodes);
    }
    for (Channel& c : plan.channels) add_range(source, plan, frame, c);
  }
  plan.bounds = extent.bounds();
  plan.outline = extent.outline();
  for (Channel& c : plan.channels) c.range = c.range.made_sound();
}

}  // namespace

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

ViewerPlan plan_viewer(const ViewerSource& source, std::size_t budget) {
  ViewerPlan plan;
  for (const files::BodyTopology& body : source.topology.bodies) {
    plan.surfaces.push_back(all_of(body.surface));
  }
  plan.channels = find_channels(source);
  fit_budget(source, budget, plan);
  survey(source, plan);
  return plan;
}

std::vector<double> shown_values(const ViewerSource& source, const ViewerPlan& plan,
                                 const Channel& channel, const files::Frame& frame, int body) {
  std::vector<double> values(item_count(source, plan, channel.support, body), std::nan(""));
  const auto& fields = frame.bodies[body].fields;
  const auto field = std::ranges::find_if(fields, [&](const files::Field& f) {
    return f.name == channel.name && f.support == channel.support;
  });
  if (field == fields.end()) return values;
  const bool on_vertices = channel.support == files::Support::Vertex;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = field_value(*field, on_vertices ? plan.surfaces[body].vertices[i] : i);
  }
  return values;
}

std::vector<Vec3d> shown_vertices(const ViewerPlan& plan, std::size_t body,
                                  const std::vector<Vec3d>& all) {
  std::vector<Vec3d> shown;
  shown.reserve(plan.surfaces[body].vertices.size());
  for (const std::int32_t v : plan.surfaces[body].vertices) shown.push_back(all[v]);
  return shown;
}

}  // namespace isochor::run
