#include "isochor/sim/capabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "isochor/base/error.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kInTime =
    replaced(kBarScene, "frames = 4\n", "frames = 4\nintegrator = \"bdf2\"\n");

TEST(Capabilities, RowsDifferInWhatChoosesThemAndAreOfKnownMethods) {
  std::set<std::string> names, choices;
  for (const Capability& row : capabilities()) {
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
    const SceneSpec scene = with_method(parse_scene(kBarScene, "scene.toml"), row);
    EXPECT_TRUE(choices.insert(resolved_scene(scene)).second) << row.name;
    EXPECT_THAT(method_names(), ::testing::Contains(row.method));
    EXPECT_TRUE(row.has(Feature::Static) || row.has(Feature::Dynamic)) << row.name;
  }
}

TEST(Capabilities, TolerancesAreTheSameForAllMethods) {
  const SceneSpec scene = parse_scene(
      kBarScene + "\n[method]\nvariant = \"paper\"\nnewton.tolerance = 1e-5\n", "s.toml");
  for (const Capability& row : capabilities()) {
    EXPECT_EQ(with_method(scene, row).method.newton.tolerance, 1e-5);
  }
  EXPECT_EQ(with_method(scene, capabilities()[0]).method.variant, "best");
}

TEST(Capabilities, WhatDoesNotGoWithAMethodIsLeftOutOfItsScene) {
  const SceneSpec scene = parse_scene(
      kBarScene + "\n[method]\nquadrature = \"gauss\"\npreconditioner = \"jacobi\"\n", "s.toml");
  for (const Capability& row : capabilities()) {
    if (!row.has(Feature::Static)) continue;
    EXPECT_NO_THROW(check_capabilities(with_method(scene, row))) << row.name;
  }
}

TEST(Capabilities, WhatAMethodLacksIsNamedWithThoseThatHaveIt) {
  const std::string problem =
      error_of([] { parse_scene(kInTime + "\n[method]\nsolver = \"fas\"\n", "s.toml"); }).what();
  EXPECT_THAT(problem, AllOf(HasSubstr("lattice-fas (method.solver = \"fas\") has no dynamic"),
                             HasSubstr("time.integrator = \"bdf2\""),
                             HasSubstr("use one of: lattice, lattice-paper (method.variant = "
                                       "\"paper\"), lattice-gauss")));
  EXPECT_NO_THROW(parse_scene(kBarScene + "\n[method]\nsolver = \"fas\"\n", "s.toml"));
}

TEST(Capabilities, EveryRequestOfASceneIsFound) {
  const SceneSpec scene =
      parse_scene(replaced(kInTime, "[body.material]\n",
                           "[[body.hold]]\nname = \"slider\"\nwhere = \"y-\"\nslide = \"plane\"\n"
                           "[[body.hold]]\nname = \"bed\"\nwhere = \"y+\"\nselect = \"surface\"\n"
                           "stiffness = 1000\n"
                           "[[body.activation]]\nframe = 0\nvalue = 0\n"
                           "[body.material]\nlaw = \"muscle\"\n"),
                  "s.toml");
  constexpr std::array<std::string_view, 1> kLinear{"linear"};
  const Capability nothing{.name = "nothing", .method = "lattice", .materials = kLinear};
  EXPECT_THAT(
      obstacles(nothing, scene),
      ElementsAre("no dynamic (time.integrator = \"bdf2\")",
                  "no sliding nodes (hold 'slider' of 'bar')",
                  "no held surfaces (hold 'bed' of 'bar')", "no held nodes (hold 'left' of 'bar')",
                  "no muscles (activation of 'bar')", "no law 'muscle' (material of 'bar')"));
  EXPECT_THAT(error_of([&] { check_capabilities(scene, std::span(&nothing, 1)); }).what(),
              HasSubstr("no method has all that this scene asks for"));
  EXPECT_THAT(obstacles(capabilities()[0], scene), IsEmpty());
}

}  // namespace
}  // namespace isochor::sim
