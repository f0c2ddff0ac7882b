#include "reproduce/specimen.h"

#include <algorithm>
#include <cmath>

#include "isochor/materials/registry.h"

namespace isochor::reproduce {
namespace {

/// A cube squeezed below this is lost.
constexpr double kThinnest = 0.02;

Mat3d stress_of(const Specimen& specimen, const Mat3d& F) {
  Mat3d P{};
  materials::with_law(specimen.law,
                      [&]<class Law>(Law) { P = Law::respond(F, specimen.parameters).stress; });
  return P;
}

/// Newton's method for the free stretches. Unknowns are their logarithms, so that the gradient of
/// the energy is stress times stretch.
class Release {
 public:
  Release(const Specimen& specimen, const Vec3d& start, const std::array<bool, 3>& free)
      : specimen_(specimen), stretch_(start) {
    for (int i = 0; i < 3; ++i) {
      if (free[i]) axes_[count_++] = i;
    }
  }

  std::optional<Stretched> solve() {
    double smallest = HUGE_VAL, last_step = HUGE_VAL;
    for (int iteration = 0; iteration < 200; ++iteration) {
      const Mat3d P = stress_of(specimen_, Mat3d::diagonal(stretch_));
      double g[2] = {0, 0};
      for (int i = 0; i < count_; ++i) g[i] = P(axes_[i], axes_[i]) * stretch_[axes_[i]];
      const double size = std::max(std::abs(g[0]), std::abs(g[1]));
      if (!std::isfinite(size)) return std::nullopt;
      // Done after a step whose square is nothing, or when a small one no longer helps: what is
      // left is rounding.
      if (size == 0 || last_step < 1e-9 || (last_step < 1e-6 && size >= 0.5 * smallest)) {
        return Stretched{stretch_, {P(0, 0), P(1, 1), P(2, 2)}};
      }
      smallest = std::min(smallest, size);
      last_step = step(g);
      for (int i = 0; i < count_; ++i) {
        if (stretch_[axes_[i]] < kThinnest) return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  /// The second derivatives of the energy. Without a second unknown, as if there were one that has
  /// nothing to do with the first.
  void hessian(const double (&g)[2], double (&H)[2][2]) const {
    materials::with_law(specimen_.law, [&]<class Law>(Law) {
      const auto tangent = Law::linearise(Mat3d::diagonal(stretch_), specimen_.parameters);
      for (int j = 0; j < count_; ++j) {
        Mat3d dF = Mat3d::zero();
        dF(axes_[j], axes_[j]) = stretch_[axes_[j]];
        const Mat3d dP = materials::stress_differential(tangent, dF);
        for (int i = 0; i < count_; ++i) {
          H[i][j] = stretch_[axes_[i]] * dP(axes_[i], axes_[i]) + (i == j ? g[i] : 0);
        }
      }
    });
    if (count_ == 1) H[1][1] = H[0][0];
  }

  /// Makes a step and returns its length.
  double step(const double (&g)[2]) {
    constexpr double kLongest = 0.2;
    double H[2][2] = {{0, 0}, {0, 0}};
    hessian(g, H);
    // Where the energy is not convex, as much of the identity as makes it so.
    const double mean = 0.5 * (H[0][0] + H[1][1]);
    const double radius = std::hypot(0.5 * (H[0][0] - H[1][1]), H[0][1]);
    const double shift = std::max(0.0, 1e-6 * (std::abs(mean) + radius) - (mean - radius));
    const double a = H[0][0] + shift, d = H[1][1] + shift;
    const double determinant = a * d - H[0][1] * H[1][0];
    const double move[2] = {(H[0][1] * g[1] - d * g[0]) / determinant,
                            (H[1][0] * g[0] - a * g[1]) / determinant};
    const double longest = std::max(std::abs(move[0]), std::abs(move[1]));
    const double scale = longest > kLongest ? kLongest / longest : 1;
    for (int i = 0; i < count_; ++i) stretch_[axes_[i]] *= std::exp(scale * move[i]);
    return scale * longest;
  }

  const Specimen& specimen_;
  Vec3d stretch_;
  int axes_[2] = {0, 0};
  int count_ = 0;
};

/// A guess that keeps the volume.
Vec3d filled(double stretch, int axis, double other, int other_axis) {
  Vec3d start;
  start[axis] = stretch;
  start[other_axis] = other;
  start[3 - axis - other_axis] = 1 / (stretch * other);
  return start;
}

}  // namespace

Specimen make_specimen(int law, double mu, double kappa,
                       const std::array<double, materials::kMaxShape>& shape, double activation) {
  Specimen specimen{
      .law = law, .parameters = {.mu = mu, .lambda = kappa - 2 * mu / 3, .activation = activation}};
  std::ranges::copy(shape, specimen.parameters.shape);
  return specimen;
}

double Stretched::cauchy(int axis) const {
  return nominal[axis] / (stretch[(axis + 1) % 3] * stretch[(axis + 2) % 3]);
}

std::optional<Stretched> release(const Specimen& specimen, const Vec3d& start,
                                 const std::array<bool, 3>& free) {
  return Release(specimen, start, free).solve();
}

std::optional<Stretched> uniaxial(const Specimen& specimen, int axis, double stretch) {
  std::array<bool, 3> free{true, true, true};
  free[axis] = false;
  return release(specimen, filled(stretch, axis, 1 / std::sqrt(stretch), (axis + 1) % 3), free);
}

std::optional<Stretched> equibiaxial(const Specimen& specimen, int free_axis, double stretch) {
  std::array<bool, 3> free{false, false, false};
  free[free_axis] = true;
  const int axis = (free_axis + 1) % 3;
  return release(specimen, filled(stretch, axis, stretch, (free_axis + 2) % 3), free);
}

std::optional<Stretched> pure_shear(const Specimen& specimen, int axis, int held_axis,
                                    double stretch) {
  std::array<bool, 3> free{false, false, false};
  free[3 - axis - held_axis] = true;
  return release(specimen, filled(stretch, axis, 1, held_axis), free);
}

double simple_shear(const Specimen& specimen, int direction, int normal, double amount) {
  Mat3d F = Mat3d::identity();
  F(direction, normal) = amount;
  return stress_of(specimen, F)(direction, normal);
}

}  // namespace isochor::reproduce
