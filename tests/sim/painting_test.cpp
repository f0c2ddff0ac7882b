#include "isochor/sim/painting.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "isochor/sim/simulation.h"
#include "tests/sim/test_scene.h"

namespace isochor::sim {
namespace {

/// A bar along x, coloured from black at x = 0 to red at x = 1, its ends in groups of their own.
struct PaintedBar {
  PaintedBar() {
    surface.mesh = geometry::make_box({0.5, 0.1, 0.1}, {1, 0.2, 0.2}, 0.1);
    files::VertexAttribute color{.name = "color", .components = 3, .values = {}};
    for (const Vec3d& p : surface.mesh.positions) {
      for (const double c : {p[0], 0.0, 1 - p[0]}) color.values.push_back(float(c));
    }
    surface.attributes = {color};
    surface.groups = {{"left", {}}, {"right", {}}, {"all", {}}};
    for (std::size_t f = 0; f < surface.mesh.face_count(); ++f) {
      double x = 0;
      for (const std::int32_t v : surface.mesh.face(f)) x += 0.25 * surface.mesh.positions[v][0];
      if (x < 0.3) surface.groups[0].faces.push_back(std::int32_t(f));
      if (x > 0.7) surface.groups[1].faces.push_back(std::int32_t(f));
      surface.groups[2].faces.push_back(std::int32_t(f));
    }
    ThreadArena arena(1);
    lattice = grid::build_lattice(surface.mesh, 0.1, "bar", arena);
    lattice.for_each_cell([&](std::size_t b, int lane) {
      x_of_cell.push_back(
          lattice.rest_positions[lattice.blocks[b].nodes[grid::block_node(lane, 0)]][0] + 0.05);
    });
  }
  std::vector<CellField> paint(const std::vector<PaintSpec>& paints) {
    ThreadArena arena(2);
    return paint_cells(lattice, surface, paints, arena);
  }
  files::SurfaceFile surface;
  grid::Lattice lattice;
  std::vector<double> x_of_cell;
};

TEST(Painting, ColoursAreCarriedInwards) {
  PaintedBar bar;
  for (const char* from : {"color.r", "color.0"}) {
    const auto fields = bar.paint({{.quantity = "stiffness", .from = from, .low = 1, .high = 5}});
    ASSERT_EQ(fields.size(), 1u);
    EXPECT_EQ(fields[0].name, "stiffness");
    for (std::size_t c = 0; c < bar.x_of_cell.size(); ++c) {
      // To the cells at the ends, the ends are as near as the sides.
      if (bar.x_of_cell[c] < 0.1 || bar.x_of_cell[c] > 0.9) continue;
      EXPECT_NEAR(fields[0].values[c], 1 + 4 * bar.x_of_cell[c], 1e-6);
    }
  }
}

TEST(Painting, GroupsSetTheirCellsAndLeaveTheRest) {
  PaintedBar bar;
  const auto fields = bar.paint({{.quantity = "zone", .from = "group:right", .high = 3}});
  for (std::size_t c = 0; c < bar.x_of_cell.size(); ++c) {
    EXPECT_EQ(fields[0].values[c], bar.x_of_cell[c] > 0.7 ? 3 : 0) << bar.x_of_cell[c];
  }
}

TEST(Painting, TheLaterPaintCounts) {
  PaintedBar bar;
  const PaintSpec all{.quantity = "stiffness", .from = "group:all", .high = 2};
  const PaintSpec left{.quantity = "stiffness", .from = "group:left", .high = 7};
  const auto all_first = bar.paint({all, left}), left_first = bar.paint({left, all});
  for (std::size_t c = 0; c < bar.x_of_cell.size(); ++c) {
    EXPECT_EQ(all_first[0].values[c], bar.x_of_cell[c] < 0.3 ? 7 : 2);
    EXPECT_EQ(left_first[0].values[c], 2);
  }
}

TEST(Painting, UnknownSourcesAreRefusedWithTheKnownOnes) {
  PaintedBar bar;
  for (const char* from : {"group:middle", "colour", "color.7", "color", "color.x"}) {
    const Error error =
        files::error_of([&] { bar.paint({{.quantity = "stiffness", .from = from}}); });
    EXPECT_EQ(error.fault(), Fault::Input) << from;
    EXPECT_THAT(error.remedy(), testing::HasSubstr("color.0"));
    EXPECT_THAT(error.remedy(), testing::HasSubstr("group:left"));
  }
  EXPECT_EQ(files::error_of([&] {
              bar.paint({{.quantity = "stiffness", .from = "color.r", .low = -1}});
            }).fault(),
            Fault::Input);
}

TEST(Painting, PaintedStiffnessBendsTheSoftEndMore) {
  // A ramp of stiffness from a PLY file, through the whole program.
  PaintedBar bar;
  files::TemporaryFolder folder;
  std::string ply = "ply\nformat ascii 1.0\nelement vertex " +
                    std::to_string(bar.surface.mesh.positions.size()) +
                    "\nproperty float x\nproperty float y\nproperty float z\nproperty float hard\n"
                    "element face " +
                    std::to_string(bar.surface.mesh.face_count()) +
                    "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Vec3d& p : bar.surface.mesh.positions) {
    ply += fmt::format("{} {} {} {}\n", p[0], p[1], p[2], p[0] < 0.5 ? 1.0 : 0.0);
  }
  for (std::size_t f = 0; f < bar.surface.mesh.face_count(); ++f) {
    ply += "4";
    for (const std::int32_t v : bar.surface.mesh.face(f)) ply += " " + std::to_string(v);
    ply += "\n";
  }
  files::write_quickly(folder / "bar.ply", ply);
  const auto pulled = [&](const std::string& paint) {
    const auto scene = write_scene(folder, R"(format = 1
time = { frames = 1 }
world = { gravity = [0, 0, 0] }
[[body]]
name = "bar"
cell_size = 0.1
shape = { kind = "mesh", file = "bar.ply" }
material = { young = 1000, poisson = 0.0 }
)" + paint + R"(
[[body.hold]]
name = "left"
where = "x-"
[[body.hold]]
name = "right"
where = "x+"
key = [{ frame = 0 }, { frame = 1, translate = [0.2, 0, 0] }]
)");
    Context context(1);
    Simulation simulation(load_scene(scene), context);
    simulation.advance();
    simulation.advance();
    // Where the middle of the bar went.
    const files::Frame frame = simulation.snapshot().first;
    double moved = 0;
    for (std::size_t v = 0; v < frame.bodies[0].vertices.size(); ++v) {
      const Vec3d& rest = simulation.topology().bodies[0].surface.positions[v];
      if (std::abs(rest[0] - 0.5) < 1e-9) moved = frame.bodies[0].vertices[v][0] - rest[0];
    }
    return moved;
  };
  EXPECT_NEAR(pulled(""), 0.1, 1e-6);
  // Nine times as stiff on the left: a tenth of the way there, but for the cells between.
  const double painted =
      pulled("[[body.paint]]\nquantity = \"stiffness\"\nfrom = \"hard\"\nlow = 1\nhigh = 9\n");
  EXPECT_LT(painted, 0.04);
  EXPECT_GT(painted, 0.015);
}

}  // namespace
}  // namespace isochor::sim
