#include "isochor/run/export.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <fmt/core.h>
#include <iterator>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/function_ref.h"
#include "isochor/base/text.h"
#include "isochor/files/frame.h"
#include "isochor/files/gltf_writer.h"
#include "isochor/files/npz.h"
#include "isochor/files/obj.h"
#include "isochor/files/pc2.h"
#include "isochor/files/ply_writer.h"
#include "isochor/files/usd.h"
#include "isochor/files/vtu.h"
#include "isochor/run/scenery.h"

namespace isochor::run {
namespace {

namespace fs = std::filesystem;

/// A name as part of a file name.
std::string file_stem(const std::string& name) {
  std::string stem = name;
  for (char& c : stem) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return stem;
}

/// What every format is made from.
class Source {
 public:
  Source(const RunDirectory& directory, int first, int last)
      : directory_(directory),
        first_(first),
        last_(last),
        topology_(files::read_topology(directory.topology())) {}

  const files::Topology& topology() const { return topology_; }
  std::size_t body_count() const { return topology_.bodies.size(); }
  int first() const { return first_; }
  int frame_count() const { return last_ - first_ + 1; }

  /// The folder for one format, made where it is missing.
  fs::path folder(std::string_view format) const {
    fs::path path = directory_.exports() / format;
    make_directory(path);
    return path;
  }

  /// Bodies are told apart by number as well: two names may give the same stem.
  std::string body_stem(std::size_t body) const {
    const std::string stem = file_stem(topology_.bodies[body].name);
    return body_count() == 1 ? stem : fmt::format("{}_{}", body, stem);
  }

  /// The run's name, for formats with one file.
  std::string run_name() const {
    const fs::path root = (fs::absolute(directory_.root) / "").lexically_normal().parent_path();
    const std::string name = root.filename().string();
    return name.empty() ? "run" : name;
  }
  std::string run_stem() const { return file_stem(run_name()); }

  /// Frames per second. Every frame tells it but the first, which alone makes no motion.
  double frame_rate() const {
    if (last_ == 0) return 24;
    // A quotient of rounded numbers: the digits that were in the scene.
    const double rate = last_ / files::read_frame(directory_.frame(last_)).time;
    return std::round(rate * 1e9) / 1e9;
  }

  Vec3d up() const { return up_of_run(directory_.is_run() ? read_manifest(directory_).scene : ""); }

  /// Reads one frame at a time.
  void for_each_frame(FunctionRef<void(const files::Frame&)> use) const {
    for (int f = first_; f <= last_; ++f) {
      const files::Frame frame = files::read_frame(directory_.frame(f));
      check(frame, directory_.frame(f));
      use(frame);
    }
  }

 private:
  void check(const files::Frame& frame, const fs::path& file) const {
    const char* const remedy = "run the scene again; the files are not of the same run";
    if (frame.bodies.size() != body_count()) {
      throw Error(
          Fault::Input, file.string(),
          fmt::format("has {} bodies, the topology has {}", frame.bodies.size(), body_count()),
          remedy);
    }
    for (std::size_t b = 0; b < body_count(); ++b) {
      const std::size_t found = frame.bodies[b].vertices.size();
      const std::size_t expected = topology_.bodies[b].surface.positions.size();
      if (found != expected) {
        throw Error(Fault::Input, file.string(),
                    fmt::format("body '{}' has {} vertices, the topology has {}",
                                topology_.bodies[b].name, found, expected),
                    remedy);
      }
    }
  }

