#include "isochor/shells/sheet_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isochor::shells {
namespace {

/// A function of one variable with two derivatives.
struct Jet {
  double value, slope, curvature;
};

/// Adds a function of the determinant d of C = 1 + 2 E, the square of the ratio of areas.
void add_determinant(const SheetStrain& e, const Jet& g, SheetResponse& out) {
  const double c11 = 1 + 2 * e[0], c22 = 1 + 2 * e[1], c12 = e[2];
  const std::array<double, 3> slope{2 * c22, 2 * c11, -2 * c12};
  out.energy += g.value;
  for (int i = 0; i < 3; ++i) {
    out.stress[i] += g.slope * slope[i];
    for (int j = 0; j < 3; ++j) out.tangent[i][j] += g.curvature * slope[i] * slope[j];
  }
  out.tangent[0][1] += 4 * g.slope;
  out.tangent[1][0] += 4 * g.slope;
  out.tangent[2][2] -= 2 * g.slope;
}

/// Rounding may leave nothing, or less, of the area of a triangle without any.
double determinant(const SheetStrain& e) {
  return std::max((1 + 2 * e[0]) * (1 + 2 * e[1]) - e[2] * e[2],
                  std::numeric_limits<double>::epsilon());
}

SheetResponse respond_to(const AreaLaw& law, const SheetStrain& e) {
  const double d = determinant(e), J = std::sqrt(d), c = J - 1, k = law.lambda;
  const double U = k / 12 * c * c * (law.steepness * c * c + 6);
  const double slope = k / 3 * c * (law.steepness * c * c + 3);
  const double curvature = k * (law.steepness * c * c + 1);
  SheetResponse out;
  add_determinant(e, {U, slope / (2 * J), (curvature - slope / J) / (4 * d)}, out);
  return out;
}

SheetResponse respond_to(const RubberLaw& law, const SheetStrain& e) {
  const double d = determinant(e), mu = law.mu;
  SheetResponse out;
  out.energy = mu * (e[0] + e[1] - 0.5);
  out.stress = {mu, mu, 0};
  add_determinant(e, {0.5 * mu / d, -0.5 * mu / (d * d), mu / (d * d * d)}, out);
  return out;
}

SheetResponse respond_to(const ClothLaw& law, const SheetStrain& e) {
  const double other = law.poisson * law.young_across / law.young_along;
  const double factor = 1 / (1 - law.poisson * other);
  SheetResponse out;
  out.tangent[0][0] = factor * law.young_along;
  out.tangent[1][1] = factor * law.young_across;
  out.tangent[0][1] = out.tangent[1][0] = factor * law.poisson * law.young_across;
  out.tangent[2][2] = law.shear;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out.stress[i] += out.tangent[i][j] * e[j];
    out.energy += 0.5 * e[i] * out.stress[i];
  }
  return out;
}

}  // namespace

SheetResponse respond(const SheetLaw& law, const SheetStrain& strain) {
  return std::visit([&](const auto& l) { return respond_to(l, strain); }, law);
}

double modulus_of(const SheetLaw& law) {
  const SheetResponse rest = respond(law, {0, 0, 0});
  double most = 0;
  for (const auto& row : rest.tangent) {
    for (const double entry : row) most = std::max(most, std::abs(entry));
  }
  return most;
}

}  // namespace isochor::shells
