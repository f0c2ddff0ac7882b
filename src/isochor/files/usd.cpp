#include "isochor/files/usd.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <set>
#include <stdexcept>

namespace isochor::files {
namespace {

using Point = std::array<float, 3>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Prims beside each other must differ in name.
template <class Named>
std::vector<std::string> distinct_identifiers(const std::vector<Named>& things) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const Named& thing : things) {
    const std::string plain = usd_identifier(thing.name);
    std::string name = plain;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", plain, n);
    names.push_back(name);
  }
  return names;
}

/// In quotes, with what would end or break them escaped.
std::string usd_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= 0 && c < ' ') {
      out += fmt::format("\\x{:02x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The shortest text that reads back as the same number.
template <class T>
void append_number(std::string& text, T number) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// "[(x, y, z), ...]".
std::string tuples(std::span<const float> numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    text += i == 0 ? "(" : ", (";
    append_number(text, numbers[i]);
    text += ", ";
    append_number(text, numbers[i + 1]);
    text += ", ";
    append_number(text, numbers[i + 2]);
    text += ')';
  }
  return text + ']';
}

template <class T>
std::string list(std::span<const T> numbers) {
  std::string text = "[";
  for (const T n : numbers) {
    if (text.size() > 1) text += ", ";
    append_number(text, n);
  }
  return text + ']';
}

/// Per corner of a face, so that a seam may cut between faces.
std::string texture(std::span<const std::array<float, 2>> coordinates) {
  if (coordinates.empty()) return {};
  std::string text = "        texCoord2f[] primvars:st = [";
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    text += i == 0 ? "(" : ", (";
    append_number(text, coordinates[i][0]);
    text += ", ";
    append_number(text, coordinates[i][1]);
    text += ')';
  }
  return text + "] (\n            interpolation = \"faceVarying\"\n        )\n";
}

/// A set of faces per group. Those of materials are where USD looks for materials to bind.
std::string face_sets(const std::vector<FaceGroup>& groups) {
  const std::vector<std::string> identifiers = distinct_identifiers(groups);
  std::string text;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    text += fmt::format(
        "        def GeomSubset \"{}\" (\n"
        "            customData = {{\n"
        "                string name = {}\n"
        "            }}\n"
        "        )\n"
        "        {{\n"
        "            uniform token elementType = \"face\"\n"
        "{}"
        "            int[] indices = {}\n"
        "        }}\n",
        identifiers[g], usd_string(groups[g].name),
        groups[g].name.starts_with("material:")
            ? "            uniform token familyName = \"materialBind\"\n"
            : "",
        list<std::int32_t>(groups[g].faces));
  }
  return text;
}

/// The corners of the box around the points as they are written; around nothing, the origin.
std::string extent(std::span<const float> points) {
  std::array<float, 6> corners{};
  for (std::size_t i = 0; i < points.size(); ++i) {
    float &low = corners[i % 3], &high = corners[3 + i % 3];
    if (i < 3) low = high = points[i];
    low = std::min(low, points[i]);
    high = std::max(high, points[i]);
  }
  return tuples(corners);
}

std::string sample(int frame, std::string_view value) {
  return fmt::format("            {}: {},\n", frame, value);
}

constexpr std::string_view kEndOfSamples = "        }\n";
std::string begin_samples(std::string_view attribute) {
  return fmt::format("        {}.timeSamples = {{\n", attribute);
}

/// The declaration of a quantity on vertices; samples follow.
std::string primvar(std::string_view attribute, std::string_view unit) {
  return fmt::format(
      "        {} (\n"
      "            customData = {{\n"
      "                string unit = {}\n"
      "            }}\n"
      "            interpolation = \"vertex\"\n"
      "        )\n",
      attribute, usd_string(unit));
}

/// Everything about a mesh that no frame changes.
std::string mesh_header(const std::string& identifier, const BodyTopology& body) {
  const geometry::SurfaceMesh& surface = body.surface;
  std::vector<std::int32_t> counts;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    counts.push_back(static_cast<std::int32_t>(surface.face(f).size()));
  }
  const std::vector<float> rest = single_precision(surface.positions);
  return fmt::format(
      "    def Mesh \"{}\" (\n"
      "        customData = {{\n"
      "            string name = {}\n"
      "        }}\n"
      "    )\n"
      "    {{\n"
      "        uniform token orientation = \"rightHanded\"\n"
      "        uniform token subdivisionScheme = \"none\"\n"
      "        int[] faceVertexCounts = {}\n"
      "        int[] faceVertexIndices = {}\n"
      "        point3f[] points = {}\n"
      "        float3[] extent = {}\n{}",
      identifier, usd_string(body.name), list<std::int32_t>(counts),
      list<std::int32_t>(surface.corners), tuples(rest), extent(rest),
      texture(body.texture_coordinates));
}

}  // namespace

