#include "isochor/files/vtu_reader.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <limits>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/files/base64.h"
#include "isochor/files/inflate.h"
#include "isochor/files/number_type.h"
#include "isochor/files/text_scanner.h"
#include "isochor/files/xml.h"

namespace isochor::files {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr const char* kSaveAgain = "save it again from ParaView as a VTK unstructured grid (.vtu)";

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) + 1 - start);
}

/// What VTK calls a type, "Float32"; nothing for text and bits.
std::optional<NumberType> number_type(std::string_view name, bool big_endian) {
  constexpr std::string_view kWords[] = {"Int", "UInt", "Float"};
  constexpr NumberKind kKinds[] = {NumberKind::Signed, NumberKind::Unsigned, NumberKind::Floating};
  for (int k = 0; k < 3; ++k) {
    if (!name.starts_with(kWords[k])) continue;
    const std::string_view bits = name.substr(kWords[k].size());
    const std::size_t size = bits == "8" ? 1 : bits == "16" ? 2 : bits == "32" ? 4 : 8;
    if (size == 8 && bits != "64") return {};
    if (kKinds[k] == NumberKind::Floating && size < 4) return {};
    return NumberType{kKinds[k], size, big_endian};
  }
  return {};
}

class VtuParser {
 public:
  VtuParser(const std::string& place, std::string_view text)
      : place_(place), text_(text), document_(parse_xml(place, text, "AppendedData")) {}

  FieldFile parse() {
    const XmlElement& root = document_.root;
    if (root.name != "VTKFile") fail(root, "is no file of VTK", kSaveAgain);
    read_encoding(root);
    const XmlElement* grid = root.child("UnstructuredGrid");
    if (grid == nullptr) {
      const std::string* type = root.attribute("type");
      fail(root,
           fmt::format("holds {}, expected UnstructuredGrid",
                       type != nullptr ? in_quotes(*type) : "something else"),
           "in ParaView apply Append Datasets and save the result as .vtu");
    }
    const auto pieces = std::ranges::count(grid->children, "Piece", &XmlElement::name);
    if (pieces != 1) {
      fail(*grid, fmt::format("is in {} pieces, expected one", pieces),
           "in ParaView apply Merge Blocks and save the result as .vtu");
    }
    find_appended();
    const XmlElement& piece = *grid->child("Piece");
    const std::size_t points = whole(piece, "NumberOfPoints");
    const std::size_t cells = whole(piece, "NumberOfCells");
    FieldFile file{.place = place_};
    read_points(piece, points, file);
    if (cells > 0) read_cells(piece, cells, file.cells);
    check_grid(file);
    read_fields(piece.child("PointData"), points, file.on_points, file.left_out);
    read_fields(piece.child("CellData"), cells, file.on_cells, file.left_out);
    return file;
  }

 private:
  [[noreturn]] void fail(const XmlElement& at, const std::string& problem,
                         const std::string& remedy) const {
    throw Error(Fault::Input, fmt::format("{}:{}", place_, at.line), problem, remedy);
  }

  // ---- The file as a whole ----

