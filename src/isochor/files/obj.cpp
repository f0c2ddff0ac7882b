#include "isochor/files/obj.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <string>
#include <string_view>

#include "isochor/base/error.h"
#include "isochor/base/file.h"

namespace isochor::files {
namespace {

using geometry::SurfaceMesh;

/// Keywords of the format that say nothing about polygons.
constexpr std::string_view kIgnored[] = {
    "vt",    "vn",        "o",        "g",    "s",     "usemtl",    "mtllib", "l",
    "p",     "vp",        "mg",       "deg",  "bmat",  "step",      "cstype", "curv",
    "curv2", "surf",      "parm",     "trim", "hole",  "scrv",      "sp",     "end",
    "con",   "bevel",     "c_interp", "lod",  "ctech", "d_interp",  "usemap", "maplib",
    "stech", "trace_obj", "call",     "csh",  "res",   "shadow_obj"};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Only a # that begins a word begins a comment: 1.#INF is a broken number, not 1.
std::size_t comment_start(std::string_view line) {
  std::size_t at = line.find('#');
  while (at != line.npos && at > 0 && !is_space(line[at - 1])) at = line.find('#', at + 1);
  return at;
}

/// A word of the file in quotes, cut short and printable.
std::string quoted(std::string_view word) {
  std::string text(word.substr(0, 24));
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", text, word.size() > text.size() ? "..." : "");
}

class ObjParser {
 public:
  ObjParser(const std::filesystem::path& path, std::string_view text)
      : place_(path.string()), rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // byte order mark
  }

  SurfaceMesh parse() {
    while (next_line()) {
      const std::string_view keyword = next_word();
      if (keyword == "v") {
        read_vertex();
      } else if (keyword == "f") {
        read_face();
      } else if (!keyword.empty() && std::ranges::find(kIgnored, keyword) == std::end(kIgnored)) {
        fail(
            line_number_,
            fmt::format("unknown keyword {}, this does not look like an OBJ file", quoted(keyword)),
            "export the mesh as Wavefront OBJ, or delete the line");
      }
    }
    check_whole();
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(std::int64_t line, std::string problem, std::string remedy) const {
    throw Error(Fault::Input, fmt::format("{}:{}", place_, line), std::move(problem),
                std::move(remedy));
  }

  /// Up to the line's end, without comment and trailing blanks.
  std::string_view take_physical_line() {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++lines_taken_;
    line = line.substr(0, comment_start(line));
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    return line;
  }

  /// Steps to the next line, joined with those that it continues on after a backslash.
  bool next_line() {
    if (rest_.empty()) return false;
    line_ = take_physical_line();
    line_number_ = lines_taken_;
    if (!line_.ends_with('\\')) return true;
    joined_.clear();
    while (line_.ends_with('\\')) {
      joined_.append(line_.substr(0, line_.size() - 1)).push_back(' ');
      line_ = take_physical_line();
    }
    line_ = joined_.append(line_);
    return true;
  }

  /// The next word of the line; empty at its end.
  std::string_view next_word() {
    std::size_t start = 0;
    while (start < line_.size() && is_space(line_[start])) ++start;
    std::size_t end = start;
    while (end < line_.size() && !is_space(line_[end])) ++end;
    const std::string_view word = line_.substr(start, end - start);
    line_.remove_prefix(end);
    return word;
  }

  /// Infinite if too large for a double.
  double number(std::string_view word) const {
    std::string_view digits = word;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    const char* end = digits.data() + digits.size();
    double value = 0;
    const auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (code == std::errc::invalid_argument || stop != end) {
      fail(line_number_, quoted(word) + " is not a number", "write numbers like -1.5 or 2e-3");
    }
    if (code == std::errc::result_out_of_range) {
      // Too small is as good as zero, too large is not; a wider type can tell them apart.
      long double wide = std::numeric_limits<long double>::infinity();
      std::from_chars(digits.data(), end, wide);
      value = static_cast<double>(wide);
    }
    return value;
  }

  void read_vertex() {
    const std::size_t vertex = mesh_.positions.size() + 1;
    Vec3d position{};
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = next_word();
      if (word.empty()) {
        fail(line_number_, fmt::format("vertex {} has {} coordinates, expected 3", vertex, axis),
             "give every vertex x, y and z");
      }
      position[axis] = number(word);
      if (!std::isfinite(position[axis])) {
        fail(line_number_,
             fmt::format("vertex {} has the coordinate {}, expected a finite number", vertex,
                         quoted(word)),
             "mend this vertex in the program that made the mesh and export it again");
      }
    }
    // A weight or a colour may follow.
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) number(word);
    mesh_.positions.push_back(position);
  }

