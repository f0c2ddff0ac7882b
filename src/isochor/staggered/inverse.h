#pragma once

#include <vector>

namespace isochor::staggered {

/// The inverse of a small matrix of n rows, by rows. An unknown that has no equation of its own
/// left, as the mean pressure of incompressible cells whose faces stand still, stays zero.
std::vector<double> inverted(std::vector<double> matrix, int n);

}  // namespace isochor::staggered
