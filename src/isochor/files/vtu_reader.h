#pragma once

#include <span>
#include <string>

#include "isochor/files/field_file.h"

namespace isochor::files {

/// Reads an unstructured grid of VTK (.vtu): points, cells, and the arrays of numbers on both.
/// Arrays may be text, base64 within the element, or appended as base64 or raw bytes; packed by
/// zlib or not; of either byte order. Files in several pieces and other ways of packing are refused
/// with a message that says how to save the file instead. `place` names the file in errors.
FieldFile read_vtu(const std::string& place, std::span<const std::byte> bytes);

}  // namespace isochor::files
