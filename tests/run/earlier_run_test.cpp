#include "isochor/run/earlier_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "isochor/base/file.h"
#include "isochor/run/diagnostics.h"
#include "tests/run/run_fixture.h"

namespace isochor::run {
namespace {

namespace fs = std::filesystem;
using files::error_of;
using files::write_quickly;
using sim::kBarScene;
using sim::replaced;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The bar with a motion in two parts, the second from frame 2 on.
const std::string kTwoPartScene =
    replaced(kBarScene, "[[body.hold.key]]\nframe = 4\n",
             "[[body.hold.key]]\nframe = 2\ntranslate = [\"5 cm\", 0, 0]\n\n"
             "[[body.hold.key]]\nframe = 4\n");

class ResumeTest : public RunFixture {
 protected:
  ResumeTest() { sim::write_scene(folder_, kTwoPartScene); }

  /// Counts the frames that are computed; what is said is in `log_`.
  RunResult resume(const std::string& name) {
    log_.clear();
    computed_ = 0;
    context_.log = [&](LogLevel, std::string_view text) { log_ += std::string(text) + "\n"; };
    RunOptions options = this->options(name);
    options.resume = true;
    return run(options, [&](const auto&, const auto&) { ++computed_; });
  }
  /// The scene as it is now, run without a break.
  RunResult unbroken() { return run(options("whole")); }

  void change(const std::string& from, const std::string& to) {
    sim::write_scene(folder_, replaced(kTwoPartScene, from, to));
  }
  /// Frames, and all numbers but times.
  static void expect_same(const RunResult& a, const RunResult& b) {
    EXPECT_EQ(hashes(a), hashes(b));
    for (int f = 0; f < a.frames; ++f) {
      EXPECT_TRUE(read_file(a.directory.checkpoint(f)) == read_file(b.directory.checkpoint(f)));
    }
    const DiagnosticsTable ta = read_diagnostics(a.directory.diagnostics());
    const DiagnosticsTable tb = read_diagnostics(b.directory.diagnostics());
    ASSERT_EQ(ta.columns, tb.columns);
    for (const std::string& column : ta.columns) {
      const std::string name = parse_column(column).name;
      if (name.ends_with("_seconds")) continue;
      EXPECT_EQ(ta.values(name), tb.values(name)) << name;
    }
    EXPECT_EQ(read_text_file(a.directory.convergence()), read_text_file(b.directory.convergence()));
  }

