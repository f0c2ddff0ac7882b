#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "isochor/files/surface_file.h"

namespace isochor::files {

/// All triangle meshes in the default scene of a glTF 2.0 file (.gltf or .glb). The vertices of all
/// primitives follow each other in the order in which the scene's nodes lead to them; where one
/// mesh hangs at two nodes, it is there twice. Nodes move their meshes, except skinned ones, which
/// stay in their bind pose. Nothing is welded: vertices that differ only in normal or texture
/// coordinates are in such files several times, and are counted in a note.
/// Attributes are the colour (COLOR_0) and those of the application (_STIFFNESS becomes
/// "STIFFNESS"). Meshes and materials are groups.
SurfaceFile read_gltf(const std::filesystem::path& path);
/// The same from memory; `place` names the file in errors. Buffers in files of their own are looked
/// for in `folder`, and refused where none is given.
SurfaceFile read_gltf(std::string place, std::span<const std::byte> bytes,
                      const std::filesystem::path& folder = {});

}  // namespace isochor::files
