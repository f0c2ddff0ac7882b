#include "isochor/scene/reader.h"

#include <random>

#include "isochor/scene/printer.h"
#include "tests/scene/failure.h"
#include "tests/scene/sample_scene.h"

namespace isochor::scene {
namespace {

using testing::HasSubstr;

sample::Scene read_scene(std::string_view text) {
  sample::Scene scene;
  read(parse_toml(text, "scene.toml"), scene);
  return scene;
}

Error read_failure(std::string_view text) {
  return failure_of([&] { read_scene(text); });
}

TEST(SceneReader, FillsEveryKindOfField) {
  const sample::Scene scene = read_scene(sample::kText);
  EXPECT_EQ(scene.title, "drop");
  EXPECT_EQ(scene.contact, true);
  EXPECT_EQ(scene.gravity[1], -9.81);
  EXPECT_EQ(scene.time.frames, 10);
  EXPECT_EQ(scene.time.step, 0.04);
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].material.young, 12000);
  EXPECT_EQ(scene.bodies[0].material.poisson, 0.3);
  EXPECT_FALSE(scene.bodies[0].material.damping);
  EXPECT_EQ(scene.bodies[1].material.shear, 2000);
  EXPECT_EQ(scene.bodies[1].material.damping, 2);
  ASSERT_EQ(scene.bodies[1].holds.size(), 1u);
  EXPECT_EQ(scene.bodies[1].holds[0].point[2], 0.03);
  EXPECT_EQ(scene.bodies[1].holds[0].radius, 0.1);
}

TEST(SceneReader, PlaceTellsWhereATableStands) {
  const sample::Scene scene = read_scene(sample::kText);
  EXPECT_EQ(scene.bodies[1].place.text("mesh"), "scene.toml:12:1: body[1].mesh");
}

TEST(SceneReader, AbsentGroupKeepsItsDefaults) {
  EXPECT_EQ(read_scene("title = 'x'\n").time, sample::Clock{});
}

TEST(SceneReader, UnknownKeyIsRefusedWithPlaceAndSuggestion) {
  const Error error = read_failure("title = 'x'\n[[body]]\nmesh = 'a'\nmaterial.yung = 3\n");
  EXPECT_EQ(error.place(), "scene.toml:4:10: body[0].material.yung");
  EXPECT_EQ(error.problem(), "unknown key");
  EXPECT_EQ(error.remedy(), "did you mean 'young'?");
}

TEST(SceneReader, UnknownKeysAreFoundInEveryTable) {
  EXPECT_EQ(read_failure("titel = 'x'\n").place(), "scene.toml:1:1: titel");
  EXPECT_EQ(read_failure("[time]\n  zzzzzzzz = 1\n").place(), "scene.toml:2:3: time.zzzzzzzz");
  EXPECT_EQ(read_failure("[time]\n  zzzzzzzz = 1\n").remedy(), "known here: frames, step");
  EXPECT_EQ(read_failure("[[body]]\nmesh=''\n[[body.hold]]\npoint=[0,0,0]\nradios=1\n").place(),
            "scene.toml:5:1: body[0].hold[0].radios");
  EXPECT_EQ(read_failure("\"\\n\" = 1\n").place(), "scene.toml:1:1: \"\\n\"");
}

TEST(SceneReader, KeyOfAnotherLawIsUnknown) {
  const Error error =
      read_failure("[[body]]\nmesh=''\nmaterial = {law = 'neo-hookean', young = 3}\n");
  EXPECT_EQ(error.place(), "scene.toml:3:34: body[0].material.young");
}

TEST(SceneReader, WrongTypeSaysWhatWasFoundAndExpected) {
  struct Case {
    std::string_view text, place, problem;
  };
  const Case cases[] = {
      {"contact = 1\n", "1:11: contact", "found the number 1, expected true or false"},
      {"title = 3.5\n", "1:9: title", "found the number 3.5, expected text"},
      {"gravity = 3\n", "1:11: gravity", "found the number 3, expected a list of 3 numbers"},
      {"gravity = [1, 2]\n", "1:11: gravity", "found a list of 2, expected a list of 3 numbers"},
      {"gravity = [1, true, 2]\n", "1:15: gravity[1]", "found true, expected a number"},
      {"time = 3\n", "1:8: time", "found the number 3, expected a table"},
      {"time.frames = '10'\n", "1:15: time.frames", "found the text \"10\", expected a whole"},
      {"time.frames = 2.5\n", "1:15: time.frames", "found the number 2.5, expected a whole"},
      {"time.frames = nan\n", "1:15: time.frames", "found the number nan, expected a whole"},
      {"time.step = [1]\n", "1:13: time.step", "found a list of 1, expected a number (> 0 s)"},
      {"[body]\nmesh = 'a'\n", "1:1: body", "found a table, expected a list of tables"},
      {"body = [{mesh = 'a'}, 3]\n", "1:23: body[1]", "found the number 3, expected a table"},
      {"[[body]]\nmesh=''\nmaterial.law = 1\n", "3:16: body[0].material.law",
       "found the number 1, expected one of linear, neo-hookean"},
  };
  for (const Case& c : cases) {
    const Error error = read_failure(c.text);
    EXPECT_EQ(error.place(), "scene.toml:" + std::string(c.place));
    EXPECT_THAT(error.problem(), HasSubstr(c.problem));
  }
}

TEST(SceneReader, ListWrittenAsOneTableIsTaughtItsBrackets) {
  EXPECT_THAT(read_failure("[body]\nmesh = 'a'\n").remedy(), HasSubstr("[[body]]"));
}