  std::string log_;
  int computed_ = 0;
};

TEST_F(ResumeTest, ChangedEndOfAMotionIsSolvedAgainAndNothingElse) {
  run(options("a"));
  change("90 deg", "60 deg");
  const RunResult resumed = resume("a");
  EXPECT_THAT(log_, HasSubstr("inputs are the same up to frame 2: resuming after it"));
  EXPECT_EQ(computed_, 2);
  expect_same(resumed, unbroken());
  EXPECT_THAT(read_manifest(resumed.directory).scene, HasSubstr("1.047"));
  // From now on the run is one of the changed scene.
  resume("a");
  EXPECT_EQ(computed_, 0);
}

TEST_F(ResumeTest, ChangeAfterTheLastWholeFrameCostsNothing) {
  run_until(options("a"), 1);
  change("90 deg", "60 deg");
  const RunResult resumed = resume("a");
  EXPECT_THAT(log_, HasSubstr("resuming after frame 1"));
  EXPECT_EQ(computed_, 3);
  expect_same(resumed, unbroken());
}

TEST_F(ResumeTest, ChangedMuscleActivationIsSolvedAgainFromWhereItBegins) {
  const std::string muscle = replaced(kBarScene, "[body.material]\n",
                                      "[[body.activation]]\nframe = 3\nvalue = 0\n"
                                      "[[body.activation]]\nframe = 4\nvalue = 0.5\n"
                                      "[body.material]\nlaw = \"muscle\"\n");
  sim::write_scene(folder_, muscle);
  run(options("a"));
  sim::write_scene(folder_, replaced(muscle, "value = 0.5", "value = 0.3"));
  const RunResult resumed = resume("a");
  EXPECT_THAT(log_, HasSubstr("up to frame 3"));
  EXPECT_EQ(computed_, 1);
  expect_same(resumed, unbroken());
}

TEST_F(ResumeTest, KilledWhileSolvingTheChangedEndItStillKnowsWhichFramesAreWhose) {
  run(options("a"));
  change("90 deg", "60 deg");
  RunOptions options = this->options("a");
  options.resume = true;
  run_until(options, 3);
  // Back to the first scene: frame 3 is that of the second one.
  sim::write_scene(folder_, kTwoPartScene);
  const RunResult resumed = resume("a");
  EXPECT_THAT(log_, HasSubstr("up to frame 2"));
  EXPECT_EQ(computed_, 2);
  expect_same(resumed, unbroken());
}

TEST_F(ResumeTest, MotionThatDiffersFromTheStartIsRefused) {
  const RunResult first = run(options("a"));
  change("frame = 0\n", "frame = 0\ntranslate = [\"1 cm\", 0, 0]\n");
  EXPECT_THAT(error_of([&] { resume("a"); }).what(),
              AllOf(HasSubstr("from frame 0 on"), HasSubstr("NAME.previous")));
  EXPECT_EQ(first.directory.frame_count(), 5);
}

TEST_F(ResumeTest, WhatEveryFrameDependsOnIsNamedKeyByKey) {
  const RunResult first = run(options("a"));
  change("20 kPa", "30 kPa");
  EXPECT_THAT(error_of([&] { resume("a"); }).what(),
              AllOf(HasSubstr("body[0].material.young was 20000.0, is 30000.0"),
                    Not(HasSubstr("poisson")), HasSubstr("without --resume")));
  sim::write_scene(folder_, kTwoPartScene + "\n[method.newton]\ntolerance = 1e-9\n");
  EXPECT_THAT(error_of([&] { resume("a"); }).what(),
              HasSubstr("method.newton.tolerance was 1e-06, is 1e-09"));
  EXPECT_EQ(read_manifest(first.directory).status, "done");
  EXPECT_EQ(first.directory.frame_count(), 5);
}

TEST_F(ResumeTest, MeshThatChangedOnDiskIsNamed) {
  const std::string box =
      "v 0 0 0\nv .6 0 0\nv .6 .2 0\nv 0 .2 0\nv 0 0 .2\nv .6 0 .2\nv .6 .2 .2\nv 0 .2 .2\n"
      "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";
  write_quickly(folder_ / "box.obj", box);
  change("kind = \"box\"\nsize = [\"60 cm\", \"20 cm\", \"20 cm\"]",
         "kind = \"mesh\"\nfile = \"box.obj\"");
  const RunResult first = run(options("a"));
  write_quickly(folder_ / "box.obj", replaced(box, "v .6 .2 .2", "v .59 .2 .2"));
  EXPECT_THAT(error_of([&] { resume("a"); }).what(),
              HasSubstr("the surface of 'bar' (box.obj) is not the one"));
  EXPECT_EQ(first.directory.frame_count(), 5);
  write_quickly(folder_ / "box.obj", box);
  EXPECT_EQ(resume("a").end, RunEnd::Done);
}

/// Each test case: something that a kill, a power cut or a hand left behind after frame 3.
struct Mishap {
  const char* name;
  void (*happen)(const RunDirectory&);
  int computed;  ///< frames that are computed again
};

void truncate(const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }

const Mishap kMishaps[] = {
    {"nothing", [](const RunDirectory&) {}, 1},
    {"frame truncated", [](const RunDirectory& d) { truncate(d.frame(3)); }, 2},
    {"frame in the middle damaged",
     [](const RunDirectory& d) { write_quickly(d.frame(1), "ISOFRAME"); }, 4},
    {"frame in the middle missing", [](const RunDirectory& d) { fs::remove(d.frame(2)); }, 3},
    {"checkpoint missing", [](const RunDirectory& d) { fs::remove(d.checkpoint(3)); }, 2},
    {"checkpoint truncated", [](const RunDirectory& d) { truncate(d.checkpoint(3)); }, 2},
    {"all checkpoints missing",
     [](const RunDirectory& d) { fs::remove_all(d.checkpoint(0).parent_path()); }, 5},
    {"topology truncated", [](const RunDirectory& d) { truncate(d.topology()); }, 1},
    {"topology missing", [](const RunDirectory& d) { fs::remove(d.topology()); }, 1},
    {"report missing", [](const RunDirectory& d) { fs::remove(d.report()); }, 1},
    {"frames missing", [](const RunDirectory& d) { fs::remove_all(d.frame(0).parent_path()); }, 5},
    {"row of a frame that was not written",
     [](const RunDirectory& d) {
       append_to_file(d.diagnostics(), "4,1,2,3\n");
       append_to_file(d.convergence(), "4,0,0,0,1\n");
     },
     1},
    {"row cut off within its frame's number",
     [](const RunDirectory& d) {
       append_to_file(d.diagnostics(), "1");
       append_to_file(d.convergence(), "1,0,");
     },
     1},
    {"files half written",
     [](const RunDirectory& d) {
       for (const fs::path& f : {d.manifest(), d.report(), d.frame(4), d.checkpoint(7)}) {
         write_quickly(f.string() + ".part", "half");
       }
     },
     1},
    {"a lock of a process that is no more",
     [](const RunDirectory& d) { write_quickly(d.lock(), "process 1 on nowhere\n"); }, 1},
};

TEST_F(ResumeTest, WhateverWasLeftTheEndIsThatOfAnUnbrokenRun) {
  const RunResult whole = unbroken();
  const auto names = [](const fs::path& root) {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      all.insert(entry.path().lexically_relative(root).string());
    }
    return all;
  };
  run_until(options("broken"), 3);
  for (const Mishap& mishap : kMishaps) {
    SCOPED_TRACE(mishap.name);
    fs::remove_all(folder_ / "a");
    fs::copy(folder_ / "broken", folder_ / "a", fs::copy_options::recursive);
    mishap.happen({folder_ / "a"});
    const RunResult resumed = resume("a");
    EXPECT_EQ(computed_, mishap.computed) << log_;
    expect_same(resumed, whole);
    EXPECT_EQ(names(resumed.directory.root), names(whole.directory.root));
  }
}

TEST_F(ResumeTest, KilledBeforeItsManifestItStartsAgain) {
  fs::create_directory(folder_ / "a");
  write_quickly(folder_ / "a/run.lock", "process 1 on nowhere\n");
  write_quickly(folder_ / "a/run.json.part", "{");
  EXPECT_EQ(resume("a").frames, 5);
  EXPECT_FALSE(fs::exists(folder_ / "a/run.json.part"));
}

TEST_F(ResumeTest, RowsThatAreMissingAreSaid) {
  const RunResult broken = run_until(options("a"), 3);
  write_quickly(broken.directory.diagnostics(), "");
  const RunResult resumed = resume("a");
  EXPECT_THAT(log_, HasSubstr("has no rows of 4 frames"));
  EXPECT_EQ(read_diagnostics(resumed.directory.diagnostics()).rows.size(), 1u);
}

/// Sets the format version of a binary file to that of an older program.
void make_older(const fs::path& file) {
  std::vector<std::byte> bytes = read_file(file);
  bytes[8] = std::byte{77};
  write_quickly(file, bytes);
}

TEST_F(ResumeTest, FilesOfOtherFormatsAreRefusedAndStay) {
  const RunResult first = run(options("a"));
  const RunDirectory& d = first.directory;
  for (const fs::path& file : {d.frame(2), d.checkpoint(4), d.topology()}) {
    const std::vector<std::byte> kept = read_file(file);
    make_older(file);
    EXPECT_THAT(error_of([&] { resume("a"); }).what(),
                AllOf(HasSubstr(file.filename().string()),
                      HasSubstr("format version 77, this program reads")));
    EXPECT_EQ(d.frame_count(), 5) << "nothing is thrown away";
    write_quickly(file, kept);
  }
  write_quickly(d.manifest(),
                replaced(read_text_file(d.manifest()), "\"format\": 2", "\"format\": 1"));
  EXPECT_THAT(error_of([&] { resume("a"); }).what(),
              AllOf(HasSubstr("run.json"), HasSubstr("format version 1, this program reads 2")));
}

TEST_F(ResumeTest, OtherVersionOfTheProgramIsMentioned) {
  const RunResult first = run_until(options("a"), 2);
  Manifest manifest = read_manifest(first.directory);
  manifest.version = "0.0.7";
  write_manifest(first.directory, manifest);
  resume("a");
  EXPECT_THAT(log_, HasSubstr("begun by version 0.0.7"));
}

TEST_F(ResumeTest, SceneOfAnotherVersionIsRefusedAsSuch) {
  const RunResult first = run_until(options("a"), 2);
  Manifest manifest = read_manifest(first.directory);
  manifest.version = "9.9";
  manifest.scene = replaced(manifest.scene, "cell_size", "cell_edge");
  write_manifest(first.directory, manifest);
  EXPECT_THAT(
      error_of([&] { resume("a"); }).what(),
      AllOf(HasSubstr("a scene that this version does not take"), HasSubstr("version 9.9")));
  EXPECT_EQ(first.directory.frame_count(), 3);
}

TEST_F(ResumeTest, RunThatIsBeingWrittenIsLeftAlone) {
  run(options("a"), [&](const sim::FrameReport& report, const auto&) {
    if (report.frame != 2) return;
    Context other(1);
    for (const bool again : {true, false}) {
      RunOptions options = this->options("a");
      options.resume = again;
      const auto nothing = [](const auto&, const auto&) {};
      EXPECT_THAT(
          error_of([&] { run_scene(sim::load_scene(scene_), options, other, nothing); }).what(),
          AllOf(HasSubstr("is being written by process"), HasSubstr("--out DIR")));
    }
  });
  EXPECT_EQ(read_manifest({folder_ / "a"}).status, "done");
  EXPECT_FALSE(fs::exists(folder_ / "a.previous"));
  EXPECT_FALSE(fs::exists(folder_ / "a/run.lock"));
}

TEST_F(ResumeTest, ShorterSceneKeepsTheFramesThatAreThere) {
  run(options("a"));
  change("frames = 4", "frames = 2");
  EXPECT_EQ(resume("a").frames, 5);
  EXPECT_EQ(computed_, 0);
}

}  // namespace
}  // namespace isochor::run
