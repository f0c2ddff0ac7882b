#include "reproduce/order_study.h"

#include <cmath>

namespace isochor::reproduce {

double rms_difference(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i] - b[i], a[i] - b[i]);
  return a.empty() ? 0 : std::sqrt(sum / double(a.size()));
}

Extrapolation extrapolate(std::span<const Vec3d> coarse, std::span<const Vec3d> middle,
                          std::span<const Vec3d> fine) {
  Extrapolation result{
      .order = std::log2(rms_difference(coarse, middle) / rms_difference(middle, fine)),
      .limit = {fine.begin(), fine.end()}};
  if (!(result.order > 0)) return result;
  const double factor = 1 / (std::exp2(result.order) - 1);
  for (std::size_t i = 0; i < fine.size(); ++i) result.limit[i] += factor * (fine[i] - middle[i]);
  return result;
}

double fitted_order(std::span<const double> errors) {
  const double n = double(errors.size()), middle = 0.5 * (n - 1);
  double above = 0, below = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    above -= (double(i) - middle) * std::log2(errors[i]);
    below += (double(i) - middle) * (double(i) - middle);
  }
  return above / below;
}

}  // namespace isochor::reproduce
