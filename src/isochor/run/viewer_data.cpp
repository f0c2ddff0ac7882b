#include "isochor/run/viewer_data.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/json.h"
#include "isochor/run/packing.h"
#include "isochor/run/shading_mesh.h"
#include "isochor/run/shown_surface.h"

namespace isochor::run {
namespace {

/// Of a run that is too large at least this many frames are kept before vertices are dropped.
constexpr int kLeastFrames = 24;
constexpr int kOutlineDirections = 48;

struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// The interval; 0 to 1 where there was no value.
  Range made_sound() const { return low <= high ? *this : Range{0, 1}; }
};

/// A field as the page has it: of those bodies that have it, one number per item.
struct Channel {
  std::string name, unit;
  files::Support support;
  std::vector<int> bodies;
  bool derived = false;  ///< the page computes it from positions
  Range range = {};
};

constexpr const char* kSupportNames[] = {"node", "cell", "vertex"};

const files::Field* find_field(const files::BodyFrame& body, const Channel& channel) {
  for (const files::Field& f : body.fields) {
    if (f.name == channel.name && f.support == channel.support) return &f;
  }
  return nullptr;
}

/// Directions spread evenly over the sphere.
std::vector<Vec3d> spread_directions(int count) {
  std::vector<Vec3d> directions;
  const double turn = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2.0 * i + 1) / count, r = std::sqrt(1 - z * z);
    directions.push_back({r * std::cos(turn * i), r * std::sin(turn * i), z});
  }
  return directions;
}

Json vector_json(const Vec3d& v) {
  Json json = Json::array();
  for (int a = 0; a < 3; ++a) json.push_back(v[a]);
  return json;
}

class Packer {
 public:
  Packer(const ViewerSource& source, std::size_t budget) : source_(source) {
    for (const files::BodyTopology& body : source.topology.bodies) {
      surfaces_.push_back(all_of(body.surface));
    }
    find_channels();
    fit_budget(budget);
    survey();
  }

  ViewerData pack() {
    ViewerData data;
    data.blocks.push_back(pack_constant());
    Json times = Json::array();
    for (const int f : frames_) {
      const files::Frame frame = source_.frame(f);
      data.blocks.push_back(pack_frame(frame));
      times.push_back(Json{{"index", frame.index}, {"time", frame.time}});
    }
    data.header = header(std::move(times));
    data.notes = notes();
    return data;
  }

 private:
  const files::BodyTopology& body(std::size_t b) const { return source_.topology.bodies[b]; }

  /// The fields of the first frame; all others have the same. Vectors are shown by their magnitude.
  void find_channels() {
    if (source_.frame_count == 0) return;
    const files::Frame first = source_.frame(0);
    Channel moved{
        .name = "displacement", .unit = "m", .support = files::Support::Vertex, .derived = true};
    for (std::size_t b = 0; b < first.bodies.size(); ++b) {
      moved.bodies.push_back(static_cast<int>(b));
      for (const files::Field& field : first.bodies[b].fields) {
        if (field.name == moved.name) continue;
        const auto same = [&](const Channel& c) {
          return c.name == field.name && c.support == field.support;
        };
        auto channel = std::ranges::find_if(channels_, same);
        if (channel == channels_.end()) {
          channels_.push_back({.name = field.name, .unit = field.unit, .support = field.support});
          channel = channels_.end() - 1;
        }
        channel->bodies.push_back(static_cast<int>(b));
      }
    }
    // Values on nodes are what those on the surface come from.
    std::erase_if(channels_, [&](const Channel& c) {
      return c.support == files::Support::Node &&
             std::ranges::any_of(channels_, [&](const Channel& other) {
               return other.name == c.name && other.support != files::Support::Node;
             });
    });
    channels_.insert(channels_.begin(), std::move(moved));
  }

  std::size_t channel_bytes(bool on_surface) const {
    std::size_t bytes = 0;
    for (const Channel& c : channels_) {
      if (c.derived || (c.support == files::Support::Vertex) != on_surface) continue;
      for (const int b : c.bodies) {
        bytes += sizeof(std::uint16_t) * (on_surface ? surfaces_[b].vertices.size()
                                          : c.support == files::Support::Cell
                                              ? body(b).cells.size()
                                              : body(b).rest_nodes.size());
      }
    }
    return bytes;
  }

