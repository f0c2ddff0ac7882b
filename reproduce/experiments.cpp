#include <array>

#include "reproduce/experiment.h"

namespace isochor::reproduce {

std::vector<Row> mcadams_hourglass(const ExperimentOptions&, Context&);

std::span<const Experiment> experiments() {
  static constexpr std::array kExperiments{
      Experiment{"mcadams/hourglass", "A patch pulled at its four corners (fig. 3)",
                 mcadams_hourglass},
  };
  return kExperiments;
}

}  // namespace isochor::reproduce
