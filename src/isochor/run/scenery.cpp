#include "isochor/run/scenery.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/scene/reader.h"

namespace isochor::run {

void add_scenery(std::span<const sim::SceneryPart> scenery, files::Topology& topology) {
  for (const sim::SceneryPart& part : scenery) {
    files::BodyTopology& body = topology.bodies.emplace_back();
    body.name = part.name;
    body.surface = part.surface;
    body.surface.positions = part.at(0);
  }
}

void add_scenery(std::span<const sim::SceneryPart> scenery, files::Frame& frame) {
  for (const sim::SceneryPart& part : scenery) {
    frame.bodies.emplace_back().vertices = part.at(frame.time);
  }
}

std::vector<sim::SceneryPart> without_ground(std::span<const sim::SceneryPart> scenery,
                                             const RenderOptions& options, View& view) {
  const Vec3d up = options.up * (1 / norm(options.up));
  std::vector<sim::SceneryPart> rest;
  std::optional<double> ground;
  for (const sim::SceneryPart& part : scenery) {
    const bool level = part.keys.size() == 1 && norm(part.keys[0].rotation) == 0 &&
                       dot(part.endless, up) > 0.9999 * norm(part.endless) &&
                       norm(part.endless) > 0;
    if (!level || !options.ground) {
      rest.push_back(part);
      continue;
    }
    const double height = dot(up, part.keys[0].translation);
    ground = std::max(ground.value_or(height), height);
  }
  if (ground) view.ground_offset = *ground;
  return rest;
}

std::vector<sim::SceneryPart> scenery_of_run(const std::string& scene_text,
                                             const std::filesystem::path& scene_file,
                                             const files::Topology& topology, Context& context) {
  std::vector<Vec3d> points;
  for (const files::BodyTopology& body : topology.bodies) {
    points.insert(points.end(), body.surface.positions.begin(), body.surface.positions.end());
  }
  if (points.empty()) return {};
  try {
    return sim::scenery_of(sim::parse_scene(scene_text, scene_file), geometry::bounds_of(points),
                           context);
  } catch (const Error& e) {
    context.log(LogLevel::Warning, std::string("colliders are not drawn: ") + e.what());
    return {};
  }
}

Vec3d up_of_run(const std::string& scene_text) {
  if (scene_text.empty()) return {0, 1, 0};
  sim::SceneSpec scene;  // read without the files it names, which may have gone
  scene::read(scene::parse_toml(scene_text, "scene"), scene);
  const Vec3d& gravity = scene.world.gravity;
  int axis = 1;
  for (const int a : {0, 2}) {
    if (std::abs(gravity[a]) > std::abs(gravity[axis])) axis = a;
  }
  Vec3d up{0, 0, 0};
  up[axis] = gravity[axis] > 0 ? -1 : 1;
  return up;
}

}  // namespace isochor::run
