#include "isochor/files/vega.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <map>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/tet_builder.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

constexpr int kDeepest = 8;  // of files that include files

/// Commas separate as blanks do.
std::string with_blanks(std::string_view text) {
  std::string blanks(text);
  std::ranges::replace(blanks, ',', ' ');
  return blanks;
}

struct Region {
  std::string set, material;
};

class VegaParser {
 public:
  VegaParser(std::string place, std::optional<std::filesystem::path> folder)
      : builder_(std::move(place)), folder_(std::move(folder)) {}

  TetFile parse(const std::string& place, std::string_view bytes) {
    read(place, bytes, 0);
    label_regions();
    return builder_.finish();
  }

 private:
  enum class Section { None, Vertices, Elements, Set, Material, Region, Other };

  /// What is included goes on where the file that includes it stands.
  void read(const std::string& place, std::string_view bytes, int depth) {
    const std::string text = with_blanks(bytes);
    if (has_open_end(std::as_bytes(std::span(bytes)))) {
      builder_.note(fmt::format("{}: {}", place, kOpenEnd));
    }
    TextScanner in(place, text, {.comments = true});
    while (in.next_filled_line()) {
      const std::string_view word = in.next_word();
      if (word == "*INCLUDE") {
        include(in, depth);
      } else if (word[0] == '*') {
        begin(word, in);
      } else {
        read_line(word, in);
      }
    }
    if (depth > 0) return;
    if (expected_vertices_ > builder_.point_count() || expected_tets_ > builder_.tet_count()) {
      in.fail(fmt::format("truncated: {} of {} vertices and {} of {} tets are there",
                          builder_.point_count(), expected_vertices_, builder_.tet_count(),
                          expected_tets_),
              kExportAgain);
    }
  }

  void include(TextScanner& in, int depth) {
    const std::string name(in.rest_of_line());
    if (depth >= kDeepest) in.fail("files include each other too deeply", "mend *INCLUDE");
    if (!folder_ || !std::filesystem::is_regular_file(*folder_ / name)) {
      builder_.note(fmt::format(
          "{} is not there{}", name,
          section_ == Section::Set ? fmt::format(": the set '{}' is left out", set_) : ""));
      return;
    }
    const std::filesystem::path path = *folder_ / name;
    read(path.string(), text_of(read_file(path)), depth + 1);
  }

  void begin(std::string_view word, TextScanner& in) {
    counts_read_ = false;
    section_ = word == "*VERTICES"   ? Section::Vertices
               : word == "*ELEMENTS" ? Section::Elements
               : word == "*SET"      ? Section::Set
               : word == "*MATERIAL" ? Section::Material
               : word == "*REGION"   ? Section::Region
                                     : Section::Other;
    if (section_ == Section::Set) set_ = std::string(in.rest_of_line());
    if (section_ == Section::Material) material_ = std::string(in.rest_of_line());
  }

  void read_line(std::string_view word, TextScanner& in) {
    switch (section_) {
      case Section::Vertices:
        return read_vertex(word, in);
      case Section::Elements:
        return read_element(word, in);
      case Section::Set:
        for (; !word.empty(); word = in.next_word()) sets_[set_].push_back(in.integer(word));
        return;
      case Section::Material: {
        std::string& values = materials_[material_];
        for (; !word.empty(); word = in.next_word()) {
          values += values.empty() ? "" : " ";
          values += word;
        }
        return;
      }
      case Section::Region:
        regions_.push_back({std::string(word), std::string(in.next_word())});
        return;
      case Section::None:
        in.fail(fmt::format("found {}, expected a section such as *VERTICES", in_quotes(word)),
                "this is no mesh of Vega; give it the extension of its format");
      case Section::Other:
        return;
    }
  }

  std::size_t count(std::string_view word, TextScanner& in, std::string_view what) const {
    const std::int64_t n = in.integer(word);
    // Items may be in another file, so that the size of this one is no limit.
    if (n < 0 || n > 100'000'000) {
      in.fail(fmt::format("{} {} announced", n, what), kExportAgain);
    }
    return static_cast<std::size_t>(n);
  }

