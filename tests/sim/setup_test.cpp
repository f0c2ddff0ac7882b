#include "isochor/sim/setup.h"

#include <gtest/gtest.h>

#include "isochor/sim/lattice_scene.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

using files::TemporaryFolder;

Setup setup_from(const std::string& text) {
  const TemporaryFolder folder;
  Context context(1);
  return setup_of(build_lattice_scene(load_scene(write_scene(folder, text)), {}, context));
}

TEST(Setup, HoldsAreWhereTheyTakeTheBody) {
  const auto setup = setup_from(kBarScene);
  ASSERT_EQ(setup.attachments.size(), 2u);
  EXPECT_EQ(setup.attachments[0].name, "bar.left");
  EXPECT_EQ(setup.attachments[0].kind, Attachment::Kind::Hold);
  EXPECT_EQ(setup.attachments[0].points.size(), 9u);
  EXPECT_TRUE(setup.attachments[0].keys.empty());
  EXPECT_EQ(setup.attachments[1].keys.size(), 2u);
  for (const Vec3d& p : setup.attachments[1].points) EXPECT_NEAR(p[0], 0.3, 1e-12);
  ASSERT_EQ(setup.bodies.size(), 1u);
  EXPECT_TRUE(setup.bodies[0].fibres.empty());
}

TEST(Setup, SlidesSoftHoldsAndTiesAreToldApart) {
  const std::string soft =
      replaced(kBarScene, "where = \"x-\"\n",
               "where = \"x-\"\nselect = \"surface\"\nstiffness = \"1 kPa/mm\"\n");
  const std::string slide =
      replaced(soft, "where = \"x+\"\n", "where = \"x+\"\nslide = \"plane\"\n");
  const auto setup = setup_from(slide + R"(
[[body]]
name = "load"
cell_size = "10 cm"
shape = { kind = "box", size = ["60 cm", "20 cm", "20 cm"], center = [0, "-21 cm", 0] }
material = { young = "20 kPa", poisson = 0.3 }

[[tie]]
name = "glue"
first = "load"
second = "bar"
distance = "2 cm"
stiffness = "1 kPa/mm"
)");
  ASSERT_EQ(setup.attachments.size(), 3u);
  EXPECT_EQ(setup.attachments[0].kind, Attachment::Kind::Slide);
  EXPECT_EQ(setup.attachments[1].kind, Attachment::Kind::SoftHold);
  EXPECT_EQ(setup.attachments[2].kind, Attachment::Kind::Tie);
  EXPECT_EQ(setup.attachments[2].name, "glue");
  // The upper side of the load.
  for (const Vec3d& p : setup.attachments[2].points) EXPECT_NEAR(p[1], -0.11, 1e-12);
}

TEST(Setup, FibresAreThoseOfTheMaterial) {
  const std::string muscle =
      replaced(kBarScene, "young = \"20 kPa\"\npoisson = 0.3\n",
               "law = \"muscle\"\nmu = \"5 kPa\"\nkappa = \"50 kPa\"\nk1 = \"10 kPa\"\nk2 = 2\n"
               "fibre = [0, 3, 4]\n");
  const auto setup = setup_from(muscle);
  ASSERT_EQ(setup.bodies[0].fibres.size(), 24u);
  for (const Vec3d& fibre : setup.bodies[0].fibres) {
    EXPECT_NEAR(norm(fibre - Vec3d{0, 0.6, 0.8}), 0, 1e-12);
  }
}

}  // namespace
}  // namespace isochor::sim
