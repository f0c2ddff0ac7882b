#include "isochor/files/obj.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

using geometry::SurfaceMesh;

/// Keywords of the format that say nothing about polygons.
constexpr std::string_view kIgnored[] = {
    "vn",     "s",      "mtllib", "l",     "p",    "vp",         "mg",       "deg",      "bmat",
    "step",   "cstype", "curv",   "curv2", "surf", "parm",       "trim",     "hole",     "scrv",
    "sp",     "end",    "con",    "bevel", "lod",  "ctech",      "usemap",   "c_interp", "d_interp",
    "maplib", "stech",  "call",   "csh",   "res",  "shadow_obj", "trace_obj"};

/// Above this a line lists no groups, and above this a file is not an OBJ with a few additions: no
/// line may make the result larger than the file by more than a factor.
constexpr std::size_t kMostGroupsPerLine = 100, kMostUnknownKeywords = 32;

/// Letters, then also digits and the signs that names have: what a keyword may look like.
bool is_word_like(std::string_view word) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return is_letter(word.front()) && std::ranges::all_of(word, [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':';
         });
}

/// What corners of faces point at.
struct Indexed {
  std::string_view name, plural;
  std::int64_t highest = 0;  ///< index used, from 1
  std::int64_t highest_line = 0;
};

class ObjParser {
 public:
  ObjParser(std::string place, std::string_view text)
      : in_(std::move(place), text, {.comments = true, .continuations = true}) {}

  SurfaceFile parse() {
    while (in_.next_line()) read_line();
    check_whole();
    add_texture_coordinates();
    add_colors();
    for (const auto& [keyword, seen] : unknown_) {
      out_.notes.push_back(fmt::format("{} with the unknown keyword '{}' ignored",
                                       counted(seen.count, "line", "lines"), keyword));
    }
    out_.groups = groups_.take();
    finish(in_.place(), out_);
    return std::move(out_);
  }

 private:
  void read_line() {
    const std::string_view keyword = in_.next_word();
    if (keyword == "v") {
      read_vertex();
    } else if (keyword == "f" || keyword == "fo") {
      read_face();
    } else if (keyword == "vt") {
      read_texture_coordinates();
    } else if (keyword == "g") {
      read_groups();
    } else if (keyword == "o") {
      object_ = named_group("object:");
    } else if (keyword == "usemtl") {
      material_ = named_group("material:");
    } else if (!keyword.empty() && std::ranges::find(kIgnored, keyword) == std::end(kIgnored)) {
      skip_unknown(keyword);
    }
  }

  void read_vertex() {
    out_.mesh.positions.push_back(in_.position(out_.mesh.positions.size() + 1));
    // One number is a weight, three are a colour, four a colour and its opacity.
    std::array<float, 3> color{};
    std::size_t count = 0;
    for (std::string_view word = in_.next_word(); !word.empty(); word = in_.next_word(), ++count) {
      const double value = in_.number(word);
      if (count < 3) color[count] = static_cast<float>(value);
    }
    if (count < 3 && colors_.empty()) return;
    // Vertices without a colour get theirs at the end.
    colors_.resize(3 * (out_.mesh.positions.size() - 1), kNoColor);
    if (count < 3) color.fill(kNoColor);
    if (count >= 3) ++colored_;
    colors_.insert(colors_.end(), color.begin(), color.end());
  }

  void read_texture_coordinates() {
    std::array<float, 2> uv{};
    for (float& value : uv) {
      const std::string_view word = in_.next_word();
      if (!word.empty()) value = static_cast<float>(in_.number(word));
    }
    texture_coordinates_.push_back(uv);
  }

  void read_groups() {
    active_groups_.clear();
    for (std::string_view name = in_.next_word(); !name.empty(); name = in_.next_word()) {
      if (active_groups_.size() == kMostGroupsPerLine) {
        in_.fail(fmt::format("more than {} groups in one line", kMostGroupsPerLine),
                 "let every face belong to fewer groups");
      }
      active_groups_.push_back(groups_.find_or_add(name));
    }
  }

  /// The group that the rest of the line names, if it does.
  std::optional<std::size_t> named_group(std::string_view kind) {
    const std::string_view name = in_.rest_of_line();
    if (name.empty()) return std::nullopt;
    return groups_.find_or_add(fmt::format("{}{}", kind, name));
  }

  void read_face() {
    SurfaceMesh& mesh = out_.mesh;
    const std::size_t first = mesh.corners.size();
    for (std::string_view word = in_.next_word(); !word.empty(); word = in_.next_word()) {
      read_corner(word);
    }
    const auto face = static_cast<std::int32_t>(mesh.face_count());
    if (const std::size_t count = mesh.corners.size() - first; count < 3) {
      in_.fail(fmt::format("face {} has {} corners, expected 3 or more", face + 1, count),
               "delete the face; lines and points have the keywords l and p");
    }
    mesh.face_starts.push_back(static_cast<std::int32_t>(mesh.corners.size()));
    for (const std::size_t group : active_groups_) groups_.add(group, face);
    if (object_) groups_.add(*object_, face);
    if (material_) groups_.add(*material_, face);
  }

