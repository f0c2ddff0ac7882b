#include "isochor/run/diagnostics.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "isochor/base/error.h"
#include "isochor/base/file.h"

namespace isochor::run {
namespace {

/// Reads `text` as diagnostics.csv.
DiagnosticsTable read_text(const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".csv");
  write_file_atomic(path, text);
  return read_diagnostics(path);
}

std::string message_of(const std::string& text) {
  try {
    read_text(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::Input);
    return e.what();
  }
  return "";
}

TEST(Diagnostics, ColumnsAreFoundByNameWithoutUnit) {
  const DiagnosticsTable t = read_text("frame,time [s],residual\n0,0,1e-3\r\n1,0.5,2e-9\n");
  ASSERT_EQ(t.rows.size(), 2u);
  EXPECT_EQ(t.column("time"), 1);
  EXPECT_EQ(t.column("time [s]"), -1);
  EXPECT_EQ(t.values("residual"), (std::vector<double>{1e-3, 2e-9}));
  EXPECT_TRUE(t.values("pressure").empty());
}

TEST(Diagnostics, ValuesThatAreNotNumbersInTheMathematicalSenseAreKept) {
  const DiagnosticsTable t = read_text("frame,a,b,c\n0,nan,-inf,\n");
  EXPECT_TRUE(std::isnan(t.rows[0][1]));
  EXPECT_TRUE(std::isinf(t.rows[0][2]));
  EXPECT_TRUE(std::isnan(t.rows[0][3]));
}

TEST(Diagnostics, QuotedNamesMayHoldCommasQuotesAndBrackets) {
  const DiagnosticsTable t = read_text("frame,\"reaction.a, \"\"b\"\" [c].fx [N]\"\n0,7\n");
  EXPECT_EQ(t.column("reaction.a, \"b\" [c].fx"), 1);
  EXPECT_EQ(parse_column(t.columns[1]).unit, "N");
}

TEST(Diagnostics, ALineCutOffByACrashIsLeftOut) {
  EXPECT_EQ(read_text("frame,residual\n0,1e-9\n1,2e").rows.size(), 1u);
}

TEST(Diagnostics, AHeaderAloneIsATableWithoutRows) {
  EXPECT_EQ(read_text("frame,residual\n").columns.size(), 2u);
  EXPECT_TRUE(read_text("frame,residual").rows.empty());
}

TEST(Diagnostics, AWrongCellIsNamedWithLineAndColumn) {
  const std::string message = message_of("frame,residual\n0,1\n1,abc\n");
  EXPECT_NE(message.find(".csv:3"), std::string::npos) << message;
  EXPECT_NE(message.find("'abc'"), std::string::npos) << message;
  EXPECT_NE(message.find("'residual'"), std::string::npos) << message;
}

TEST(Diagnostics, ARowOfAnotherLengthIsRefused) {
  EXPECT_NE(message_of("frame,residual\n0,1,2\n").find("found 3 values"), std::string::npos);
}

TEST(Diagnostics, AnEmptyFileIsRefused) {
  EXPECT_NE(message_of("").find("empty"), std::string::npos);
}

}  // namespace
}  // namespace isochor::run
