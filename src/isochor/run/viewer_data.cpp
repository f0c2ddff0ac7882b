#include "isochor/run/viewer_data.h"

#include <algorithm>
#include <fmt/core.h>

#include "isochor/base/json.h"
#include "isochor/run/packing.h"
#include "isochor/run/viewer_plan.h"

namespace isochor::run {
namespace {

constexpr const char* kSupportNames[] = {"node", "cell", "vertex"};
constexpr const char* kAttachmentKinds[] = {"hold", "slide", "soft hold", "tie", "load"};

Json vector_json(const Vec3d& v) {
  Json json = Json::array();
  for (int a = 0; a < 3; ++a) json.push_back(v[a]);
  return json;
}

Json attachment_json(const sim::Attachment& a) {
  const auto key = [](const sim::KeySpec& k) {
    return Json{{"frame", k.frame},
                {"translate", vector_json(k.translate)},
                {"rotate", vector_json(k.rotate)}};
  };
  return {{"name", a.name},
          {"kind", kAttachmentKinds[static_cast<int>(a.kind)]},
          {"points", a.points.size()},
          {"keys", Json::array(a.keys, key)}};
}

Json channel_json(const Channel& c) {
  return {{"name", c.name},
          {"unit", c.unit},
          {"support", kSupportNames[static_cast<int>(c.support)]},
          {"bodies", Json::array(c.bodies, [](int b) { return Json(b); })},
          {"derived", c.derived},
          {"low", c.range.low},
          {"high", c.range.high}};
}

Range painted_range(const sim::CellField& painted) {
  Range range;
  for (const double v : painted.values) range.add(v);
  return range.made_sound();
}

Codes field_codes(const std::vector<double>& values, const Range& range) {
  const Quantiser quantiser(range.low, range.high, Quantiser::kFieldSteps);
  Codes codes;
  codes.reserve(values.size());
  for (const double v : values) codes.push_back(quantiser.code(v));
  return codes;
}

template <std::size_t N>
std::span<const std::int32_t> flat(const std::vector<std::array<std::int32_t, N>>& groups) {
  return {reinterpret_cast<const std::int32_t*>(groups.data()), N * groups.size()};
}

/// Turns a planned run into text, frame by frame.
class Packer {
 public:
  Packer(const ViewerSource& source, const ViewerPlan& plan) : source_(source), plan_(plan) {}