  const RunDirectory& directory_;
  int first_, last_;
  files::Topology topology_;
};

std::vector<fs::path> export_vtu(const Source& source) {
  const fs::path folder = source.folder("vtu");
  std::vector<files::PvdEntry> volumes, surfaces;
  source.for_each_frame([&](const files::Frame& frame) {
    for (std::size_t b = 0; b < source.body_count(); ++b) {
      const std::string stem = source.body_stem(b);
      const std::string volume = fmt::format("{}_volume_{:06}.vtu", stem, frame.index);
      const std::string surface = fmt::format("{}_surface_{:06}.vtu", stem, frame.index);
      const files::BodyTopology& topology = source.topology().bodies[b];
      files::write_vtu_volume(folder / volume, topology, frame.bodies[b]);
      files::write_vtu_surface(folder / surface, topology, frame.bodies[b]);
      volumes.push_back({frame.time, static_cast<int>(b), volume});
      surfaces.push_back({frame.time, static_cast<int>(b), surface});
    }
  });
  files::write_pvd(folder / "volume.pvd", volumes);
  files::write_pvd(folder / "surface.pvd", surfaces);
  return {folder / "volume.pvd", folder / "surface.pvd"};
}

/// One file per body and frame: write(path, positions, topology).
template <class Write>
std::vector<fs::path> export_surfaces(const Source& source, std::string_view format,
                                      const Write& write) {
  const fs::path folder = source.folder(format);
  std::vector<fs::path> written;
  source.for_each_frame([&](const files::Frame& frame) {
    for (std::size_t b = 0; b < source.body_count(); ++b) {
      written.push_back(folder /
                        fmt::format("{}_{:06}.{}", source.body_stem(b), frame.index, format));
      write(written.back(), frame.bodies[b].vertices, source.topology().bodies[b]);
    }
  });
  return written;
}

void write_obj(const fs::path& path, std::span<const Vec3d> positions,
               const files::BodyTopology& body) {
  files::write_obj(path, positions, body.surface, body.texture_coordinates, body.groups);
}

std::vector<fs::path> export_obj(const Source& source) {
  return export_surfaces(source, "obj", write_obj);
}

std::vector<fs::path> export_ply(const Source& source) {
  return export_surfaces(
      source, "ply",
      [](const fs::path& path, std::span<const Vec3d> positions, const files::BodyTopology& body) {
        files::write_ply(path, positions, body.surface);
      });
}

std::vector<fs::path> export_usd(const Source& source) {
  const fs::path path = source.folder("usd") / (source.run_stem() + ".usda");
  files::UsdWriter writer(path, source.topology(), source.run_name(), source.frame_rate(),
                          source.up()[2] > 0 ? 'Z' : 'Y');
  source.for_each_frame([&](const files::Frame& frame) { writer.add(frame); });
  writer.finish();
  return {path};
}

std::vector<fs::path> export_gltf(const Source& source) {
  const fs::path path = source.folder("gltf") / (source.run_stem() + ".glb");
  files::GltfWriter writer(path, source.topology(), source.run_name(), source.frame_count(),
                           source.up());
  source.for_each_frame([&](const files::Frame& frame) { writer.add(frame); });
  writer.finish();
  return {path};
}

/// The animation and, beside it, the mesh that it animates.
std::vector<fs::path> export_pc2(const Source& source) {
  const fs::path folder = source.folder("pc2");
  std::deque<files::Pc2Writer> writers;
  std::vector<fs::path> written;
  for (std::size_t b = 0; b < source.body_count(); ++b) {
    const geometry::SurfaceMesh& surface = source.topology().bodies[b].surface;
    written.push_back(folder / (source.body_stem(b) + ".obj"));
    write_obj(written.back(), surface.positions, source.topology().bodies[b]);
    written.push_back(folder / (source.body_stem(b) + ".pc2"));
    writers.emplace_back(written.back(), surface.positions.size(), source.first(),
                         source.frame_count());
  }
  source.for_each_frame([&](const files::Frame& frame) {
    for (std::size_t b = 0; b < writers.size(); ++b) writers[b].add(frame.bodies[b].vertices);
  });
  for (files::Pc2Writer& writer : writers) writer.finish();
  return written;
}

/// What a body has on vertices, as its first frame has it, but for what positions tell.
std::vector<files::Field> vertex_fields(const files::BodyFrame& body) {
  std::vector<files::Field> out;
  std::ranges::copy_if(body.fields, std::back_inserter(out), [](const auto& f) {
    return f.support == files::Support::Vertex && f.name != "displacement";
  });
  return out;
}

/// In a frame; nothing known where that has none.
std::vector<float> values_in(const files::BodyFrame& body, const files::Field& field) {
  for (const files::Field& f : body.fields) {
    if (f.support == field.support && f.name == field.name) return f.values;
  }
  return std::vector<float>(field.values.size(), std::numeric_limits<float>::quiet_NaN());
}

std::vector<fs::path> export_npz(const Source& source) {
  const fs::path folder = source.folder("npz");
  std::deque<files::NpzWriter> writers;
  std::vector<fs::path> written;
  for (std::size_t b = 0; b < source.body_count(); ++b) {
    written.push_back(folder / (source.body_stem(b) + ".npz"));
    writers.emplace_back(written.back(), source.topology().bodies[b].surface, source.frame_count());
  }
  std::vector<std::vector<files::Field>> fields;
  source.for_each_frame([&](const files::Frame& frame) {
    for (std::size_t b = 0; b < writers.size(); ++b) {
      writers[b].add(frame.index, frame.time, frame.bodies[b].vertices);
      if (frame.index == source.first()) fields.push_back(vertex_fields(frame.bodies[b]));
    }
  });
  // An archive is written one array after the other: frames are read again for each.
  for (std::size_t b = 0; b < writers.size(); ++b) {
    for (const files::Field& field : fields[b]) {
      writers[b].begin_field(field.name, field.components);
      source.for_each_frame([&](const files::Frame& frame) {
        writers[b].add_field(values_in(frame.bodies[b], field));
      });
    }
  }
  for (files::NpzWriter& writer : writers) writer.finish();
  return written;
}

struct Format {
  std::string_view name;
  std::vector<fs::path> (*write)(const Source&);
};
constexpr std::array kFormats{Format{"vtu", export_vtu}, Format{"obj", export_obj},
                              Format{"ply", export_ply}, Format{"usd", export_usd},
                              Format{"pc2", export_pc2}, Format{"gltf", export_gltf},
                              Format{"npz", export_npz}};
constexpr auto kNames = [] {
  std::array<std::string_view, kFormats.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kFormats[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> export_formats() { return kNames; }

std::vector<fs::path> export_run(const RunDirectory& directory, std::string_view format, int first,
                                 int last) {
  if (first < 0 || first > last) {
    throw Error(Fault::Input, "--frames", fmt::format("frames {} to {} are none", first, last),
                fmt::format("choose from frames 0 to {}", directory.frame_count() - 1));
  }
  for (const Format& known : kFormats) {
    if (known.name == format) return known.write(Source(directory, first, last));
  }
  throw Error(Fault::Input, "--format", fmt::format("'{}' is not known", format),
              suggest(format, kNames));
}

}  // namespace isochor::run
