#include <gtest/gtest.h>

#include "isochor/base/file.h"
#include "tests/app/program.h"
#include "tests/files/temporary_folder.h"

namespace isochor::app {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(CliMeasure, ResultsReplaceThoseOfTheSameNameAndLeaveOthers) {
  const files::TemporaryFolder folder;
  const std::string results = (folder / "RESULTS.md").string();
  const auto measure = [&](const std::string& command, const std::string& name) {
    const Outcome outcome = run_program(folder, {command, name, "--results", results});
    EXPECT_EQ(outcome.status, 0) << name << ": " << outcome.err;
    return read_text_file(results);
  };
  measure("reproduce", "sheen/penalty");
  measure("reproduce", "mcadams/hourglass");
  const std::string text = measure("reproduce", "sheen/penalty");
  for (const std::string part : {"### sheen/penalty\n", "### mcadams/hourglass\n"}) {
    EXPECT_EQ(count(text, part), 1u) << part;
  }
  EXPECT_LT(text.find("### mcadams/hourglass"), text.find("### sheen/penalty"))
      << "in the order of 'isochor list'";
  EXPECT_LT(text.find("### sheen/penalty"), text.find("## Benchmarks"));
}

}  // namespace
}  // namespace isochor::app