  /// A corner is 7, 7/1, 7//3 or 7/1/3, with each index counted from 1 or, as -1, from the last.
  void read_corner(std::string_view word) {
    const auto fields = split_corner(word);
    out_.mesh.corners.push_back(resolve(word, fields[0], out_.mesh.positions.size(), vertices_));
    if (fields[1].empty() && texture_indices_.empty()) return;
    texture_indices_.resize(out_.mesh.corners.size() - 1, kNoTexture);
    texture_indices_.push_back(
        fields[1].empty() ? kNoTexture
                          : resolve(word, fields[1], texture_coordinates_.size(), textures_));
  }

  /// Vertex, texture and normal; the last two may be empty.
  std::array<std::string_view, 3> split_corner(std::string_view word) const {
    std::array<std::string_view, 3> fields;
    std::string_view rest = word;
    for (std::string_view& field : fields) {
      const std::size_t end = rest.find('/');
      field = rest.substr(0, end);
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    if (!rest.empty() || fields[2].find_first_not_of("-0123456789") != word.npos) {
      fail_corner(word);
    }
    return fields;
  }

  /// An index counted from 0.
  std::int32_t resolve(std::string_view word, std::string_view digits, std::size_t so_far,
                       Indexed& indexed) {
    const char* end = digits.data() + digits.size();
    std::int64_t index = 0;
    const auto [stop, code] = std::from_chars(digits.data(), end, index);
    if (code == std::errc::invalid_argument || stop != end) fail_corner(word);
    const auto count = static_cast<std::int64_t>(so_far);
    if (code == std::errc::result_out_of_range || index == 0 || index < -count ||
        index > std::numeric_limits<std::int32_t>::max()) {
      fail_index(indexed, in_.line_number(), digits, so_far);
    }
    if (index < 0) index += count + 1;
    // A vertex may follow its faces, so the last word on this is spoken at the end.
    if (index > indexed.highest) {
      indexed.highest = index;
      indexed.highest_line = in_.line_number();
    }
    return static_cast<std::int32_t>(index - 1);
  }

  [[noreturn]] void fail_corner(std::string_view word) const {
    in_.fail(in_quotes(word) + " is not a corner of a face",
             "write a corner as vertex, vertex/texture or vertex/texture/normal");
  }

  [[noreturn]] void fail_index(const Indexed& indexed, std::int64_t line, std::string_view index,
                               std::size_t count) const {
    in_.fail_at(line,
                fmt::format("face uses {} {}, but there are {} {}", indexed.name, in_quotes(index),
                            count, indexed.plural),
                "indices count from 1 over the whole file, or from -1 back from the last one");
  }

  void check_index(const Indexed& indexed, std::size_t count) const {
    if (indexed.highest > static_cast<std::int64_t>(count)) {
      fail_index(indexed, indexed.highest_line, std::to_string(indexed.highest), count);
    }
  }

  /// Programs add keywords of their own; but numbers or binary data are another format.
  void skip_unknown(std::string_view keyword) {
    if (!is_word_like(keyword)) fail_unknown(keyword, in_.line_number());
    auto seen = unknown_.find(keyword);
    if (seen == unknown_.end()) {
      if (unknown_.size() == kMostUnknownKeywords) fail_unknown(keyword, in_.line_number());
      seen = unknown_.emplace(keyword, Seen{.first_line = in_.line_number()}).first;
    }
    ++seen->second.count;
  }

  [[noreturn]] void fail_unknown(std::string_view keyword, std::int64_t line) const {
    in_.fail_at(
        line,
        fmt::format("unknown keyword {}, this does not look like an OBJ file", in_quotes(keyword)),
        "export the mesh as Wavefront OBJ, or delete the line");
  }

  void check_whole() const {
    const SurfaceMesh& mesh = out_.mesh;
    if (mesh.positions.empty() || mesh.face_count() == 0) {
      if (!unknown_.empty()) {
        const auto& [keyword, seen] = *std::ranges::min_element(
            unknown_, {}, [](const auto& entry) { return entry.second.first_line; });
        fail_unknown(keyword, seen.first_line);
      }
      throw Error(Fault::Input, in_.place(),
                  mesh.positions.empty() ? "no vertices (lines that begin with v)"
                                         : "no faces (lines that begin with f)",
                  "export the mesh as polygons in Wavefront OBJ");
    }
    check_index(vertices_, mesh.positions.size());
    check_index(textures_, texture_coordinates_.size());
  }

  void add_texture_coordinates() {
    if (texture_indices_.empty()) return;
    texture_indices_.resize(out_.mesh.corners.size(), kNoTexture);
    out_.texture_coordinates.reserve(texture_indices_.size());
    for (const std::int32_t index : texture_indices_) {
      out_.texture_coordinates.push_back(index == kNoTexture ? std::array<float, 2>{}
                                                             : texture_coordinates_[index]);
    }
    if (const auto missing = std::ranges::count(texture_indices_, kNoTexture); missing > 0) {
      out_.notes.push_back(counted(static_cast<std::size_t>(missing), "corner", "corners") +
                           " without texture coordinates, set to 0 0");
    }
  }

  void add_colors() {
    if (colors_.empty()) return;
    const std::size_t vertices = out_.mesh.positions.size();
    colors_.resize(3 * vertices, kNoColor);
    scale_colors(colors_);
    std::ranges::replace_if(
        colors_, [](float value) { return std::isnan(value); }, 1.0f);
    if (colored_ < vertices) {
      out_.notes.push_back(counted(vertices - colored_, "vertex", "vertices") +
                           " without a colour, set to white");
    }
    out_.attributes.push_back({.name = "color", .components = 3, .values = std::move(colors_)});
  }

  struct Seen {
    std::size_t count = 0;
    std::int64_t first_line = 0;
  };
  static constexpr float kNoColor = std::numeric_limits<float>::quiet_NaN();
  static constexpr std::int32_t kNoTexture = -1;

  TextScanner in_;
  SurfaceFile out_;
  Indexed vertices_{.name = "vertex", .plural = "vertices"};
  Indexed textures_{.name = "texture coordinate", .plural = "texture coordinates"};
  std::vector<float> colors_;                              ///< empty before the first colour
  std::size_t colored_ = 0;                                ///< vertices with a colour
  std::vector<std::array<float, 2>> texture_coordinates_;  ///< the lines vt
  std::vector<std::int32_t> texture_indices_;              ///< per corner, once there is one
  FaceGroups groups_;
  std::vector<std::size_t> active_groups_;
  std::optional<std::size_t> object_, material_;
  std::map<std::string, Seen, std::less<>> unknown_;
};

/// The shortest text that reads back as the same number.
template <class T>
void append(std::string& text, T number) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// What stands before each face: its object, its material and its groups. None without groups.
std::vector<std::string> group_lines(std::size_t faces, std::span<const FaceGroup> groups) {
  if (groups.empty()) return {};
  std::vector<std::string> objects(faces), materials(faces), others(faces);
  for (const FaceGroup& group : groups) {
    constexpr std::string_view kObject = "object:", kMaterial = "material:";
    std::string name = group.name;
    const bool object = name.starts_with(kObject), material = name.starts_with(kMaterial);
    if (object || material) name.erase(0, (object ? kObject : kMaterial).size());
    // Blanks end the name of a group.
    if (!object && !material) std::ranges::replace(name, ' ', '_');
    for (const std::int32_t f : group.faces) {
      if (object) {
        objects[f] = name;
      } else if (material) {
        materials[f] = name;
      } else {
        others[f] += ' ' + name;
      }
    }
  }
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < faces; ++f) {
    lines.push_back(fmt::format(
        "{}{}g{}\n", objects[f].empty() ? "" : fmt::format("o {}\n", objects[f]),
        materials[f].empty() ? "" : fmt::format("usemtl {}\n", materials[f]), others[f]));
  }
  return lines;
}

}  // namespace

