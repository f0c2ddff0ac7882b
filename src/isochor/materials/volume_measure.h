#pragma once

#include <array>
#include <string_view>

namespace isochor::materials {

/// M(F), by which mixed formulations tell a change of volume [Patterson12 sec 2.1]: zero at rest,
/// with the identity as gradient. volume_laws.h has them.
enum class VolumeMeasure {
  Linear,     ///< tr(F - I), of linear elasticity, for small strains
  Corotated,  ///< sum of the singular values less 3
  Green,      ///< tr(E), E Green's strain
  LogJ,       ///< ln J, continued below J = 0.1
  J,          ///< J - 1
};
inline constexpr std::array<std::string_view, 5> kVolumeMeasureNames{"linear", "corotated", "green",
                                                                     "log_j", "j"};

}  // namespace isochor::materials
