#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/fields.h"

// A schema with every kind of field, as small as it can be.
namespace sample {

struct Material {
  std::string law = "linear";
  double young = 1000;
  double poisson = 0.3;
  double shear = 500;
  std::optional<double> damping;
  bool operator==(const Material&) const = default;
};

struct Hold {
  std::array<double, 3> point{};
  double radius = 0.1;
  bool operator==(const Hold&) const = default;
};

struct Body {
  isochor::Place place;
  std::string mesh;
  Material material;
  std::vector<Hold> holds;
  bool operator==(const Body& other) const {  // not the place
    return mesh == other.mesh && material == other.material && holds == other.holds;
  }
};

struct Clock {
  int frames = 24;
  double step = 1.0 / 24;
  bool operator==(const Clock&) const = default;
};

struct Scene {
  Clock time;
  std::string title = "untitled";
  bool contact = true;
  std::array<double, 3> gravity{0, -9.81, 0};
  std::vector<Body> bodies;
  bool operator==(const Scene&) const = default;
};

inline void describe(isochor::FieldVisitor& visit, Material& m) {
  using isochor::Range;
  using isochor::Unit;
  static constexpr std::string_view kLaws[] = {"linear", "neo-hookean"};
  visit.choice("law", m.law, kLaws, "constitutive law");
  if (m.law == "linear") {
    visit.number("young", m.young, Unit::Pressure, Range::positive(), "Young's modulus");
    visit.number("poisson", m.poisson, Unit::None, Range::between(0, 0.5), "Poisson's ratio");
  } else {
    visit.number("shear", m.shear, Unit::Pressure, Range::positive(), "shear modulus");
  }
  visit.number("damping", m.damping, Unit::Frequency, Range::at_least(0), "decay | rate");
}

inline void describe(isochor::FieldVisitor& visit, Hold& h) {
  visit.vector("point", h.point, isochor::Unit::Length, {}, "centre", isochor::Need::Required);
  visit.number("radius", h.radius, isochor::Unit::Length, isochor::Range::positive(), "reach");
}

inline void describe(isochor::FieldVisitor& visit, Body& b) {
  visit.place(b.place);
  visit.text("mesh", b.mesh, "surface file", isochor::Need::Required);
  visit.group("material", b.material, "what it is made of");
  visit.list("hold", b.holds, "held parts");
}

inline void describe(isochor::FieldVisitor& visit, Clock& c) {
  using isochor::Range;
  visit.integer("frames", c.frames, Range::at_least(1), "how many frames");
  visit.number("step", c.step, isochor::Unit::Time, Range::positive(), "length of a frame");
}

/// The group comes first on purpose: TOML wants it printed after the plain keys.
inline void describe(isochor::FieldVisitor& visit, Scene& s) {
  visit.group("time", s.time, "frames and steps");
  visit.text("title", s.title, "name in reports");
  visit.flag("contact", s.contact, "whether bodies touch");
  visit.vector("gravity", s.gravity, isochor::Unit::Acceleration, {}, "pull on everything");
  visit.list("body", s.bodies, "a soft body");
}

inline constexpr std::string_view kText = R"(title = "drop"
gravity = [0, "-981 cm/s^2", 0.0]

[time]
frames = 10
step = "40 ms"

[[body]]
mesh = "bunny.obj"
material = {law = "linear", young = "12 kPa"}

[[body]]
mesh = 'cow.obj'
[body.material]
law = "neo-hookean"
shear = 2e3
damping = "2 Hz"
[[body.hold]]
point = [1, 2, "3 cm"]
)";

}  // namespace sample
