/// Skins and animations of glTF files.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>

#include "isochor/files/gltf_document.h"
#include "isochor/files/skeleton_file.h"
#include "isochor/files/text_scanner.h"

namespace isochor::files {
namespace {

using anatomy::Between;
using anatomy::Skeleton;
using anatomy::Transform;

constexpr const char* kExportSkin = "export the mesh with its armature, as a skin";

Transform transform_of(const GltfTransform& t) { return {t.linear, t.translation}; }

class SkeletonReader {
 public:
  explicit SkeletonReader(const GltfDocument& document) : document_(document) {
    if (document.skins.empty()) document.fail("", "has no skin, and so no joints", kExportSkin);
    find_parents();
    choose_nodes();
  }

  Skeleton read() {
    add_joints();
    place_at_rest();
    for (std::size_t a = 0; a < document_.animations.size(); ++a) add_clip(a);
    anatomy::make_names_differ(out_);
    return std::move(out_);
  }

  /// The joint of the skeleton that a skin's entry is.
  std::int32_t joint_of_skin(std::size_t entry) const {
    return joint_of_node_[document_.skins[0].joints[entry]];
  }

 private:
  const GltfSkin& skin() const { return document_.skins[0]; }

  void find_parents() {
    parent_.assign(document_.nodes.size(), -1);
    for (std::size_t n = 0; n < document_.nodes.size(); ++n) {
      for (const std::size_t child : document_.nodes[n].children) {
        if (parent_[child] >= 0) {
          document_.fail(fmt::format("nodes[{}]", child), "has two parents, nodes are no tree",
                         kExportAgain);
        }
        parent_[child] = static_cast<std::int32_t>(n);
      }
    }
  }

  /// The joints of the skin and all above them, parents first.
  void choose_nodes() {
    joint_of_node_.assign(document_.nodes.size(), -1);
    for (const std::size_t node : skin().joints) {
      std::vector<std::size_t> chain;
      for (auto n = static_cast<std::int32_t>(node); n >= 0 && joint_of_node_[n] < 0;
           n = parent_[n]) {
        chain.push_back(n);
        if (chain.size() > document_.nodes.size()) {
          document_.fail(fmt::format("nodes[{}]", n), "is above itself, nodes are no tree",
                         kExportAgain);
        }
      }
      for (auto n = chain.rbegin(); n != chain.rend(); ++n) {
        joint_of_node_[*n] = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(*n);
      }
    }
  }

  void add_joints() {
    for (const std::size_t n : nodes_) {
      const GltfNode& node = document_.nodes[n];
      out_.joints.push_back({.name = node.name.empty() ? fmt::format("node {}", n) : node.name,
                             .parent = parent_[n] < 0 ? -1 : joint_of_node_[parent_[n]],
                             .local = anatomy::local_of(transform_of(node.transform)),
                             .rest = {},
                             .bound = false});
    }
    for (const std::size_t n : skin().joints) out_.joints[joint_of_node_[n]].bound = true;
  }

  /// What the inverse bind matrices undo. The nodes stand where they like; the space between the
  /// two is that of the first joint.
  void place_at_rest() {
    std::vector<Transform> standing;
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const Transform local = transform_of(document_.nodes[nodes_[j]].transform);
      const int parent = out_.joints[j].parent;
      standing.push_back(parent < 0 ? local : standing[parent] * local);
    }
    const std::vector<Transform> binds = read_binds();
    const std::size_t first = joint_of_node_[skin().joints[0]];
    out_.base = binds[0] * anatomy::inverse(standing[first]);
    for (std::size_t j = 0; j < nodes_.size(); ++j) out_.joints[j].rest = out_.base * standing[j];
    for (std::size_t k = 0; k < binds.size(); ++k) out_.joints[joint_of_skin(k)].rest = binds[k];
    for (const anatomy::Joint& joint : out_.joints) {
      const double volume = determinant(joint.rest.linear);
      if (std::isfinite(volume) && volume != 0 && std::isfinite(norm(joint.rest.translation))) {
        continue;
      }
      document_.fail("skins[0]",
                     fmt::format("joint '{}' has a transform without an inverse", joint.name),
                     kExportSkin);
    }
  }

