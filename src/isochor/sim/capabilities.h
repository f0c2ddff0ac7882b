#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

/// What a scene may ask of a method. One bit each.
enum class Feature : std::uint32_t {
  Static = 1 << 0,
  Dynamic = 1 << 1,
  HeldNodes = 1 << 2,
  SlidingNodes = 1 << 3,
  HeldSurfaces = 1 << 4,
  Ties = 1 << 5,
  Muscles = 1 << 6,
  Tractions = 1 << 7,
  Contact = 1 << 8,
  Incompressible = 1 << 9,
  ClampedSurfaces = 1 << 10,
  Pressures = 1 << 11,
  StiffnessDamping = 1 << 12,
  Regions = 1 << 13,
  Bands = 1 << 14,
  Zones = 1 << 15,
  SagFree = 1 << 16,
  Skin = 1 << 17,
  SelfContact = 1 << 18,
  SlidingBones = 1 << 19,
};
using Features = std::uint32_t;

/// Every feature with its name, in the order of the matrix.
struct FeatureName {
  Feature feature;
  std::string_view name;
};
std::span<const FeatureName> feature_names();

/// A key of [method] and the value that chooses a method.
struct MethodSetting {
  std::string MethodSpec::*member;
  std::string_view key, value;
};

/// A row of the capability matrix: a way to simulate a scene, and what it can do. `isochor list`
/// prints the rows, `isochor check` enforces them, `isochor compare --methods` runs them. A new
/// method is a new row.
struct Capability {
  std::string_view name;    ///< as `compare --methods` knows it
  std::string_view method;  ///< method.name
  std::span<const MethodSetting> settings;
  std::span<const MethodSetting> excludes;  ///< what does not go with them
  std::string_view source;                  ///< where it comes from
  std::string_view elements;
  std::string_view volume;                        ///< how volume is kept
  std::span<const std::string_view> materials;    ///< laws it knows; none: all
  std::span<const std::string_view> integrators;  ///< of motions, that it knows; none: all
  Features features = 0;

  bool has(Feature feature) const { return features & static_cast<Features>(feature); }
};
std::span<const Capability> capabilities();

/// The values of the key method.name.
std::span<const std::string_view> method_names();

/// What a scene asks for that a method does not have, each as words; none if it can run.
std::vector<std::string> obstacles(const Capability& method, const SceneSpec& scene);

/// The scene with this method, whatever it had before. Tolerance and limits of iterations stay.
SceneSpec with_method(SceneSpec scene, const Capability& method);

/// An input error if the method of a scene cannot do what the scene asks for; names those that can.
void check_capabilities(const SceneSpec& scene, std::span<const Capability> rows = capabilities());

}  // namespace isochor::sim
