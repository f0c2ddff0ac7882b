#include "isochor/files/tetgen.h"

#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/tet_builder.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

/// One of the two files: counts on the first line, then a line per item that begins with its
/// number.
class TableScanner {
 public:
  TableScanner(std::string place, std::span<const std::byte> bytes, std::string_view items)
      : in_(std::move(place), text_of(bytes), {.comments = true}), items_(items) {
    if (!in_.next_filled_line()) in_.fail("is empty", kExportAgain);
  }

  std::int64_t integer() {
    const std::string_view word = in_.next_word();
    if (word.empty()) in_.fail(fmt::format("a line of its {} is too short", items_), kExportAgain);
    return in_.integer(word);
  }
  /// The count of items, each of which has so many numbers at least.
  std::size_t count(std::size_t numbers) {
    const std::int64_t n = integer();
    if (n < 0 || static_cast<std::size_t>(n) > (in_.left() + 1) / (2 * numbers)) {
      in_.fail(fmt::format("{} {} announced, but only {} bytes follow", n, items_, in_.left()),
               kExportAgain);
    }
    return static_cast<std::size_t>(n);
  }
  void next_item() {
    if (!in_.next_filled_line()) {
      in_.fail(fmt::format("truncated: the file ends within its {}", items_), kExportAgain);
    }
  }
  TextScanner& in() { return in_; }

 private:
  TextScanner in_;
  std::string_view items_;
};

void read_nodes(const std::string& place, std::span<const std::byte> bytes, IdTable& ids,
                TetBuilder& builder) {
  TableScanner table(place + ".node", bytes, "nodes");
  const std::size_t n = table.count(4);
  if (const std::int64_t d = table.integer(); d != 3) {
    table.in().fail(fmt::format("nodes are in {} dimensions", d), "export a solid in 3D");
  }
  for (std::size_t i = 0; i < n; ++i) {
    table.next_item();
    ids.add(table.integer());
    builder.add_point(table.in().position(i + 1));
  }
  if (const std::int64_t* twin = ids.finish()) {
    table.in().fail(fmt::format("two nodes have the number {}", *twin), kExportAgain);
  }
}

void read_elements(const std::string& place, std::span<const std::byte> bytes, const IdTable& ids,
                   TetBuilder& builder) {
  TableScanner table(place + ".ele", bytes, "tets");
  const std::size_t n = table.count(5);
  const std::int64_t corners = table.integer();
  if (corners != 4 && corners != 10) {
    table.in().fail(fmt::format("tets have {} nodes, expected 4 or 10", corners), kExportAgain);
  }
  const std::string_view word = table.in().next_word();
  const bool has_region = !word.empty() && table.in().integer(word) > 0;
  for (std::size_t t = 0; t < n; ++t) {
    table.next_item();
    table.integer();
    geometry::Tet tet;
    for (int k = 0; k < corners; ++k) {
      const std::int64_t id = table.integer();
      if (k >= 4) continue;
      tet[k] = ids.find(id);
      if (tet[k] < 0) {
        table.in().fail(
            fmt::format("tet {} has the node {}, which is not in {}.node", t + 1, id, place),
            "take both files from the same run of TetGen");
      }
    }
    if (corners > 4) builder.note_second_order();
    double region = 0;
    if (has_region) {
      const std::string_view attribute = table.in().next_word();
      region = attribute.empty() ? 0 : table.in().number(attribute);
    }
    const bool is_label = std::trunc(region) == region && std::abs(region) <= 1e15;
    builder.add_tet(tet, is_label ? static_cast<std::int64_t>(region) : 0);
  }
}

}  // namespace

TetFile read_tetgen(const std::filesystem::path& path) {
  std::filesystem::path stem = path, nodes = path, elements = path;
  stem.replace_extension();
  nodes.replace_extension(".node");
  elements.replace_extension(".ele");
  for (const auto& part : {nodes, elements}) {
    if (part != path && !std::filesystem::exists(part)) {
      throw Error(Fault::Input, path.string(),
                  fmt::format("is one of a pair, but {} is not there", part.string()),
                  "put both files of TetGen into one folder");
    }
  }
  return read_tetgen(stem.string(), read_file(nodes), read_file(elements));
}

TetFile read_tetgen(const std::string& place, std::span<const std::byte> nodes,
                    std::span<const std::byte> elements) {
  TetBuilder builder(place);
  IdTable ids;
  if (has_open_end(nodes)) builder.note(fmt::format("{}.node: {}", place, kOpenEnd));
  if (has_open_end(elements)) builder.note(fmt::format("{}.ele: {}", place, kOpenEnd));
  read_nodes(place, nodes, ids, builder);
  read_elements(place, elements, ids, builder);
  return builder.finish();
}

}  // namespace isochor::files