  std::size_t surface_bytes() const {
    std::size_t bytes = channel_bytes(true);
    for (const ShownSurface& s : surfaces_) bytes += 3 * sizeof(std::uint16_t) * s.vertices.size();
    return bytes;
  }

  std::size_t lattice_bytes() const {
    std::size_t bytes = channel_bytes(false);
    for (const files::BodyTopology& b : source_.topology.bodies) {
      bytes += 3 * sizeof(std::uint16_t) * b.rest_nodes.size() +
               8 * sizeof(std::int32_t) * b.cells.size();
    }
    return bytes;
  }

  void fit_budget(std::size_t budget) {
    const std::size_t count = std::max(1, source_.frame_count);
    has_lattice_ = count * (surface_bytes() + lattice_bytes()) <= budget;
    if (!has_lattice_) {
      std::erase_if(channels_,
                    [](const Channel& c) { return c.support != files::Support::Vertex; });
    }
    const std::size_t most = budget / std::max<std::size_t>(surface_bytes(), 1);
    const int shown = std::clamp(static_cast<int>(std::min<std::size_t>(most, 1 << 20)),
                                 std::min(source_.frame_count, kLeastFrames), source_.frame_count);
    // Evenly spread, the first and the last among them.
    for (int i = 0; i < shown; ++i) {
      const double place = shown == 1 ? 0 : double(i) * (source_.frame_count - 1) / (shown - 1);
      frames_.push_back(static_cast<int>(std::lround(place)));
    }
    const double share = double(budget) / (double(std::max(shown, 1)) * double(surface_bytes()));
    if (has_lattice_ || share >= 1) return;
    for (std::size_t b = 0; b < surfaces_.size(); ++b) {
      const auto all = static_cast<double>(surfaces_[b].vertices.size());
      surfaces_[b] = thinned(body(b).surface, static_cast<std::size_t>(all * share));
    }
  }

  /// Bounds, ranges, and the points that reach out farthest, for the camera.
  void survey() {
    const std::vector<Vec3d> directions = spread_directions(kOutlineDirections);
    std::vector<double> reach(directions.size(), -HUGE_VAL);
    outline_.resize(directions.size(), Vec3d{0, 0, 0});
    std::array<Range, 3> box;
    const auto add_point = [&](const Vec3d& p) {
      if (!is_finite(p)) return false;
      for (int a = 0; a < 3; ++a) box[a].add(p[a]);
      return true;
    };
    const auto add_outline = [&](const Vec3d& p) {
      if (!add_point(p)) return;
      for (std::size_t d = 0; d < directions.size(); ++d) {
        const double along = dot(directions[d], p);
        if (along > reach[d]) {
          reach[d] = along;
          outline_[d] = p;
        }
      }
    };
    for (std::size_t b = 0; b < surfaces_.size(); ++b) {
      for (const std::int32_t v : surfaces_[b].vertices) add_outline(body(b).surface.positions[v]);
      if (has_lattice_) std::ranges::for_each(body(b).rest_nodes, add_point);
    }
    for (const sim::Attachment& a : source_.setup.attachments) {
      std::ranges::for_each(a.points, add_point);
    }
    for (const int f : frames_) {
      const files::Frame frame = source_.frame(f);
      for (std::size_t b = 0; b < surfaces_.size(); ++b) {
        for (const std::int32_t v : surfaces_[b].vertices) add_outline(frame.bodies[b].vertices[v]);
        if (has_lattice_) std::ranges::for_each(frame.bodies[b].nodes, add_point);
      }
      for (Channel& c : channels_) add_range(c, frame);
    }
    for (int a = 0; a < 3; ++a) {
      const Range sound = box[a].made_sound();
      bounds_.low[a] = sound.low;
      bounds_.high[a] = sound.high;
    }
    for (Channel& c : channels_) c.range = c.range.made_sound();
  }

  void add_range(Channel& channel, const files::Frame& frame) const {
    for (const int b : channel.bodies) {
      if (channel.derived) {
        channel.range.add(0);
        for (const std::int32_t v : surfaces_[b].vertices) {
          channel.range.add(norm(frame.bodies[b].vertices[v] - body(b).surface.positions[v]));
        }
      } else {
        for_each_value(channel, frame.bodies[b], b, [&](double x) { channel.range.add(x); });
      }
    }
  }

