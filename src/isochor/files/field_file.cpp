#include "isochor/files/field_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/core.h>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/npz_reader.h"
#include "isochor/files/surface_file.h"
#include "isochor/files/text_scanner.h"
#include "isochor/files/vtu_reader.h"

namespace isochor::files {
namespace {

/// VTK's type of a cell by its number of corners; 0 where there is none in an .npz.
constexpr std::array<std::uint8_t, 9> kTypeByCorners{0, 0, 0, 5, 10, 14, 13, 0, 12};

[[noreturn]] void fail(const std::string& place, const std::string& problem,
                       const std::string& remedy) {
  throw Error(Fault::Input, place, problem, remedy);
}

const NpzArray* find_table(std::span<const NpzArray> arrays, std::string_view name) {
  const auto found = std::ranges::find(arrays, name, &NpzArray::name);
  return found == arrays.end() ? nullptr : &*found;
}

void take_points(const NpzArray& array, FieldFile& file) {
  if (!array.numbers || array.shape.size() != 2 || array.shape[1] != 3) {
    fail(file.place, "'points' is no table of three numbers per point",
         "save it with the shape (n, 3), or under another name if it holds no places");
  }
  const std::vector<double> values = array.values();
  for (std::size_t i = 0; i < values.size(); i += 3) {
    file.points.push_back({values[i], values[i + 1], values[i + 2]});
  }
}

void take_cells(const NpzArray& array, FieldFile& file) {
  const std::size_t corners = array.shape.size() == 2 ? array.shape[1] : 0;
  const std::uint8_t type = corners < kTypeByCorners.size() ? kTypeByCorners[corners] : 0;
  if (!array.numbers || array.numbers->kind == NumberKind::Floating || type == 0) {
    fail(file.place, "'cells' is no table of 3, 4, 5, 6 or 8 whole numbers per cell",
         "save it with the shape (m, 4) for tetrahedra or (m, 8) for hexahedra, or under another "
         "name if it holds no cells");
  }
  for (const double number : array.values()) {
    const bool fits = number >= 0 && number < static_cast<double>(file.points.size());
    file.cells.corners.push_back(fits ? static_cast<std::int32_t>(number) : -1);
  }
  for (std::size_t c = 0; c < array.shape[0]; ++c) {
    file.cells.starts.push_back(static_cast<std::int64_t>((c + 1) * corners));
    file.cells.types.push_back(type);
  }
}

FieldArray to_field(const NpzArray& array) {
  const std::vector<double> values = array.values();
  FieldArray field{.name = array.name, .values = {values.begin(), values.end()}};
  for (std::size_t d = 1; d < array.shape.size(); ++d) field.components *= array.shape[d];
  return field;
}

}  // namespace

void check_grid(const FieldFile& file) {
  constexpr const char* kAgain = "write the file again with the program that made it";
  if (file.points.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    fail(file.place, fmt::format("{} points are too many", file.points.size()),
         "write a coarser file");
  }
  for (std::size_t i = 0; i < file.points.size(); ++i) {
    if (!is_finite(file.points[i])) {
      fail(file.place, fmt::format("point {} has a coordinate that is no finite number", i),
           kAgain);
    }
  }
  const auto points = static_cast<std::int32_t>(file.points.size());
  for (std::size_t c = 0; c < file.cells.count(); ++c) {
    for (std::int64_t k = file.cells.starts[c]; k < file.cells.starts[c + 1]; ++k) {
      const std::int32_t corner = file.cells.corners[static_cast<std::size_t>(k)];
      if (corner < 0 || corner >= points) {
        fail(file.place, fmt::format("cell {} has a corner that is no point", c), kAgain);
      }
    }
  }
}

FieldFile read_npz_fields(const std::string& place, std::span<const std::byte> bytes) {
  FieldFile file{.place = place};
  const std::vector<NpzArray> arrays = read_npz(place, bytes);
  const NpzArray* points = find_table(arrays, "points");
  const NpzArray* cells = points != nullptr ? find_table(arrays, "cells") : nullptr;
  if (points != nullptr) take_points(*points, file);
  if (cells != nullptr) take_cells(*cells, file);
  check_grid(file);
  for (const NpzArray& array : arrays) {
    if (&array == points || &array == cells) continue;
    if (!array.numbers) {
      file.left_out.push_back(fmt::format("{} of type {}", array.name, in_quotes(array.type)));
      continue;
    }
    if (array.bytes.empty()) {
      file.left_out.push_back(fmt::format("{} without values", array.name));
      continue;
    }
    const std::size_t length = array.shape.empty() ? 1 : array.shape[0];
    const bool fits_points = points != nullptr && length == file.points.size();
    const bool fits_cells = cells != nullptr && length == file.cells.count();
    if (fits_points) file.on_points.push_back(to_field(array));
    if (fits_cells) file.on_cells.push_back(to_field(array));
    if (!fits_points && !fits_cells) file.loose.push_back(to_field(array));
  }
  return file;
}

FieldFile read_field_file(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".npz") return read_npz_fields(path.string(), read_file(path));
  if (extension == ".vtu") return read_vtu(path.string(), read_file(path));
  fail(path.string(),
       extension.empty() ? "has no extension that names its format"
                         : fmt::format("the format {} is not known for fields", extension),
       "save the fields as .npz (numpy.savez) or .vtu (ParaView)");
}

}  // namespace isochor::files
