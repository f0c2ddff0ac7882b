#include "isochor/shells/membrane.h"

#include <cmath>

#include "isochor/math/jacobi_eigen.h"

namespace isochor::shells {
namespace {

using contact::outer;

/// Second derivatives by F, 6x6 in blocks: how strains respond, and how they curve.
std::array<Mat3d, 4> second_derivatives(const SheetGradient& F, const SheetResponse& r) {
  // The derivative of strain i by column a is slope[i][a].
  const Vec3d none{0, 0, 0};
  const std::array<SheetGradient, 3> slope{{{F[0], none}, {none, F[1]}, {F[1], F[0]}}};
  std::array<Mat3d, 4> H;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const double s = a == b ? r.stress[a] : r.stress[2];
      Mat3d& block = H[2 * a + b] = Mat3d::diagonal({s, s, s});
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) block += outer(r.tangent[i][j] * slope[i][a], slope[j][b]);
      }
    }
  }
  return H;
}

/// Whether Gaussian elimination finds pivots above zero alone.
bool is_definite(const std::array<Mat3d, 4>& H) {
  double a[6][6];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      a[i][j] = H[2 * (i / 3) + j / 3](i % 3, j % 3);
      for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      if (i == j && !(a[i][i] > 0)) return false;
      a[i][j] = i == j ? std::sqrt(a[i][i]) : a[i][j] / a[j][j];
    }
  }
  return true;
}

void make_definite(std::array<Mat3d, 4>& H) {
  if (is_definite(H)) return;
  const auto eigen =
      jacobi_eigen<double, 6>([&](int i, int j) { return H[2 * (i / 3) + j / 3](i % 3, j % 3); });
  H.fill(Mat3d::zero());
  for (int k = 0; k < 6; ++k) {
    if (eigen.values[k] <= 0) continue;
    const double* v = eigen.vectors[k];
    const SheetGradient w{Vec3d{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) H[2 * a + b] += outer(eigen.values[k] * w[a], w[b]);
    }
  }
}

}  // namespace

SheetStrain strain_of(const SheetGradient& F) {
  return {0.5 * (dot(F[0], F[0]) - 1), 0.5 * (dot(F[1], F[1]) - 1), dot(F[0], F[1])};
}

MembraneResponse respond(const SheetLaw& law, const SheetGradient& F, Detail detail,
                         contact::Curvature curvature) {
  const SheetResponse r = respond(law, strain_of(F));
  MembraneResponse out{.energy = r.energy};
  if (detail == Detail::Energy) return out;
  out.stress = {r.stress[0] * F[0] + r.stress[2] * F[1], r.stress[1] * F[1] + r.stress[2] * F[0]};
  if (detail == Detail::Gradient) return out;
  out.hessian = second_derivatives(F, r);
  if (curvature == contact::Curvature::Definite) make_definite(out.hessian);
  return out;
}

}  // namespace isochor::shells
