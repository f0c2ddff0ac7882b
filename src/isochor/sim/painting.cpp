#include "isochor/sim/painting.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/files/field_file.h"
#include "isochor/geometry/triangle_bvh.h"
#include "isochor/sim/field_sampling.h"

namespace isochor::sim {
namespace {

constexpr std::string_view kGroup = "group:", kPoint = "point:", kCell = "cell:";

/// The face that each triangle of geometry::triangulate comes from.
std::vector<std::int32_t> faces_of_triangles(const geometry::SurfaceMesh& mesh) {
  std::vector<std::int32_t> faces;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    faces.insert(faces.end(), mesh.face(f).size() - 2, static_cast<std::int32_t>(f));
  }
  return faces;
}

/// Which component of an array `from` means: "name" of one with a single component, else "name.0"
/// or, as for colours, "name.r". Nothing if it means another array.
std::optional<std::size_t> component_of(std::string_view from, std::string_view name,
                                        std::size_t components) {
  if (from == name && components == 1) return 0;
  if (!from.starts_with(name) || from.size() < name.size() + 2 || from[name.size()] != '.') {
    return {};
  }
  const std::string_view part = from.substr(name.size() + 1);
  std::size_t component = std::string_view("rgba").find(part[0]);
  if (part.size() > 1 || component == part.npos) {
    const auto [stop, code] = std::from_chars(part.data(), part.data() + part.size(), component);
    if (code != std::errc{} || stop != part.data() + part.size()) return {};
  }
  if (component >= components) return {};
  return component;
}

/// The names under which the components of an array can be asked for.
void add_names(std::string_view prefix, std::string_view name, std::size_t components,
               std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  for (std::size_t c = 0; c < std::min(components, kShown); ++c) {
    names.push_back(components == 1 ? fmt::format("{}{}", prefix, name)
                                    : fmt::format("{}{}.{}", prefix, name, c));
  }
}

/// One component of an array as numbers of their own.
std::vector<float> column(std::span<const float> values, std::size_t components,
                          std::size_t component) {
  std::vector<float> numbers(values.size() / components);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = values[i * components + component];
  return numbers;
}

[[noreturn]] void fail_unpainted(const files::SurfaceFile& surface, std::string_view from,
                                 const std::string& place) {
  std::vector<std::string> known;
  for (const files::VertexAttribute& a : surface.attributes) {
    add_names("", a.name, static_cast<std::size_t>(a.components), known);
  }
  for (const files::FaceGroup& g : surface.groups) {
    known.push_back(fmt::format("{}{}", kGroup, g.name));
  }
  throw Error(Fault::Input, place, fmt::format("the mesh has no '{}'", from),
              known.empty() ? "the mesh has neither groups nor attributes; paint it, name a file "
                              "of fields, or take the paint out of the scene"
                            : fmt::format("it has {}", fmt::join(known, ", ")));
}

/// Per vertex.
std::vector<float> attribute(const files::SurfaceFile& surface, std::string_view from,
                             const std::string& place) {
  for (const files::VertexAttribute& a : surface.attributes) {
    const auto components = static_cast<std::size_t>(a.components);
    if (const auto c = component_of(from, a.name, components)) {
      return column(a.values, components, *c);
    }
  }
  fail_unpainted(surface, from, place);
}

double default_value(std::string_view quantity) {
  return quantity == "stiffness" || quantity == "activation" ? 1 : 0;
}

/// A file of fields, and where in it the cells of the body are.
struct FieldSource {
  files::FieldFile file;
  std::vector<Vec3d> points;                    ///< m
  std::vector<std::int32_t> point_of, cell_of;  ///< per cell of the body; empty until asked for
};

class Painter {
 public:
  Painter(std::vector<Vec3d> middles, const files::SurfaceFile& surface, ThreadArena& arena,
          const std::filesystem::path& folder)
      : surface_(surface), arena_(arena), folder_(folder), middles_(std::move(middles)) {}

  std::size_t cell_count() const { return middles_.size(); }

  void apply(const PaintSpec& paint, std::vector<double>& field) {
    if (paint.file.empty() && paint.from.starts_with(kGroup)) {
      apply_group(paint, field);
      return;
    }
    const std::vector<double> values =
        paint.file.empty() ? on_surface(attribute(surface_, paint.from, paint.place.text("from")))
                           : from_file(paint);
    for (std::size_t c = 0; c < field.size(); ++c) {
      field[c] = paint.low + (paint.high - paint.low) * values[c];
    }
  }

 private:
  // ---- What the surface itself carries ----

  void apply_group(const PaintSpec& paint, std::vector<double>& field) {
    const auto group = std::ranges::find(surface_.groups, paint.from.substr(kGroup.size()),
                                         &files::FaceGroup::name);
    if (group == surface_.groups.end()) {
      fail_unpainted(surface_, paint.from, paint.place.text("from"));
    }
    std::vector<bool> inside(surface_.mesh.face_count(), false);
    for (const std::int32_t f : group->faces) inside[f] = true;
    find_on_surface();
    const std::vector<std::int32_t> faces = faces_of_triangles(surface_.mesh);
    for (std::size_t c = 0; c < field.size(); ++c) {
      if (inside[faces[nearest_[c].triangle]]) field[c] = paint.high;
    }
  }

