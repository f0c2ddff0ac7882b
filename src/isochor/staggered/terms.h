#pragma once

#include "isochor/staggered/shape.h"

/// How much the terms of the energy count on a level: 1 where there is nothing but material.
namespace isochor::staggered {

/// Of 2 F_ii^2 in a cell: nothing beside a free face.
template <int D>
double stretch_weight(const Shape<D>& shape, const Index<D>& cell, int axis);

/// Of (u_i,j + u_j,i)^2 at the lower edge of a cell: nothing where it touches the outside. A
/// displacement along a wall is given half a cell behind it, which on coarse levels is too far.
template <int D>
double shear_weight(const Shape<D>& shape, const Index<D>& cell, int i, int j);

/// Terms of a coarse level from those of the one before it, which must have the same material where
/// surfaces are oblique: there terms are left out that the labels of coarse cells know nothing of.
template <int D>
void find_terms(const Shape<D>& fine, Shape<D>& coarse);

}  // namespace isochor::staggered
