#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "isochor/files/medit.h"
#include "isochor/files/obj.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/shapes.h"
#include "tests/app/program.h"
#include "tests/geometry/surface_checks.h"

namespace isochor::app {
namespace {

using files::TemporaryFolder;
using geometry::SurfaceMesh;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

SurfaceMesh without_first_face(const SurfaceMesh& mesh) {
  SurfaceMesh open{.positions = mesh.positions};
  for (std::size_t f = 1; f < mesh.face_count(); ++f) open.add_face(mesh.face(f));
  return open;
}

class CliInspect : public ::testing::Test {
 protected:
  /// Writes the mesh and inspects it.
  Outcome inspect(const SurfaceMesh& mesh, std::vector<std::string> options = {}) {
    files::write_obj(folder_ / "body.obj", mesh.positions, mesh);
    options.insert(options.begin(), {"inspect", (folder_ / "body.obj").string()});
    Outcome outcome = run_program(folder_, options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome;
  }
  Json document(const SurfaceMesh& mesh, std::vector<std::string> options = {}) {
    options.emplace_back("--json");
    return Json::parse(inspect(mesh, std::move(options)).out);
  }

  TemporaryFolder folder_;
  SurfaceMesh box_ = geometry::make_box({0, 0, 0}, {1, 0.5, 0.25}, 0.25);
};

/// The first line, after the name of the file.
std::string verdict_of(const Outcome& outcome) {
  const std::string line = outcome.out.substr(0, outcome.out.find('\n'));
  return line.substr(line.find("body.obj: ") + 10);
}

TEST_F(CliInspect, ASoundMeshCanBeSimulated) {
  const Outcome o = inspect(box_);
  EXPECT_EQ(verdict_of(o), "watertight, 1 component: can be simulated as it is");
  EXPECT_THAT(o.out, AllOf(HasSubstr("size         1 x 0.5 x 0.25"), HasSubstr("metres (1 m long)"),
                           HasSubstr("volume       0.125\n"), HasSubstr("no boundary edges")));
}

TEST_F(CliInspect, DefectsComeWithPlacesAndMeaning) {
  const Outcome o = inspect(without_first_face(box_));
  EXPECT_EQ(verdict_of(o), "has 4 boundary edges: inside is decided by the winding number");
  EXPECT_THAT(o.out, AllOf(HasSubstr("4 boundary edges: rims of holes"),
                           HasSubstr("in 1 loop, the longest of 4 edges, 1 around"),
                           HasSubstr("  vertices 0, 1"), HasSubstr("indices count from 0")));
}

TEST_F(CliInspect, VerdictsNameWhatMatters) {
  EXPECT_EQ(verdict_of(inspect(turned_inside_out(box_))),
            "watertight, 1 component, but inside out: is simulated as if it were not");
  const SurfaceMesh other = geometry::make_box({0.3, 0.1, 0.1}, {1, 0.5, 0.25}, 0.5);
  EXPECT_THAT(verdict_of(inspect(joined(box_, other))),
              AllOf(StartsWith("watertight, 2 components, but with "),
                    HasSubstr("self-intersecting pairs")));
  const SurfaceMesh far = geometry::make_box({9, 0, 0}, {1, 1, 1}, 1);
  EXPECT_THAT(verdict_of(inspect(joined(far, turned_inside_out(box_)))),
              HasSubstr("one that faces inward is a cavity"));
  SurfaceMesh stray = box_;
  stray.positions.insert(stray.positions.end(), {Vec3d{7, 0, 0}, Vec3d{8, 0, 0}, Vec3d{7, 1, 0}});
  const auto n = static_cast<std::int32_t>(box_.positions.size());
  stray.add_face(geometry::Triangle{n, n + 1, n + 2});
  stray.add_face(geometry::Triangle{n, n + 2, n + 1});
  EXPECT_THAT(verdict_of(inspect(stray)),
              HasSubstr("2 components of which one encloses no volume"));
  SurfaceMesh sheet{.positions = box_.positions};
  sheet.add_face(box_.face(0));
  EXPECT_THAT(verdict_of(inspect(sheet)), StartsWith("encloses no volume"));
}

TEST_F(CliInspect, JsonHasAllNumbers) {
  const Json json = document(without_first_face(box_), {"--cell-size", "0.13"});
  EXPECT_EQ(json.at("watertight"), false);
  EXPECT_EQ(json.at("vertices"), box_.positions.size());
  EXPECT_EQ(json.at("faces"), box_.face_count() - 1);
  EXPECT_EQ(json.at("triangles"), 2 * (box_.face_count() - 1));
  EXPECT_EQ(json.at("components"), 1);
  EXPECT_EQ(json.at("largest_components").size(), 1u);
  EXPECT_EQ(json.at("boundary_loops"), 1);
  EXPECT_EQ(json.at("longest_loops")[0].at("edges"), 4);
  EXPECT_TRUE(json.at("genus").is_null());
  EXPECT_EQ(json.at("bounds").at("high"), Json({0.5, 0.25, 0.125}));
  EXPECT_NEAR(json.at("edge_lengths").at("smallest").get<double>(), 0.25, 1e-15);
  EXPECT_NEAR(json.at("thickness").at("median").get<double>(), 0.25, 1e-15);
  EXPECT_GT(json.at("thickness").at("share_below_two_cells").get<double>(), 0.5);
  const Json& edges = json.at("defects").at("boundary_edges");
  EXPECT_EQ(edges.at("count"), 4);
  ASSERT_EQ(edges.at("first").size(), 4u);
  EXPECT_EQ(edges.at("first")[0].at("vertices").size(), 2u);
  EXPECT_EQ(edges.at("first")[0].at("at").size(), 3u);
  EXPECT_EQ(json.at("defects").at("flipped_edges").at("count"), 0);
  EXPECT_EQ(json.at("defects").size(), 8u);
}

TEST_F(CliInspect, NamesOfFilesAreQuotedInJson) {
  const auto odd = folder_ / "a \"b\"\\c\n.obj";
  files::write_obj(odd, box_.positions, box_);
  const Outcome o = run_program(folder_, {"inspect", odd.string(), "--json"});
  EXPECT_EQ(Json::parse(o.out).at("file"), odd.string());
}

TEST_F(CliInspect, ScaleMultipliesLengths) {
  const Json json = document(box_, {"--scale", "10"});
  EXPECT_NEAR(json.at("volume").get<double>(), 125, 1e-10);
  EXPECT_EQ(json.at("bounds").at("high")[0], 5);
  EXPECT_THAT(inspect(box_, {"--scale", "10"}).out, HasSubstr("lengths of the file times 10"));
}

TEST_F(CliInspect, QuietSaysTheVerdictOnly) {
  const Outcome o = inspect(box_, {"--quiet"});
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1);
}

TEST_F(CliInspect, DefectsAreWrittenInColour) {
  const auto ply = folder_ / "defects.ply";
  const Outcome o = inspect(without_first_face(box_), {"--defects", ply.string()});
  EXPECT_THAT(o.out, HasSubstr(ply.string()));
  const files::SurfaceFile coloured = files::read_surface(ply);
  EXPECT_EQ(coloured.mesh.face_count(), 2 * (box_.face_count() - 1));
  ASSERT_EQ(coloured.attributes.size(), 1u);
  const std::vector<float>& values = coloured.attributes[0].values;
  int red = 0;
  for (std::size_t v = 0; v < values.size(); v += 3)
    red += values[v] > 0.8f && values[v + 1] < 0.1f;
  EXPECT_EQ(red, 3 * 4) << "the corners of the four triangles beside the hole";
}

TEST_F(CliInspect, BadInputIsExplained) {
  const Outcome missing = run_program(folder_, {"inspect", "no-such.obj"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("no-such.obj"));
  for (const auto& wrong : {"0", "-1", "x"}) {
    const Outcome o = run_program(folder_, {"inspect", "body.obj", "--cell-size", wrong});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, AllOf(HasSubstr("--cell-size"), Not(HasSubstr("terminate"))));
  }
}

class CliTetrahedralise : public ::testing::Test {
 protected:
  CliTetrahedralise() {
    const auto ball = geometry::make_sphere({0, 0, 0}, 1000, 200);  // mm
    files::write_obj(folder_ / "ball.obj", ball.positions, ball);
  }
  Outcome run(const std::string& out, std::vector<std::string> options = {}) {
    options.insert(options.begin(),
                   {"tetrahedralise", (folder_ / "ball.obj").string(), "--scale", "0.001",
                    "--spacing", "0.2", "--out", (folder_ / out).string()});
    return run_program(folder_, options);
  }

