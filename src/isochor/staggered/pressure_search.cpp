#include "isochor/staggered/pressure_search.h"

#include <algorithm>
#include <cmath>

namespace isochor::staggered {

double PressureSearch::off(std::span<const double> depths,
                           std::span<const double> pressures) const {
  double worst = 0;
  for (std::size_t p = 0; p < depths.size(); ++p) {
    if (!(areas_[p] > 0)) continue;
    worst = std::max(worst, pressures[p] > 0 ? std::abs(depths[p]) : depths[p]);
  }
  return worst;
}

void PressureSearch::update(std::span<const double> depths, std::span<double> pressures) {
  double changes = 0, responses = 0;
  for (std::size_t p = 0; p < depths_.size(); ++p) {
    const double change = pressures[p] - pressures_[p];
    changes += areas_[p] * change * change;
    responses += areas_[p] * change * (depths_[p] - depths[p]);
  }
  if (responses > 0) step_ = changes / responses;
  pressures_.assign(pressures.begin(), pressures.end());
  depths_.assign(depths.begin(), depths.end());
  for (std::size_t p = 0; p < depths.size(); ++p) {
    if (areas_[p] > 0) pressures[p] = std::max(0.0, pressures[p] + step_ * depths[p]);
  }
}

}  // namespace isochor::staggered
