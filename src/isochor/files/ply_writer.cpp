#include "isochor/files/ply_writer.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/byte_stream.h"

namespace isochor::files {
namespace {

std::uint8_t colour_byte(float value) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
}

}  // namespace

void write_ply(const std::filesystem::path& path, std::span<const Vec3d> positions,
               const geometry::SurfaceMesh& topology,
               std::span<const std::array<float, 3>> colours) {
  if (!colours.empty() && colours.size() != positions.size()) {
    throw Error(Fault::Input, path.string(),
                fmt::format("{} colours for {} vertices", colours.size(), positions.size()),
                "give one colour per vertex, or none");
  }
  std::size_t most_corners = 0;
  for (std::size_t f = 0; f < topology.face_count(); ++f) {
    most_corners = std::max(most_corners, topology.face(f).size());
  }
  // One byte for the number of corners is what all programs read; few faces need more.
  const bool short_lists = most_corners <= 255;
  const std::string header = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment written by Isochor\n"
      "element vertex {}\nproperty double x\nproperty double y\nproperty double z\n{}"
      "element face {}\nproperty list {} int vertex_indices\nend_header\n",
      positions.size(),
      colours.empty() ? "" : "property uchar red\nproperty uchar green\nproperty uchar blue\n",
      topology.face_count(), short_lists ? "uchar" : "uint");
  ByteWriter out;
  out.append(std::as_bytes(std::span(header)));
  for (std::size_t v = 0; v < positions.size(); ++v) {
    out.append(std::as_bytes(std::span(positions[v].e)));
    if (colours.empty()) continue;
    for (const float value : colours[v]) out.put(colour_byte(value));
  }
  for (std::size_t f = 0; f < topology.face_count(); ++f) {
    const auto face = topology.face(f);
    if (short_lists) {
      out.put(static_cast<std::uint8_t>(face.size()));
    } else {
      out.put(static_cast<std::uint32_t>(face.size()));
    }
    out.append(std::as_bytes(face));
  }
  write_file_atomic(path, out.bytes());
}

}  // namespace isochor::files