  template <class F>
  void for_each_value(const Channel& channel, const files::BodyFrame& frame, int b, F&& f) const {
    const files::Field* field = find_field(frame, channel);
    const bool vertex = channel.support == files::Support::Vertex;
    const std::size_t count = vertex ? surfaces_[b].vertices.size()
                              : channel.support == files::Support::Cell ? body(b).cells.size()
                                                                        : body(b).rest_nodes.size();
    for (std::size_t i = 0; i < count; ++i) {
      f(field ? field_value(*field, vertex ? surfaces_[b].vertices[i] : i) : std::nan(""));
    }
  }

  std::vector<Vec3d> shown_vertices(std::size_t b, std::span<const Vec3d> all) const {
    std::vector<Vec3d> shown;
    shown.reserve(surfaces_[b].vertices.size());
    for (const std::int32_t v : surfaces_[b].vertices) shown.push_back(all[v]);
    return shown;
  }

  /// All that no frame changes: shapes at rest, what they consist of, and the set-up.
  std::string pack_constant() const {
    PackedBlock block;
    for (std::size_t b = 0; b < surfaces_.size(); ++b) {
      const files::BodyTopology& topology = body(b);
      block.add(position_codes(shown_vertices(b, topology.surface.positions), bounds_), 3);
      const auto& triangles = surfaces_[b].triangles;
      block.add(
          std::span(reinterpret_cast<const std::int32_t*>(triangles.data()), 3 * triangles.size()));
      if (!has_lattice_) continue;
      block.add(position_codes(topology.rest_nodes, bounds_), 3);
      block.add(std::span(reinterpret_cast<const std::int32_t*>(topology.cells.data()),
                          8 * topology.cells.size()));
      const sim::BodySetup& setup = source_.setup.bodies[b];
      const geometry::Bounds unit{{-1, -1, -1}, {1, 1, 1}};
      if (!setup.fibres.empty()) block.add(position_codes(setup.fibres, unit), 3);
      for (const sim::CellField& painted : setup.painted) {
        block.add(codes_of(painted.values, painted_range(painted)), 1);
      }
    }
    for (const sim::Attachment& a : source_.setup.attachments) {
      block.add(position_codes(a.points, bounds_), 3);
    }
    return block.base64();
  }

  static Range painted_range(const sim::CellField& painted) {
    Range range;
    for (const double v : painted.values) range.add(v);
    return range.made_sound();
  }

  static Codes codes_of(const std::vector<double>& values, const Range& range) {
    const Quantiser quantiser(range.low, range.high, Quantiser::kFieldSteps);
    Codes codes;
    for (const double v : values) codes.push_back(quantiser.code(v));
    return codes;
  }

