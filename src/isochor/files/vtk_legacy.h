#pragma once

#include <span>
#include <string>

#include "isochor/files/field_file.h"

namespace isochor::files {

/// Reads an unstructured grid in VTK's format before XML (.vtk), ascii or binary, of versions 1 to
/// 5.1: points, cells, and the arrays of numbers on both. Other kinds of data sets are refused with
/// a message that says how to save the file instead. `place` names the file in errors.
FieldFile read_vtk_legacy(const std::string& place, std::span<const std::byte> bytes);

}  // namespace isochor::files
