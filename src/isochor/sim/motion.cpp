#include "isochor/sim/motion.h"

#include <algorithm>

namespace isochor::sim {
namespace {

Pose blend(const KeySpec& a, const KeySpec& b, double s) {
  return {a.translate * (1 - s) + b.translate * s, a.rotate * (1 - s) + b.rotate * s};
}

}  // namespace

Pose pose_at(const HoldSpec& hold, double time) {
  const auto& keys = hold.keys;
  if (keys.empty()) return {};
  if (time < 0) {
    const Pose first = pose_at(hold, 0);
    const double s = std::max(0.0, 1 + time);
    return {first.translation * s, first.rotation * s};
  }
  const auto after =
      std::find_if(keys.begin(), keys.end(), [&](const KeySpec& key) { return key.frame > time; });
  if (after == keys.begin()) return {keys.front().translate, keys.front().rotate};
  if (after == keys.end()) return {keys.back().translate, keys.back().rotate};
  const KeySpec& before = *(after - 1);
  double s = (time - before.frame) / (after->frame - before.frame);
  if (hold.ease == "smooth") s = s * s * (3 - 2 * s);
  return blend(before, *after, s);
}

}  // namespace isochor::sim
