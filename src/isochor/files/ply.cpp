#include "isochor/files/ply.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <optional>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/ply_header.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

using geometry::SurfaceMesh;

/// Values as words. A row may span lines, but ends at the end of one.
class AsciiBody {
 public:
  explicit AsciiBody(TextScanner& in) : in_(in) {}

  double get(PlyType /*type*/) {
    const std::string_view word = in_.next_word_anywhere();
    if (word.empty()) fail("truncated: the file ends within its data", kExportAgain);
    return in_.number(word);
  }
  void skip(PlyType type, std::uint64_t count) {
    for (; count > 0; --count) get(type);
  }
  void end_row() {
    if (const std::string_view word = in_.next_word(); !word.empty()) {
      fail(fmt::format("{} follows the values that the header announces for one line",
                       in_quotes(word)),
           "write one vertex or face per line, with the properties of the header");
    }
  }
  void expect_end() {
    if (!in_.next_word_anywhere().empty()) {
      fail("a line follows the last one that the header announces", kExportAgain);
    }
  }
  /// A value and the blank or line end after it, which the last may lack.
  std::size_t bytes_of(PlyType /*type*/) const { return 2; }
  std::size_t left() const { return in_.left() + 1; }
  [[noreturn]] void fail(std::string problem, std::string remedy) const {
    in_.fail(std::move(problem), std::move(remedy));
  }

 private:
  TextScanner& in_;
};

/// Values as bytes of either order.
class BinaryBody {
 public:
  BinaryBody(const std::string& place, std::span<const std::byte> bytes, std::size_t start,
             PlyEncoding encoding)
      : place_(place),
        bytes_(bytes),
        at_(start),
        swap_((encoding == PlyEncoding::BigEndian) != (std::endian::native == std::endian::big)) {}

  double get(PlyType type) {
    switch (type) {
      case PlyType::Int8:
        return load<std::int8_t>();
      case PlyType::Uint8:
        return load<std::uint8_t>();
      case PlyType::Int16:
        return load<std::int16_t>();
      case PlyType::Uint16:
        return load<std::uint16_t>();
      case PlyType::Int32:
        return load<std::int32_t>();
      case PlyType::Uint32:
        return load<std::uint32_t>();
      case PlyType::Float32:
        return load<float>();
      default:
        return load<double>();
    }
  }
  void skip(PlyType type, std::uint64_t count) {
    if (count > left() / size_of(type)) fail_truncated();
    at_ += count * size_of(type);
  }
  void end_row() {}
  void expect_end() const {
    // Some writers end with a line end.
    const std::string_view rest = text_of(bytes_.subspan(at_));
    if (rest.find_first_not_of(" \r\n\t") != rest.npos) {
      fail(fmt::format("{} bytes follow the last element that the header announces", rest.size()),
           kExportAgain);
    }
  }
  std::size_t bytes_of(PlyType type) const { return size_of(type); }
  std::size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] void fail(std::string problem, std::string remedy) const {
    throw Error(Fault::Input, fmt::format("{}, byte {}", place_, at_), std::move(problem),
                std::move(remedy));
  }

 private:
  template <class T>
  double load() {
    std::array<std::byte, sizeof(T)> raw;
    if (left() < sizeof(T)) fail_truncated();
    std::memcpy(raw.data(), bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    if (swap_) std::ranges::reverse(raw);
    return static_cast<double>(std::bit_cast<T>(raw));
  }
  [[noreturn]] void fail_truncated() const {
    fail("truncated: the file ends within its data", kExportAgain);
  }

  const std::string& place_;
  std::span<const std::byte> bytes_;
  std::size_t at_;
  bool swap_;
};

/// In which columns of a vertex its parts stand.
struct VertexLayout {
  std::optional<std::array<std::size_t, 3>> position, color;
  std::optional<std::array<std::size_t, 2>> texture;
  std::vector<std::size_t> attributes;
};

/// Deals out the scalar properties of an element by name.
class Columns {
 public:
  explicit Columns(const PlyElement& element)
      : element_(element), dealt_(element.properties.size()) {}

