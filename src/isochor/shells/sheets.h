#pragma once

#include <span>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/shells/membrane.h"

namespace isochor::shells {

/// A sheet over the points of a body, before it becomes part of a model.
struct SheetSpec {
  std::string name;
  std::vector<geometry::Triangle> triangles;  ///< of points of the body
  SheetLaw law;
  double thickness = 1e-3;  ///< m
  double density = 0;       ///< kg/m^3
  double bending = 0;       ///< flexural rigidity, N m
  /// Per triangle, the direction `along`, seen from its plane; none: that of its first edge.
  std::vector<Vec3d> directions{};
  /// Size without stretching, along and across, over that in the positions at rest. Below one, a
  /// sheet that fits its body's positions is tight.
  std::array<double, 2> rest_scale{1, 1};
};

/// A triangle with one strain: F = sum_i x_i gradients[i]^T, 3x2.
struct SheetTriangle {
  geometry::Triangle points;
  std::int32_t sheet = 0;  ///< in Sheets::laws and Sheets::scales
  std::array<std::array<double, 2>, 3> gradients{};
  double area = 0;    ///< m^2, without stretching
  double volume = 0;  ///< m^3: area times thickness
};

/// Two triangles with a common edge, points[0..1], and the points across it: points[2], [3].
struct Hinge {
  std::array<std::int32_t, 4> points;
  double angle = 0;      ///< at rest, rad
  double stiffness = 0;  ///< N m
};

/// All sheets of a model. Their energies are terms: triangles first, then hinges.
struct Sheets {
  std::vector<SheetLaw> laws;
  std::vector<std::array<double, 2>> scales;  ///< SheetSpec::rest_scale
  std::vector<SheetTriangle> triangles;
  std::vector<Hinge> hinges;
  /// Terms of point i: entries [first_use[i], [i + 1]) of `uses`, each 4 term + corner.
  std::vector<std::int32_t> first_use, uses;

  std::size_t term_count() const { return triangles.size() + hinges.size(); }
  std::size_t bytes() const;
};

/// Adds a sheet whose points are numbered from `first_point` on. A triangle without area, a number
/// that is no point, a law, thickness or scale that is not positive are input errors that name the
/// sheet; `place` says what it belongs to.
void append(const SheetSpec& spec, std::span<const Vec3d> rest_positions, std::int32_t first_point,
            const std::string& place, Sheets& sheets);

/// To be called after the last sheet.
void find_uses(Sheets& sheets, std::size_t point_count);

/// What the energy of sheets depends on.
struct SheetConfiguration {
  std::span<const Vec3d> positions;  ///< m
  /// Per sheet, how far its rest scale is in effect, from 0 (it fits as it is at rest) to 1; none:
  /// all are 1. By this a band becomes tight little by little.
  std::span<const double> tightening = {};
};

/// The terms of all triangles and hinges. The Hessian of a hinge leaves out how its angle curves,
/// so that it is definite as it is.
void evaluate(const Sheets& sheets, const SheetConfiguration& at, Detail detail,
              contact::Curvature curvature, ThreadArena& arena, std::vector<contact::Term>& terms);

/// The sum of the energies, J.
double energy_of(std::span<const contact::Term> terms);

/// Of a triangle as it is now.
struct SheetTension {
  std::array<double, 2> principal{};  ///< force per length across it, larger first, N/m
  Vec3d direction{0, 0, 0};           ///< of the first, of length one
  double area_ratio = 1;              ///< now over at rest
};
SheetTension tension(const Sheets& sheets, std::size_t triangle, const SheetConfiguration& at);

/// The angle between the triangles of a hinge, rad; 0: flat.
double hinge_angle(const contact::FourVectors& x);

}  // namespace isochor::shells