  void find_on_surface() {
    if (!nearest_.empty()) return;
    triangles_ = geometry::triangulate(surface_.mesh);
    const geometry::TriangleBvh tree(surface_.mesh.positions, triangles_, arena_);
    nearest_.resize(middles_.size());
    parallel_for(arena_, middles_.size(), 256,
                 [&](std::size_t c) { nearest_[c] = tree.closest_point(middles_[c]); });
  }

  std::vector<double> on_surface(std::span<const float> per_vertex) {
    find_on_surface();
    std::vector<double> values(middles_.size(), 0);
    for (std::size_t c = 0; c < middles_.size(); ++c) {
      const geometry::Triangle& t = triangles_[nearest_[c].triangle];
      for (int i = 0; i < 3; ++i) values[c] += nearest_[c].barycentric[i] * per_vertex[t[i]];
    }
    return values;
  }

  // ---- What a file beside the scene carries ----

  [[noreturn]] void fail_unknown(const PaintSpec& paint, const files::FieldFile& file) const {
    std::vector<std::string> known;
    for (const auto& a : file.loose) add_names("", a.name, a.components, known);
    for (const auto& a : file.on_points) add_names(kPoint, a.name, a.components, known);
    for (const auto& a : file.on_cells) add_names(kCell, a.name, a.components, known);
    const std::string left_out =
        file.left_out.empty() ? "" : fmt::format("; not read: {}", fmt::join(file.left_out, ", "));
    throw Error(Fault::Input, paint.place.text("from"),
                fmt::format("{} has no '{}'", paint.file, paint.from),
                known.empty() ? "it has no arrays of numbers" + left_out
                              : fmt::format("it has {}{}", fmt::join(known, ", "), left_out));
  }

  FieldSource& open(const PaintSpec& paint) {
    const auto key = std::pair(paint.file, paint.scale);
    const auto known = sources_.find(key);
    if (known != sources_.end()) return known->second;
    FieldSource source{.file = files::read_field_file(folder_ / paint.file)};
    source.points = source.file.points;
    for (Vec3d& p : source.points) p *= paint.scale;
    refuse_elsewhere(paint, source.points);
    return sources_.emplace(key, std::move(source)).first->second;
  }

  /// Millimetres taken for metres make a file a thousand times as large, or put it elsewhere.
  void refuse_elsewhere(const PaintSpec& paint, std::span<const Vec3d> points) const {
    if (points.empty()) return;
    constexpr double kMuchLarger = 100;
    const geometry::Bounds file = geometry::bounds_of(points);
    const geometry::Bounds body = geometry::bounds_of_faces(surface_.mesh);
    for (int a = 0; a < 3; ++a) {
      const bool apart = file.low[a] > body.high[a] || file.high[a] < body.low[a];
      if (!apart && file.size()[a] <= kMuchLarger * norm(body.size())) continue;
      throw Error(
          Fault::Input, paint.place.text("file"),
          fmt::format("the points of {} lie from {} to {} m along {}, the body from {} to "
                      "{} m",
                      paint.file, file.low[a], file.high[a], "xyz"[a], body.low[a], body.high[a]),
          "give the scale of the file, and points where the body is in the scene");
    }
  }

  /// The array that `from` means, with its component.
  struct Pick {
    const files::FieldArray* array = nullptr;
    std::size_t component = 0;
  };
  static Pick pick(std::string_view from, std::string_view prefix,
                   const std::vector<files::FieldArray>& arrays) {
    const std::string_view bare =
        from.starts_with(prefix) ? from.substr(prefix.size()) : std::string_view(from);
    for (const files::FieldArray& array : arrays) {
      if (const auto c = component_of(bare, array.name, array.components)) return {&array, *c};
    }
    return {};
  }

  std::vector<double> from_file(const PaintSpec& paint) {
    FieldSource& source = open(paint);
    const files::FieldFile& file = source.file;
    const bool cells_only = paint.from.starts_with(kCell);
    const bool points_only = paint.from.starts_with(kPoint);
    const Pick on_points = cells_only ? Pick{} : pick(paint.from, kPoint, file.on_points);
    const Pick on_cells = points_only ? Pick{} : pick(paint.from, kCell, file.on_cells);
    if (on_points.array != nullptr && on_cells.array != nullptr) {
      throw Error(
          Fault::Input, paint.place.text("from"),
          fmt::format("{} has '{}' on points and on cells", paint.file, paint.from),
          fmt::format("say which: \"{}{}\" or \"{}{}\"", kPoint, paint.from, kCell, paint.from));
    }
    if (on_points.array != nullptr) {
      if (source.point_of.empty()) {
        source.point_of = nearest_points(source.points, middles_, arena_);
      }
      return gathered(on_points, source.point_of);
    }
    if (on_cells.array != nullptr) {
      if (source.cell_of.empty()) {
        source.cell_of = nearest_cells(file, source.points, middles_, arena_);
      }
      return gathered(on_cells, source.cell_of);
    }
    const Pick loose = pick(paint.from, "", file.loose);
    if (loose.array == nullptr) fail_unknown(paint, file);
    if (loose.array->count() != surface_.mesh.positions.size()) {
      fail_length(paint, file, *loose.array);
    }
    return on_surface(column(loose.array->values, loose.array->components, loose.component));
  }

