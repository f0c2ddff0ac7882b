#include "isochor/run/convergence_log.h"

#include <cmath>
#include <gtest/gtest.h>

#include "isochor/run/diagnostics.h"
#include "isochor/run/report_page.h"
#include "tests/files/temporary_folder.h"

namespace isochor::run {
namespace {

TEST(ConvergenceLog, ListensInFrontOfWhoListenedBefore) {
  const files::TemporaryFolder folder;
  const auto file = folder / "convergence.csv";
  Context context(1);
  int heard = 0;
  context.on_progress = [&](const Progress&) { ++heard; };
  {
    ConvergenceLog log(file, std::nullopt, context);
    for (int frame = 0; frame < 3; ++frame) {
      for (int i = 0; i < 4; ++i) {
        context.status = {.frame = frame, .newton_iterations = i, .residual = std::pow(10, -i)};
        context.report();
      }
      log.write();
    }
  }
  context.report();
  EXPECT_EQ(heard, 13);
  EXPECT_EQ(read_diagnostics(file).rows.size(), 12u);

  // A run that goes on after frame 0 keeps what led there.
  const ConvergenceLog resumed(file, 0, context);
  const DiagnosticsTable kept = read_diagnostics(file);
  EXPECT_EQ(kept.values("residual"), (std::vector<double>{1, 0.1, 0.01, 0.001}));
  EXPECT_EQ(convergence_plot(kept).size(), 1u);
  EXPECT_TRUE(convergence_plot({}).empty());
}

}  // namespace
}  // namespace isochor::run
