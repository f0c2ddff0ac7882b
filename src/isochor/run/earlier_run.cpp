#include "isochor/run/earlier_run.h"

#include <algorithm>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/hash.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/inputs.h"

namespace isochor::run {
namespace {

constexpr const char* kStartAgain =
    "put it back, or run without --resume, which keeps the earlier run as NAME.previous";

template <class... Ranges>
std::string hash_of(const Ranges&... ranges) {
  Hash hash;
  (hash.add(std::as_bytes(std::span(ranges))), ...);
  return hash.text();
}

std::vector<Manifest::Part> parts_of(const sim::Simulation& simulation) {
  std::vector<Manifest::Part> parts;
  const sim::Setup setup = simulation.setup();
  for (std::size_t b = 0; b < setup.bodies.size(); ++b) {
    const files::BodyTopology& body = simulation.topology().bodies[b];
    const sim::BodySpec& spec = simulation.scene().bodies[b];
    const std::string& mesh = spec.shows_tets() ? spec.tets : spec.shape.file;
    const std::string source = mesh.empty() ? "" : fmt::format(" ({})", mesh);
    parts.push_back({fmt::format("surface of '{}'{}", body.name, source),
                     hash_of(body.surface.positions, body.surface.corners)});
    parts.push_back({fmt::format("{} of '{}'", body.tets.empty() ? "lattice" : "tets", body.name),
                     body.tets.empty() ? hash_of(body.rest_nodes, body.cells)
                                       : hash_of(body.rest_nodes, body.tets)});
    for (const sim::CellField& painted : setup.bodies[b].painted) {
      parts.push_back(
          {fmt::format("{} painted on '{}'", painted.name, body.name), hash_of(painted.values)});
    }
  }
  for (const sim::ColliderSpec& collider : simulation.scene().colliders) {
    if (collider.shape.kind != "mesh") continue;
    const geometry::SurfaceMesh mesh =
        sim::build_surface(collider.shape, 0, simulation.scene().file).mesh;
    parts.push_back(
        {fmt::format("surface of collider '{}' ({})", collider.name, collider.shape.file),
         hash_of(mesh.positions, mesh.corners)});
  }
  return parts;
}

/// Of the frames from 0 on whose files are whole, their hashes.
std::vector<std::uint64_t> whole_frames(const RunDirectory& directory, Context& context) {
  std::vector<std::uint64_t> hashes;
  const int count = directory.frame_count();
  try {
    for (int f = 0; f < count; ++f) hashes.push_back(files::frame_hash(directory.frame(f)));
  } catch (const files::VersionError&) {
    throw;
  } catch (const Error& error) {
    context.log(LogLevel::Warning, error.what());
  }
  return hashes;
}

/// The last frame up to `last` whose checkpoint is whole, -1 if there is none.
int restore_last(const RunDirectory& directory, int last, sim::Simulation& simulation,
                 Context& context) {
  for (; last >= 0; --last) {
    const std::filesystem::path file = directory.checkpoint(last);
    try {
      simulation.restore(file, read_file(file));
      return last;
    } catch (const files::VersionError&) {
      throw;
    } catch (const Error& error) {
      context.log(LogLevel::Warning, error.what());
    }
  }
  return last;
}

std::vector<scene::Difference> changes_since(const RunDirectory& directory, const Manifest& earlier,
                                             const sim::SceneSpec& scene) {
  try {
    return sim::changed_keys(earlier.scene, directory.manifest(), scene);
  } catch (const Error& error) {
    throw Error(Fault::Input, directory.manifest().string(),
                "holds a scene that this version does not take: " + error.problem(),
                fmt::format("go on with version {}, or run without --resume", earlier.version));
  }
}

/// Topology is written anew, but not over one that another version can still read.
void refuse_other_topology(const RunDirectory& directory) {
  if (!std::filesystem::exists(directory.topology())) return;
  try {
    files::read_topology(directory.topology());
  } catch (const files::VersionError&) {
    throw;
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): damage is mended
  }
}

}  // namespace

void describe_inputs(const sim::Simulation& simulation, int last_frame, Manifest& manifest) {
  Hash identity;
  identity.add(sim::resolved_scene(sim::without_motion(simulation.scene())));
  manifest.parts = parts_of(simulation);
  for (const Manifest::Part& part : manifest.parts) identity.add(part.hash);
  manifest.identity = identity.text();
  manifest.inputs.clear();
  for (int f = 0; f <= last_frame; ++f) {
    manifest.inputs.push_back(fmt::format("{:016x}", sim::frame_inputs(simulation.scene(), f)));
  }
}

void require_same_scene(const RunDirectory& directory, const Manifest& earlier,
                        const sim::SceneSpec& scene) {
  const std::vector<scene::Difference> changes = changes_since(directory, earlier, scene);
  if (changes.empty()) return;
  constexpr std::size_t kMostShown = 8;
  std::string text;
  const auto value = [](const std::string& v) { return v.empty() ? "not there" : v; };
  for (const scene::Difference& change :
       std::span(changes).first(std::min(changes.size(), kMostShown))) {
    text +=
        fmt::format("\n  {} was {}, is {}", change.key, value(change.before), value(change.after));
  }
  if (changes.size() > kMostShown) {
    text += fmt::format("\n  and {} more", changes.size() - kMostShown);
  }
  throw Error(Fault::Input, directory.manifest().string(),
              "this run was made from another scene, on which all its frames depend:" + text,
              kStartAgain);
}

void require_same_parts(const RunDirectory& directory, const Manifest& earlier,
                        const Manifest& now) {
  for (const Manifest::Part& part : now.parts) {
    if (std::ranges::find(earlier.parts, part) != earlier.parts.end()) continue;
    throw Error(Fault::Input, directory.manifest().string(),
                fmt::format("the {} is not the one that this run was made from (version {})",
                            part.name, earlier.version),
                kStartAgain);
  }
}

Foothold find_foothold(const RunDirectory& directory, const Manifest& earlier, const Manifest& now,
                       int limit, sim::Simulation& simulation, Context& context) {
  refuse_other_topology(directory);
  Foothold found{.hashes = whole_frames(directory, context)};
  found.whole = static_cast<int>(found.hashes.size());
  const auto inputs = std::ranges::mismatch(earlier.inputs, now.inputs);
  found.same_inputs = std::min(found.whole, static_cast<int>(inputs.in1 - earlier.inputs.begin()));
  found.last = restore_last(directory, std::min(limit, found.same_inputs - 1), simulation, context);
  found.hashes.resize(found.last + 1);
  return found;
}

}  // namespace isochor::run
