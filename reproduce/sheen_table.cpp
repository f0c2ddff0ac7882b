/// Table 1 of Sheen 2021: iterations and seconds per frame of its examples, as far as they are done
/// here without a skin. They are those of the experiments of the same name.
#include <algorithm>

#include "reproduce/experiment.h"

namespace isochor::reproduce {

std::vector<Row> sheen_ball(const ExperimentOptions&, Context&);
std::vector<Row> sheen_coarse_ball(const ExperimentOptions&, Context&);
std::vector<Row> sheen_cylinders(const ExperimentOptions&, Context&);
std::vector<Row> sheen_puck(const ExperimentOptions&, Context&);
std::vector<Row> sheen_stretch(const ExperimentOptions&, Context&);
std::vector<Row> sheen_twist(const ExperimentOptions&, Context&);

std::vector<Row> sheen_table(const ExperimentOptions& options, Context& context) {
  using Run = std::vector<Row> (*)(const ExperimentOptions&, Context&);
  // Quick runs leave out what takes long.
  std::vector<Run> examples{sheen_stretch, sheen_cylinders};
  if (options.full) {
    examples.insert(examples.end(), {sheen_puck, sheen_ball, sheen_coarse_ball, sheen_twist});
  }
  std::vector<Row> rows;
  for (const Run run : examples) {
    if (context.cancelled) return rows;
    for (Row row : run({.full = options.full, .pictures = {}, .data = options.data}, context)) {
      const bool iterations = row.quantity.starts_with("Newton iterations per step");
      if (!iterations && !row.quantity.starts_with("seconds per step")) continue;
      row.quantity = row.id.substr(row.id.find('/') + 1) + ": " + row.quantity;
      row.id = "sheen/table1";
      row.source = "Sheen 2021, table 1";
      rows.push_back(std::move(row));
    }
  }
  if (!options.full) {
    rows.push_back({.id = "sheen/table1",
                    .quantity = "puck, balls, twist",
                    .variant = "paper",
                    .source = "Sheen 2021, table 1",
                    .note = "with --full, or in sheen/puck, sheen/ball, sheen/coarse-ball and "
                            "sheen/twist"});
  }
  return rows;
}

}  // namespace isochor::reproduce