SurfaceFile read_obj(const std::filesystem::path& path) {
  return read_obj(path.string(), read_file(path));
}

SurfaceFile read_obj(std::string place, std::span<const std::byte> bytes) {
  return ObjParser(std::move(place), text_of(bytes)).parse();
}

void write_obj(const std::filesystem::path& path, std::span<const Vec3d> positions,
               const SurfaceMesh& topology,
               std::span<const std::array<float, 2>> texture_coordinates,
               std::span<const FaceGroup> groups) {
  std::string text;
  const auto append_line = [&]<class T>(std::string_view keyword, std::span<const T> numbers) {
    text += keyword;
    for (const T number : numbers) {
      text += ' ';
      append(text, number);
    }
    text += '\n';
  };
  for (const Vec3d& p : positions) append_line("v", std::span<const double>(p.e));
  std::map<std::array<float, 2>, std::int64_t> places;  // of texture coordinates
  for (const std::array<float, 2>& uv : texture_coordinates) {
    if (!places.try_emplace(uv, std::int64_t(places.size()) + 1).second) continue;
    append_line("vt", std::span<const float>(uv));
  }
  const std::vector<std::string> lines = group_lines(topology.face_count(), groups);
  std::string_view last;
  for (std::size_t f = 0; f < topology.face_count(); ++f) {
    if (!lines.empty() && lines[f] != last) text += last = lines[f];
    text += 'f';
    for (std::int32_t c = topology.face_starts[f]; c < topology.face_starts[f + 1]; ++c) {
      text += ' ';
      append(text, std::int64_t{topology.corners[c]} + 1);
      if (texture_coordinates.empty()) continue;
      text += '/';
      append(text, places.at(texture_coordinates[c]));
    }
    text += '\n';
  }
  write_file_atomic(path, text);
}

}  // namespace isochor::files
