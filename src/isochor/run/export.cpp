#include "isochor/run/export.h"

#include <array>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/text.h"
#include "isochor/files/frame.h"
#include "isochor/files/obj.h"
#include "isochor/files/vtu.h"

namespace isochor::run {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kFormats{"vtu", "obj"};

/// A body's name as part of a file name.
std::string file_stem(const std::string& name) {
  std::string stem = name;
  for (char& c : stem) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return stem;
}

/// Bodies are told apart by number as well: two names may give the same stem.
std::string body_stem(const files::Topology& topology, std::size_t body) {
  return topology.bodies.size() == 1
             ? file_stem(topology.bodies[body].name)
             : fmt::format("{}_{}", body, file_stem(topology.bodies[body].name));
}

std::vector<fs::path> export_vtu(const RunDirectory& directory, const files::Topology& topology,
                                 int first, int last) {
  const fs::path folder = directory.exports() / "vtu";
  make_directory(folder);
  std::vector<files::PvdEntry> volumes, surfaces;
  for (int f = first; f <= last; ++f) {
    const files::Frame frame = files::read_frame(directory.frame(f));
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
      const std::string stem = body_stem(topology, b);
      const std::string volume = fmt::format("{}_volume_{:06}.vtu", stem, f);
      const std::string surface = fmt::format("{}_surface_{:06}.vtu", stem, f);
      files::write_vtu_volume(folder / volume, topology.bodies[b], frame.bodies[b]);
      files::write_vtu_surface(folder / surface, topology.bodies[b], frame.bodies[b]);
      volumes.push_back({frame.time, static_cast<int>(b), volume});
      surfaces.push_back({frame.time, static_cast<int>(b), surface});
    }
  }
  files::write_pvd(folder / "volume.pvd", volumes);
  files::write_pvd(folder / "surface.pvd", surfaces);
  return {folder / "volume.pvd", folder / "surface.pvd"};
}

std::vector<fs::path> export_obj(const RunDirectory& directory, const files::Topology& topology,
                                 int first, int last) {
  const fs::path folder = directory.exports() / "obj";
  make_directory(folder);
  std::vector<fs::path> written;
  for (int f = first; f <= last; ++f) {
    const files::Frame frame = files::read_frame(directory.frame(f));
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
      written.push_back(folder / fmt::format("{}_{:06}.obj", body_stem(topology, b), f));
      files::write_obj(written.back(), frame.bodies[b].vertices, topology.bodies[b].surface);
    }
  }
  return written;
}

}  // namespace

std::span<const std::string_view> export_formats() { return kFormats; }

std::vector<fs::path> export_run(const RunDirectory& directory, std::string_view format, int first,
                                 int last) {
  const files::Topology topology = files::read_topology(directory.topology());
  if (format == "vtu") return export_vtu(directory, topology, first, last);
  if (format == "obj") return export_obj(directory, topology, first, last);
  throw Error(Fault::Input, "--format", fmt::format("'{}' is not known", format),
              suggest(format, kFormats));
}

}  // namespace isochor::run
