#include "isochor/scene/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <numbers>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/base/text.h"
#include "isochor/scene/notation.h"

namespace isochor::scene {
namespace {

/// One unit is `numerator / denominator` SI units. Two whole numbers keep 7 cm the double that is
/// nearest to 0.07, which a rounded factor 0.01 would not.
struct NamedUnit {
  Unit unit;
  std::string_view name;
  double numerator = 1;
  double denominator = 1;
};

constexpr NamedUnit kUnits[] = {
    {Unit::None, "%", 1, 100},

    {Unit::Length, "m"},
    {Unit::Length, "km", 1e3},
    {Unit::Length, "dm", 1, 10},
    {Unit::Length, "cm", 1, 100},
    {Unit::Length, "mm", 1, 1e3},
    {Unit::Length, "um", 1, 1e6},
    {Unit::Length, "in", 254, 1e4},
    {Unit::Length, "ft", 3048, 1e4},

    {Unit::Angle, "rad"},
    {Unit::Angle, "mrad", 1, 1e3},
    {Unit::Angle, "deg", std::numbers::pi, 180},
    {Unit::Angle, "°", std::numbers::pi, 180},
    {Unit::Angle, "turn", 2 * std::numbers::pi},

    {Unit::Time, "s"},
    {Unit::Time, "ms", 1, 1e3},
    {Unit::Time, "us", 1, 1e6},
    {Unit::Time, "min", 60},
    {Unit::Time, "h", 3600},

    {Unit::Frequency, "1/s"},
    {Unit::Frequency, "Hz"},
    {Unit::Frequency, "kHz", 1e3},
    {Unit::Frequency, "fps"},
    {Unit::Frequency, "1/min", 1, 60},

    {Unit::Pressure, "Pa"},
    {Unit::Pressure, "hPa", 100},
    {Unit::Pressure, "kPa", 1e3},
    {Unit::Pressure, "MPa", 1e6},
    {Unit::Pressure, "GPa", 1e9},
    {Unit::Pressure, "N/m^2"},
    {Unit::Pressure, "N/cm^2", 1e4},
    {Unit::Pressure, "N/mm^2", 1e6},
    {Unit::Pressure, "mbar", 100},
    {Unit::Pressure, "bar", 1e5},
    {Unit::Pressure, "atm", 101325},
    {Unit::Pressure, "mmHg", 133322387415, 1e9},
    {Unit::Pressure, "cmH2O", 980665, 1e4},
    {Unit::Pressure, "psi", 6894757293168, 1e9},

    {Unit::Density, "kg/m^3"},
    {Unit::Density, "g/cm^3", 1e3},
    {Unit::Density, "kg/L", 1e3},
    {Unit::Density, "g/ml", 1e3},

    {Unit::Velocity, "m/s"},
    {Unit::Velocity, "cm/s", 1, 100},
    {Unit::Velocity, "mm/s", 1, 1e3},
    {Unit::Velocity, "km/h", 10, 36},

    {Unit::AngularVelocity, "rad/s"},
    {Unit::AngularVelocity, "deg/s", std::numbers::pi, 180},
    {Unit::AngularVelocity, "turn/s", 2 * std::numbers::pi},
    {Unit::AngularVelocity, "rpm", std::numbers::pi, 30},

    {Unit::Acceleration, "m/s^2"},
    {Unit::Acceleration, "cm/s^2", 1, 100},
    {Unit::Acceleration, "mm/s^2", 1, 1e3},
    {Unit::Acceleration, "g", 980665, 1e5},

    {Unit::Force, "N"},
    {Unit::Force, "uN", 1, 1e6},
    {Unit::Force, "mN", 1, 1e3},
    {Unit::Force, "kN", 1e3},
    {Unit::Force, "MN", 1e6},
    {Unit::Force, "kgf", 980665, 1e5},

    {Unit::Energy, "J"},
    {Unit::Energy, "uJ", 1, 1e6},
    {Unit::Energy, "mJ", 1, 1e3},
    {Unit::Energy, "kJ", 1e3},
    {Unit::Energy, "N m"},

    {Unit::Volume, "m^3"},
    {Unit::Volume, "dm^3", 1, 1e3},
    {Unit::Volume, "cm^3", 1, 1e6},
    {Unit::Volume, "mm^3", 1, 1e9},
    {Unit::Volume, "L", 1, 1e3},
    {Unit::Volume, "l", 1, 1e3},
    {Unit::Volume, "dl", 1, 1e4},
    {Unit::Volume, "cl", 1, 1e5},
    {Unit::Volume, "ml", 1, 1e6},
    {Unit::Volume, "mL", 1, 1e6},

    {Unit::Bedding, "N/m^3"},
    {Unit::Bedding, "Pa/m"},
    {Unit::Bedding, "kPa/m", 1e3},
    {Unit::Bedding, "kPa/cm", 1e5},
    {Unit::Bedding, "kPa/mm", 1e6},
    {Unit::Bedding, "MPa/m", 1e6},
    {Unit::Bedding, "N/cm^3", 1e6},
    {Unit::Bedding, "N/mm^3", 1e9},
};

/// The characters people paste, in the spelling of the table.
std::string plain_spelling(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPasted = {{
      {"\u00B2", "^2"},  // superscript two
      {"\u00B3", "^3"},  // superscript three
      {"\u00B5", "u"},   // micro sign
      {"\u03BC", "u"},   // Greek mu
  }};
  std::string text(name);
  for (const auto& [pasted, plain] : kPasted) {
    for (std::size_t at; (at = text.find(pasted)) != std::string::npos;) {
      text.replace(at, pasted.size(), plain);
    }
  }
  return text;
}

std::string unit_of(Unit unit) {
  if (unit == Unit::None) return "a number without unit";
  return fmt::format("a unit of {}", quantity_name(unit));
}

/// Says what the name is, if it is anything, and what is accepted instead.
[[noreturn]] void fail_unit(const std::string& name, Unit unit, const std::string& place) {
  const std::vector<std::string_view> names = unit_names(unit);
  const auto other = std::ranges::find(kUnits, name, &NamedUnit::name);
  const std::string meaning = other == std::end(kUnits) ? "not a known unit" : unit_of(other->unit);
  std::string remedy = fmt::format("use one of: {}", join(names));
  if (const std::string_view near = nearest_name(name, names); !near.empty()) {
    remedy = fmt::format("did you mean '{}'? Accepted: {}", near, join(names));
  }
  throw Error(Fault::Input, place,
              fmt::format("{} is {}, expected {}", excerpt(name), meaning, unit_of(unit)), remedy);
}

}  // namespace

double parse_quantity(std::string_view text, Unit unit, const std::string& place) {
  const auto fail = [&](std::string_view problem, const std::string& remedy) {
    throw Error(Fault::Input, place, fmt::format("{} {}", excerpt(text), problem), remedy);
  };
  std::string_view rest = trimmed(text);
  // TOML allows a leading plus, from_chars does not.
  if (rest.starts_with('+') && !rest.starts_with("+-")) rest.remove_prefix(1);
  double number = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error == std::errc::invalid_argument) {
    fail("does not start with a number", unit == Unit::None
                                             ? "write a number without quotes"
                                             : fmt::format("write, say, \"1.5 {}\"", symbol(unit)));
  }
  rest = trimmed(rest.substr(static_cast<std::size_t>(stop - rest.data())));
  if (rest.starts_with(',')) fail("has a comma in its number", "write the decimal point as '.'");
  if (!rest.empty()) {
    const std::string name = plain_spelling(rest);
    const auto named = std::ranges::find_if(
        kUnits, [&](const NamedUnit& u) { return u.unit == unit && u.name == name; });
    if (named == std::end(kUnits)) fail_unit(name, unit, place);
    number = number * named->numerator / named->denominator;
  }
  if (error == std::errc::result_out_of_range || !std::isfinite(number)) {
    fail("is not a finite number", "check its exponent");
  }
  return number;
}

std::vector<std::string_view> unit_names(Unit unit) {
  std::vector<std::string_view> names;
  for (const NamedUnit& named : kUnits) {
    if (named.unit == unit) names.push_back(named.name);
  }
  return names;
}

std::string_view quantity_name(Unit unit) {
  switch (unit) {
    case Unit::None:
      return "plain number";
    case Unit::Length:
      return "length";
    case Unit::Angle:
      return "angle";
    case Unit::Time:
      return "time";
    case Unit::Frequency:
      return "frequency";
    case Unit::Pressure:
      return "pressure";
    case Unit::Density:
      return "density";
    case Unit::Velocity:
      return "velocity";
    case Unit::AngularVelocity:
      return "angular velocity";
    case Unit::Acceleration:
      return "acceleration";
    case Unit::Force:
      return "force";
    case Unit::Energy:
      return "energy";
    case Unit::Volume:
      return "volume";
    case Unit::Bedding:
      return "stiffness per area";
  }
  return "";
}

}  // namespace isochor::scene