  std::vector<Transform> read_binds() const {
    std::vector<Transform> binds(skin().joints.size());
    if (!skin().inverse_bind) return binds;
    const std::size_t accessor = *skin().inverse_bind;
    const GltfAccessor& matrices = document_.accessors[accessor];
    if (matrices.components != 16 || matrices.count < binds.size()) {
      document_.fail("skins[0].inverseBindMatrices",
                     fmt::format("has {} elements of {} numbers, expected {} of 16", matrices.count,
                                 matrices.components, binds.size()),
                     kExportAgain);
    }
    const std::vector<float> m = read_floats(document_, accessor);
    for (std::size_t k = 0; k < binds.size(); ++k) {
      const auto column = [&](std::size_t c) {
        return Vec3d{m[16 * k + 4 * c], m[16 * k + 4 * c + 1], m[16 * k + 4 * c + 2]};
      };
      binds[k] = anatomy::inverse({{{column(0), column(1), column(2)}}, column(3)});
    }
    return binds;
  }

  // ---- Animations ----

  void add_clip(std::size_t number) {
    const GltfAnimation& animation = document_.animations[number];
    anatomy::Clip clip{
        .name = animation.name.empty() ? fmt::format("animation {}", number) : animation.name,
        .joints = std::vector<anatomy::JointTracks>(nodes_.size())};
    for (std::size_t c = 0; c < animation.channels.size(); ++c) {
      const GltfChannel& channel = animation.channels[c];
      if (!channel.node || joint_of_node_[*channel.node] < 0) continue;
      const std::string where = fmt::format("animations[{}].channels[{}]", number, c);
      const GltfSampler& sampler = animation.samplers[channel.sampler];
      anatomy::JointTracks& tracks = clip.joints[joint_of_node_[*channel.node]];
      if (channel.path == "translation") {
        tracks.translation = read_track<Vec3d>(sampler, 3, where, as_vector);
      } else if (channel.path == "scale") {
        tracks.scale = read_track<Vec3d>(sampler, 3, where, as_vector);
      } else if (channel.path == "rotation") {
        tracks.rotation = read_track<anatomy::Quaternion>(sampler, 4, where, as_quaternion);
        normalise(tracks.rotation);
      }
    }
    out_.clips.push_back(std::move(clip));
  }

  static Vec3d as_vector(const float* v) { return {v[0], v[1], v[2]}; }
  static anatomy::Quaternion as_quaternion(const float* v) { return {{v[0], v[1], v[2]}, v[3]}; }

  /// Files round, and so do not quite have unit lengths. Tangents are none.
  static void normalise(anatomy::Track<anatomy::Quaternion>& track) {
    const std::size_t stride = track.between == Between::Cubic ? 3 : 1;
    for (std::size_t k = stride / 2; k < track.values.size(); k += stride) {
      track.values[k] = anatomy::normalised(track.values[k]);
    }
  }

  template <class Value, class Make>
  anatomy::Track<Value> read_track(const GltfSampler& sampler, std::size_t components,
                                   const std::string& where, Make make) const {
    anatomy::Track<Value> track;
    track.between = between_of(sampler.interpolation, where);
    const GltfAccessor &input = document_.accessors[sampler.input],
                       &output = document_.accessors[sampler.output];
    const std::size_t per_key = track.between == Between::Cubic ? 3 : 1;
    if (input.components != 1 || output.components != components || input.count == 0 ||
        output.count / per_key != input.count || output.count % per_key != 0) {
      document_.fail(where,
                     fmt::format("has {} times and {} values of {} numbers, expected {} each of {}",
                                 input.count, output.count, output.components, per_key, components),
                     kExportAgain);
    }
    for (const float t : read_floats(document_, sampler.input)) {
      if (!std::isfinite(t) || (!track.times.empty() && t <= track.times.back())) {
        document_.fail(where, "has times that do not ascend", kExportAgain);
      }
      track.times.push_back(t);
    }
    const std::vector<float> values = read_floats(document_, sampler.output);
    if (!std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) {
      document_.fail(where, "has a value that is no finite number", kExportAgain);
    }
    for (std::size_t k = 0; k < output.count; ++k) {
      track.values.push_back(make(&values[components * k]));
    }
    return track;
  }

  Between between_of(const std::string& name, const std::string& where) const {
    if (name == "STEP") return Between::Step;
    if (name == "LINEAR") return Between::Linear;
    if (name == "CUBICSPLINE") return Between::Cubic;
    document_.fail(where,
                   fmt::format("has the interpolation {}, expected STEP, LINEAR or CUBICSPLINE",
                               in_quotes(name)),
                   kExportAgain);
  }