  void read_encoding(const XmlElement& root) {
    const auto attribute = [&](std::string_view name, std::string_view usual) {
      const std::string* value = root.attribute(name);
      return value != nullptr ? std::string_view(*value) : usual;
    };
    const std::string_view order = attribute("byte_order", "LittleEndian");
    if (order != "LittleEndian" && order != "BigEndian") {
      fail(root, fmt::format("the byte order {} is not known", in_quotes(order)), kSaveAgain);
    }
    const bool big_endian = order == "BigEndian";
    const std::string_view header = attribute("header_type", "UInt32");
    if (header != "UInt32" && header != "UInt64") {
      fail(root, fmt::format("the header type {} is not known", in_quotes(header)), kSaveAgain);
    }
    header_ = {NumberKind::Unsigned, std::size_t{header == "UInt32" ? 4u : 8u}, big_endian};
    const std::string_view compressor = attribute("compressor", "");
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor") {
      fail(root, fmt::format("is packed by {}, known is vtkZLibDataCompressor", compressor),
           "save it again with the compressor type ZLib or None");
    }
    packed_ = !compressor.empty();
  }

  /// Appended bytes begin after an underscore.
  void find_appended() {
    const XmlElement* appended = document_.root.child("AppendedData");
    if (appended == nullptr || document_.rest.empty()) return;
    const std::string* encoding = appended->attribute("encoding");
    if (encoding == nullptr || (*encoding != "raw" && *encoding != "base64")) {
      fail(*appended, "has data that are neither raw nor base64", kSaveAgain);
    }
    const std::size_t start = document_.rest.find_first_not_of(kBlanks);
    if (start == document_.rest.npos || document_.rest[start] != '_') {
      fail(*appended, "has data that do not begin with an underscore", kSaveAgain);
    }
    appended_ = document_.rest.substr(start + 1);
    appended_is_base64_ = *encoding == "base64";
    if (appended_is_base64_) appended_ = trimmed(appended_.substr(0, appended_.find('<')));
  }

  // ---- One array ----

  std::size_t whole(const XmlElement& element, std::string_view name,
                    std::optional<std::size_t> usual = {}) const {
    const std::string* text = element.attribute(name);
    if (text == nullptr && usual) return *usual;
    std::size_t value = 0;
    const char* end = text != nullptr ? text->data() + text->size() : nullptr;
    if (text == nullptr || std::from_chars(text->data(), end, value).ptr != end || text->empty()) {
      fail(element, fmt::format("{} is no whole number", name), kSaveAgain);
    }
    return value;
  }

  std::string name_of(const XmlElement& array) const {
    const std::string* name = array.attribute("Name");
    return name != nullptr ? *name : "an array without a name";
  }

  /// Where the bytes of an array begin.
  struct Source {
    const XmlElement& array;
    std::string_view text;
    bool base64;
  };

  /// The first bytes of an array.
  std::vector<std::byte> first(const Source& source, std::size_t count) const {
    std::vector<std::byte> bytes;
    if (source.base64) {
      auto decoded = decode_base64(source.text, count);
      if (!decoded) fail(source.array, name_of(source.array) + " is no base64", kSaveAgain);
      bytes = *std::move(decoded);
    } else {
      const auto all = std::as_bytes(std::span(source.text));
      const auto part = all.first(std::min(count, all.size()));
      bytes.assign(part.begin(), part.end());
    }
    if (bytes.size() < count) {
      fail(source.array,
           fmt::format("{} is truncated: {} bytes announced, {} left", name_of(source.array), count,
                       bytes.size()),
           kExportAgain);
    }
    bytes.resize(count);
    return bytes;
  }

  /// Arrays that share their bytes are how a small file is made to fill all memory.
  void use(const Source& source, std::size_t bytes) {
    if (bytes > text_.size() - used_) {
      fail(source.array, name_of(source.array) + " overlaps other arrays", kSaveAgain);
    }
    used_ += bytes;
  }

  /// Whole numbers of the header that precedes the data; no honest one is above the file's size.
  std::vector<std::size_t> header(const Source& source, std::size_t count) const {
    std::vector<std::size_t> numbers;
    for (const double number : widened(first(source, count * header_.size), header_)) {
      numbers.push_back(static_cast<std::size_t>(std::min(number, 1e15)));
    }
    return numbers;
  }

  std::vector<std::byte> plain_bytes(const Source& source) {
    const std::size_t size = header(source, 1)[0];
    std::vector<std::byte> bytes = first(source, header_.size + size);
    use(source, size);
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_.size));
    return bytes;
  }

  /// Blocks packed one by one: their number, their size, the size of the last one if it is not
  /// full, and the packed size of each come first.
  std::vector<std::byte> unpacked_bytes(const Source& source) {
    const auto damaged = [&] {
      fail(source.array, name_of(source.array) + " is damaged: it cannot be unpacked", kSaveAgain);
    };
    const std::size_t blocks = header(source, 1)[0];
    if (blocks > source.text.size()) damaged();
    const std::vector<std::size_t> sizes = header(source, 3 + blocks);
    std::size_t start = sizes.size() * header_.size, total = 0;
    for (std::size_t b = 0; b < blocks; ++b) total += std::min(sizes[3 + b], text_.size());
    const std::vector<std::byte> packed = first(source, start + total);
    use(source, total);
    std::vector<std::byte> bytes;
    for (std::size_t b = 0; b < blocks; ++b) {
      const bool is_short = b + 1 == blocks && sizes[2] > 0;
      const std::size_t length = sizes[3 + b];
      if (length > packed.size() - start) damaged();
      const auto block = inflated(std::span(packed).subspan(start, length),
                                  is_short ? sizes[2] : sizes[1], DeflateFrame::Zlib);
      if (!block) damaged();
      bytes.insert(bytes.end(), block->begin(), block->end());
      start += length;
    }
    return bytes;
  }

  std::vector<double> ascii_numbers(const XmlElement& array) const {
    std::vector<double> numbers;
    std::string_view rest = array.text;
    for (std::size_t start = rest.find_first_not_of(kBlanks); start != rest.npos;
         start = rest.find_first_not_of(kBlanks)) {
      rest.remove_prefix(start);
      const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
      double number = 0;
      const auto [stop, code] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (code == std::errc::invalid_argument || stop != word.data() + word.size()) {
        fail(array, fmt::format("{}: {} is not a number", name_of(array), in_quotes(word)),
             kSaveAgain);
      }
      numbers.push_back(number);
      rest.remove_prefix(word.size());
    }
    return numbers;
  }

  std::vector<double> encoded_numbers(const Source& source, const NumberType& type) {
    const std::vector<std::byte> bytes = packed_ ? unpacked_bytes(source) : plain_bytes(source);
    if (bytes.size() % type.size != 0) {
      fail(source.array, name_of(source.array) + " ends within a number", kSaveAgain);
    }
    return widened(bytes, type);
  }

  /// `count` tuples of numbers.
  std::vector<double> numbers(const XmlElement& array, const NumberType& type, std::size_t count,
                              std::size_t components) {
    const std::string* format = array.attribute("format");
    std::vector<double> values;
    if (format == nullptr || *format == "ascii") {
      values = ascii_numbers(array);
    } else if (*format == "binary") {
      values = encoded_numbers({array, trimmed(array.text), true}, type);
    } else if (*format == "appended") {
      const std::size_t offset = whole(array, "offset");
      if (offset >= appended_.size()) {
        fail(array, name_of(array) + " points beyond the end of the file", kExportAgain);
      }
      values = encoded_numbers({array, appended_.substr(offset), appended_is_base64_}, type);
    } else {
      fail(array, fmt::format("{} has the unknown format {}", name_of(array), in_quotes(*format)),
           kSaveAgain);
    }
    if (values.size() % components != 0 || values.size() / components != count) {
      fail(array,
           fmt::format("{} has {} numbers, expected {} times {}", name_of(array), values.size(),
                       count, components),
           kSaveAgain);
    }
    return values;
  }

  // ---- Points, cells, fields ----

  const XmlElement& required(const XmlElement& parent, std::string_view element) const {
    const XmlElement* child = parent.child(element);
    if (child == nullptr) fail(parent, fmt::format("has no {}", element), kSaveAgain);
    return *child;
  }

  NumberType type_of(const XmlElement& array) const {
    const std::string* name = array.attribute("type");
    const auto type = name != nullptr ? number_type(*name, header_.big_endian) : std::nullopt;
    if (!type) fail(array, name_of(array) + " is no array of numbers", kSaveAgain);
    return *type;
  }

  void read_points(const XmlElement& piece, std::size_t count, FieldFile& file) {
    if (count == 0) return;
    const XmlElement& array = required(required(piece, "Points"), "DataArray");
    const std::vector<double> values = numbers(array, type_of(array), count, 3);
    for (std::size_t i = 0; i < values.size(); i += 3) {
      file.points.push_back({values[i], values[i + 1], values[i + 2]});
    }
  }

  /// Whole numbers of an array of <Cells>.
  std::vector<double> cell_numbers(const XmlElement& cells, std::string_view name,
                                   std::size_t count) {
    for (const XmlElement& array : cells.children) {
      const std::string* found = array.attribute("Name");
      if (found != nullptr && *found == name) return numbers(array, type_of(array), count, 1);
    }
    fail(cells, fmt::format("has no array called {}", name), kSaveAgain);
  }

  void read_cells(const XmlElement& piece, std::size_t count, FieldCells& cells) {
    const XmlElement& element = required(piece, "Cells");
    for (const double end : cell_numbers(element, "offsets", count)) {
      if (!(end >= static_cast<double>(cells.starts.back())) || end > 1e15) {
        fail(element, "the offsets of its cells do not ascend", kSaveAgain);
      }
      cells.starts.push_back(static_cast<std::int64_t>(end));
    }
    const auto corners = static_cast<std::size_t>(cells.starts.back());
    for (const double corner : cell_numbers(element, "connectivity", corners)) {
      const bool fits = corner >= 0 && corner <= std::numeric_limits<std::int32_t>::max();
      cells.corners.push_back(fits ? static_cast<std::int32_t>(corner) : -1);
    }
    for (const double type : cell_numbers(element, "types", count)) {
      cells.types.push_back(type >= 0 && type < 256 ? static_cast<std::uint8_t>(type) : 0);
    }
  }

  void read_fields(const XmlElement* data, std::size_t count, std::vector<FieldArray>& fields,
                   std::vector<std::string>& left_out) {
    if (data == nullptr || count == 0) return;
    for (const XmlElement& array : data->children) {
      const std::string* name = array.attribute("Name");
      const std::string* type_name = array.attribute("type");
      if (name == nullptr || type_name == nullptr) continue;
      const auto type = number_type(*type_name, header_.big_endian);
      if (!type || array.name != "DataArray") {
        left_out.push_back(fmt::format("{} of type {}", *name, in_quotes(*type_name)));
        continue;
      }
      const std::size_t components =
          std::max<std::size_t>(1, whole(array, "NumberOfComponents", 1));
      const std::vector<double> values = numbers(array, *type, count, components);
      fields.push_back({*name, components, {values.begin(), values.end()}});
    }
  }

  const std::string& place_;
  std::string_view text_;
  XmlDocument document_;
  NumberType header_;
  bool packed_ = false, appended_is_base64_ = false;
  std::string_view appended_;
  std::size_t used_ = 0;  ///< bytes of the file that arrays have claimed
};

}  // namespace

FieldFile read_vtu(const std::string& place, std::span<const std::byte> bytes) {
  return VtuParser(place, text_of(bytes)).parse();
}

}  // namespace isochor::files
