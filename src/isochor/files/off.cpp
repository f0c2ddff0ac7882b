#include "isochor/files/off.h"

#include <array>
#include <fmt/core.h>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

/// What the first word says that vertices have beside their position, in the order in which the
/// numbers follow it.
struct VertexFormat {
  bool normals = false, colors = false, texture = false;
};

class OffParser {
 public:
  OffParser(std::string place, std::string_view text)
      : in_(std::move(place), text, {.comments = true}) {}

  SurfaceFile parse() {
    read_header();
    for (std::size_t v = 0; v < vertex_count_; ++v) read_vertex();
    for (std::size_t f = 0; f < face_count_; ++f) read_face();
    if (const std::string_view word = in_.next_word_anywhere(); !word.empty()) {
      in_.fail(fmt::format("found {} after the last of {} faces", in_quotes(word), face_count_),
               "mend the counts of vertices and faces at the top of the file");
    }
    if (format_.colors) {
      scale_colors(colors_);
      out_.attributes.push_back({.name = "color", .components = 3, .values = std::move(colors_)});
    }
    if (format_.texture) spread_to_corners(texture_, out_);
    if (surplus_ > 0) {
      out_.notes.push_back(counted(surplus_, "vertex", "vertices") +
                           " with further numbers, ignored; colours need the word COFF at the top");
    }
    finish(in_.place(), out_);
    return std::move(out_);
  }

 private:
  void read_header() {
    std::string_view word = in_.next_word_anywhere();
    const std::string_view whole = word;
    const auto take = [&word](std::string_view prefix) {
      const bool found = word.starts_with(prefix);
      if (found) word.remove_prefix(prefix.size());
      return found;
    };
    format_.texture = take("ST");
    format_.colors = take("C");
    format_.normals = take("N");
    const bool other_dimension = take("4") || take("n");
    if (!take("OFF")) {
      throw Error(Fault::Input, in_.place(),
                  fmt::format("begins with {}, expected OFF", in_quotes(whole)),
                  "this is not an OFF file; give it the extension of its format");
    }
    if (other_dimension) {
      in_.fail("vertices are not in three dimensions", "export a surface in 3D");
    }
    // Some files have no blank between the word and the first count.
    if (word.empty()) word = in_.next_word_anywhere();
    if (word == "BINARY") {
      in_.fail("binary OFF files are not understood", "export the mesh as ascii OFF or as PLY");
    }
    vertex_count_ = count(word, "vertices", "0 0 0\n");
    face_count_ = count(in_.next_word_anywhere(), "faces", "3 0 1 2\n");
    in_.rest_of_line();  // the number of edges, which nobody needs
    out_.mesh.positions.reserve(vertex_count_);
    out_.mesh.face_starts.reserve(face_count_ + 1);
  }

  /// Every item takes as many bytes as the shortest one, so that a false count reserves nothing.
  std::size_t count(std::string_view word, std::string_view what, std::string_view shortest) const {
    if (word.empty()) fail_truncated(what);
    const std::int64_t count = in_.integer(word);
    if (count < 0 || static_cast<std::size_t>(count) > (in_.left() + 1) / shortest.size()) {
      in_.fail(fmt::format("{} {} announced, but only {} bytes follow", count, what, in_.left()),
               kExportAgain);
    }
    return static_cast<std::size_t>(count);
  }

  [[noreturn]] void fail_truncated(std::string_view what) const {
    in_.fail(fmt::format("truncated: the file ends within its {}", what), kExportAgain);
  }

  /// A vertex takes one line: position, normal, colour with or without opacity, texture.
  void read_vertex() {
    if (!in_.next_filled_line()) fail_truncated("vertices");
    const std::size_t vertex = out_.mesh.positions.size() + 1;
    out_.mesh.positions.push_back(in_.position(vertex));
    further_.clear();
    for (std::string_view word = in_.next_word(); !word.empty(); word = in_.next_word()) {
      further_.push_back(static_cast<float>(in_.number(word)));
    }
    const std::size_t color = format_.normals ? 3 : 0;
    const std::size_t expected = color + (format_.colors ? 3 : 0) + (format_.texture ? 2 : 0);
    if (further_.size() < expected) {
      in_.fail(
          fmt::format("vertex {} has {} numbers, expected {}", vertex, 3 + further_.size(),
                      3 + expected),
          "give every vertex what the first word of the file promises: N a normal, C a colour, "
          "ST texture coordinates");
    }
    const std::size_t opacity = format_.colors && further_.size() > expected ? 1 : 0;
    if (further_.size() > expected + opacity) ++surplus_;
    if (format_.colors) {
      colors_.insert(colors_.end(), {further_[color], further_[color + 1], further_[color + 2]});
    }
    if (format_.texture) {
      const std::size_t at = expected - 2 + opacity;
      texture_.push_back({further_[at], further_[at + 1]});
    }
  }

  /// The number of corners, their vertices, and perhaps a colour up to the end of the line.
  void read_face() {
    geometry::SurfaceMesh& mesh = out_.mesh;
    const std::int64_t corners = integer_anywhere();
    if (corners < 3) {
      in_.fail(
          fmt::format("face {} has {} corners, expected 3 or more", mesh.face_count() + 1, corners),
          "delete the face and mend the count of faces at the top of the file");
    }
    for (std::int64_t c = 0; c < corners; ++c) {
      const std::int64_t index = integer_anywhere();
      if (index < 0 || static_cast<std::size_t>(index) >= vertex_count_) {
        in_.fail(fmt::format("face {} uses vertex {}, but there are {} vertices",
                             mesh.face_count() + 1, index, vertex_count_),
                 "indices count from 0; export the mesh again");
      }
      mesh.corners.push_back(static_cast<std::int32_t>(index));
    }
    mesh.face_starts.push_back(static_cast<std::int32_t>(mesh.corners.size()));
    in_.rest_of_line();
  }

  std::int64_t integer_anywhere() {
    const std::string_view word = in_.next_word_anywhere();
    if (word.empty()) fail_truncated("faces");
    return in_.integer(word);
  }

  TextScanner in_;
  SurfaceFile out_;
  VertexFormat format_;
  std::size_t vertex_count_ = 0, face_count_ = 0;
  std::vector<float> further_;  ///< numbers of one vertex after its position
  std::vector<float> colors_;
  std::vector<std::array<float, 2>> texture_;
  std::size_t surplus_ = 0;  ///< vertices with more numbers than their format asks for
};

}  // namespace

SurfaceFile read_off(const std::filesystem::path& path) {
  return read_off(path.string(), read_file(path));
}

SurfaceFile read_off(std::string place, std::span<const std::byte> bytes) {
  return OffParser(std::move(place), text_of(bytes)).parse();
}

}  // namespace isochor::files
