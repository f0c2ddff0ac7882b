#include "isochor/files/vtk_legacy.h"

#include <algorithm>
#include <cctype>
#include <fmt/core.h>
#include <limits>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/files/mixed_scanner.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr const char* kSaveAgain = "save it again from ParaView as a VTK unstructured grid (.vtu)";

std::string in_capitals(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::optional<NumberType> number_type(std::string_view name) {
  constexpr struct {
    std::string_view name;
    NumberKind kind;
    std::size_t size;
  } kTypes[] = {{"FLOAT", NumberKind::Floating, 4},
                {"DOUBLE", NumberKind::Floating, 8},
                {"CHAR", NumberKind::Signed, 1},
                {"SHORT", NumberKind::Signed, 2},
                {"INT", NumberKind::Signed, 4},
                {"LONG", NumberKind::Signed, 8},
                {"VTKTYPEINT64", NumberKind::Signed, 8},
                {"VTKIDTYPE", NumberKind::Signed, 4},
                {"UNSIGNED_CHAR", NumberKind::Unsigned, 1},
                {"UNSIGNED_SHORT", NumberKind::Unsigned, 2},
                {"UNSIGNED_INT", NumberKind::Unsigned, 4},
                {"UNSIGNED_LONG", NumberKind::Unsigned, 8},
                {"VTKTYPEUINT64", NumberKind::Unsigned, 8}};
  const std::string wanted = in_capitals(name);
  for (const auto& type : kTypes) {
    if (type.name == wanted) return NumberType{type.kind, type.size, true};
  }
  return {};
}

class LegacyParser {
 public:
  LegacyParser(const std::string& place, std::span<const std::byte> bytes)
      : in_(place, bytes), has_open_end_(has_open_end(bytes)) {
    file_.place = place;
  }

  FieldFile parse() {
    read_header();
    while (read_section(in_capitals(in_.word()))) {
    }
    if (file_.points.empty()) in_.fail("has no POINTS", kSaveAgain);
    if (file_.cells.types.size() + 1 != file_.cells.starts.size()) {
      in_.fail(fmt::format("has {} cells, but types of {}", file_.cells.starts.size() - 1,
                           file_.cells.types.size()),
               kSaveAgain);
    }
    check_grid(file_);
    if (!is_binary_ && has_open_end_) file_.notes.emplace_back(kOpenEnd);
    return std::move(file_);
  }

 private:
  void read_header() {
    if (!in_.line().starts_with("# vtk DataFile Version")) {
      throw Error(Fault::Input, in_.place(), "does not begin with '# vtk DataFile Version'",
                  "this is no file of VTK; give it the extension of its format");
    }
    in_.line();  // the title
    const std::string encoding = in_capitals(in_.line());
    if (encoding != "ASCII" && encoding != "BINARY") {
      in_.fail(fmt::format("is {}, expected ASCII or BINARY", in_quotes(encoding)), kSaveAgain);
    }
    is_binary_ = encoding == "BINARY";
    if (in_capitals(in_.word()) != "DATASET") in_.fail("has no DATASET", kSaveAgain);
    const std::string kind = in_capitals(in_.word());
    if (kind != "UNSTRUCTURED_GRID") {
      in_.fail(fmt::format("holds {}, expected UNSTRUCTURED_GRID", in_quotes(kind)), kSaveAgain);
    }
  }

  /// False at the end.
  bool read_section(const std::string& keyword) {
    if (keyword.empty()) return false;
    if (keyword == "POINTS") {
      read_points();
    } else if (keyword == "CELLS") {
      read_cells();
    } else if (keyword == "CELL_TYPES") {
      const std::size_t n = in_.count("cell types", is_binary_ ? 4 : 2);
      for (const double type : numbers(n, {NumberKind::Signed, 4, true})) {
        const bool fits = type >= 0 && type < 256;
        file_.cells.types.push_back(fits ? static_cast<std::uint8_t>(type) : 0);
      }
    } else if (keyword == "POINT_DATA" || keyword == "CELL_DATA") {
      const auto n = static_cast<std::size_t>(std::max<std::int64_t>(in_.integer(), 0));
      const bool on_points = keyword == "POINT_DATA";
      const std::size_t expected = on_points ? file_.points.size() : file_.cells.starts.size() - 1;
      if (n != expected) {
        in_.fail(fmt::format("{} is for {} items, but there are {}", keyword, n, expected),
                 kSaveAgain);
      }
      fields_ = on_points ? &file_.on_points : &file_.on_cells;
      items_ = n;
    } else if (keyword == "METADATA") {
      in_.line();
      while (!in_.at_end() && !in_.line().empty()) {
      }
    } else if (keyword == "FIELD") {
      read_field_data();
    } else {
      read_attribute(keyword);
    }
    return true;
  }

  std::size_t bytes_of(const NumberType& type) const { return is_binary_ ? type.size : 2; }

  NumberType type_of(std::string_view name) const {
    const auto type = number_type(name);
    if (!type)
      in_.fail(fmt::format("numbers of type {} are not known", in_quotes(name)), kSaveAgain);
    return *type;
  }

  /// Numbers in the file's encoding; those in bytes begin on a new line.
  std::vector<double> numbers(std::size_t count, const NumberType& type) {
    if (is_binary_) {
      in_.line();
      std::vector<double> values = in_.raw_numbers(count, type);
      in_.skip_line_end();
      return values;
    }
    std::vector<double> values;
    values.reserve(in_.checked_count(static_cast<double>(count), "numbers", 2));
    for (std::size_t i = 0; i < count; ++i) values.push_back(in_.number());
    return values;
  }

  void read_points() {
    const std::size_t n = in_.count("points", 6);
    const NumberType type = type_of(in_.word());
    const std::vector<double> values = numbers(3 * n, type);
    for (std::size_t i = 0; i < values.size(); i += 3) {
      file_.points.push_back({values[i], values[i + 1], values[i + 2]});
    }
  }

  void add_corner(double corner) {
    const bool fits = corner >= 0 && corner <= std::numeric_limits<std::int32_t>::max();
    file_.cells.corners.push_back(fits ? static_cast<std::int32_t>(corner) : -1);
  }

  /// Up to version 4 every cell is preceded by the number of its corners; since 5 there are two
  /// arrays, of which the first has one number more than there are cells.
  void read_cells() {
    if (file_.cells.starts.size() > 1) in_.fail("has a second section CELLS", kSaveAgain);
    const std::size_t first = in_.count("cells", 2), second = in_.count("corners", 2);
    in_.line();
    if (in_capitals(in_.peek_line()).starts_with("OFFSETS")) {
      read_cell_arrays(first, second);
      return;
    }
    const std::vector<double> values = entries(second);
    std::size_t at = 0;
    for (std::size_t c = 0; c < first; ++c) {
      const double corners = at < values.size() ? values[at++] : -1;
      if (!(corners >= 0) || corners > static_cast<double>(values.size() - at)) {
        in_.fail(fmt::format("cell {} has more corners than CELLS announces", c), kSaveAgain);
      }
      for (std::size_t k = 0; k < static_cast<std::size_t>(corners); ++k) add_corner(values[at++]);
      file_.cells.starts.push_back(static_cast<std::int64_t>(file_.cells.corners.size()));
    }
  }
  /// As `numbers`, where the line has ended already.
  std::vector<double> entries(std::size_t count) {
    constexpr NumberType kInt{NumberKind::Signed, 4, true};
    if (!is_binary_) return numbers(count, kInt);
    std::vector<double> values = in_.raw_numbers(count, kInt);
    in_.skip_line_end();
    return values;
  }

  void read_cell_arrays(std::size_t offsets, std::size_t corners) {
    in_.word();
    const NumberType offset_type = type_of(in_.word());
    for (const double start : numbers(offsets, offset_type)) {
      if (file_.cells.starts.size() == 1 && start == 0 && !seen_first_) {
        seen_first_ = true;
        continue;
      }
      if (!(start >= static_cast<double>(file_.cells.starts.back())) ||
          start > static_cast<double>(corners)) {
        in_.fail("the offsets of its cells do not ascend", kSaveAgain);
      }
      file_.cells.starts.push_back(static_cast<std::int64_t>(start));
    }
    if (in_capitals(in_.word()) != "CONNECTIVITY") in_.fail("has no CONNECTIVITY", kSaveAgain);
    const NumberType type = type_of(in_.word());
    for (const double corner : numbers(corners, type)) add_corner(corner);
    if (file_.cells.starts.back() != static_cast<std::int64_t>(corners)) {
      in_.fail("the offsets of its cells do not end with the corners", kSaveAgain);
    }
  }

  // ---- Arrays on points and cells ----

  void add_field(std::string name, std::size_t components, const std::vector<double>& values) {
    fields_->push_back({std::move(name), components, {values.begin(), values.end()}});
  }

  /// Several arrays, each with its own size; of those only what fits is kept.
  void read_field_data() {
    in_.word();  // its name
    for (std::size_t arrays = in_.count("arrays", 4); arrays > 0; --arrays) {
      std::string name(in_.word());
      if (in_capitals(name) == "METADATA") {
        read_section("METADATA");
        name = std::string(in_.word());
      }
      const double components = static_cast<double>(in_.integer());
      const double tuples = static_cast<double>(in_.integer());
      const std::string_view type_name = in_.word();
      const auto type = number_type(type_name);
      if (!type) {
        in_.fail(fmt::format("the array {} is of type {}, which is not known", in_quotes(name),
                             in_quotes(type_name)),
                 kSaveAgain);
      }
      const std::size_t n =
          in_.checked_count(std::max(components, 0.0) * tuples, "numbers", bytes_of(*type));
      const std::vector<double> values = numbers(n, *type);
      const bool fits = fields_ != nullptr && components >= 1 && items_ > 0 &&
                        tuples == static_cast<double>(items_);
      if (fits) add_field(name, static_cast<std::size_t>(components), values);
    }
  }

  void read_attribute(const std::string& keyword) {
    if (fields_ == nullptr) {
      in_.fail(fmt::format("found {}, expected POINTS, CELLS or data on them", in_quotes(keyword)),
               kSaveAgain);
    }
    const std::string name(in_.word());
    std::size_t components = 3;
    if (keyword == "LOOKUP_TABLE") {
      const std::size_t colours = in_.count("colours", 4);
      numbers(4 * colours, {NumberKind::Unsigned, 1, true});
      return;
    }
    if (keyword == "COLOR_SCALARS") {
      components = in_.count("components", 1);
      const std::size_t n = in_.checked_count(
          static_cast<double>(items_) * static_cast<double>(components), "numbers", 1);
      numbers(n, {NumberKind::Unsigned, 1, true});
      return;
    }
    const bool is_known = keyword == "SCALARS" || keyword == "VECTORS" || keyword == "NORMALS" ||
                          keyword == "TENSORS" || keyword == "TEXTURE_COORDINATES" ||
                          keyword == "GLOBAL_IDS" || keyword == "PEDIGREE_IDS";
    if (!is_known) {
      in_.fail(fmt::format("the section {} is not known", in_quotes(keyword)), kSaveAgain);
    }
    if (keyword == "TEXTURE_COORDINATES") components = in_.count("components", 1);
    if (keyword == "TENSORS") components = 9;
    if (keyword == "GLOBAL_IDS" || keyword == "PEDIGREE_IDS") components = 1;
    const NumberType type = type_of(in_.word());
    if (keyword == "SCALARS") {
      // The number of components may follow, and a line with the colour table.
      components = 1;
      const std::string_view rest = in_.peek_line();
      if (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0) {
        components = in_.count("components", 1);
      }
      in_.line();
      if (in_capitals(in_.peek_line()).starts_with("LOOKUP_TABLE")) {
        in_.word();
        in_.word();
      }
    }
    const std::size_t n = in_.checked_count(
        static_cast<double>(items_) * static_cast<double>(components), "numbers", bytes_of(type));
    const std::vector<double> values = numbers(n, type);
    if (components > 0 && items_ > 0) add_field(name, components, values);
  }

  MixedScanner in_;
  FieldFile file_;
  bool has_open_end_, is_binary_ = false, seen_first_ = false;
  std::vector<FieldArray>* fields_ = nullptr;  ///< where arrays belong now
  std::size_t items_ = 0;                      ///< points or cells of it
};

}  // namespace

FieldFile read_vtk_legacy(const std::string& place, std::span<const std::byte> bytes) {
  return LegacyParser(place, bytes).parse();
}

}  // namespace isochor::files
