#pragma once

#include "isochor/contact/term.h"
#include "isochor/shells/sheet_law.h"

namespace isochor::shells {

/// The deformation gradient of a sheet, 3x2, by its columns: where two directions of length one at
/// rest, at right angles to each other, are now.
using SheetGradient = std::array<Vec3d, 2>;

/// How much of an energy is asked for.
enum class Detail { Energy, Gradient, Hessian };

/// Energy per volume at rest with its derivatives by the columns of F, Pa.
struct MembraneResponse {
  double energy = 0;
  SheetGradient stress{};          ///< the first Piola-Kirchhoff stress, P = F S
  std::array<Mat3d, 4> hessian{};  ///< that of column a of the stress by column b of F: 2 a + b
};
MembraneResponse respond(const SheetLaw& law, const SheetGradient& F, Detail detail,
                         contact::Curvature curvature = contact::Curvature::Exact);

SheetStrain strain_of(const SheetGradient& F);

}  // namespace isochor::shells
