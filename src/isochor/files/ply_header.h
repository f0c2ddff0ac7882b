#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/files/text_scanner.h"

namespace isochor::files {

enum class PlyType : std::uint8_t { Int8, Uint8, Int16, Uint16, Int32, Uint32, Float32, Float64 };

/// Bytes that a value takes in a binary file.
std::size_t size_of(PlyType type);

/// A column of an element's rows: one value, or a list with its length before it.
struct PlyProperty {
  std::string name;
  PlyType type = PlyType::Float32;
  std::optional<PlyType> count_type;  ///< of a list

  bool is_list_of_indices() const {
    return count_type && (name == "vertex_indices" || name == "vertex_index");
  }
};

/// A table of `count` rows.
struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

enum class PlyEncoding : std::uint8_t { Ascii, LittleEndian, BigEndian };

/// What a PLY file says about its contents before they begin. The names of elements differ, and so
/// do those of one element's properties; the counts are what the file claims.
struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::Ascii;
  std::vector<PlyElement> elements;

  /// Rows of the element with this name.
  std::uint64_t count_of(std::string_view name) const;
};

/// Reads from the word "ply" to the line "end_header", which is left as the current line.
PlyHeader read_ply_header(TextScanner& in);

}  // namespace isochor::files
