/// Table 1 of Sheen 2021: iterations and seconds per frame of its examples. They are those of the
/// experiments of the same name.
#include <algorithm>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {

std::vector<Row> sheen_ball(const ExperimentOptions&, Context&);
std::vector<Row> sheen_coarse_ball(const ExperimentOptions&, Context&);
std::vector<Row> sheen_cylinders(const ExperimentOptions&, Context&);
std::vector<Row> sheen_epidermis(const ExperimentOptions&, Context&);
std::vector<Row> sheen_garment(const ExperimentOptions&, Context&);
std::vector<Row> sheen_puck(const ExperimentOptions&, Context&);
std::vector<Row> sheen_stretch(const ExperimentOptions&, Context&);
std::vector<Row> sheen_twist(const ExperimentOptions&, Context&);
std::vector<Row> sheen_zones(const ExperimentOptions&, Context&);

namespace {

/// Iterations of the examples with a zone, in the order of the rows.
std::string plot(const std::vector<Row>& rows) {
  run::Series paper{.name = "the paper, Ipopt"}, published{.name = "as published"},
      ours{.name = "ours"};
  for (const Row& row : rows) {
    if (row.variant == "comparator" || row.quantity.find("Newton") == std::string::npos) continue;
    if (row.variant == "paper") {
      const double place = double(paper.x.size()) + 1;
      paper.x.push_back(place);
      paper.y.push_back(row.paper.value_or(0));
      if (!row.ours) continue;
      published.x.push_back(place);
      published.y.push_back(*row.ours);
    } else if (row.ours) {
      ours.x.push_back(double(paper.x.size()));
      ours.y.push_back(*row.ours);
    }
  }
  const std::vector<run::Series> lines{paper, published, ours};
  return run::plot_svg(lines, {.title = "Iterations per frame of what has a zone",
                               .x_label = "row of the table",
                               .y_label = "iterations",
                               .log_y = true});
}

}  // namespace

std::vector<Row> sheen_table(const ExperimentOptions& options, Context& context) {
  using Run = std::vector<Row> (*)(const ExperimentOptions&, Context&);
  std::vector<Run> examples{sheen_puck,      sheen_zones,   sheen_ball, sheen_coarse_ball,
                            sheen_cylinders, sheen_stretch, sheen_twist};
  // Quick runs leave out what takes long.
  if (options.full) examples.insert(examples.begin(), {sheen_garment, sheen_epidermis});
  std::vector<Row> rows;
  for (const Run run : examples) {
    if (context.cancelled) return rows;
    for (Row row : run({.full = options.full, .pictures = {}, .data = options.data}, context)) {
      const bool iterations = row.quantity.starts_with("Newton iterations per step");
      if (!iterations && !row.quantity.starts_with("seconds per step")) continue;
      // Of the puck the table has one with skin that the other experiment has not.
      if (row.id == "sheen/epidermis" && !row.quantity.ends_with("skin of 100 kPa")) continue;
      if (!row.paper && row.variant != "best") continue;
      row.quantity = row.id.substr(row.id.find('/') + 1) + ": " + row.quantity;
      row.id = "sheen/table1";
      row.source = "Sheen 2021, table 1";
      rows.push_back(std::move(row));
    }
  }
  if (!options.full) {
    rows.push_back({.id = "sheen/table1",
                    .quantity = "cloth on a body, a puck with skin",
                    .variant = "paper",
                    .source = "Sheen 2021, table 1",
                    .note = "with --full, or in sheen/garment and sheen/epidermis"});
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "sheen_table1.svg", plot(rows));
  }
  return rows;
}

}  // namespace isochor::reproduce
