#include "isochor/files/gmsh.h"

#include <array>
#include <fmt/core.h>
#include <optional>

#include "isochor/base/file.h"
#include "isochor/files/mixed_scanner.h"
#include "isochor/files/tet_builder.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr const char* kSaveAgain =
    "save the mesh again from Gmsh, format 4.1 or 2.2 (File > Export, or -format msh41)";

enum class Shape { Point, Line, Triangle, Quadrilateral, Tet, Hexahedron, Prism, Pyramid };
constexpr std::array<std::array<const char*, 2>, 8> kShapeNames{
    {{"point", "points"},
     {"line", "lines"},
     {"triangle", "triangles"},
     {"quadrilateral", "quadrilaterals"},
     {"tet", "tets"},
     {"hexahedron", "hexahedra"},
     {"prism", "prisms"},
     {"pyramid", "pyramids"}}};

struct ElementType {
  Shape shape;
  std::size_t nodes;
};

/// By Gmsh's number of the type; its corners come first.
std::optional<ElementType> element_type(std::int64_t number) {
  using enum Shape;
  constexpr std::array<ElementType, 31> kTypes{
      {{Line, 2},          {Triangle, 3},    {Quadrilateral, 4}, {Tet, 4},       {Hexahedron, 8},
       {Prism, 6},         {Pyramid, 5},     {Line, 3},          {Triangle, 6},  {Quadrilateral, 9},
       {Tet, 10},          {Hexahedron, 27}, {Prism, 18},        {Pyramid, 14},  {Point, 1},
       {Quadrilateral, 8}, {Hexahedron, 20}, {Prism, 15},        {Pyramid, 13},  {Triangle, 9},
       {Triangle, 10},     {Triangle, 12},   {Triangle, 15},     {Triangle, 15}, {Triangle, 21},
       {Line, 4},          {Line, 5},        {Line, 6},          {Tet, 20},      {Tet, 35},
       {Tet, 56}}};
  if (number < 1 || number > static_cast<std::int64_t>(kTypes.size())) return {};
  return kTypes[static_cast<std::size_t>(number - 1)];
}

class GmshParser {
 public:
  GmshParser(std::string place, std::span<const std::byte> bytes)
      : in_(place, bytes), builder_(std::move(place)) {}

  TetFile parse() {
    read_format();
    bool has_elements = false;
    while (!in_.at_end()) {
      const std::string section(in_.line());
      if (section.empty()) continue;
      if (section[0] != '$') {
        in_.fail(fmt::format("found {}, expected a section such as $Nodes", in_quotes(section)),
                 kSaveAgain);
      }
      if (section == "$PhysicalNames") {
        read_names();
      } else if (section == "$Entities") {
        read_entities();
      } else if (section == "$Nodes") {
        if (nodes_.size() > 0) in_.fail("has a second section $Nodes", kSaveAgain);
        is_new_ ? read_nodes_4() : read_nodes_2();
        if (const std::int64_t* twin = nodes_.finish()) {
          in_.fail(fmt::format("two nodes have the number {}", *twin), kSaveAgain);
        }
      } else if (section == "$Elements") {
        has_elements = true;
        is_new_ ? read_elements_4() : read_elements_2();
      }
      finish_section(section);
    }
    if (!has_elements) in_.fail("has no section $Elements", kSaveAgain);
    name_regions();
    return builder_.finish();
  }

 private:
  void read_format() {
    if (in_.line() != "$MeshFormat") {
      throw Error(Fault::Input, in_.place(), "does not begin with $MeshFormat",
                  "this is no mesh of Gmsh; give it the extension of its format");
    }
    const std::string version(in_.word());
    is_new_ = version == "4.1";
    if (!is_new_ && version != "2.2" && version != "2" && version != "2.1") {
      in_.fail(fmt::format("is of format {}, known are 2.2 and 4.1", in_quotes(version)),
               kSaveAgain);
    }
    is_binary_ = in_.integer() == 1;
    if (in_.integer() != 8) in_.fail("its numbers do not have 8 bytes", kSaveAgain);
    in_.line();
    if (is_binary_ && in_.raw<std::int32_t>() != 1) {
      in_.fail("was written by a machine with another byte order", kSaveAgain);
    }
    finish_section("$MeshFormat");
  }