  ViewerData pack() {
    ViewerData data;
    data.blocks.push_back(pack_constant());
    Json times = Json::array();
    for (const int f : plan_.frames) {
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

  /// All that no frame changes: shapes at rest, what they consist of, and the set-up.
  std::string pack_constant() const {
    PackedBlock block;
    for (std::size_t b = 0; b < plan_.surfaces.size(); ++b) {
      const std::vector<Vec3d>& vertices = body(b).surface.positions;
      block.add(position_codes(shown_vertices(plan_, b, vertices), plan_.bounds), 3);
      block.add(flat(plan_.surfaces[b].triangles));
      if (!plan_.has_lattice) continue;
      block.add(position_codes(body(b).rest_nodes, plan_.bounds), 3);
      block.add(flat(body(b).cells));
      const sim::BodySetup& setup = source_.setup.bodies[b];
      const geometry::Bounds unit{{-1, -1, -1}, {1, 1, 1}};
      if (!setup.fibres.empty()) block.add(position_codes(setup.fibres, unit), 3);
      for (const sim::CellField& painted : setup.painted) {
        block.add(field_codes(painted.values, painted_range(painted)), 1);
      }
    }
    for (const sim::Attachment& a : source_.setup.attachments) {
      block.add(position_codes(a.points, plan_.bounds), 3);
    }
    return block.base64();
  }

  std::string pack_frame(const files::Frame& frame) {
    std::vector<Codes> positions, values;
    for (std::size_t b = 0; b < plan_.surfaces.size(); ++b) {
      const files::BodyFrame& now = frame.bodies[b];
      positions.push_back(position_codes(shown_vertices(plan_, b, now.vertices), plan_.bounds));
      if (plan_.has_lattice) positions.push_back(position_codes(now.nodes, plan_.bounds));
    }
    for (const Channel& c : plan_.channels) {
      if (c.derived) continue;
      for (const int b : c.bodies) {
        values.push_back(field_codes(shown_values(source_, plan_, c, frame, b), c.range));
      }
    }
    PackedBlock block;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (!two_before_.empty()) {
        block.add_after(positions[i], before_[i], two_before_[i]);
      } else if (!before_.empty()) {
        block.add_after(positions[i], before_[i]);
      } else {
        block.add(positions[i], 3);
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values_before_.empty()) {
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
    const std::size_t vertices = plan_.surfaces[b].vertices.size();
    const bool lattice = plan_.has_lattice;
    return {{"name", body(b).name},
            {"vertices", vertices},
            {"whole", vertices == body(b).surface.positions.size()},
            {"triangles", plan_.surfaces[b].triangles.size()},
            {"nodes", lattice ? body(b).rest_nodes.size() : 0},
            {"cells", lattice ? body(b).cells.size() : 0},
            {"fibres", lattice && !setup.fibres.empty()},
            {"painted", lattice ? Json::array(setup.painted, painted) : Json::array()}};
  }

  std::string header(Json times) const {
    Json bodies = Json::array();
    for (std::size_t b = 0; b < plan_.surfaces.size(); ++b) bodies.push_back(body_json(b));
    const Json bounds{{"low", vector_json(plan_.bounds.low)},
                      {"high", vector_json(plan_.bounds.high)}};
    const Json json{{"format", 1},
                    {"bounds", bounds},
                    {"positionSteps", Quantiser::kPositionSteps},
                    {"fieldSteps", Quantiser::kFieldSteps},
                    {"bodies", std::move(bodies)},
                    {"fields", Json::array(plan_.channels, channel_json)},
                    {"frames", std::move(times)},
                    {"attachments", Json::array(source_.setup.attachments, attachment_json)},
                    {"outline", Json::array(plan_.outline, vector_json)},
                    {"up", vector_json(source_.up)}};
    // Inside a script element nothing may look like markup; '<' stands in strings only.
    std::string safe;
    for (const char c : json.text()) safe += c == '<' ? "\\u003c" : std::string(1, c);
    return safe;
  }

  std::vector<std::string> notes() const {
    double rounding = 0;
    for (int a = 0; a < 3; ++a) {
      const Quantiser axis(plan_.bounds.low[a], plan_.bounds.high[a], Quantiser::kPositionSteps);
      rounding = std::max(rounding, axis.error());
    }
    std::vector<std::string> notes{
        fmt::format("positions are rounded by at most {:.2g} mm", 1e3 * rounding)};
    if (plan_.channels.size() > 1) {
      notes.push_back(
          fmt::format("fields by at most {:.2g} % of their range", 50.0 / Quantiser::kFieldSteps));
    }
    if (!plan_.has_lattice) {
      notes.emplace_back(
          "the lattice and what is inside the bodies is left out, as it is too large");
    }
    const std::size_t frames = source_.frame_count;
    if (plan_.frames.size() < frames) {
      notes.push_back(fmt::format("{} of {} frames are shown", plan_.frames.size(), frames));
    }
    std::size_t shown = 0, all = 0;
    for (std::size_t b = 0; b < plan_.surfaces.size(); ++b) {
      shown += plan_.surfaces[b].vertices.size();
      all += body(b).surface.positions.size();
    }
    if (shown < all) {
      notes.push_back(
          fmt::format("{} of {} surface vertices are shown, with triangles between them that are "
                      "not the user's",
                      shown, all));
    }
    return notes;
  }

  const ViewerSource& source_;
  const ViewerPlan& plan_;
  /// Codes of the frames before, for prediction.
  std::vector<Codes> before_, two_before_, values_before_;
};

}  // namespace

ViewerData pack_viewer(const ViewerSource& source, std::size_t budget) {
  const ViewerPlan plan = plan_viewer(source, budget);
  return Packer(source, plan).pack();
}

}  // namespace isochor::run
