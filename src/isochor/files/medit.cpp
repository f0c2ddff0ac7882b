#include "isochor/files/medit.h"

#include <cctype>
#include <fmt/format.h>
#include <iterator>

#include "isochor/base/file.h"
#include "isochor/files/tet_builder.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

/// A table of cells that are no tets.
struct OtherCells {
  std::string_view keyword;
  const char *one, *many;
};
constexpr OtherCells kOthers[] = {{"Edges", "edge", "edges"},
                                  {"Triangles", "triangle", "triangles"},
                                  {"Quadrilaterals", "quadrilateral", "quadrilaterals"},
                                  {"Hexahedra", "hexahedron", "hexahedra"},
                                  {"Hexaedra", "hexahedron", "hexahedra"},
                                  {"Prisms", "prism", "prisms"},
                                  {"Pyramids", "pyramid", "pyramids"}};

class MeditParser {
 public:
  MeditParser(std::string place, std::string_view text)
      : in_(place, text, {.comments = true}), builder_(std::move(place)) {}

  TetFile parse() {
    std::string_view word = in_.next_word_anywhere();
    if (word != "MeshVersionFormatted") {
      throw Error(Fault::Input, in_.place(),
                  fmt::format("begins with {}, expected MeshVersionFormatted", in_quotes(word)),
                  "this is no ascii MEDIT file; give it the extension of its format");
    }
    integer("version");
    word = in_.next_word_anywhere();
    while (!word.empty() && word != "End") word = read_section(word);
    // Without it the last number may have lost digits.
    if (word.empty()) in_.fail("truncated: the file does not end with End", kExportAgain);
    return builder_.finish();
  }

 private:
  /// Returns the keyword of the next one.
  std::string_view read_section(std::string_view keyword) {
    if (keyword == "Dimension") {
      if (const std::int64_t d = integer("dimension"); d != 3) {
        in_.fail(fmt::format("the mesh is in {} dimensions", d), "export a solid in 3D");
      }
    } else if (keyword == "Vertices") {
      read_vertices();
    } else if (keyword == "Tetrahedra") {
      read_tets(4);
    } else if (keyword == "TetrahedraP2") {
      read_tets(10);
    } else {
      for (const OtherCells& other : kOthers) {
        if (keyword != other.keyword) continue;
        if (const std::size_t n = count(other.many, "1 1 0\n")) {
          builder_.leave_out(other.one, other.many, n);
        }
      }
      return skip_numbers();
    }
    return in_.next_word_anywhere();
  }

  /// What no solid needs: numbers up to the next keyword.
  std::string_view skip_numbers() {
    std::string_view word = in_.next_word_anywhere();
    while (!word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) == 0) {
      word = in_.next_word_anywhere();
    }
    return word;
  }

  std::int64_t integer(std::string_view what) {
    const std::string_view word = in_.next_word_anywhere();
    if (word.empty()) fail_truncated(what);
    return in_.integer(word);
  }
  [[noreturn]] void fail_truncated(std::string_view what) const {
    in_.fail(fmt::format("truncated: the file ends within its {}", what), kExportAgain);
  }
  /// Every item takes as many bytes as the shortest one, so that a false count reserves nothing.
  std::size_t count(std::string_view what, std::string_view shortest) {
    const std::int64_t n = integer(what);
    if (n < 0 || static_cast<std::size_t>(n) > (in_.left() + 1) / shortest.size()) {
      in_.fail(fmt::format("{} {} announced, but only {} bytes follow", n, what, in_.left()),
               kExportAgain);
    }
    return static_cast<std::size_t>(n);
  }

  void read_vertices() {
    if (builder_.point_count() > 0) in_.fail("has a second section Vertices", kExportAgain);
    const std::size_t n = count("vertices", "0 0 0 0\n");
    for (std::size_t v = 0; v < n; ++v) {
      if (!in_.next_filled_line()) fail_truncated("vertices");
      builder_.add_point(in_.position(v + 1));
      in_.rest_of_line();  // its reference
    }
  }

  void read_tets(int nodes) {
    const std::size_t n = count("tetrahedra", "1 1 1 1 0\n");
    const auto points = static_cast<std::int64_t>(builder_.point_count());
    for (std::size_t t = 0; t < n; ++t) {
      geometry::Tet tet;
      for (int k = 0; k < nodes; ++k) {
        const std::int64_t index = integer("tetrahedra");
        if (index < 1 || index > points) {
          in_.fail(fmt::format("tet {} has the vertex {}, but there are {} vertices", t + 1, index,
                               points),
                   "indices count from 1, and vertices come first; export the mesh again");
        }
        if (k < 4) tet[k] = static_cast<std::int32_t>(index - 1);
      }
      if (nodes > 4) builder_.note_second_order();
      builder_.add_tet(tet, integer("tetrahedra"));
    }
  }

  TextScanner in_;
  TetBuilder builder_;
};

}  // namespace

TetFile read_medit(const std::filesystem::path& path) {
  return read_medit(path.string(), read_file(path));
}

TetFile read_medit(std::string place, std::span<const std::byte> bytes) {
  return MeditParser(std::move(place), text_of(bytes)).parse();
}

void write_medit(const std::filesystem::path& path, const geometry::TetMesh& mesh) {
  std::string text =
      fmt::format("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", mesh.positions.size());
  auto out = std::back_inserter(text);
  for (const Vec3d& p : mesh.positions) fmt::format_to(out, "{} {} {} 0\n", p[0], p[1], p[2]);
  fmt::format_to(out, "Tetrahedra\n{}\n", mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto [a, b, c, d] = mesh.tets[t];
    const int reference = mesh.regions.empty() ? 0 : mesh.regions[t] + 1;
    fmt::format_to(out, "{} {} {} {} {}\n", a + 1, b + 1, c + 1, d + 1, reference);
  }
  text += "End\n";
  write_file_atomic(path, text);
}

}  // namespace isochor::files