  const GltfDocument& document_;
  std::vector<std::int32_t> parent_;         ///< of nodes; -1 for roots
  std::vector<std::int32_t> joint_of_node_;  ///< -1 where it is none
  std::vector<std::size_t> nodes_;           ///< of joints
  Skeleton out_;
};

/// Walks over primitives as read_gltf does, vertex by vertex.
class WeightReader {
 public:
  WeightReader(const GltfDocument& document, const SkeletonReader& skeleton)
      : document_(document), skeleton_(skeleton) {}

  anatomy::SkinWeights read() {
    std::vector<std::size_t> waiting(document_.roots.rbegin(), document_.roots.rend());
    std::size_t visited = 0;
    while (!waiting.empty()) {
      const GltfNode& node = document_.nodes[waiting.back()];
      const std::string where = fmt::format("nodes[{}]", waiting.back());
      waiting.pop_back();
      if (++visited > document_.nodes.size()) {
        document_.fail(where, "hangs at two places, nodes are no tree", kExportAgain);
      }
      if (node.mesh) {
        if (node.skin != GltfIndex(0))
          document_.fail(where, "is not bound to the first skin", kExportSkin);
        for (const GltfPrimitive& p : document_.meshes[*node.mesh].primitives) add(p, where);
      }
      waiting.insert(waiting.end(), node.children.rbegin(), node.children.rend());
    }
    return std::move(out_);
  }

 private:
  void add(const GltfPrimitive& primitive, const std::string& where) {
    constexpr std::size_t kFirstOfTriangles = 4;
    const auto position = primitive.attributes.find("POSITION");
    if (position == primitive.attributes.end() || primitive.mode < kFirstOfTriangles) return;
    const std::size_t count = document_.accessors[position->second].count;
    std::vector<std::vector<anatomy::Influence>> influences(count);
    for (int set = 0;; ++set) {
      const auto joints = primitive.attributes.find(fmt::format("JOINTS_{}", set));
      const auto weights = primitive.attributes.find(fmt::format("WEIGHTS_{}", set));
      if (joints == primitive.attributes.end() || weights == primitive.attributes.end()) break;
      add_set(joints->second, weights->second, where, influences);
    }
    for (const auto& of_vertex : influences) {
      double sum = 0;
      for (const anatomy::Influence& influence : of_vertex) sum += influence.weight;
      if (!(sum > 0)) document_.fail(where, "has a vertex without weights", kExportSkin);
      out_.add(of_vertex);
    }
  }

  void add_set(std::size_t joints, std::size_t weights, const std::string& where,
               std::vector<std::vector<anatomy::Influence>>& influences) const {
    for (const std::size_t accessor : {joints, weights}) {
      const GltfAccessor& found = document_.accessors[accessor];
      if (found.components == 4 && found.count == influences.size()) continue;
      document_.fail(where,
                     fmt::format("has {} joints or weights of {} numbers, expected {} of 4",
                                 found.count, found.components, influences.size()),
                     kExportAgain);
    }
    const std::vector<std::uint32_t> joint = read_integers(document_, joints);
    const std::vector<float> weight = read_floats(document_, weights);
    for (std::size_t k = 0; k < joint.size(); ++k) {
      if (!(weight[k] > 0)) continue;
      if (joint[k] >= document_.skins[0].joints.size() || !std::isfinite(weight[k])) {
        document_.fail(where,
                       fmt::format("binds a vertex to joint {}, which there is not", joint[k]),
                       kExportAgain);
      }
      influences[k / 4].push_back({skeleton_.joint_of_skin(joint[k]), weight[k]});
    }
  }

  const GltfDocument& document_;
  const SkeletonReader& skeleton_;
  anatomy::SkinWeights out_;
};

}  // namespace

Skeleton read_gltf_skeleton(std::string place, std::span<const std::byte> bytes,
                            const std::filesystem::path& folder) {
  const GltfDocument document = parse_gltf(std::move(place), bytes, folder);
  return SkeletonReader(document).read();
}

anatomy::SkinWeights read_gltf_weights(std::string place, std::span<const std::byte> bytes,
                                       const std::filesystem::path& folder) {
  const GltfDocument document = parse_gltf(std::move(place), bytes, folder);
  const SkeletonReader skeleton(document);
  return WeightReader(document, skeleton).read();
}

}  // namespace isochor::files
