#pragma once

#include <span>
#include <vector>

namespace isochor::staggered {

/// Finds pressures on points of a surface that keep these out of what they touch, from one solve to
/// the next: each grows in proportion to how deep its point is, by as much as the last change of
/// pressures did to depths (Barzilai and Borwein 1988), and none pulls.
class PressureSearch {
 public:
  /// Areas of points, m^2; those without are left out. The first change is `step` per depth, Pa/m.
  PressureSearch(std::span<const double> areas, double step) : areas_(areas), step_(step) {}

  /// How far the worst point is off where it should be, m: inside, or pushed while outside.
  double off(std::span<const double> depths, std::span<const double> pressures) const;
  /// Better pressures, Pa, than those that led to these depths, m, negative outside.
  void update(std::span<const double> depths, std::span<double> pressures);

 private:
  std::span<const double> areas_;
  double step_;
  std::vector<double> pressures_, depths_;  ///< before the last change
};

}  // namespace isochor::staggered
