#include "isochor/base/json.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace isochor {
namespace {

TEST(Json, ReadsBackAsWhatWasWritten) {
  Json list = Json::array();
  for (int i = 0; i < 40; ++i) list.push_back(i);
  const Json document{{"text", "a \"quoted\"\nline\twith \\ and \x01 and é"},
                      {"pi", 3.141592653589793},
                      {"tiny", 4.9e-324},
                      {"large", std::size_t{18446744073709551615u}},
                      {"negative", -7},
                      {"yes", true},
                      {"nothing", nullptr},
                      {"missing", std::optional<double>()},
                      {"present", std::optional<double>(2.5)},
                      {"infinite", INFINITY},
                      {"nested", Json{{"list", list}, {"empty", Json::array()}}},
                      {"none", Json::object()}};
  const auto read = nlohmann::ordered_json::parse(document.text());
  EXPECT_EQ(read["text"], "a \"quoted\"\nline\twith \\ and \x01 and é");
  EXPECT_EQ(read["pi"].get<double>(), 3.141592653589793);
  EXPECT_EQ(read["tiny"].get<double>(), 4.9e-324);
  EXPECT_EQ(read["large"].get<std::size_t>(), 18446744073709551615u);
  EXPECT_EQ(read["negative"], -7);
  EXPECT_EQ(read["yes"], true);
  for (const char* key : {"nothing", "missing", "infinite"}) EXPECT_TRUE(read[key].is_null());
  EXPECT_EQ(read["present"], 2.5);
  ASSERT_EQ(read["nested"]["list"].size(), 40u);
  EXPECT_EQ(read["nested"]["list"][39], 39);
  EXPECT_TRUE(read["nested"]["empty"].empty());
  EXPECT_TRUE(read["none"].is_object());
  EXPECT_EQ(read.begin().key(), "text") << "members keep their order";
}

}  // namespace
}  // namespace isochor
