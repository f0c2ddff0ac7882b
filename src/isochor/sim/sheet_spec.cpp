/// The keys of skin and bands, and what is asked of them together.
#include "isochor/sim/sheet_spec.h"

#include <array>
#include <fmt/format.h>
#include <set>

#include "isochor/base/error.h"

namespace isochor::sim {
namespace {

constexpr std::array<std::string_view, 3> kSkins{"none", "area", "rubber"};

}  // namespace

void describe(FieldVisitor& visitor, SkinSpec& spec) {
  visitor.choice("law", spec.law, kSkins,
                 "none; area: resists changes of area alone; rubber: shearing too, and keeps its "
                 "own volume");
  if (spec.law == "none") return;
  visitor.number("thickness", spec.thickness, Unit::Length, Range::positive(), "at rest");
  visitor.number(
      "modulus", spec.modulus, Unit::Pressure, Range::positive(),
      spec.law == "area" ? "lambda: stress over relative change of area" : "Young's modulus");
  if (spec.law == "area") {
    visitor.number("steepness", spec.steepness, Unit::None, Range::at_least(0),
                   "gamma: how much more it resists large changes");
  }
}

void describe(FieldVisitor& visitor, BandSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the band in files and messages", Need::Required);
  visitor.vector("center", spec.center.e, Unit::Length, {}, "a point in the middle of its width");
  visitor.vector("axis", spec.axis.e, Unit::None, {}, "that it goes around");
  visitor.number("width", spec.width, Unit::Length, Range::positive(), "along the axis");
  visitor.number("within", spec.within, Unit::Length, Range::at_least(0),
                 "what of the body is farther from the axis is not wrapped; 0: all is");
  visitor.number("girth", spec.girth, Unit::Length, Range::positive(),
                 "length around where nothing stretches it: what is shorter than the body's is "
                 "tight",
                 Need::Required);
  visitor.number("thickness", spec.thickness, Unit::Length, Range::positive(), "at rest");
  visitor.number("young", spec.young, Unit::Pressure, Range::positive(),
                 "Young's modulus of its rubber, which keeps its own volume");
  visitor.number("density", spec.density, Unit::Density, Range::positive(), "at rest");
  visitor.number("friction", spec.friction, Unit::None, Range::at_least(0),
                 "coefficient, on the body");
  visitor.number("edge", spec.edge, Unit::Length, Range::at_least(0),
                 "of its triangles; 0: half of the body's cell_size");
  visitor.number("tight_at", spec.tight_at, Unit::None, Range::at_least(0),
                 "frame from which on it has its girth; before, it comes from a loose fit; 0: it "
                 "is tight in frame 0");
}

shells::SheetLaw sheet_law_of(const SkinSpec& spec) {
  if (spec.law == "area") {
    return shells::AreaLaw{.lambda = spec.modulus, .steepness = spec.steepness};
  }
  return shells::RubberLaw{.mu = spec.modulus / 3};
}

void check_sheets(const SceneSpec& scene) {
  const BandSpec* first = nullptr;
  for (const BodySpec& body : scene.bodies) {
    std::set<std::string> names;
    for (const BandSpec& band : body.bands) {
      if (!names.insert(band.name).second) {
        throw Error(Fault::Input, band.place.text("name"),
                    fmt::format("there is another band '{}'", band.name),
                    "give each a name of its own");
      }
      if (!(norm(band.axis) > 0)) {
        throw Error(Fault::Input, band.place.text("axis"), "is a direction without length",
                    "give the direction that the band goes around, as [0, 1, 0]");
      }
      if (!first) first = &band;
      if (band.friction != first->friction) {
        throw Error(
            Fault::Input, band.place.text("friction"),
            fmt::format("is {}, that of '{}' is {}", band.friction, first->name, first->friction),
            "give all bands of a scene the same friction");
      }
    }
  }
  if (!first) return;
  const bool colliders = !scene.colliders.empty() && scene.method.volume != "zones";
  if (colliders || scene.method.self_contact || scene.method.volume == "one-ring") {
    throw Error(Fault::Input, first->place.text(),
                "bands do not go with self-contact, volume = \"one-ring\", or, unless volume = "
                "\"zones\", with colliders",
                "leave out the bands, or the others");
  }
  if (scene.time.moves() && scene.time.integrator != "backward-euler" &&
      scene.time.integrator != "bdf2") {
    throw Error(
        Fault::Input, first->place.text(),
        fmt::format("there are no bands with time.integrator = \"{}\"", scene.time.integrator),
        "choose \"static\", \"backward-euler\" or \"bdf2\"");
  }
}

}  // namespace isochor::sim
