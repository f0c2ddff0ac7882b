#include "isochor/sim/painting.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/files/npz_archive.h"
#include "isochor/files/vtu.h"
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
  std::vector<CellField> paint(const std::vector<PaintSpec>& paints,
                               const std::filesystem::path& folder = {}) {
    ThreadArena arena(2);
    return paint_cells(middles_of_cells(lattice), surface, paints, arena, folder);
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

TEST(Painting, AFileWithAValuePerVertexIsAsGoodAsAnAttribute) {
  PaintedBar bar;
  const files::TemporaryFolder folder;
  const std::size_t vertices = bar.surface.mesh.positions.size();
  files::NpzArchive archive(folder / "bar.npz");
  std::vector<float> red;
  for (const Vec3d& p : bar.surface.mesh.positions) red.push_back(float(p[0]));
  archive.add<float>("red", {vertices}, red);
  archive.add<float>("rgb", {vertices, 3}, bar.surface.attributes[0].values);
  archive.finish();
  const PaintSpec painted{.quantity = "thickness", .from = "color.r", .low = 1, .high = 5};
  const auto expected = bar.paint({painted});
  for (const char* from : {"red", "rgb.0"}) {
    PaintSpec given = painted;
    given.from = from;
    given.file = "bar.npz";
    EXPECT_EQ(bar.paint({given}, folder / "")[0].values, expected[0].values) << from;
  }
}

/// The cells of the bar with a number of their own each, and nodes that know their x, in
/// millimetres and by our own writer.
void write_own_cells(const PaintedBar& bar, const std::filesystem::path& path) {
  files::BodyTopology body{.name = "bar", .rest_nodes = bar.lattice.rest_positions};
  for (Vec3d& p : body.rest_nodes) p *= 1000;
  body.cells = bar.lattice.cell_nodes();
  files::BodyFrame frame{.nodes = body.rest_nodes};
  files::Field number{.name = "number", .support = files::Support::Cell};
  for (std::size_t c = 0; c < body.cells.size(); ++c) number.values.push_back(float(c));
  files::Field x{.name = "x", .support = files::Support::Node};
  for (const Vec3d& p : body.rest_nodes) x.values.push_back(float(p[0]));
  files::Field both = x;
  both.name = "number";
  frame.fields = {number, x, both};
  files::write_vtu_volume(path, body, frame);
}

TEST(Painting, EveryCellTakesTheValueOfTheCellAroundItsMiddle) {
  PaintedBar bar;
  const files::TemporaryFolder folder;
  write_own_cells(bar, folder / "bar.vtu");
  const auto fields =
      bar.paint({{.quantity = "zone", .from = "cell:number", .file = "bar.vtu", .scale = 0.001}},
                folder / "");
  ASSERT_EQ(fields[0].values.size(), bar.x_of_cell.size());
  for (std::size_t c = 0; c < bar.x_of_cell.size(); ++c) EXPECT_EQ(fields[0].values[c], double(c));
}

TEST(Painting, EveryCellTakesTheValueOfThePointNearestToItsMiddle) {
  PaintedBar bar;
  const files::TemporaryFolder folder;
  files::NpzArchive archive(folder / "cloud.npz");
  archive.add<double>("points", {3, 3}, std::vector<double>{0, 0, 0, 0.38, 0, 0, 1, 0, 0});
  archive.add<std::int32_t>("zone", {3}, std::vector<std::int32_t>{5, 6, 7});
  archive.finish();
  const auto fields =
      bar.paint({{.quantity = "zone", .from = "zone", .file = "cloud.npz"}}, folder / "");
  for (std::size_t c = 0; c < bar.x_of_cell.size(); ++c) {
    const double x = bar.x_of_cell[c];
    EXPECT_EQ(fields[0].values[c], x < 0.19 ? 5 : x < 0.69 ? 6 : 7) << x;
  }
}

TEST(Painting, FilesThatDoNotFitAreRefusedWithWhatTheyHold) {
  PaintedBar bar;
  const files::TemporaryFolder folder;
  write_own_cells(bar, folder / "bar.vtu");
  files::NpzArchive archive(folder / "bar.npz");
  archive.add<float>("short", {7}, std::vector<float>(7));
  archive.add<float>("rgb", {2, 3}, std::vector<float>(6));
  archive.finish();
  files::NpzArchive far(folder / "far.npz");
  far.add<double>("points", {1, 3}, std::vector<double>{500, 100, -2});
  far.add<float>("zone", {1}, std::vector<float>{1});
  far.finish();
  const auto error = [&](const char* file, const char* from, double scale = 0.001) {
    return files::error_of([&] {
      bar.paint({{.quantity = "zone", .from = from, .file = file, .scale = scale}}, folder / "");
    });
  };
  using testing::HasSubstr;
  EXPECT_EQ(error("bar.npz", "short").problem(),
            fmt::format("'short' of bar.npz has 7 values, the mesh has {} vertices",
                        bar.surface.mesh.positions.size()));
  EXPECT_EQ(error("bar.npz", "long").remedy(), "it has short, rgb.0, rgb.1, rgb.2");
  EXPECT_EQ(error("bar.npz", "group:left").problem(), "bar.npz has no 'group:left'");
  EXPECT_THAT(error("bar.vtu", "pressure").remedy(),
              HasSubstr("it has point:displacement [m].0, point:displacement [m].1, "
                        "point:displacement [m].2, point:x, point:number, cell:number"));
  EXPECT_THAT(error("bar.vtu", "cell:x").problem(), HasSubstr("has no 'cell:x'"));
  EXPECT_THAT(error("bar.vtu", "number").remedy(),
              HasSubstr("\"point:number\" or \"cell:number\""));
  EXPECT_EQ(error("bar.vtu", "x", 1).problem(),
            "the points of bar.vtu lie from 0 to 1000 m along x, the body from 0 to 1 m");
  EXPECT_THAT(error("far.npz", "zone").problem(), HasSubstr("0.002 m along z, the body from 0 to"));
  EXPECT_THAT(error("missing.npz", "x").place(), HasSubstr("missing.npz"));
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

TEST(Painting, ZonesAndThicknessOfAFileAreStoredWithTheFrames) {
  const files::TemporaryFolder folder;
  files::NpzArchive archive(folder / "fields.npz");
  archive.add<double>("points", {2, 3}, std::vector<double>{-0.3, 0, 0, 0.3, 0, 0});
  archive.add<float>("zone", {2}, std::vector<float>{1, 2});
  archive.add<float>("skin", {2}, std::vector<float>{0.25f, 0.5f});
  archive.finish();
  const auto scene = write_scene(folder, kBarScene + R"(
[[body.paint]]
quantity = "zone"
file = "fields.npz"
from = "zone"
[[body.paint]]
quantity = "thickness"
file = "fields.npz"
from = "point:skin"
)");
  Context context(1);
  const Simulation simulation(load_scene(scene), context);
  const files::BodyFrame body = simulation.snapshot().first.bodies[0];
  const auto field = [&](std::string_view name) {
    const auto found = std::ranges::find(body.fields, name, &files::Field::name);
    EXPECT_NE(found, body.fields.end()) << name;
    return found == body.fields.end() ? files::Field{} : *found;
  };
  const auto& cells = simulation.topology().bodies[0].cells;
  ASSERT_EQ(field("zone").values.size(), cells.size());
  EXPECT_EQ(field("zone").support, files::Support::Cell);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const double x = simulation.topology().bodies[0].rest_nodes[cells[c][0]][0] + 0.05;
    EXPECT_EQ(field("zone").values[c], x < 0 ? 1 : 2);
    EXPECT_EQ(field("thickness").values[c], x < 0 ? 0.25f : 0.5f);
  }
}

}  // namespace
}  // namespace isochor::sim