  /// A file that was cut may still hold every number that it announced, the last of them short of
  /// digits: only the mark at the end tells.
  void finish_section(const std::string& section) {
    const std::string mark = "$End" + section.substr(1);
    if (in_.skip_past(mark)) return;
    in_.fail(fmt::format("truncated: the section {} has no {}", in_quotes(section), mark),
             kExportAgain);
  }

  // ---- One number in either encoding ----

  double real() { return is_binary_ ? in_.raw<double>() : in_.number(); }
  std::int64_t whole() { return is_binary_ ? in_.raw<std::int32_t>() : in_.integer(); }
  /// What Gmsh 4 has as size_t.
  std::int64_t large() { return is_binary_ ? in_.raw<std::int64_t>() : in_.integer(); }
  /// `bytes_each` of a binary file; as words they take two characters at least.
  std::size_t count(std::int64_t announced, std::string_view what, std::size_t numbers,
                    std::size_t bytes_each) const {
    return in_.checked_count(static_cast<double>(announced), what,
                             is_binary_ ? bytes_each : 2 * numbers);
  }

  // ---- Physical groups ----

  void read_names() {
    for (std::size_t n = in_.count("physical names", 5); n > 0; --n) {
      const std::int64_t dimension = in_.integer(), tag = in_.integer();
      const std::string_view quoted = in_.line();
      const bool is_quoted = quoted.size() > 2 && quoted.front() == '"' && quoted.back() == '"';
      if (dimension == 3 && is_quoted) {
        names_[tag] = std::string(quoted.substr(1, quoted.size() - 2));
      }
    }
  }

