/// Bad input and a machine that says no: one clear message, the right exit status, and earlier
/// output as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/program.h"
#include "tests/sim/test_scene.h"

namespace isochor::app {
namespace {

using files::TemporaryFolder;
using sim::kBarScene;
using sim::replaced;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CliFailure : public ::testing::Test {
 protected:
  void SetUp() override {
    sim::write_scene(folder_);
    ASSERT_EQ(
        run_program(folder_, {"run", scene(), "--out", out(), "--quiet", "--no-pictures"}).status,
        0);
    manifest_ = slurp(folder_ / "out/run.json");
    last_frame_ = slurp(folder_ / "out/frames/000004.frame");
  }
  /// The run made before must be as it was, byte for byte.
  void TearDown() override {
    EXPECT_TRUE(slurp(folder_ / "out/run.json") == manifest_);
    EXPECT_TRUE(slurp(folder_ / "out/frames/000004.frame") == last_frame_);
  }
  std::string scene() const { return (folder_ / "scene.toml").string(); }
  std::string out() const { return (folder_ / "out").string(); }

  /// Runs a changed scene over the earlier output.
  Outcome run_changed(const std::string& from, const std::string& to) {
    sim::write_scene(folder_, replaced(kBarScene, from, to));
    return run_program(folder_, {"run", scene(), "--out", out(), "--quiet"});
  }

  TemporaryFolder folder_;
  std::string manifest_, last_frame_;
};

int lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(CliFailure, WrongKey) {
  const Outcome o = run_changed("cell_size", "cel_size");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("scene.toml:9:1"), HasSubstr("cell_size")));
  EXPECT_LE(lines(o.err), 2) << "one message: " << o.err;
}

TEST_F(CliFailure, MissingScene) {
  const Outcome o = run_program(folder_, {"run", "no-such-scene.toml"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("no-such-scene.toml"), HasSubstr("No such file")));
}

TEST_F(CliFailure, MissingMesh) {
  const Outcome o = run_changed("kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]",
                                "kind = \"mesh\"\nfile = \"no-such-mesh.obj\"");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("no-such-mesh.obj"));
}

TEST_F(CliFailure, NanVertex) {
  files::write_quickly(
      folder_ / "nan.obj",
      "v 0 0 0\nv 1 0 0\nv 0 nan 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const Outcome o = run_changed("kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]",
                                "kind = \"mesh\"\nfile = \"nan.obj\"");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("nan.obj:3"));
}

TEST_F(CliFailure, NegativeModulus) {
  const Outcome o = run_changed("young = \"20 kPa\"", "young = \"-20 kPa\"");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("scene.toml:16:"), HasSubstr("young"), HasSubstr("> 0")));
}

TEST_F(CliFailure, BodyWithoutThickness) {
  files::write_quickly(folder_ / "flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
  const Outcome o = run_changed("kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]",
                                "kind = \"mesh\"\nfile = \"flat.obj\"");
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, AllOf(HasSubstr("no thickness"), HasSubstr("scene.toml:7")));
}

TEST_F(CliFailure, OutputBelowAFile) {
  files::write_quickly(folder_ / "file", "precious");
  const Outcome o =
      run_program(folder_, {"run", scene(), "--out", (folder_ / "file/run").string()});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("file/run"), HasSubstr("Not a directory"), HasSubstr("--out")));
  EXPECT_EQ(slurp(folder_ / "file"), "precious");
}

TEST_F(CliFailure, FullDiskDuringARun) {
  // Too small for a frame file, large enough for all that comes before it.
  const std::string small = (folder_ / "small").string(), whole = (folder_ / "whole").string();
  sim::write_scene(folder_, replaced(kBarScene, "kind = \"box\"", "kind = \"box\"\nedge = 0.02"));
  ASSERT_EQ(run_program(folder_, {"run", scene(), "--out", whole, "--no-pictures"}).status, 0);
  const std::string last_frame = slurp(folder_ / "whole/frames/000004.frame");
  const Outcome o = run_program(folder_, {"run", scene(), "--out", small, "--no-pictures"},
                                {.largest_file = last_frame.size() - 1});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("000000.frame"), HasSubstr("File too large"), HasSubstr("--resume")));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(small)) {
    EXPECT_NE(entry.path().extension(), ".part") << "no half-written file stays";
  }
  // With space again, the run goes on and ends as if nothing had happened.
  EXPECT_EQ(
      run_program(folder_, {"run", scene(), "--out", small, "--resume", "--no-pictures"}).status,
      0);
  EXPECT_TRUE(slurp(folder_ / "small/frames/000004.frame") == last_frame);
}

TEST_F(CliFailure, FullDiskWhileRendering) {
  const Outcome o = run_program(folder_, {"render", out(), "-o", "/dev/full", "--width", "64",
                                          "--height", "64", "--samples", "1"});
  EXPECT_EQ(o.status, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
}

TEST_F(CliFailure, FullDiskBehindStandardOutput) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"check", scene()}, {"list"}, {"list", "--json"}, {"reference"}}) {
    const Outcome o = run_program(folder_, command, {.out_file = "/dev/full"});
    EXPECT_EQ(o.status, 1) << command[0];
    EXPECT_THAT(o.err, HasSubstr("standard output"));
  }
}

TEST_F(CliFailure, WrongArguments) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"rum", scene()},
                                                  {"run"},
                                                  {"run", scene(), "--frames", "5:2"},
                                                  {"run", scene(), "--set", "time.frames"},
                                                  {"render", (folder_ / "nowhere").string()},
                                                  {"render", out(), "--frame", "99"},
                                                  {"render", out(), "--field", "presure"},
                                                  {"export", out(), "--format", "vtk"},
                                                  {"reproduce", "mcadams/hourgless"}}) {
    const Outcome o = run_program(folder_, command);
    EXPECT_EQ(o.status, 2) << command[0] << ": " << o.err;
    EXPECT_THAT(o.err, HasSubstr("isochor: "));
  }
}

}  // namespace
}  // namespace isochor::app