  std::string pack_frame(const files::Frame& frame) {
    std::vector<Codes> positions, values;
    for (std::size_t b = 0; b < surfaces_.size(); ++b) {
      positions.push_back(position_codes(shown_vertices(b, frame.bodies[b].vertices), bounds_));
      if (has_lattice_) positions.push_back(position_codes(frame.bodies[b].nodes, bounds_));
    }
    for (const Channel& c : channels_) {
      if (c.derived) continue;
      const Quantiser quantiser(c.range.low, c.range.high, Quantiser::kFieldSteps);
      for (const int b : c.bodies) {
        Codes& codes = values.emplace_back();
        for_each_value(c, frame.bodies[b], b,
                       [&](double x) { codes.push_back(quantiser.code(x)); });
      }
    }
    PackedBlock block;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (two_before_.size() == positions.size()) {
        block.add_after(positions[i], before_[i], two_before_[i]);
      } else if (before_.size() == positions.size()) {
        block.add_after(positions[i], before_[i]);
      } else {
        block.add(positions[i], 3);
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values_before_.size() == values.size()) {
        block.add_after(values[i], values_before_[i]);
      } else {
        block.add(values[i], 1);
      }
    }
    two_before_ = std::move(before_);
    before_ = std::move(positions);
    values_before_ = std::move(values);
    return block.base64();
  }

  Json body_json(std::size_t b) const {
    const sim::BodySetup& setup = source_.setup.bodies[b];
    const auto painted = [](const sim::CellField& field) {
      const Range range = painted_range(field);
      return Json{{"name", field.name}, {"low", range.low}, {"high", range.high}};
    };
    return {{"name", body(b).name},
            {"vertices", surfaces_[b].vertices.size()},
            {"whole", surfaces_[b].vertices.size() == body(b).surface.positions.size()},
            {"triangles", surfaces_[b].triangles.size()},
            {"nodes", has_lattice_ ? body(b).rest_nodes.size() : 0},
            {"cells", has_lattice_ ? body(b).cells.size() : 0},
            {"fibres", has_lattice_ && !setup.fibres.empty()},
            {"painted", has_lattice_ ? Json::array(setup.painted, painted) : Json::array()}};
  }

  static Json attachment_json(const sim::Attachment& a) {
    constexpr const char* kKinds[] = {"hold", "slide", "soft hold", "tie"};
    const auto key = [](const sim::KeySpec& k) {
      return Json{{"frame", k.frame},
                  {"translate", vector_json(k.translate)},
                  {"rotate", vector_json(k.rotate)}};
    };
    return {{"name", a.name},
            {"kind", kKinds[static_cast<int>(a.kind)]},
            {"points", a.points.size()},
            {"keys", Json::array(a.keys, key)}};
  }

  std::string header(Json times) const {
    Json bodies = Json::array();
    for (std::size_t b = 0; b < surfaces_.size(); ++b) bodies.push_back(body_json(b));
    const auto channel = [](const Channel& c) {
      return Json{{"name", c.name},
                  {"unit", c.unit},
                  {"support", kSupportNames[static_cast<int>(c.support)]},
                  {"bodies", Json::array(c.bodies, [](int b) { return Json(b); })},
                  {"derived", c.derived},
                  {"low", c.range.low},
                  {"high", c.range.high}};
    };
    const Json json{
        {"format", 1},
        {"bounds", Json{{"low", vector_json(bounds_.low)}, {"high", vector_json(bounds_.high)}}},
        {"positionSteps", Quantiser::kPositionSteps},
        {"fieldSteps", Quantiser::kFieldSteps},
        {"bodies", std::move(bodies)},
        {"fields", Json::array(channels_, channel)},
        {"frames", std::move(times)},
        {"attachments", Json::array(source_.setup.attachments, attachment_json)},
        {"outline", Json::array(outline_, vector_json)}};
    // Inside a script element nothing may look like markup; '<' stands in strings only.
    std::string safe;
    for (const char c : json.text()) safe += c == '<' ? "\\u003c" : std::string(1, c);
    return safe;
  }

  std::vector<std::string> notes() const {
    double rounding = 0;
    for (int a = 0; a < 3; ++a) {
      const Quantiser axis(bounds_.low[a], bounds_.high[a], Quantiser::kPositionSteps);
      rounding = std::max(rounding, axis.error());
    }
    std::vector<std::string> notes{
        fmt::format("positions are rounded by at most {:.2g} mm", 1e3 * rounding)};
    if (channels_.size() > 1) {
      notes.push_back(
          fmt::format("fields by at most {:.2g} % of their range", 50.0 / Quantiser::kFieldSteps));
    }
    if (!has_lattice_) {
      notes.push_back("the lattice and what is inside the bodies is left out, as it is too large");
    }
    if (static_cast<int>(frames_.size()) < source_.frame_count) {
      notes.push_back(
          fmt::format("{} of {} frames are shown", frames_.size(), source_.frame_count));
    }
    std::size_t shown = 0, all = 0;
    for (std::size_t b = 0; b < surfaces_.size(); ++b) {
      shown += surfaces_[b].vertices.size();
      all += body(b).surface.positions.size();
    }
    if (shown < all) {
      notes.push_back(
          fmt::format("{} of {} surface vertices are shown, with triangles between them "
                      "that are not the user's",
                      shown, all));
    }
    return notes;
  }

  const ViewerSource& source_;
  std::vector<ShownSurface> surfaces_;
  bool has_lattice_ = true;
  std::vector<int> frames_;
  std::vector<Channel> channels_;
  geometry::Bounds bounds_{};
  std::vector<Vec3d> outline_;
  /// Codes of the frames before, for prediction.
  std::vector<Codes> before_, two_before_, values_before_;
};

}  // namespace

ViewerData pack_viewer(const ViewerSource& source, std::size_t budget) {
  return Packer(source, budget).pack();
}

}  // namespace isochor::run
