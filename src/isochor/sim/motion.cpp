#include "isochor/sim/motion.h"

#include <algorithm>

namespace isochor::sim {
namespace {

/// Two keys and how far from the first to the second a time is, 0 to 1.
template <class Key>
struct Between {
  const Key &before, &after;
  double way = 0;
};

/// Beyond its ends a list of keys keeps its first and last value.
template <class Key>
Between<Key> find_keys(const std::vector<Key>& keys, double time) {
  const auto after =
      std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.frame > time; });
  if (after == keys.begin()) return {keys.front(), keys.front()};
  if (after == keys.end()) return {keys.back(), keys.back()};
  const Key& before = *(after - 1);
  return {before, *after, (time - before.frame) / (after->frame - before.frame)};
}

Pose pose_of(const KeySpec& key) { return {key.translate, key.rotate}; }

}  // namespace

Pose blend(const Pose& a, const Pose& b, double way) {
  return {a.translation * (1 - way) + b.translation * way,
          a.rotation * (1 - way) + b.rotation * way};
}

Pose pose_at(const HoldSpec& hold, double time) {
  const auto& keys = hold.keys;
  if (keys.empty()) return {};
  if (time < 0) {
    const Pose first = pose_at(hold, 0);
    const double s = std::max(0.0, 1 + time);
    return {first.translation * s, first.rotation * s};
  }
  const Between<KeySpec> at = find_keys(keys, time);
  const double s = hold.ease == "smooth" ? at.way * at.way * (3 - 2 * at.way) : at.way;
  return blend(pose_of(at.before), pose_of(at.after), s);
}

double load_at(const LoadSpec& load, double time) {
  if (time < 0) return load_at(load, 0) * std::max(0.0, 1 + time);
  if (load.keys.empty()) return 1;
  const Between<LoadKeySpec> at = find_keys(load.keys, time);
  const double s = load.ease == "smooth" ? at.way * at.way * (3 - 2 * at.way) : at.way;
  return at.before.scale * (1 - s) + at.after.scale * s;
}

double activation_at(const std::vector<ActivationSpec>& keys, double time) {
  if (keys.empty()) return 0;
  if (time < 0) return activation_at(keys, 0) * std::max(0.0, 1 + time);
  const Between<ActivationSpec> at = find_keys(keys, time);
  return at.before.value * (1 - at.way) + at.after.value * at.way;
}

double zone_volume_at(const std::vector<ZoneKeySpec>& keys, double time) {
  if (keys.empty()) return 1;
  if (time < 0) return 1 + (zone_volume_at(keys, 0) - 1) * std::max(0.0, 1 + time);
  const Between<ZoneKeySpec> at = find_keys(keys, time);
  return at.before.volume * (1 - at.way) + at.after.volume * at.way;
}

void add_activations_at(const BodySpec& body, double time, std::vector<double>& to) {
  to.push_back(activation_at(body.activations, time));
  for (const MuscleSpec& muscle : body.muscles) {
    to.push_back(activation_at(muscle.activations, time));
  }
}

}  // namespace isochor::sim