  void read_vertex(std::string_view word, TextScanner& in) {
    if (!counts_read_) {
      counts_read_ = true;
      expected_vertices_ = count(word, in, "vertices");
      return;
    }
    const std::int64_t id = in.integer(word);
    if (builder_.point_count() == 0) first_vertex_ = id;
    if (first_vertex_ < 0 || first_vertex_ > 1 ||
        id - first_vertex_ != static_cast<std::int64_t>(builder_.point_count())) {
      in.fail(fmt::format("vertex {} is out of order", id), "number vertices from 0 or 1");
    }
    builder_.add_point(in.position(builder_.point_count() + 1));
  }

  void read_element(std::string_view word, TextScanner& in) {
    if (word == "TET" || word == "TETS") {
      kind_is_tet_ = true;
      return;
    }
    if (!counts_read_ && !kind_is_tet_) {
      in.fail(fmt::format("elements are {}, expected TET", in_quotes(word)),
              "export the solid as tetrahedra");
    }
    if (!counts_read_) {
      counts_read_ = true;
      expected_tets_ = count(word, in, "tets");
      return;
    }
    const std::int64_t id = in.integer(word);
    if (builder_.tet_count() == 0) first_tet_ = id;
    if (first_tet_ < 0 || first_tet_ > 1 ||
        id - first_tet_ != static_cast<std::int64_t>(builder_.tet_count())) {
      in.fail(fmt::format("element {} is out of order", id), "number elements from 0 or 1");
    }
    geometry::Tet tet;
    for (std::int32_t& corner : tet) {
      const std::string_view next = in.next_word();
      if (next.empty()) in.fail(fmt::format("element {} has too few corners", id), kExportAgain);
      const std::int64_t index = in.integer(next);
      const auto points = static_cast<std::int64_t>(builder_.point_count());
      if (index < first_vertex_ || index >= first_vertex_ + points) {
        in.fail(fmt::format("element {} has the vertex {}, but there are {} vertices", id, index,
                            points),
                "mend the element, or the count of vertices");
      }
      corner = static_cast<std::int32_t>(index - first_vertex_);
    }
    builder_.add_tet(tet);
  }

  /// A tet that several regions claim belongs to the last one, as in Vega.
  void label_regions() {
    std::vector<std::int64_t> labels(builder_.tet_count(), 0);
    bool any = false;
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      const auto& [name, material] = regions_[r];
      const auto label = static_cast<std::int64_t>(r) + 1;
      builder_.note(fmt::format("region '{}' is of {}: {}", name, material, materials_[material]));
      if (name == "allElements") {
        std::ranges::fill(labels, label);
        any = true;
      }
      const auto set = sets_.find(name);
      if (set == sets_.end()) continue;
      for (const std::int64_t id : set->second) {
        const std::uint64_t tet =
            static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_tet_);
        if (tet >= labels.size()) {
          throw Error(Fault::Input, builder_.place(),
                      fmt::format("the set '{}' has the element {}, but there are {}", name, id,
                                  labels.size()),
                      "mend the set");
        }
        labels[tet] = label;
        any = true;
      }
    }
    if (!any) return;
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      builder_.name_label(static_cast<std::int64_t>(r) + 1, regions_[r].set);
    }
    builder_.name_label(0, "no region");
    builder_.set_labels(std::move(labels));
  }

  TetBuilder builder_;
  std::optional<std::filesystem::path> folder_;
  Section section_ = Section::None;
  bool counts_read_ = false, kind_is_tet_ = false;
  std::size_t expected_vertices_ = 0, expected_tets_ = 0;
  std::int64_t first_vertex_ = 1, first_tet_ = 1;
  std::string set_, material_;
  std::map<std::string, std::vector<std::int64_t>> sets_;
  std::map<std::string, std::string> materials_;
  std::vector<Region> regions_;
};

}  // namespace

TetFile read_vega(const std::filesystem::path& path) {
  return VegaParser(path.string(), path.parent_path())
      .parse(path.string(), text_of(read_file(path)));
}

TetFile read_vega(const std::string& place, std::span<const std::byte> bytes) {
  return VegaParser(place, {}).parse(place, text_of(bytes));
}

}  // namespace isochor::files
