#pragma once

#include <span>
#include <vector>

#include "isochor/contact/contact_energy.h"
#include "isochor/shells/sheets.h"

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

struct Plane {
  Vec3d point, normal;
};

/// The plane across the middle of a band: through the mean of its area, along the axis of the tube
/// that it is, which is what its normals have least of.
Plane middle_of(std::span<const geometry::Triangle> band, std::span<const Vec3d> positions);

/// The length of a tape around that part of the triangles which a band encloses, in a plane across
/// the band, m: as girths are taken, straight over hollows. What is outside the band, another limb,
/// does not count. 0 where it encloses nothing.
double girth_within(std::span<const geometry::Triangle> band,
                    std::span<const geometry::Triangle> triangles, std::span<const Vec3d> positions,
                    const Plane& plane);

/// Pressure over triangles: mean by area, root mean square of the deviation from it, the most, Pa;
/// and the area, m^2.
struct PressureMeasure {
  double mean = 0, spread = 0, most = 0, area = 0;
};
PressureMeasure pressure_on(std::span<const geometry::Triangle> triangles,
                            std::span<const Vec3d> positions, std::span<const double> pressures);

/// Mean by area of the larger principal tension, of the triangles of sheets whose points begin at
/// `first` and are so many, N/m.
double mean_tension(const Sheets& sheets, const SheetConfiguration& at, std::int32_t first,
                    std::int32_t count);

/// Values at points as means over the triangles around them: what a sensor of that size feels. The
/// integral over all triangles is what it was. Points without triangles keep theirs.
std::vector<double> spread_out(std::span<const geometry::Triangle> triangles,
                               std::span<const Vec3d> positions, std::span<const double> values);

}  // namespace isochor::shells