TEST(SceneReader, WholeFloatIsAWholeNumber) {
  EXPECT_EQ(read_scene("time.frames = 1e3\n").time.frames, 1000);
}

TEST(SceneReader, ValueOutOfRangeSaysValueRangeAndUnit) {
  const Error error = read_failure("[[body]]\nmesh=''\n[body.material]\nyoung = '-3 kPa'\n");
  EXPECT_EQ(error.place(), "scene.toml:4:9: body[0].material.young");
  EXPECT_EQ(error.problem(), "-3000 Pa is out of range");
  EXPECT_EQ(error.remedy(), "choose a number (> 0 Pa)");
  EXPECT_EQ(read_failure("time.frames = 0\n").problem(), "0 is out of range");
  EXPECT_THAT(read_failure("time.frames = 0\n").remedy(), HasSubstr(">= 1"));
  for (const std::string_view value : {"nan", "inf", "-inf", "0", "-0.0"}) {
    EXPECT_THAT(read_failure("time.step = " + std::string(value)).problem(),
                HasSubstr("is out of range"));
  }
  for (const std::string_view value : {"2147483648", "9223372036854775807", "-1", "1e300", "inf"}) {
    EXPECT_THAT(read_failure("time.frames = " + std::string(value)).problem(),
                HasSubstr("is out of range"));
  }
}

TEST(SceneReader, WrongUnitIsRefusedAtItsPlace) {
  const Error error = read_failure("gravity = [0, '3 kPa', 0]\n");
  EXPECT_EQ(error.place(), "scene.toml:1:15: gravity[1]");
  EXPECT_THAT(error.problem(), HasSubstr("a unit of pressure, expected a unit of acceleration"));
}

TEST(SceneReader, MissingRequiredKeyNamesTableKeyAndMeaning) {
  const Error error = read_failure("title = 'x'\n[[body]]\nmaterial.young = 1\n");
  EXPECT_EQ(error.place(), "scene.toml:2:1: body[0].mesh");
  EXPECT_EQ(error.problem(), "'mesh' is missing: surface file");
  EXPECT_EQ(error.remedy(), "add mesh = ... with text in quotes");
}

struct Outer {
  sample::Hold inner;
};
void describe(FieldVisitor& visit, Outer& outer) {
  int unused = 0;
  visit.integer("other", unused, {}, "something else");
  visit.group("inner", outer.inner, "a group with a required field");
}

TEST(SceneReader, RequiredKeyOfAnAbsentGroupIsMissing) {
  Outer outer;
  const Document document = parse_toml("other = 1\n", "scene.toml");
  const Error error = failure_of([&] { read(document, outer); });
  EXPECT_EQ(error.place(), "scene.toml:1:1: inner.point");
}

TEST(SceneReader, ChoiceNotAmongItsOptionsIsRefusedWithASuggestion) {
  const Error error = read_failure("[[body]]\nmesh=''\nmaterial.law = 'neohookean'\n");
  EXPECT_EQ(error.place(), "scene.toml:3:16: body[0].material.law");
  EXPECT_EQ(error.problem(), "found the text \"neohookean\", expected one of linear, neo-hookean");
  EXPECT_EQ(error.remedy(), "did you mean 'neo-hookean'?");
}

TEST(SceneReader, MistakesOnTheCommandLineAreReportedThere) {
  const auto failure = [](std::string_view assignment) {
    Document document = parse_toml(sample::kText, "scene.toml");
    set_value(document, assignment);
    sample::Scene scene;
    return failure_of([&] { read(document, scene); });
  };
  EXPECT_EQ(failure("time.frames=0").place(), "--set time.frames");
  EXPECT_EQ(failure("time.framse=10").place(), "--set time.framse");
  EXPECT_EQ(failure("body[0].material={yung=1}").place(), "--set body[0].material.yung");
  EXPECT_EQ(failure("body=[{}]").place(), "--set body[0].mesh");
}

TEST(SceneReader, CommandLineOverridesTheFile) {
  Document document = parse_toml(sample::kText, "scene.toml");
  set_value(document, "time.step=20 ms");
  set_value(document, "body[1].hold[0].radius=5 cm");
  sample::Scene scene;
  read(document, scene);
  EXPECT_EQ(scene.time.step, 0.02);
  EXPECT_EQ(scene.bodies[1].holds[0].radius, 0.05);
}

/// Copies, drops, swaps and overwrites bytes, mostly with ones that mean something in TOML.
std::string mutated(std::string text, std::mt19937& random) {
  constexpr std::string_view kAlphabet = "[]{}=.,\"'#\\\n -+_e0127aftn\xff\xc3\x01";
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t count = 1 + below(4); count > 0 && !text.empty(); --count) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = kAlphabet[below(kAlphabet.size())];
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), below(40)));
        break;
      default:
        text.insert(at, 1, kAlphabet[below(kAlphabet.size())]);
        break;
    }
  }
  return text;
}

TEST(SceneReader, DamagedFilesAreReadOrRefusedButNeverCrash) {
  std::mt19937 random(7);
  int read_count = 0, refused_count = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutated(std::string(sample::kText), random);
    try {
      const sample::Scene scene = read_scene(text);
      // What was read can be written and read again.
      ASSERT_EQ(read_scene(print_resolved(scene)), scene) << text;
      ++read_count;
    } catch (const Error& error) {
      ASSERT_EQ(error.fault(), Fault::Input) << text;
      ++refused_count;
    }
  }
  EXPECT_GT(read_count, 100);
  EXPECT_GT(refused_count, 1000);
}

}  // namespace
}  // namespace isochor::scene
