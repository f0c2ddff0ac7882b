#include "isochor/files/tet_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {

void IdTable::add(std::int64_t id) {
  if (count_ == 0) first_ = id;
  const auto index = static_cast<std::int32_t>(count_);
  const bool in_order = sorted_.empty() && offset(id) == count_;
  if (!in_order && sorted_.empty()) {
    for (std::int32_t i = 0; i < index; ++i) sorted_.emplace_back(first_ + i, i);
  }
  if (!in_order) sorted_.emplace_back(id, index);
  ++count_;
}

const std::int64_t* IdTable::finish() {
  std::ranges::sort(sorted_);
  const auto twin = std::ranges::adjacent_find(
      sorted_, [](const auto& a, const auto& b) { return a.first == b.first; });
  return twin == sorted_.end() ? nullptr : &twin->first;
}

std::int32_t IdTable::find(std::int64_t id) const {
  if (sorted_.empty()) {
    return offset(id) < count_ ? static_cast<std::int32_t>(offset(id)) : -1;
  }
  const auto found = std::ranges::lower_bound(sorted_, std::pair(id, std::int32_t{0}));
  return found != sorted_.end() && found->first == id ? found->second : -1;
}

/// "3 triangles and 2 lines left out".
void TetBuilder::note_left_out() {
  std::string text;
  std::size_t written = 0;
  for (const auto& [name, count] : left_out_) {
    if (written > 0) text += written + 1 == left_out_.size() ? " and " : ", ";
    text += counted(count, name.first, name.second);
    ++written;
  }
  if (written > 0) note(text + " left out");
}

void TetBuilder::drop_collapsed() {
  auto& tets = file_.mesh.tets;
  std::vector<std::uint8_t> keep(tets.size(), 1);
  for (std::size_t t = 0; t < tets.size(); ++t) {
    geometry::Tet sorted = tets[t];
    std::ranges::sort(sorted);
    keep[t] = std::ranges::adjacent_find(sorted) == sorted.end();
  }
  const std::size_t kept = std::ranges::count(keep, 1);
  if (kept == tets.size()) return;
  note(counted(tets.size() - kept, "tet", "tets") + " with equal corners left out");
  std::size_t next = 0;
  for (std::size_t t = 0; t < tets.size(); ++t) {
    if (!keep[t]) continue;
    tets[next] = tets[t];
    labels_[next] = labels_[t];
    for (VertexAttribute& a : file_.on_tets) {
      std::copy_n(a.values.begin() + static_cast<std::ptrdiff_t>(t) * a.components, a.components,
                  a.values.begin() + static_cast<std::ptrdiff_t>(next) * a.components);
    }
    ++next;
  }
  tets.resize(next);
  labels_.resize(next);
  for (VertexAttribute& a : file_.on_tets) a.values.resize(next * a.components);
}

void TetBuilder::drop_unused() {
  geometry::TetMesh& mesh = file_.mesh;
  std::vector<std::int32_t> numbers(mesh.positions.size(), -1);
  for (const geometry::Tet& tet : mesh.tets) {
    for (const std::int32_t v : tet) numbers[v] = 0;
  }
  std::int32_t used = 0;
  for (std::size_t v = 0; v < numbers.size(); ++v) {
    if (numbers[v] < 0) continue;
    mesh.positions[used] = mesh.positions[v];
    for (VertexAttribute& a : file_.on_vertices) {
      std::copy_n(a.values.begin() + static_cast<std::ptrdiff_t>(v) * a.components, a.components,
                  a.values.begin() + std::ptrdiff_t{used} * a.components);
    }
    numbers[v] = used++;
  }
  const std::size_t unused = numbers.size() - static_cast<std::size_t>(used);
  if (unused == 0) return;
  note(counted(unused, "point is", "points are") + " in no tet, left out");
  mesh.positions.resize(used);
  for (VertexAttribute& a : file_.on_vertices) {
    a.values.resize(static_cast<std::size_t>(used) * a.components);
  }
  for (geometry::Tet& tet : mesh.tets) {
    for (std::int32_t& v : tet) v = numbers[v];
  }
}

/// Regions in the order of their labels. A single one without a name says nothing.
void TetBuilder::number_regions() {
  std::map<std::int64_t, std::int32_t> numbers;
  for (const std::int64_t label : labels_) numbers[label] = 0;
  if (numbers.size() == 1 && !names_.contains(numbers.begin()->first)) return;
  for (auto& [label, number] : numbers) {
    number = static_cast<std::int32_t>(file_.region_names.size());
    const auto name = names_.find(label);
    file_.region_names.push_back(name != names_.end() ? name->second : fmt::format("{}", label));
  }
  for (const std::int64_t label : labels_) file_.mesh.regions.push_back(numbers[label]);
}

