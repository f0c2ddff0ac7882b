#include "isochor/sim/inputs.h"

#include <algorithm>

#include "isochor/base/hash.h"
#include "isochor/scene/reader.h"

namespace isochor::sim {
namespace {

class InputHash {
 public:
  void add(double value) { hash_.add(std::as_bytes(std::span(&value, 1))); }
  void add(const Vec3d& v) {
    for (int a = 0; a < 3; ++a) add(v[a]);
  }
  void add(std::string_view text) {
    add(double(text.size()));
    hash_.add(text);
  }
  void add_value(const KeySpec& key) {
    add(key.translate);
    add(key.rotate);
  }
  void add_value(const ActivationSpec& key) { add(key.value); }
  void add_value(const LoadKeySpec& key) { add(key.scale); }
  void add_value(const ZoneKeySpec& key) { add(key.volume); }
  void add_value(const ShapeKeySpec& key) { hash_.add(std::as_bytes(std::span(key.positions))); }

  /// Those keys that decide about times in (frame - 1, frame]: the neighbours of each of them.
  /// Beyond the ends of the list, where nothing moves, when a key stands does not matter.
  template <class Key>
  void add_keys(const std::vector<Key>& keys, std::string_view ease, int frame) {
    const auto add_constant = [&](const Key& key) {
      add(0.0);
      add_value(key);
    };
    if (keys.empty()) return add_constant({});  // at rest, as with a key of zeros
    const auto after = [](double time, const Key& key) { return time < key.frame; };
    const auto before = [](const Key& key, double time) { return key.frame < time; };
    auto first = std::upper_bound(keys.begin(), keys.end(), double(frame - 1), after);
    auto last = std::lower_bound(keys.begin(), keys.end(), double(frame), before);
    if (first == keys.end()) return add_constant(keys.back());
    if (last == keys.begin()) return add_constant(keys.front());
    if (first != keys.begin()) --first;
    if (last != keys.end()) ++last;
    add(double(last - first));
    add(ease);
    for (auto key = first; key != last; ++key) {
      add(key->frame);
      add_value(*key);
    }
  }

  std::uint64_t value() const { return hash_.value(); }

 private:
  Hash hash_;
};

}  // namespace

std::uint64_t frame_inputs(const SceneSpec& scene, int frame) {
  InputHash hash;
  for (const BodySpec& body : scene.bodies) {
    hash.add_keys(body.activations, "linear", frame);
    for (const MuscleSpec& muscle : body.muscles) {
      hash.add_keys(muscle.activations, "linear", frame);
    }
    for (const HoldSpec& hold : body.holds) hash.add_keys(hold.keys, hold.ease, frame);
    for (const LoadSpec& load : body.loads) hash.add_keys(load.keys, load.ease, frame);
    for (const ZoneSpec& zone : body.zones) hash.add_keys(zone.keys, "linear", frame);
  }
  for (const ColliderSpec& collider : scene.colliders) {
    hash.add_keys(collider.keys, "linear", frame);
    if (collider.shapes) hash.add_keys(*collider.shapes, "linear", frame);
  }
  hash.add_keys(scene.skeleton.root_keys, "linear", frame);
  return hash.value();
}

SceneSpec without_motion(SceneSpec scene) {
  scene.title.clear();
  scene.time.frames = 0;
  const SkeletonSpec& skeleton = scene.skeleton;
  scene.skeleton = {.file = skeleton.file,
                    .scale = skeleton.scale,
                    .joints = skeleton.joints,
                    .given = skeleton.given};
  for (JointSpec& joint : scene.skeleton.joints) {
    joint.keys.clear();
    joint.axis = JointSpec{}.axis;
    joint.ease = JointSpec{}.ease;
  }
  for (BodySpec& body : scene.bodies) {
    body.activations.clear();
    for (MuscleSpec& muscle : body.muscles) {
      muscle.activations.clear();
      muscle.bends.clear();
      muscle.axis = MuscleSpec{}.axis;
    }
    for (HoldSpec& hold : body.holds) {
      hold.keys.clear();
      hold.ease = HoldSpec{}.ease;
      hold.animation.start = AnimationSpec{}.start;
      hold.animation.pre_roll = AnimationSpec{}.pre_roll;
    }
    for (LoadSpec& load : body.loads) {
      load.keys.clear();
      load.ease = LoadSpec{}.ease;
    }
    for (ZoneSpec& zone : body.zones) zone.keys.clear();
  }
  for (ColliderSpec& collider : scene.colliders) {
    collider.keys.clear();
    collider.shapes.reset();
    collider.animation.start = AnimationSpec{}.start;
    collider.animation.pre_roll = AnimationSpec{}.pre_roll;
  }
  return scene;
}

std::vector<scene::Difference> changed_keys(const std::string& before,
                                            const std::filesystem::path& file,
                                            const SceneSpec& after) {
  const auto document = [&](const SceneSpec& scene) {
    return scene::parse_toml(resolved_scene(without_motion(scene)), file.string());
  };
  // Read without its skeleton, whose file may have changed or gone since.
  SceneSpec earlier;
  earlier.file = file;
  scene::read(scene::parse_toml(before, file.string()), earlier);
  return scene::differences(document(earlier), document(after));
}

}  // namespace isochor::sim
