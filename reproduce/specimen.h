#pragma once

#include <array>
#include <optional>

#include "isochor/materials/parameters.h"
#include "isochor/math/mat3.h"

/// A cube of one material in a test machine: homogeneous deformations of any law of the registry,
/// in the axes of the law, with stress-free faces where the machine does not touch it.
namespace isochor::reproduce {

/// A law with its numbers.
struct Specimen {
  int law = 0;  ///< index in materials::Laws
  materials::Parameters<double> parameters{};
};

/// `shape` as laws see it: pressures in multiples of mu, angles as cosines.
Specimen make_specimen(int law, double mu, double kappa,
                       const std::array<double, materials::kMaxShape>& shape = {},
                       double activation = 0);

/// A state of the cube that is stretched along its axes.
struct Stretched {
  Vec3d stretch;
  Vec3d nominal;  ///< force per rest area, Pa

  double cauchy(int axis) const;  ///< force per area as it is now, Pa
};

/// Finds the stretches along the `free` axes that leave their faces without stress. `start` has the
/// stretches along the other axes and a first guess for these. Nothing where there is no such state
/// short of turning the cube inside out.
std::optional<Stretched> release(const Specimen& specimen, const Vec3d& start,
                                 const std::array<bool, 3>& free);

/// Pulled along one axis.
std::optional<Stretched> uniaxial(const Specimen& specimen, int axis, double stretch);
/// Pulled alike along two axes, free along the third.
std::optional<Stretched> equibiaxial(const Specimen& specimen, int free_axis, double stretch);
/// Pulled along one axis, held at its width along another.
std::optional<Stretched> pure_shear(const Specimen& specimen, int axis, int held_axis,
                                    double stretch);

/// x = X + amount Y along `direction`, Y being measured along `normal`: the shear stress, Pa.
double simple_shear(const Specimen& specimen, int direction, int normal, double amount);

}  // namespace isochor::reproduce
