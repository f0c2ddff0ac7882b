#include "isochor/base/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "tests/base/field_recorder.h"

namespace isochor {

struct Wheel {
  double radius = 1;
};
void describe(FieldVisitor& visitor, Wheel& wheel) {
  visitor.number("radius", wheel.radius, Unit::Length, Range::positive(), "size");
}
struct Cart {
  bool open = false;
  Wheel spare;
  std::vector<Wheel> wheels;
};
void describe(FieldVisitor& visitor, Cart& cart) {
  visitor.flag("open", cart.open, "no roof");
  visitor.group("spare", cart.spare, "kept inside");
  visitor.list("wheels", cart.wheels, "on the axles");
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(BaseRange, TextSaysWhatIsAllowed) {
  EXPECT_EQ(Range::positive().text(), "> 0");
  EXPECT_EQ(Range::at_least(2).text(), ">= 2");
  EXPECT_EQ(Range::between(0, 0.5).text(), "0 to 0.5");
  EXPECT_EQ((Range{.max = 3}.text()), "<= 3");
  EXPECT_EQ((Range{.max = 3, .open_max = true}.text()), "< 3");
  EXPECT_EQ((Range{.min = -1, .max = 0.5, .open_min = true, .open_max = true}.text()),
            "above -1 to below 0.5");
  EXPECT_EQ((Range{.min = 0, .max = 0.1, .open_min = true}.text()), "above 0 to 0.1");
  EXPECT_EQ(Range{}.text(), "any finite number");
}

TEST(BaseRange, BoundsAreInsideUnlessOpen) {
  EXPECT_TRUE(Range::between(0, 1).contains(0));
  EXPECT_TRUE(Range::between(0, 1).contains(1));
  EXPECT_FALSE(Range::between(0, 1).contains(std::nextafter(1, 2)));
  EXPECT_FALSE(Range::between(0, 1).contains(-std::numeric_limits<double>::denorm_min()));
  EXPECT_FALSE(Range::positive().contains(0));
  EXPECT_TRUE(Range::positive().contains(std::numeric_limits<double>::denorm_min()));
  EXPECT_FALSE((Range{.max = 3, .open_max = true}.contains(3)));
  EXPECT_TRUE((Range{.max = 3, .open_max = true}.contains(std::nextafter(3, 0))));
}

TEST(BaseRange, NanAndInfinityAreInNoRange) {
  for (const Range& range :
       {Range{}, Range::positive(), Range::at_least(0), Range::between(0, 1)}) {
    for (const double value : {kNan, -kNan, kInfinity, -kInfinity}) {
      EXPECT_FALSE(range.contains(value)) << range.text() << " " << value;
    }
  }
  EXPECT_TRUE(Range{}.contains(std::numeric_limits<double>::max()));
}

TEST(BasePlace, TextNamesFileLineAndKey) {
  const Place whole{.file = "a.toml", .line = 12, .column = 3, .key = "body[0].material"};
  EXPECT_EQ(whole.text(), "a.toml:12:3: body[0].material");
  EXPECT_EQ(whole.text("young"), "a.toml:12:3: body[0].material.young");
}

TEST(BasePlace, TextLeavesOutWhatIsUnknown) {
  EXPECT_EQ((Place{.file = "a.toml"}.text()), "a.toml");
  EXPECT_EQ((Place{.file = "a.toml"}.text("young")), "a.toml: young");
  EXPECT_EQ((Place{.file = "a.toml", .key = "body"}.text()), "a.toml: body");
  EXPECT_EQ((Place{.key = "body"}.text()), "body");
  EXPECT_EQ((Place{.key = "body"}.text("mu")), "body.mu");
  EXPECT_EQ(Place{}.text("mu"), "mu");
  EXPECT_EQ(Place{}.text(), "");
}

TEST(BaseUnit, EveryUnitButNoneHasItsOwnSymbol) {
  std::set<std::string_view> symbols;
  for (int unit = 1; unit <= static_cast<int>(Unit::Volume); ++unit) {
    EXPECT_TRUE(symbols.insert(symbol(static_cast<Unit>(unit))).second) << unit;
  }
  EXPECT_FALSE(symbols.contains(""));
  EXPECT_EQ(symbol(Unit::None), "");
}

TEST(BaseFieldVisitor, GroupsAndListsAreWalkedInOrder) {
  FieldRecorder recorder;
  recorder.list_length = 2;
  Cart cart;
  describe(recorder, cart);
  EXPECT_EQ(cart.wheels.size(), 2u);
  EXPECT_THAT(recorder.names, testing::ElementsAre("open", "spare{", "radius", "}", "wheels[",
                                                   "0:", "radius", "1:", "radius", "]"));
}

TEST(BaseFieldVisitor, ListShrinksToWhatTheVisitorHas) {
  FieldRecorder recorder;
  Cart cart{.wheels = std::vector<Wheel>(4)};
  describe(recorder, cart);
  EXPECT_TRUE(cart.wheels.empty());
}

}  // namespace
}  // namespace isochor
