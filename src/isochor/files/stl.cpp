#include "isochor/files/stl.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/core.h>
#include <limits>
#include <optional>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/byte_stream.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

/// A binary file: a title, the number of triangles, then each as normal, corners and two bytes.
constexpr std::size_t kTitleSize = 80, kHeaderSize = 84, kTriangleSize = 50;

/// Collects polygons and welds their corners.
class WeldedMesh {
 public:
  void add_corner(const Vec3d& point) { mesh_.corners.push_back(points_.index_of(point)); }
  void end_face() { mesh_.face_starts.push_back(static_cast<std::int32_t>(mesh_.corners.size())); }

  std::size_t corner_count() const { return mesh_.corners.size(); }
  std::size_t face_count() const { return mesh_.face_count(); }

  SurfaceFile take(const std::string& place, std::vector<FaceGroup> groups) {
    SurfaceFile surface;
    if (const std::size_t welded = corner_count() - points_.size(); welded > 0) {
      surface.notes.push_back(counted(welded, "coincident vertex", "coincident vertices") +
                              " welded");
    }
    surface.mesh = std::move(mesh_);
    surface.mesh.positions = points_.take();
    surface.groups = std::move(groups);
    finish(place, surface);
    return surface;
  }

 private:
  geometry::SurfaceMesh mesh_;
  DistinctPoints points_;
};

bool same_keyword(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, [](unsigned char a, unsigned char b) {
    return std::tolower(a) == b;  // keywords here are in lower case
  });
}

class AsciiParser {
 public:
  AsciiParser(std::string place, std::string_view text) : in_(std::move(place), text, {}) {}

  SurfaceFile parse() {
    for (std::string_view word = in_.next_word_anywhere(); !word.empty();
         word = in_.next_word_anywhere()) {
      if (!same_keyword(word, "solid")) fail_expected("solid", word);
      read_solid();
    }
    return mesh_.take(in_.place(), groups_.take());
  }

 private:
  void read_solid() {
    const std::string_view name = in_.rest_of_line();
    std::optional<std::size_t> group;
    if (!name.empty()) group = groups_.find_or_add(fmt::format("object:{}", name));
    while (true) {
      const std::string_view word = in_.next_word_anywhere();
      if (same_keyword(word, "endsolid")) break;
      if (!same_keyword(word, "facet")) fail_expected("facet or endsolid", word);
      if (group) groups_.add(*group, static_cast<std::int32_t>(mesh_.face_count()));
      read_facet();
    }
    in_.rest_of_line();  // the name again
  }

  void read_facet() {
    in_.rest_of_line();  // the normal, which follows from the corners
    expect("outer");
    expect("loop");
    const std::size_t first = mesh_.corner_count();
    std::string_view word = in_.next_word_anywhere();
    for (; same_keyword(word, "vertex"); word = in_.next_word_anywhere()) {
      mesh_.add_corner(in_.position(mesh_.corner_count() + 1));
    }
    if (!same_keyword(word, "endloop")) fail_expected("vertex or endloop", word);
    if (const std::size_t count = mesh_.corner_count() - first; count < 3) {
      in_.fail(fmt::format("facet {} has {} corners, expected 3", mesh_.face_count() + 1, count),
               "delete the facet and export the mesh again");
    }
    mesh_.end_face();
    expect("endfacet");
  }

  void expect(std::string_view keyword) {
    const std::string_view word = in_.next_word_anywhere();
    if (!same_keyword(word, keyword)) fail_expected(keyword, word);
  }

  [[noreturn]] void fail_expected(std::string_view keyword, std::string_view found) const {
    if (found.empty()) {
      in_.fail(fmt::format("truncated: the file ends where {} is expected", keyword), kExportAgain);
    }
    in_.fail(fmt::format("found {}, expected {}", in_quotes(found), keyword),
             "this is no ascii STL or it is damaged; export the mesh again");
  }

  TextScanner in_;
  WeldedMesh mesh_;
  FaceGroups groups_;
};

/// `bytes` must be of the size that `count` triangles take.
SurfaceFile read_binary(const std::string& place, std::span<const std::byte> bytes,
                        std::size_t count) {
  if (3 * count > std::numeric_limits<std::int32_t>::max()) {
    throw Error(Fault::Input, place, fmt::format("{} triangles are more than 2^31 corners", count),
                "simplify the mesh or split it into several bodies");
  }
  WeldedMesh mesh;
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t start = kHeaderSize + t * kTriangleSize;
    ByteReader in(place, bytes.subspan(start, kTriangleSize));
    std::array<float, 12> numbers;  // normal, then the corners
    for (float& number : numbers) number = in.get<float>();
    for (std::size_t c = 3; c < numbers.size(); c += 3) {
      const Vec3d point{numbers[c], numbers[c + 1], numbers[c + 2]};
      if (!is_finite(point)) {
        throw Error(Fault::Input, fmt::format("{}, byte {}", place, start + 4 * c),
                    fmt::format("triangle {} has a corner at {} {} {}, expected finite numbers",
                                t + 1, point[0], point[1], point[2]),
                    kMendVertex);
      }
      mesh.add_corner(point);
    }
    mesh.end_face();
  }
  return mesh.take(place, {});
}

/// Titles of binary files may begin with "solid" too; but they have the size that they announce,
/// and a count that fills four bytes of text is no count of triangles.
bool looks_like_text(std::span<const std::byte> bytes) {
  const std::string_view start = text_of(bytes.first(std::min(bytes.size(), kHeaderSize)));
  const std::size_t word = start.find_first_not_of(" \t\r\n");
  return word != start.npos && same_keyword(start.substr(word, 5), "solid") &&
         start.find('\0') == start.npos;
}

}  // namespace

SurfaceFile read_stl(const std::filesystem::path& path) {
  return read_stl(path.string(), read_file(path));
}

SurfaceFile read_stl(std::string place, std::span<const std::byte> bytes) {
  std::optional<std::size_t> count;  // of triangles, if the file is long enough to announce it
  if (bytes.size() >= kHeaderSize) {
    count = ByteReader(place, bytes.subspan(kTitleSize)).get<std::uint32_t>();
    if (bytes.size() == kHeaderSize + *count * kTriangleSize) {
      return read_binary(place, bytes, *count);
    }
  }
  if (looks_like_text(bytes)) return AsciiParser(std::move(place), text_of(bytes)).parse();
  if (!count) {
    throw Error(Fault::Input, place,
                fmt::format("{} bytes, too short for an STL file", bytes.size()), kExportAgain);
  }
  throw Error(Fault::Input, place,
              fmt::format("{} triangles announced, which take {} bytes, but the file has {}",
                          *count, kHeaderSize + *count * kTriangleSize, bytes.size()),
              kExportAgain);
}

}  // namespace isochor::files