  /// The columns with these names; none unless all are there.
  template <class... Names>
  std::optional<std::array<std::size_t, sizeof...(Names)>> deal(Names... names) {
    const std::array<std::size_t, sizeof...(Names)> columns{find(names)...};
    if (std::ranges::find(columns, element_.properties.size()) != columns.end()) return {};
    for (const std::size_t column : columns) dealt_[column] = true;
    return columns;
  }
  std::vector<std::size_t> rest() const {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < dealt_.size(); ++c) {
      if (!dealt_[c] && !element_.properties[c].count_type) columns.push_back(c);
    }
    return columns;
  }

 private:
  std::size_t find(std::string_view name) const {
    const auto found = std::ranges::find_if(element_.properties, [&](const PlyProperty& property) {
      return property.name == name && !property.count_type;
    });
    return static_cast<std::size_t>(found - element_.properties.begin());
  }

  const PlyElement& element_;
  std::vector<bool> dealt_;
};

VertexLayout lay_out(const PlyElement& element) {
  Columns columns(element);
  VertexLayout layout;
  layout.position = columns.deal("x", "y", "z");
  layout.color = columns.deal("red", "green", "blue");
  if (!layout.color) layout.color = columns.deal("diffuse_red", "diffuse_green", "diffuse_blue");
  layout.texture = columns.deal("s", "t");
  if (!layout.texture) layout.texture = columns.deal("u", "v");
  if (!layout.texture) layout.texture = columns.deal("texture_u", "texture_v");
  columns.deal("nx", "ny", "nz");
  columns.deal("alpha");
  layout.attributes = columns.rest();
  return layout;
}

/// Turns the rows of all elements into a surface.
template <class Body>
class BodyReader {
 public:
  BodyReader(const PlyHeader& header, Body body)
      : header_(header), body_(body), vertex_count_(header.count_of("vertex")) {}

