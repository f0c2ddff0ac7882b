#pragma once

namespace isochor::reproduce {

/// The force with which two rigid plates without friction press an elastic ball of radius 1 and
/// Young's modulus 1 when each has come nearer to its middle by `approach`; by small strains, but
/// exact for a ball: neither contact is that of a half space, and each feels the other. By series
/// of Legendre polynomials (Lur'e 1964, Three-Dimensional Problems of the Theory of Elasticity) for
/// so many rings of even pressure; a contact goes up to 80 % of them.
double force_between_plates(double approach, double poisson, int rings = 40);

}  // namespace isochor::reproduce
