#pragma once

#include <array>

#include "isochor/base/context.h"

/// The disc of [Zhu10 sec 9.2], whose deformation is known, in plane strain. Lengths in m, stresses
/// over the shear modulus.
namespace isochor::reproduce {

using PlanePoint = std::array<double, 2>;

/// [Zhu10 (17)], as a displacement, and what it takes.
struct DiscProblem {
  static constexpr double kRadius = 0.25, kMiddle = 0.5;
  double lambda_over_mu;

  static double displacement(const PlanePoint& x, int k);
  static double slope(const PlanePoint& x, int k, int j);
  double stress(const PlanePoint& x, int i, int j) const;
  double traction(const PlanePoint& x, const PlanePoint& normal, int i) const {
    return stress(x, i, 0) * normal[0] + stress(x, i, 1) * normal[1];
  }
  /// Divergence of the stress.
  double force(const PlanePoint& x, int i) const;
  static double from_middle(const PlanePoint& x);
  static bool inside(const PlanePoint& x) { return from_middle(x) < kRadius; }
  /// The quadrants to the left and right are held.
  static bool held(const PlanePoint& x);
};

/// How a grid of squares of size h meets the disc.
struct DiscGrid {
  int n = 32;                ///< squares per m
  double shift[2] = {0, 0};  ///< of the grid against the disc, in squares

  double h() const { return 1.0 / n; }
  /// From units of the grid.
  PlanePoint point(double x, double y) const {
    return {h() * (x - shift[0]), h() * (y - shift[1])};
  }
  double along(const PlanePoint& x, int k) const { return x[k] * n + shift[k]; }
  /// Whether the square from (x, y) on has a part of the disc, and of its outline.
  enum class Overlap { None, Outline, Full };
  Overlap overlap(int x, int y) const;
  /// With a part of the outline that is held.
  bool held(int x, int y) const {
    return overlap(x, y) == Overlap::Outline && DiscProblem::held(point(x + 0.5, y + 0.5));
  }
};

/// Over the largest displacement, at unknowns in the disc.
struct DiscErrors {
  double largest = 0, mean = 0;  ///< the latter of squares, its root
  double unknowns = 0;           ///< displacements
  int iterations = 0;
  double residual = 0;  ///< relative, of the linear system
};

/// The staggered grid: as published, where cells that the disc fills in part are as good as full;
/// or with their fractions, and a layer of almost empty cells around.
DiscErrors staggered_disc(const DiscGrid& grid, double poisson, bool fractions, Context& context);
/// Linear triangles, on a mesh that follows the outline, or halves of the grid's squares.
DiscErrors conforming_disc(int n, double poisson, Context& context);
DiscErrors embedded_disc(const DiscGrid& grid, double poisson, Context& context);
/// The grid's squares with the lattice's quadrature, one point and edges, by how full they are.
DiscErrors lattice_disc(const DiscGrid& grid, double poisson, Context& context);

}  // namespace isochor::reproduce