  SurfaceFile read(const std::string& place) {
    for (const PlyElement& element : header_.elements) {
      if (element.properties.empty()) continue;
      check_room(element);
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == "face") {
        read_faces(element);
      } else if (element.name == "tristrips") {
        read_strips(element);
      } else {
        skip_rows(element);
      }
    }
    body_.expect_end();
    if (!out_.texture_coordinates.empty()) {
      out_.texture_coordinates.resize(out_.mesh.corners.size());
    } else if (!vertex_texture_.empty()) {
      spread_to_corners(vertex_texture_, out_);
    }
    finish(place, out_);
    return std::move(out_);
  }

 private:
  /// Nothing is reserved before its bytes are known to be there.
  void check_room(const PlyElement& element) const {
    std::size_t bytes = 0;
    for (const PlyProperty& property : element.properties) {
      bytes += body_.bytes_of(property.count_type.value_or(property.type));
      if (element.name == "face" && property.is_list_of_indices()) {
        bytes += 3 * body_.bytes_of(property.type);
      }
    }
    if (element.count > body_.left() / bytes) {
      body_.fail(fmt::format("truncated: the header announces {} rows of the element {} with at "
                             "least {} bytes each, but {} bytes are left",
                             element.count, in_quotes(element.name), bytes, body_.left()),
                 kExportAgain);
    }
  }

  void read_vertices(const PlyElement& element) {
    const VertexLayout layout = lay_out(element);
    if (!layout.position) {
      body_.fail("vertices lack one of the properties x, y and z",
                 "export the mesh with the positions of its vertices");
    }
    std::vector<float> colors;
    std::vector<VertexAttribute> attributes;
    for (const std::size_t column : layout.attributes) {
      attributes.push_back(
          {.name = element.properties[column].name, .components = 1, .values = {}});
    }
    reserve_vertices(layout, colors, attributes, element.count);
    std::vector<double> row(element.properties.size());
    for (std::uint64_t v = 0; v < element.count; ++v) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = value_or_skip(element.properties[c]);
      body_.end_row();
      out_.mesh.positions.push_back(position(*layout.position, row, v));
      if (layout.color) {
        for (const std::size_t c : *layout.color) colors.push_back(static_cast<float>(row[c]));
      }
      if (layout.texture) {
        const auto [s, t] = *layout.texture;
        vertex_texture_.push_back({static_cast<float>(row[s]), static_cast<float>(row[t])});
      }
      for (std::size_t a = 0; a < attributes.size(); ++a) {
        attributes[a].values.push_back(static_cast<float>(row[layout.attributes[a]]));
      }
    }
    if (layout.color) {
      scale(colors, element.properties[layout.color->front()].type);
      out_.attributes.push_back({.name = "color", .components = 3, .values = std::move(colors)});
    }
    std::ranges::move(attributes, std::back_inserter(out_.attributes));
  }

  void reserve_vertices(const VertexLayout& layout, std::vector<float>& colors,
                        std::vector<VertexAttribute>& attributes, std::size_t count) {
    out_.mesh.positions.reserve(count);
    if (layout.color) colors.reserve(3 * count);
    if (layout.texture) vertex_texture_.reserve(count);
    for (VertexAttribute& attribute : attributes) attribute.values.reserve(count);
  }

  double value_or_skip(const PlyProperty& property) {
    if (!property.count_type) return body_.get(property.type);
    body_.skip(property.type, list_size(property));
    return 0;
  }

  Vec3d position(const std::array<std::size_t, 3>& columns, std::span<const double> row,
                 std::uint64_t vertex) const {
    const Vec3d position{row[columns[0]], row[columns[1]], row[columns[2]]};
    for (const double coordinate : position.e) {
      if (!std::isfinite(coordinate)) {
        body_.fail(fmt::format("vertex {} has the coordinate '{}', expected a finite number",
                               vertex + 1, coordinate),
                   kMendVertex);
      }
    }
    return position;
  }

  static void scale(std::vector<float>& colors, PlyType type) {
    if (type != PlyType::Uint8 && type != PlyType::Uint16) return scale_colors(colors);
    const float whole = type == PlyType::Uint8 ? 255.0f : 65535.0f;
    for (float& value : colors) value /= whole;
  }

  std::int64_t whole_number(PlyType type) {
    const double value = body_.get(type);
    // Above 2^53 a double no longer tells whole numbers apart.
    if (value != std::floor(value) || std::abs(value) > 0x1p53) {
      body_.fail(fmt::format("found {} where a count or an index is expected", value),
                 kExportAgain);
    }
    return static_cast<std::int64_t>(value);
  }

  std::uint64_t list_size(const PlyProperty& property) {
    const std::int64_t size = whole_number(*property.count_type);
    if (size < 0) body_.fail(fmt::format("a list of {} values", size), kExportAgain);
    if (static_cast<std::uint64_t>(size) > body_.left() / body_.bytes_of(property.type)) {
      body_.fail(
          fmt::format("truncated: a list of {} values, but {} bytes are left", size, body_.left()),
          kExportAgain);
    }
    return static_cast<std::uint64_t>(size);
  }

  std::int32_t check_index(std::int64_t index) const {
    if (index < 0 || static_cast<std::uint64_t>(index) >= vertex_count_) {
      body_.fail(fmt::format("face {} uses vertex {}, but there are {} vertices",
                             out_.mesh.face_count() + 1, index, vertex_count_),
                 "indices count from 0; export the mesh again");
    }
    return static_cast<std::int32_t>(index);
  }

  const PlyProperty& index_property(const PlyElement& element) const {
    const auto found = std::ranges::find_if(element.properties, &PlyProperty::is_list_of_indices);
    if (found == element.properties.end()) {
      body_.fail(
          fmt::format("the element {} lacks the list vertex_indices", in_quotes(element.name)),
          "export the mesh as polygons");
    }
    return *found;
  }

  void read_faces(const PlyElement& element) {
    SurfaceMesh& mesh = out_.mesh;
    const PlyProperty& indices = index_property(element);
    mesh.face_starts.reserve(element.count + 1);
    mesh.corners.reserve(3 * element.count);
    std::vector<float> texture;  // of one face
    for (std::uint64_t f = 0; f < element.count; ++f) {
      texture.clear();
      for (const PlyProperty& property : element.properties) {
        if (&property == &indices) {
          read_corners(property);
        } else if (property.count_type && property.name == "texcoord") {
          for (std::uint64_t n = list_size(property); n > 0; --n) {
            texture.push_back(static_cast<float>(body_.get(property.type)));
          }
        } else {
          value_or_skip(property);
        }
      }
      body_.end_row();
      add_corner_texture(texture);
    }
  }

  void read_corners(const PlyProperty& property) {
    SurfaceMesh& mesh = out_.mesh;
    const std::uint64_t count = list_size(property);
    if (count < 3) {
      body_.fail(
          fmt::format("face {} has {} corners, expected 3 or more", mesh.face_count() + 1, count),
          "delete the face and export the mesh again");
    }
    check_corner_count(mesh.corners.size() + count);
    for (std::uint64_t c = 0; c < count; ++c) {
      mesh.corners.push_back(check_index(whole_number(property.type)));
    }
    mesh.face_starts.push_back(static_cast<std::int32_t>(mesh.corners.size()));
  }

  void check_corner_count(std::uint64_t count) const {
    if (count > std::numeric_limits<std::int32_t>::max()) {
      body_.fail("the faces have more than 2^31 corners",
                 "simplify the mesh or split it into several bodies");
    }
  }

  /// Texture coordinates of the last face; faces before the first that has some get 0 0.
  void add_corner_texture(std::span<const float> values) {
    auto& all = out_.texture_coordinates;
    if (values.empty() && all.empty()) return;
    const std::size_t corners = out_.mesh.face(out_.mesh.face_count() - 1).size();
    if (!values.empty() && values.size() != 2 * corners) {
      body_.fail(fmt::format("face {} has {} corners and {} texture coordinates",
                             out_.mesh.face_count(), corners, values.size()),
                 "give every corner two of them (texcoord), or none to the whole face");
    }
    all.resize(out_.mesh.corners.size() - (values.empty() ? 0 : corners));
    for (std::size_t i = 0; i < values.size(); i += 2) all.push_back({values[i], values[i + 1]});
  }

  void read_strips(const PlyElement& element) {
    const PlyProperty& indices = index_property(element);
    for (std::uint64_t row = 0; row < element.count; ++row) {
      for (const PlyProperty& property : element.properties) {
        if (&property == &indices) {
          read_strip_list(property);
        } else {
          value_or_skip(property);
        }
      }
      body_.end_row();
    }
  }

  /// Strips one after the other, with -1 between them.
  void read_strip_list(const PlyProperty& property) {
    const std::uint64_t count = list_size(property);
    check_corner_count(out_.mesh.corners.size() + 3 * count);
    std::vector<std::int32_t> strip;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t index = whole_number(property.type);
      if (index != -1) strip.push_back(check_index(index));
      if (index == -1 || i + 1 == count) {
        add_strip(out_.mesh, strip);
        strip.clear();
      }
    }
  }

  void skip_rows(const PlyElement& element) {
    for (std::uint64_t row = 0; row < element.count; ++row) {
      for (const PlyProperty& property : element.properties) value_or_skip(property);
      body_.end_row();
    }
  }

  const PlyHeader& header_;
  Body body_;
  std::uint64_t vertex_count_;
  SurfaceFile out_;
  std::vector<std::array<float, 2>> vertex_texture_;
};

}  // namespace

SurfaceFile read_ply(const std::filesystem::path& path) {
  return read_ply(path.string(), read_file(path));
}

SurfaceFile read_ply(std::string place, std::span<const std::byte> bytes) {
  TextScanner in(std::move(place), text_of(bytes), {});
  const PlyHeader header = read_ply_header(in);
  if (header.encoding == PlyEncoding::Ascii) {
    return BodyReader(header, AsciiBody(in)).read(in.place());
  }
  in.rest_of_line();
  const std::size_t start = bytes.size() - in.left();
  return BodyReader(header, BinaryBody(in.place(), bytes, start, header.encoding)).read(in.place());
}

}  // namespace isochor::files