TetFile TetBuilder::finish() {
  for (std::size_t i = 0; i < point_count(); ++i) {
    if (!is_finite(file_.mesh.positions[i])) {
      throw Error(Fault::Input, place_,
                  fmt::format("vertex {} has a coordinate that is no finite number", i + 1),
                  kMendVertex);
    }
  }
  note_left_out();
  drop_collapsed();
  if (tet_count() == 0) {
    throw Error(Fault::Input, place_,
                file_.notes.empty() ? "has no tetrahedra" : "has no tetrahedra: " + file_.notes[0],
                "export the solid as tetrahedra, or make them of its surface with 'isochor "
                "tetrahedralise'");
  }
  if (second_order_ > 0) {
    note(counted(second_order_, "tet", "tets") +
         " of higher order, of which the corners are taken");
  }
  drop_unused();
  if (const std::size_t turned = geometry::fix_winding(file_.mesh)) {
    note(fmt::format("{} of {} tets turned round, their volume was negative", turned,
                     file_.mesh.tets.size()));
  }
  number_regions();
  return std::move(file_);
}

namespace {

struct CellName {
  const char *one, *many;
};
CellName name_of_vtk_cell(std::uint8_t type) {
  switch (type) {
    case 1:
    case 2:
      return {"point", "points"};
    case 3:
    case 4:
    case 21:
      return {"line", "lines"};
    case 5:
    case 6:
    case 22:
    case 69:
      return {"triangle", "triangles"};
    case 7:
    case 8:
    case 9:
    case 23:
    case 28:
    case 70:
      return {"polygon", "polygons"};
    case 11:
    case 12:
    case 25:
    case 29:
    case 72:
      return {"hexahedron", "hexahedra"};
    case 13:
    case 26:
    case 73:
      return {"wedge", "wedges"};
    case 14:
    case 27:
    case 74:
      return {"pyramid", "pyramids"};
    default:
      return {"other cell", "other cells"};
  }
}

constexpr std::uint8_t kTet = 10, kQuadraticTet = 24, kLagrangeTet = 71;

/// What programs call the array that says which part a cell belongs to.
constexpr std::string_view kRegionNames[] = {
    "region",      "regions",       "material",  "materials", "MaterialID",
    "material_id", "zone",          "label",     "labels",    "gmsh:physical",
    "medit:ref",   "CellEntityIds", "attribute", "EntityIds", "gmsh:geometrical"};

bool is_region(const FieldArray& array) {
  return array.components == 1 &&
         std::ranges::find(kRegionNames, array.name) != std::end(kRegionNames) &&
         std::ranges::all_of(array.values,
                             [](float v) { return std::trunc(v) == v && std::abs(v) <= 1e7f; });
}

VertexAttribute empty_copy(const FieldArray& array) {
  return {.name = array.name, .components = static_cast<int>(array.components), .values = {}};
}

}  // namespace

TetFile tets_of(FieldFile grid) {
  TetBuilder builder(grid.place);
  for (const Vec3d& p : grid.points) builder.add_point(p);
  for (FieldArray& array : grid.on_points) {
    VertexAttribute attribute = empty_copy(array);
    attribute.values = std::move(array.values);
    builder.file().on_vertices.push_back(std::move(attribute));
  }
  const FieldArray* region = nullptr;
  for (const FieldArray& array : grid.on_cells) {
    if (region == nullptr && is_region(array)) region = &array;
    builder.file().on_tets.push_back(empty_copy(array));
  }
  for (std::size_t c = 0; c < grid.cells.count(); ++c) {
    const std::uint8_t type = grid.cells.types[c];
    const auto corners =
        std::span(grid.cells.corners)
            .subspan(grid.cells.starts[c], grid.cells.starts[c + 1] - grid.cells.starts[c]);
    const bool is_tet = type == kTet || type == kQuadraticTet || type == kLagrangeTet;
    if (!is_tet || corners.size() < 4) {
      const CellName name = name_of_vtk_cell(type);
      builder.leave_out(name.one, name.many);
      continue;
    }
    if (type != kTet) builder.note_second_order();
    const auto label = region != nullptr ? static_cast<std::int64_t>(region->values[c]) : 0;
    builder.add_tet({corners[0], corners[1], corners[2], corners[3]}, label);
    for (std::size_t a = 0; a < grid.on_cells.size(); ++a) {
      const FieldArray& from = grid.on_cells[a];
      const auto values = std::span(from.values).subspan(c * from.components, from.components);
      auto& to = builder.file().on_tets[a].values;
      to.insert(to.end(), values.begin(), values.end());
    }
  }
  for (std::string& note : grid.notes) builder.note(std::move(note));
  for (const std::string& name : grid.left_out) builder.note(name + ", ignored");
  return builder.finish();
}

}  // namespace isochor::files