  /// Which physical group each volume is in, if any.
  void read_entities() {
    std::array<std::size_t, 4> counts;
    for (std::size_t& c : counts) c = count(large(), "entities", 4, 12);
    for (int dimension = 0; dimension < 4; ++dimension) {
      for (std::size_t i = 0; i < counts[dimension]; ++i) {
        const std::int64_t tag = whole();
        for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) real();
        for (std::size_t n = count(large(), "physical tags", 1, 4); n > 0; --n) {
          const std::int64_t physical = whole();
          if (dimension == 3 && !physical_.contains(tag)) physical_[tag] = physical;
        }
        if (dimension == 0) continue;
        for (std::size_t n = count(large(), "bounding entities", 1, 4); n > 0; --n) whole();
      }
    }
  }

  /// Labels below zero stand for volumes without a group.
  void name_regions() {
    for (const auto& [tag, name] : names_) builder_.name_label(tag, name);
    if (unnamed_volumes_.size() < 2 && !has_groups_) return;
    for (const auto& [tag, label] : unnamed_volumes_) {
      builder_.name_label(label, fmt::format("volume {}", tag));
    }
  }
  std::int64_t label_of(std::int64_t physical, std::int64_t volume) {
    has_groups_ |= physical != 0;
    if (physical != 0) return physical;
    const auto next = -1 - static_cast<std::int64_t>(unnamed_volumes_.size());
    return unnamed_volumes_.emplace(volume, next).first->second;
  }

  // ---- Nodes ----

  void add_node(std::int64_t id, const Vec3d& position) {
    if (!is_finite(position)) {
      in_.fail(fmt::format("node {} has a coordinate that is no finite number", id), kMendVertex);
    }
    nodes_.add(id);
    builder_.add_point(position);
  }

  void read_nodes_2() {
    const std::size_t n = count(in_.integer(), "nodes", 4, 28);
    if (is_binary_) in_.line();
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t id = whole();
      const double x = real(), y = real(), z = real();
      add_node(id, {x, y, z});
    }
  }

  void read_nodes_4() {
    const std::size_t blocks = count(large(), "blocks of nodes", 4, 20);
    const std::size_t total = count(large(), "nodes", 4, 32);
    for (int k = 0; k < 2; ++k) large();  // the smallest and the largest number
    std::vector<std::int64_t> ids;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = whole();
      whole();  // of the entity
      const bool parametric = whole() != 0;
      const std::size_t n = count(large(), "nodes", 4, 32);
      if (n > total - nodes_.size()) in_.fail("has more nodes than announced", kSaveAgain);
      ids.clear();
      for (std::size_t i = 0; i < n; ++i) ids.push_back(large());
      for (std::size_t i = 0; i < n; ++i) {
        const double x = real(), y = real(), z = real();
        if (parametric) {
          for (std::int64_t k = 0; k < std::min<std::int64_t>(dimension, 3); ++k) real();
        }
        add_node(ids[i], {x, y, z});
      }
    }
    if (nodes_.size() != total) {
      in_.fail(fmt::format("has {} nodes, announced were {}", nodes_.size(), total), kSaveAgain);
    }
  }

  // ---- Elements ----

  ElementType known_type(std::int64_t number) const {
    const auto type = element_type(number);
    if (!type) in_.fail(fmt::format("elements of type {} are not known", number), kSaveAgain);
    return *type;
  }

  template <class Next>
  void read_element(const ElementType& type, std::int64_t physical, std::int64_t volume,
                    Next&& next) {
    if (type.shape != Shape::Tet) {
      for (std::size_t k = 0; k < type.nodes; ++k) next();
      const auto& name = kShapeNames[static_cast<std::size_t>(type.shape)];
      builder_.leave_out(name[0], name[1]);
      return;
    }
    geometry::Tet tet;
    for (std::size_t k = 0; k < type.nodes; ++k) {
      const std::int64_t id = next();
      if (k >= 4) continue;
      tet[k] = nodes_.find(id);
      if (tet[k] < 0) {
        in_.fail(fmt::format("a tet has the node {}, which is not in $Nodes", id), kSaveAgain);
      }
    }
    if (type.nodes > 4) builder_.note_second_order();
    builder_.add_tet(tet, label_of(physical, volume));
  }

  void read_elements_2() {
    const std::size_t total = count(in_.integer(), "elements", 4, 8);
    if (is_binary_) in_.line();
    for (std::size_t done = 0; done < total;) {
      std::int64_t type_number, tags, in_block = 1;
      if (is_binary_) {
        type_number = whole();
        in_block = whole();
        tags = whole();
      } else {
        in_.integer();  // its number
        type_number = in_.integer();
        tags = in_.integer();
      }
      const ElementType type = known_type(type_number);
      const std::size_t n_tags = count(tags, "tags", 1, 4);
      const std::size_t n = count(in_block, "elements", type.nodes + n_tags, 4 * type.nodes);
      if (n == 0 || n > total - done) {
        in_.fail(fmt::format("a block has {} elements, of {} are left", n, total - done),
                 kSaveAgain);
      }
      for (std::size_t e = 0; e < n; ++e) {
        if (is_binary_) whole();
        std::int64_t physical = 0, volume = 0;
        for (std::size_t t = 0; t < n_tags; ++t) {
          const std::int64_t tag = whole();
          if (t == 0) physical = tag;
          if (t == 1) volume = tag;
        }
        read_element(type, physical, volume, [&] { return whole(); });
      }
      done += n;
    }
  }

  void read_elements_4() {
    const std::size_t blocks = count(large(), "blocks of elements", 4, 20);
    const std::size_t total = count(large(), "elements", 2, 16);
    for (int k = 0; k < 2; ++k) large();
    std::size_t done = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = whole(), entity = whole();
      const ElementType type = known_type(whole());
      const std::size_t n = count(large(), "elements", 1 + type.nodes, 8 * (1 + type.nodes));
      if (n > total - done) in_.fail("has more elements than announced", kSaveAgain);
      const auto group = dimension == 3 ? physical_.find(entity) : physical_.end();
      const std::int64_t physical = group != physical_.end() ? group->second : 0;
      for (std::size_t e = 0; e < n; ++e) {
        large();  // its number
        read_element(type, physical, entity, [&] { return large(); });
      }
      done += n;
    }
    if (done != total) {
      in_.fail(fmt::format("has {} elements, announced were {}", done, total), kSaveAgain);
    }
  }

  MixedScanner in_;
  TetBuilder builder_;
  bool is_new_ = false, is_binary_ = false, has_groups_ = false;
  IdTable nodes_;
  std::map<std::int64_t, std::string> names_;             ///< of physical groups of volumes
  std::map<std::int64_t, std::int64_t> physical_;         ///< of volumes
  std::map<std::int64_t, std::int64_t> unnamed_volumes_;  ///< their labels
};

}  // namespace

TetFile read_gmsh(const std::filesystem::path& path) {
  return read_gmsh(path.string(), read_file(path));
}

TetFile read_gmsh(std::string place, std::span<const std::byte> bytes) {
  return GmshParser(std::move(place), bytes).parse();
}

}  // namespace isochor::files
