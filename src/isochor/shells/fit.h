#pragma once

#include <span>
#include <vector>

#include "isochor/contact/contact_energy.h"

/// How what is worn fits: what those who make garments and bandages measure.
namespace isochor::shells {

/// A millimetre of mercury, Pa.
inline constexpr double kMillimetreOfMercury = 133.322387415;

/// The pressure of contact at every point of the method, Pa: what barriers push it with along the
/// surface's normal over its part of the area; 0 off the surface.
std::vector<double> contact_pressures(std::span<const contact::Term> barriers,
                                      const contact::Surface& surface,
                                      std::span<const Vec3d> positions);
/// As of the positions last evaluated. Friction pushes along the surface and is left out.
std::vector<double> contact_pressures(contact::ContactEnergy& contact,
                                      std::span<const Vec3d> positions);

/// The length of the line in which a plane cuts triangles, m: of a body the girth.
double section_length(std::span<const geometry::Triangle> triangles,
                      std::span<const Vec3d> positions, const Vec3d& point, const Vec3d& normal);

/// Values at points as means over the triangles around them: what a sensor of that size feels. The
/// integral over all triangles is what it was. Points without triangles keep theirs.
std::vector<double> spread_out(std::span<const geometry::Triangle> triangles,
                               std::span<const Vec3d> positions, std::span<const double> values);

}  // namespace isochor::shells
