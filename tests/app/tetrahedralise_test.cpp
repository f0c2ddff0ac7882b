#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "isochor/files/medit.h"
#include "isochor/files/obj.h"
#include "isochor/geometry/shapes.h"
#include "tests/app/program.h"

namespace isochor::app {
namespace {

using files::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

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