  [[noreturn]] void fail_length(const PaintSpec& paint, const files::FieldFile& file,
                                const files::FieldArray& array) const {
    const std::string grid = file.points.empty()
                                 ? ""
                                 : fmt::format(", the file {} points and {} cells",
                                               file.points.size(), file.cells.count());
    throw Error(Fault::Input, paint.place.text("from"),
                fmt::format("'{}' of {} has {} values, the mesh has {} vertices{}", array.name,
                            paint.file, array.count(), surface_.mesh.positions.size(), grid),
                "save one value per vertex, in the order of the mesh file");
  }

  static std::vector<double> gathered(const Pick& pick, std::span<const std::int32_t> places) {
    std::vector<double> values(places.size());
    for (std::size_t c = 0; c < places.size(); ++c) {
      values[c] = pick.array->values[static_cast<std::size_t>(places[c]) * pick.array->components +
                                     pick.component];
    }
    return values;
  }

  const files::SurfaceFile& surface_;
  ThreadArena& arena_;
  const std::filesystem::path& folder_;
  std::vector<Vec3d> middles_;
  std::vector<geometry::Triangle> triangles_;    ///< of the surface, once asked for
  std::vector<geometry::ClosestPoint> nearest_;  ///< per cell, once asked for
  std::map<std::pair<std::string, double>, FieldSource> sources_;  ///< by file and scale
};

void check_values(const PaintSpec& paint, const std::vector<double>& values) {
  const bool factor = default_value(paint.quantity) == 1;
  for (const double v : values) {
    if (std::isfinite(v) && (!factor || v >= 0)) continue;
    throw Error(Fault::Input, paint.place.text(),
                fmt::format("paints a {} of {}", paint.quantity, v),
                factor ? "give low and high so that no value is negative, and only finite numbers"
                       : "give only finite numbers");
  }
}

}  // namespace

std::vector<files::FaceGroup> painted_groups(const BodySpec& body,
                                             const files::SurfaceFile& surface) {
  constexpr float kHalf = 0.5f;
  std::vector<files::FaceGroup> groups;
  const auto add = [&](const std::string& name, const Place& place) {
    if (!name.starts_with(kPaintedGroup)) return;
    if (std::ranges::find(groups, name, &files::FaceGroup::name) != groups.end()) return;
    const std::vector<float> painted = attribute(
        surface, std::string_view(name).substr(kPaintedGroup.size()), place.text("group"));
    files::FaceGroup& group = groups.emplace_back(files::FaceGroup{.name = name, .faces = {}});
    for (std::size_t f = 0; f < surface.mesh.face_count(); ++f) {
      const bool all = std::ranges::all_of(surface.mesh.face(f),
                                           [&](std::int32_t v) { return painted[v] > kHalf; });
      if (all) group.faces.push_back(static_cast<std::int32_t>(f));
    }
    if (!group.faces.empty()) return;
    throw Error(Fault::Input, place.text("group"),
                "no face has more than a half of it at all its corners",
                "paint whole faces, from 0 (not) to 1 (held)");
  };
  for (const HoldSpec& hold : body.holds) add(hold.group, hold.place);
  for (const LoadSpec& load : body.loads) add(load.group, load.place);
  return groups;
}

std::vector<Vec3d> middles_of_cells(const grid::Lattice& lattice) {
  std::vector<Vec3d> middles;
  middles.reserve(lattice.cell_count());
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const grid::Block& block = lattice.blocks[b];
    const Vec3d low = lattice.rest_positions[block.nodes[grid::block_node(lane, 0)]];
    const double half = 0.5 * lattice.spacing;
    middles.push_back(low + Vec3d{half, half, half});
  });
  return middles;
}

std::vector<CellField> paint_cells(std::vector<Vec3d> middles, const files::SurfaceFile& surface,
                                   const std::vector<PaintSpec>& paints, ThreadArena& arena,
                                   const std::filesystem::path& folder) {
  std::vector<CellField> fields;
  if (paints.empty()) return fields;
  Painter painter(std::move(middles), surface, arena, folder);
  for (const PaintSpec& paint : paints) {
    auto field = std::ranges::find(fields, paint.quantity, &CellField::name);
    if (field == fields.end()) {
      const double value = default_value(paint.quantity);
      fields.push_back({paint.quantity, std::vector<double>(painter.cell_count(), value)});
      field = fields.end() - 1;
    }
    painter.apply(paint, field->values);
    check_values(paint, field->values);
  }
  return fields;
}

}  // namespace isochor::sim
