#include "isochor/sim/driver.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "isochor/base/error.h"

namespace isochor::sim {

Driver make_driver(const HoldSpec& spec, std::vector<Vec3d> points) {
  Driver driver{.spec = spec, .points = std::move(points)};
  for (const Vec3d& p : driver.points) driver.center += p;
  driver.center *= 1 / static_cast<double>(driver.points.size());
  if (spec.turns_about == "point") driver.center = spec.pivot;
  return driver;
}

std::vector<KeySpec> keys_about_middle(const Driver& driver) {
  std::vector<KeySpec> keys = driver.spec.keys;
  if (driver.spec.turns_about != "point" || driver.points.empty()) return keys;
  Vec3d middle{0, 0, 0};
  for (const Vec3d& p : driver.points) middle += p;
  middle *= 1 / static_cast<double>(driver.points.size());
  for (KeySpec& key : keys) {
    key.translate = Pose{key.translate, key.rotate}(middle, driver.center) - middle;
  }
  return keys;
}

Pose pose_at(const Driver& driver, const std::optional<Guide>& guide, double time) {
  return guide ? blend(guide->from, guide->to, std::clamp(time - guide->since, 0.0, 1.0))
               : pose_at(driver.spec, time);
}

std::size_t find_hold(const std::string& name, const std::vector<std::string>& names, double time,
                      const TimeSpec& timing) {
  if (time < 0 && !timing.starts_in_equilibrium()) {
    throw Error(Fault::Input, name,
                "is to move before frame 0, where the bodies still have their shape at rest",
                "compute frame 0 first, or set time.start = \"equilibrium\"");
  }
  const std::size_t number = std::ranges::find(names, name) - names.begin();
  if (number == names.size()) {
    throw Error(Fault::Input, name, "there is no hold of this name",
                names.empty() ? "add a [[body.hold]]"
                              : fmt::format("use one of: {}", fmt::join(names, ", ")));
  }
  return number;
}

void save(const Guides& guides, files::ByteWriter& writer) {
  for (const std::optional<Guide>& guide : guides) {
    writer.put(std::uint8_t{guide.has_value()});
    if (!guide) continue;
    writer.put(guide->since);
    writer.put(std::array{guide->from.translation, guide->from.rotation, guide->to.translation,
                          guide->to.rotation});
  }
}

Guides load_guides(files::ByteReader& reader, std::size_t count) {
  Guides guides(count);
  for (std::optional<Guide>& guide : guides) {
    if (reader.get<std::uint8_t>() == 0) continue;
    const double since = reader.get<double>();
    const std::vector<Vec3d> v = reader.get_vector<Vec3d>();
    if (v.size() != 4) reader.fail("a moved hold has too few or too many numbers");
    guide = Guide{.since = since, .from = {v[0], v[1]}, .to = {v[2], v[3]}};
  }
  return guides;
}

}  // namespace isochor::sim
