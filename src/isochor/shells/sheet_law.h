#pragma once

#include <array>
#include <variant>

/// Thin sheets that resist stretching and bending: skin on a body, bands, cloth.
namespace isochor::shells {

/// Resists changes of area alone, both ways, as the penalty of tets does changes of volume: the
/// outermost layer of skin [Sheen21 (16)]. What lies beneath has to resist shearing.
struct AreaLaw {
  double lambda = 0;     ///< Pa
  double steepness = 1;  ///< gamma, of large changes
};

/// Rubber that keeps its volume by becoming thinner where it is stretched: neo-Hookean in plane
/// stress. Its Young's modulus is 3 mu.
struct RubberLaw {
  double mu = 0;  ///< shear modulus, Pa
};

/// Woven or knitted: St. Venant and Kirchhoff's law in plane stress with two directions.
struct ClothLaw {
  double young_along = 0, young_across = 0;  ///< Pa
  double poisson = 0;  ///< how much it narrows across where it is stretched along
  double shear = 0;    ///< Pa

  /// The same in all directions.
  static ClothLaw isotropic(double young, double poisson) {
    return {young, young, poisson, 0.5 * young / (1 + poisson)};
  }
};

using SheetLaw = std::variant<AreaLaw, RubberLaw, ClothLaw>;

/// Green's strain E in a sheet: E11, E22 and 2 E12.
using SheetStrain = std::array<double, 3>;

/// Energy per volume at rest, the second Piola-Kirchhoff stress and its derivative, Pa: the first
/// and second derivatives of the energy by the strain.
struct SheetResponse {
  double energy = 0;
  std::array<double, 3> stress{};
  std::array<std::array<double, 3>, 3> tangent{};
};
SheetResponse respond(const SheetLaw& law, const SheetStrain& strain);

/// What it resists with where it is not stretched yet, Pa; not less than any entry of the tangent.
double modulus_of(const SheetLaw& law);

}  // namespace isochor::shells
