/// The reference in the documentation is what the program prints.
#include <gtest/gtest.h>

#include "tests/app/program.h"

namespace isochor::app {
namespace {

/// The text between the lines `begin` and `end`; empty if one of them is missing.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t first = text.find(begin + '\n');
  const std::size_t last = text.find(end + '\n');
  if (first == std::string::npos || last == std::string::npos || last < first) return {};
  const std::size_t from = first + begin.size() + 1;
  return text.substr(from, last - from);
}

TEST(ReferenceDoc, ScenePageHoldsWhatTheProgramPrints) {
  const files::TemporaryFolder folder;
  const Outcome reference = run_program(folder, {"reference"});
  ASSERT_EQ(reference.status, 0) << reference.err;
  ASSERT_NE(reference.out, "");
  const std::string page =
      slurp(std::filesystem::path(ISOCHOR_SOURCE_DIR) / "docs/formats/scene.md");
  EXPECT_EQ(between(page, "<!-- isochor reference begins -->", "<!-- isochor reference ends -->"),
            reference.out)
      << "replace the text between the two marks by the output of 'isochor reference'";
}

}  // namespace
}  // namespace isochor::app
