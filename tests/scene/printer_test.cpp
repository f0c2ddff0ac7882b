#include "isochor/scene/printer.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "isochor/scene/reader.h"
#include "tests/scene/sample_scene.h"

namespace isochor::scene {
namespace {

using testing::HasSubstr;

sample::Scene read_scene(std::string_view text) {
  sample::Scene scene;
  read(parse_toml(text, "printed.toml"), scene);
  return scene;
}

TEST(ScenePrinter, PrintsEveryDefaultWithUnitAndMeaning) {
  sample::Scene scene;
  scene.bodies.push_back({.place = {}, .mesh = "a.obj", .material = {}, .holds = {}});
  EXPECT_EQ(print_resolved(scene), R"(title = "untitled"           # name in reports
contact = true               # whether bodies touch
gravity = [0.0, -9.81, 0.0]  # m/s^2; pull on everything

[time]  # frames and steps
frames = 24                  # how many frames (>= 1)
step = 0.041666666666666664  # s; length of a frame (> 0)

[[body]]  # a soft body
mesh = "a.obj"  # surface file
hold = []       # held parts

[body.material]  # what it is made of
law = "linear"         # constitutive law (linear, neo-hookean)
young = 1000.0         # Pa; Young's modulus (> 0)
poisson = 0.3          # Poisson's ratio (0 to 0.5)
# damping = (not set)  # 1/s; decay | rate (>= 0)
)");
}

TEST(ScenePrinter, WhatIsPrintedReadsBackEqual) {
  const sample::Scene scene = read_scene(sample::kText);
  EXPECT_EQ(read_scene(print_resolved(scene)), scene);
  EXPECT_EQ(read_scene(print_resolved(sample::Scene{})), sample::Scene{});
}

TEST(ScenePrinter, PrintingIsAFixedPoint) {
  const std::string once = print_resolved(read_scene(sample::kText));
  EXPECT_EQ(print_resolved(read_scene(once)), once);
}

TEST(ScenePrinter, AwkwardValuesReadBackBitForBit) {
  sample::Scene scene;
  scene.title = "quote \" slash \\ line\nbreak\ttab \x01 é # no comment";
  scene.time.frames = std::numeric_limits<int>::max();
  for (const double value : {1e300, 5e-324, 0.1, 1.0 / 3, 1e15, 1e16, 123456789012345680.0, -0.0}) {
    scene.gravity = {value, -value, 0};
    const sample::Scene back = read_scene(print_resolved(scene));
    EXPECT_EQ(back, scene) << value;
    EXPECT_EQ(std::signbit(back.gravity[0]), std::signbit(value)) << value;
  }
}

TEST(ScenePrinter, EmptyListIsPrintedSoThatItStaysEmpty) {
  EXPECT_THAT(print_resolved(sample::Scene{}), HasSubstr("\nbody = []"));
}

TEST(ScenePrinter, ReferenceHasOneTablePerGroup) {
  EXPECT_EQ(print_reference(sample::Scene{}), R"(### Top level

| key | type | unit | default | range | meaning |
|---|---|---|---|---|---|
| `title` | text |  | `"untitled"` |  | name in reports |
| `contact` | true or false |  | `true` |  | whether bodies touch |
| `gravity` | 3 numbers | m/s^2 | `[0.0, -9.81, 0.0]` |  | pull on everything |
| `time` | table |  |  |  | frames and steps |
| `body` | list of tables |  |  |  | a soft body |

### `[time]`

| key | type | unit | default | range | meaning |
|---|---|---|---|---|---|
| `frames` | whole number |  | `24` | >= 1 | how many frames |
| `step` | number | s | `0.041666666666666664` | > 0 | length of a frame |

### `[[body]]`

| key | type | unit | default | range | meaning |
|---|---|---|---|---|---|
| `mesh` | text |  | required |  | surface file |
| `material` | table |  |  |  | what it is made of |
| `hold` | list of tables |  |  |  | held parts |

### `[body.material]`

| key | type | unit | default | range | meaning |
|---|---|---|---|---|---|
| `law` | choice |  | `"linear"` | linear, neo-hookean | constitutive law |
| `young` | number | Pa | `1000.0` | > 0 | Young's modulus |
| `poisson` | number |  | `0.3` | 0 to 0.5 | Poisson's ratio |
| `damping` | number | 1/s | not set | >= 0 | decay \| rate |

### `[[body.hold]]`

| key | type | unit | default | range | meaning |
|---|---|---|---|---|---|
| `point` | 3 numbers | m | required |  | centre |
| `radius` | number | m | `0.1` | > 0 | reach |
)");
}

TEST(ScenePrinter, ReferenceOfAPartCarriesItsPath) {
  const std::string text = print_reference(sample::Hold{}, "body.hold");
  EXPECT_THAT(text, HasSubstr("### `[body.hold]`\n"));
}

}  // namespace
}  // namespace isochor::scene
