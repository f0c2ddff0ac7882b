#include "isochor/files/ply_header.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>
#include <utility>

#include "isochor/base/error.h"

namespace isochor::files {
namespace {

struct TypeName {
  std::string_view name, old_name;
  std::size_t size;  ///< bytes
};
/// In the order of PlyType.
constexpr TypeName kTypes[] = {
    {"int8", "char", 1}, {"uint8", "uchar", 1}, {"int16", "short", 2},   {"uint16", "ushort", 2},
    {"int32", "int", 4}, {"uint32", "uint", 4}, {"float32", "float", 4}, {"float64", "double", 8}};

bool is_whole(PlyType type) { return type < PlyType::Float32; }

class HeaderParser {
 public:
  explicit HeaderParser(TextScanner& in) : in_(in) {}

  PlyHeader parse() {
    if (!in_.next_line() || in_.next_word() != "ply") {
      throw Error(Fault::Input, in_.place(), "does not begin with the word ply",
                  "this is not a PLY file; give it the extension of its format");
    }
    while (in_.next_line()) {
      const std::string_view keyword = in_.next_word();
      if (keyword == "end_header") return whole_header();
      read_line(keyword);
    }
    in_.fail("the file ends within its header", kExportAgain);
  }

 private:
  void read_line(std::string_view keyword) {
    if (keyword == "format") {
      read_format();
    } else if (keyword == "element") {
      read_element();
    } else if (keyword == "property") {
      read_property();
    } else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info") {
      in_.fail(fmt::format("unknown keyword {} in the header", in_quotes(keyword)),
               "the header has lines with format, comment, element, property, then end_header");
    }
  }

  void read_format() {
    const std::string_view name = in_.next_word();
    has_format_ = true;
    if (name == "ascii") {
      header_.encoding = PlyEncoding::Ascii;
    } else if (name == "binary_little_endian") {
      header_.encoding = PlyEncoding::LittleEndian;
    } else if (name == "binary_big_endian") {
      header_.encoding = PlyEncoding::BigEndian;
    } else {
      in_.fail(fmt::format("unknown format {}", in_quotes(name)),
               "it is one of ascii, binary_little_endian, binary_big_endian");
    }
  }

  void read_element() {
    PlyElement element{.name = std::string(in_.next_word())};
    const std::int64_t count = in_.integer(in_.next_word());
    if (count < 0) in_.fail(fmt::format("{} elements announced", count), kExportAgain);
    element.count = static_cast<std::uint64_t>(count);
    check_new(element_names_, element.name);
    property_names_.clear();
    header_.elements.push_back(std::move(element));
  }

  void read_property() {
    if (header_.elements.empty()) in_.fail("a property before the first element", kExportAgain);
    PlyProperty property;
    std::string_view word = in_.next_word();
    if (word == "list") {
      property.count_type = type_of(in_.next_word());
      if (!is_whole(*property.count_type)) in_.fail("a list is counted in fractions", kExportAgain);
      word = in_.next_word();
    }
    property.type = type_of(word);
    property.name = in_.next_word();
    if (property.is_list_of_indices() && !is_whole(property.type)) {
      in_.fail("indices of vertices are fractions", "write them as int or uint");
    }
    check_new(property_names_, property.name);
    header_.elements.back().properties.push_back(std::move(property));
  }

  PlyType type_of(std::string_view word) const {
    const auto* known = std::ranges::find_if(
        kTypes, [&](const TypeName& t) { return word == t.name || word == t.old_name; });
    if (known != std::end(kTypes)) return static_cast<PlyType>(known - kTypes);
    in_.fail(fmt::format("unknown type {}", in_quotes(word)),
             "types are char, uchar, short, ushort, int, uint, float and double, or int8, uint8, "
             "int16, uint16, int32, uint32, float32 and float64");
  }

  void check_new(std::set<std::string>& names, const std::string& name) const {
    if (name.empty()) in_.fail("a name is missing", kExportAgain);
    if (!names.insert(name).second) {
      in_.fail(fmt::format("{} is there twice", in_quotes(name)), "give each its own name");
    }
  }

  PlyHeader whole_header() {
    if (!has_format_) in_.fail("the header does not name its format", kExportAgain);
    return std::move(header_);
  }

  TextScanner& in_;
  PlyHeader header_;
  bool has_format_ = false;
  std::set<std::string> element_names_, property_names_;
};

}  // namespace

std::size_t size_of(PlyType type) { return kTypes[static_cast<std::size_t>(type)].size; }

std::uint64_t PlyHeader::count_of(std::string_view name) const {
  const auto found = std::ranges::find(elements, name, &PlyElement::name);
  return found == elements.end() ? 0 : found->count;
}

PlyHeader read_ply_header(TextScanner& in) { return HeaderParser(in).parse(); }

}  // namespace isochor::files