std::string usd_identifier(std::string_view name) {
  std::string identifier;
  for (const char c : name) identifier += is_letter(c) || is_digit(c) ? c : '_';
  if (identifier.empty() || is_digit(identifier.front())) identifier.insert(0, 1, '_');
  return identifier;
}

UsdWriter::UsdWriter(std::filesystem::path path, const Topology& topology, std::string_view name,
                     double frame_rate, char up_axis)
    : file_(std::move(path)),
      topology_(topology),
      root_(usd_identifier(name)),
      frame_rate_(frame_rate),
      up_axis_(up_axis) {
  for (std::size_t b = 0; b < topology.bodies.size(); ++b) {
    bodies_.emplace_back(fmt::format("{}.{}", file_.path().string(), b));
  }
}

void UsdWriter::add(const Frame& frame) {
  if (frame.bodies.size() != bodies_.size()) {
    throw std::logic_error("UsdWriter: a frame with other bodies");
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (frame.bodies[b].vertices.size() != topology_.bodies[b].surface.positions.size()) {
      throw std::logic_error("UsdWriter: a frame with other vertices");
    }
    const std::vector<float> points = single_precision(frame.bodies[b].vertices);
    bodies_[b].points.append(sample(frame.index, tuples(points)));
    bodies_[b].extents += sample(frame.index, extent(points));
    add_fields(frame.bodies[b], frame.index, bodies_[b]);
  }
  if (recent_.empty()) {
    first_frame_ = frame.index;
  } else {
    add_velocities(recent_.front(), frame, recent_.back());
  }
  recent_.push_back(frame);
  if (recent_.size() > 2) recent_.pop_front();
}

void UsdWriter::add_fields(const BodyFrame& body, int frame, Sections& sections) {
  for (const Field& field : body.fields) {
    if (field.support != Support::Vertex || !field.name.starts_with("contact_")) continue;
    auto section = std::ranges::find(sections.fields, field.name, &FieldSection::name);
    if (section == sections.fields.end()) {
      sections.fields.emplace_back(field, sections.stem);
      section = sections.fields.end() - 1;
    }
    section->samples.append(
        sample(frame, field.components == 3 ? tuples(field.values) : list<float>(field.values)));
  }
}

void UsdWriter::add_velocities(const Frame& from, const Frame& to, const Frame& at) {
  const double per_second = 1 / (to.time - from.time);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    std::vector<Vec3d> velocities = to.bodies[b].vertices;
    for (std::size_t v = 0; v < velocities.size(); ++v) {
      velocities[v] = (velocities[v] - from.bodies[b].vertices[v]) * per_second;
    }
    bodies_[b].velocities.append(sample(at.index, tuples(single_precision(velocities))));
  }
}

std::string UsdWriter::stage_header() const {
  return fmt::format(
      "#usda 1.0\n"
      "(\n"
      "    defaultPrim = \"{0}\"\n"
      "    doc = \"Written by Isochor\"\n"
      "    endTimeCode = {1}\n"
      "    framesPerSecond = {3}\n"
      "    metersPerUnit = 1\n"
      "    startTimeCode = {2}\n"
      "    timeCodesPerSecond = {3}\n"
      "    upAxis = \"{4}\"\n"
      ")\n\n"
      "def Xform \"{0}\" (\n"
      "    kind = \"component\"\n"
      ")\n"
      "{{\n",
      root_, recent_.back().index, first_frame_, frame_rate_, up_axis_);
}

void UsdWriter::finish() {
  if (recent_.empty()) throw std::logic_error("UsdWriter: no frame");
  const bool moves = recent_.size() > 1;
  if (moves) add_velocities(recent_.front(), recent_.back(), recent_.back());

  file_.append(stage_header());
  const std::vector<std::string> identifiers = distinct_identifiers(topology_.bodies);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    file_.append(mesh_header(identifiers[b], topology_.bodies[b]));
    file_.append(begin_samples("float3[] extent") + bodies_[b].extents);
    file_.append(kEndOfSamples);
    file_.append(begin_samples("point3f[] points"));
    file_.take(bodies_[b].points);
    file_.append(kEndOfSamples);
    if (moves) {
      file_.append(begin_samples("vector3f[] velocities"));
      file_.take(bodies_[b].velocities);
      file_.append(kEndOfSamples);
    }
    for (FieldSection& field : bodies_[b].fields) {
      const std::string attribute =
          fmt::format("{} primvars:{}", field.components == 3 ? "vector3f[]" : "float[]",
                      usd_identifier(field.name));
      file_.append(primvar(attribute, field.unit));
      file_.append(begin_samples(attribute));
      file_.take(field.samples);
      file_.append(kEndOfSamples);
    }
    file_.append(face_sets(topology_.bodies[b].groups));
    file_.append("    }\n");
  }
  file_.append("}\n");
  bodies_.clear();
  file_.commit();
}

}  // namespace isochor::files