  TemporaryFolder folder_;
};

TEST_F(CliTetrahedralise, WhatItWritesIsWhatItSays) {
  for (const std::string name : {"ball.mesh", "ball.vtu"}) {
    const Outcome o = run(name, {"--json"});
    ASSERT_EQ(o.status, 0) << o.err;
    const Json said = Json::parse(o.out);
    EXPECT_GT(said["smallest_angle"], 10);
    EXPECT_NEAR(said["volume"], 4.1, 0.1);
    EXPECT_GT(said["volume_of_surface"], said["volume"]);
    const Outcome inspected =
        run_program(folder_, {"inspect", (folder_ / name).string(), "--json"});
    ASSERT_EQ(inspected.status, 0) << inspected.err;
    const Json found = Json::parse(inspected.out);
    for (const char* key : {"vertices", "tets", "volume", "smallest_angle", "defects"}) {
      EXPECT_EQ(found[key], said[key]) << key;
    }
  }
}

TEST_F(CliTetrahedralise, ReportIsReadable) {
  const Outcome o = run("ball.mesh", {"--grading", "2"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("can be simulated as it is"), HasSubstr("tets per second"),
                           HasSubstr("dihedral"), HasSubstr("no inverted tets")));
}

TEST_F(CliTetrahedralise, BadArgumentsAreRefusedBeforeTheWork) {
  const Outcome format = run("ball.stl");
  EXPECT_EQ(format.status, 2);
  EXPECT_THAT(format.err, HasSubstr(".mesh (MEDIT) or .vtu"));
  EXPECT_EQ(run("ball.mesh", {"--grading", "-1"}).status, 2);
}

TEST_F(CliTetrahedralise, InspectTellsWhatIsWrongWithTets) {
  files::write_medit(folder_ / "bad.mesh",
                     {.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}},
                      .tets = {{0, 1, 2, 3}, {0, 1, 2, 4}},
                      .regions = {}});
  const Outcome o = run_program(folder_, {"inspect", (folder_ / "bad.mesh").string()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, AllOf(HasSubstr("of which one has no volume or a negative one: cannot be"),
                           HasSubstr("1 flat tet: "), HasSubstr("tet      1")));
  const Outcome surface =
      run_program(folder_, {"inspect", (folder_ / "bad.mesh").string(), "--cell-size", "0.1"});
  EXPECT_EQ(surface.status, 2);
}

}  // namespace
}  // namespace isochor::app