  void read_face() {
    const std::size_t first = mesh_.corners.size();
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
      mesh_.corners.push_back(corner(word));
    }
    if (const std::size_t count = mesh_.corners.size() - first; count < 3) {
      fail(line_number_,
           fmt::format("face {} has {} corners, expected 3 or more", mesh_.face_count() + 1, count),
           "delete the face; lines and points have the keywords l and p");
    }
    mesh_.face_starts.push_back(static_cast<std::int32_t>(mesh_.corners.size()));
  }

  /// The vertex index, from 0, of a corner: 7, 7/1, 7//3, 7/1/3, or counted from the last: -1.
  std::int32_t corner(std::string_view word) {
    const char* end = word.data() + word.size();
    std::int64_t index = 0;
    const auto [stop, code] = std::from_chars(word.data(), end, index);
    const std::string_view more(stop, static_cast<std::size_t>(end - stop));
    const bool well_formed =
        code != std::errc::invalid_argument && (more.empty() || more.front() == '/') &&
        std::ranges::count(more, '/') <= 2 && more.find_first_not_of("/-0123456789") == more.npos;
    if (!well_formed) {
      fail(line_number_, quoted(word) + " is not a corner of a face",
           "write a corner as vertex, vertex/texture or vertex/texture/normal");
    }
    const auto count = static_cast<std::int64_t>(mesh_.positions.size());
    if (code == std::errc::result_out_of_range || index == 0 || index < -count ||
        index > std::numeric_limits<std::int32_t>::max()) {
      fail_index(line_number_, word);
    }
    if (index < 0) index += count + 1;
    // A vertex may follow its faces, so the last word on this is spoken at the end.
    if (index > highest_index_) {
      highest_index_ = index;
      highest_index_line_ = line_number_;
    }
    return static_cast<std::int32_t>(index - 1);
  }

  [[noreturn]] void fail_index(std::int64_t line, std::string_view index) const {
    fail(line,
         fmt::format("face uses vertex {}, but there are {} vertices", quoted(index),
                     mesh_.positions.size()),
         "indices count from 1 over the whole file, or from -1 back from the last vertex");
  }

  void check_whole() const {
    if (mesh_.positions.empty() || mesh_.face_count() == 0) {
      throw Error(Fault::Input, place_,
                  mesh_.positions.empty() ? "no vertices (lines that begin with v)"
                                          : "no faces (lines that begin with f)",
                  "export the mesh as polygons in Wavefront OBJ");
    }
    if (highest_index_ > static_cast<std::int64_t>(mesh_.positions.size())) {
      fail_index(highest_index_line_, std::to_string(highest_index_));
    }
  }

  std::string place_;
  std::string_view rest_;  ///< what no line has been taken from yet
  std::int64_t lines_taken_ = 0;
  std::string_view line_;
  std::int64_t line_number_ = 0;  ///< of the first physical line of line_
  std::string joined_;            ///< holds line_ if it spans several
  std::int64_t highest_index_ = 0;
  std::int64_t highest_index_line_ = 0;
  SurfaceMesh mesh_;
};

/// The shortest text that reads back as the same number.
template <class T>
void append(std::string& text, T number) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

SurfaceMesh read_obj(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  // A corner takes two characters, so below this no count leaves 32 bits.
  if (bytes.size() / 2 > std::numeric_limits<std::int32_t>::max()) {
    throw Error(Fault::Input, path.string(), "larger than 4 GiB",
                "simplify the mesh or split it into several bodies");
  }
  return ObjParser(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}).parse();
}

void write_obj(const std::filesystem::path& path, std::span<const Vec3d> positions,
               const SurfaceMesh& topology) {
  std::string text;
  for (const Vec3d& p : positions) {
    text += 'v';
    for (const double coordinate : p.e) {
      text += ' ';
      append(text, coordinate);
    }
    text += '\n';
  }
  for (std::size_t f = 0; f < topology.face_count(); ++f) {
    text += 'f';
    for (const std::int32_t vertex : topology.face(f)) {
      text += ' ';
      append(text, std::int64_t{vertex} + 1);
    }
    text += '\n';
  }
  write_file_atomic(path, text);
}

}  // namespace isochor::files
