#include "isochor/files/obj_lines.h"

#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

/// A line as the file names it: vertices, and where that is said.
struct NamedLine {
  std::vector<std::int64_t> vertices;
  std::int64_t at = 0;
};

/// The vertices of an element: 7 or 7/1, counted from 1 or, as -1, from the last one so far.
NamedLine read_line(TextScanner& in, std::size_t so_far) {
  NamedLine line{.vertices = {}, .at = in.line_number()};
  for (std::string_view word = in.next_word(); !word.empty(); word = in.next_word()) {
    const std::int64_t index = in.integer(word.substr(0, word.find('/')));
    line.vertices.push_back(index < 0 ? static_cast<std::int64_t>(so_far) + 1 + index : index);
  }
  if (line.vertices.size() < 2) {
    in.fail("a line with fewer than two vertices", "delete it, or give it more");
  }
  return line;
}

}  // namespace

std::vector<anatomy::Polyline> read_obj_lines(const std::filesystem::path& path) {
  return read_obj_lines(path.string(), read_file(path));
}

std::vector<anatomy::Polyline> read_obj_lines(std::string place, std::span<const std::byte> bytes) {
  TextScanner in(std::move(place), text_of(bytes), {.comments = true, .continuations = true});
  std::vector<Vec3d> positions;
  std::vector<NamedLine> named;
  while (in.next_line()) {
    const std::string_view keyword = in.next_word();
    if (keyword == "v") positions.push_back(in.position(positions.size() + 1));
    if (keyword == "l") named.push_back(read_line(in, positions.size()));
  }
  if (named.empty()) {
    throw Error(Fault::Input, in.place(), "no lines (that begin with l)",
                "export the curves as lines in Wavefront OBJ");
  }
  std::vector<anatomy::Polyline> lines;
  for (const NamedLine& from : named) {
    anatomy::Polyline& line = lines.emplace_back();
    for (const std::int64_t v : from.vertices) {
      if (v < 1 || v > static_cast<std::int64_t>(positions.size())) {
        in.fail_at(from.at,
                   fmt::format("uses vertex {}, but there are {} vertices", v, positions.size()),
                   "indices count from 1 over the whole file, or from -1 back from the last one");
      }
      line.push_back(positions[static_cast<std::size_t>(v - 1)]);
    }
  }
  return lines;
}

}  // namespace isochor::files
