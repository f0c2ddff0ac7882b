#include "isochor/scene/units.h"

#include <clocale>
#include <numbers>
#include <set>

#include "tests/scene/failure.h"

namespace isochor::scene {
namespace {

using testing::HasSubstr;

constexpr Unit kAllUnits[] = {
    Unit::None,      Unit::Length,          Unit::Angle,   Unit::Time,
    Unit::Frequency, Unit::Pressure,        Unit::Density, Unit::Acceleration,
    Unit::Force,     Unit::Energy,          Unit::Volume,  Unit::Bedding,
    Unit::Velocity,  Unit::AngularVelocity,
};

double parse(std::string_view text, Unit unit) { return parse_quantity(text, unit, "here"); }

Error parse_failure(std::string_view text, Unit unit) {
  return failure_of([&] { parse(text, unit); });
}

TEST(SceneUnits, EveryQuantityConvertsToSi) {
  struct Case {
    std::string_view text;
    Unit unit;
    double expected;
  };
  const Case cases[] = {
      {"50 %", Unit::None, 0.5},
      {"7 cm", Unit::Length, 0.07},
      {"3 mm", Unit::Length, 0.003},
      {"12 in", Unit::Length, 0.3048},
      {"1 ft", Unit::Length, 0.3048},
      {"90 deg", Unit::Angle, std::numbers::pi / 2},
      {"-180 °", Unit::Angle, -std::numbers::pi},
      {"0.5 turn", Unit::Angle, std::numbers::pi},
      {"2 ms", Unit::Time, 0.002},
      {"1.5 min", Unit::Time, 90},
      {"24 Hz", Unit::Frequency, 24},
      {"30 1/min", Unit::Frequency, 0.5},
      {"25 fps", Unit::Frequency, 25},
      {"12 kPa", Unit::Pressure, 12000},
      {"1.5e3 Pa", Unit::Pressure, 1500},
      {"2 N/mm^2", Unit::Pressure, 2e6},
      {"120 mmHg", Unit::Pressure, 15998.6864898},
      {"1 psi", Unit::Pressure, 6894.757293168},
      {"1 cmH2O", Unit::Pressure, 98.0665},
      {"1000 kg/m^3", Unit::Density, 1000},
      {"1 g/cm^3", Unit::Density, 1000},
      {"9.81 m/s^2", Unit::Acceleration, 9.81},
      {"1 g", Unit::Acceleration, 9.80665},
      {"3 kN", Unit::Force, 3000},
      {"1 kgf", Unit::Force, 9.80665},
      {"250 mJ", Unit::Energy, 0.25},
      {"2 N m", Unit::Energy, 2},
      {"3 kPa/mm", Unit::Bedding, 3e6},
      {"36 km/h", Unit::Velocity, 10},
      {"30 rpm", Unit::AngularVelocity, std::numbers::pi},
      {"90 deg/s", Unit::AngularVelocity, std::numbers::pi / 2},
      {"2 L", Unit::Volume, 0.002},
      {"5 ml", Unit::Volume, 5e-6},
      {"1 cm^3", Unit::Volume, 1e-6},
  };
  for (const Case& c : cases) EXPECT_DOUBLE_EQ(parse(c.text, c.unit), c.expected) << c.text;
}

TEST(SceneUnits, DecimalUnitsRoundAsTheSameNumberWrittenInSi) {
  // A factor of 0.01 would give 0.07000000000000001.
  EXPECT_EQ(parse("7 cm", Unit::Length), 0.07);
  EXPECT_EQ(parse("0.3 mm", Unit::Length), 0.0003);
  EXPECT_EQ(parse("981 cm/s^2", Unit::Acceleration), 9.81);
}

TEST(SceneUnits, SiSymbolIsAcceptedForEveryQuantity) {
  for (const Unit unit : kAllUnits) {
    const std::string text = "2.5 " + std::string(symbol(unit));
    EXPECT_EQ(parse(text, unit), 2.5) << text;
    if (unit != Unit::None) {
      EXPECT_EQ(unit_names(unit).front(), symbol(unit));
    }
    EXPECT_FALSE(quantity_name(unit).empty());
  }
}

TEST(SceneUnits, NamesAreUniqueWithinAQuantity) {
  for (const Unit unit : kAllUnits) {
    const std::vector<std::string_view> names = unit_names(unit);
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << quantity_name(unit);
  }
}

TEST(SceneUnits, PlainNumberIsSi) {
  EXPECT_EQ(parse("12", Unit::Pressure), 12);
  EXPECT_EQ(parse(" +1.5e-3 ", Unit::Length), 0.0015);
  EXPECT_EQ(parse("-.5", Unit::None), -0.5);
}

TEST(SceneUnits, BlankBeforeTheUnitIsOptionalAndPastedSignsAreUnderstood) {
  EXPECT_EQ(parse("12kPa", Unit::Pressure), 12000);
  EXPECT_EQ(parse("1e3Pa", Unit::Pressure), 1000);
  EXPECT_EQ(parse("2 m/s²", Unit::Acceleration), 2);
  EXPECT_EQ(parse("2 kg/m³", Unit::Density), 2);
  EXPECT_EQ(parse("3 µm", Unit::Length), 3e-6);
  EXPECT_EQ(parse("3 μm", Unit::Length), 3e-6);
}

TEST(SceneUnits, WrongDimensionNamesBothAndListsWhatIsAccepted) {
  const Error error = parse_failure("3 cm", Unit::Pressure);
  EXPECT_EQ(error.place(), "here");
  EXPECT_EQ(error.problem(), "\"cm\" is a unit of length, expected a unit of pressure");
  EXPECT_THAT(error.remedy(), HasSubstr("Pa, hPa, kPa, MPa, GPa"));
}

TEST(SceneUnits, MisspelledUnitIsRefusedWithTheNearestName) {
  EXPECT_THAT(parse_failure("12 KPa", Unit::Pressure).remedy(), HasSubstr("did you mean 'kPa'?"));
  EXPECT_THAT(parse_failure("1 kg/m3", Unit::Density).remedy(), HasSubstr("'kg/m^3'"));
  EXPECT_THAT(parse_failure("1 furlong", Unit::Length).problem(), HasSubstr("not a known unit"));
  EXPECT_THAT(parse_failure("1 Pa", Unit::None).problem(), HasSubstr("a number without unit"));
}

TEST(SceneUnits, RubbishIsRefused) {
  for (const std::string_view text :
       {"",         " ",         "kPa",      "nan",     "inf",       "-inf", "infinity kPa",
        "1e999 Pa", "1e308 GPa", "12 kPa x", "0x10 Pa", "1.2.3",     "--1",  "+-1",
        "++1",      "5e",        "1_000",    "twelve",  "1 Pa 2 Pa", "\0"}) {
    EXPECT_THROW(parse(text, Unit::Pressure), Error) << text;
  }
  EXPECT_THAT(parse_failure("1,5 kPa", Unit::Pressure).remedy(), HasSubstr("'.'"));
}

TEST(SceneUnits, LocaleDoesNotMatter) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // Not every machine has a German locale; where it is missing this still checks the C one.
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  EXPECT_EQ(parse("1.5 kPa", Unit::Pressure), 1500);
  EXPECT_THROW(parse("1,5 kPa", Unit::Pressure), Error);
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace isochor::scene
