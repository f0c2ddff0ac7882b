#pragma once

#include <cmath>

#include "isochor/base/platform.h"

/// The operations that a kernel may use on a number, whatever its type. A pack type supplies the
/// same names by argument-dependent lookup; a kernel never branches on a value.
namespace isochor {

using std::abs;
using std::sqrt;

ISOCHOR_KERNEL float select(bool condition, float a, float b) { return condition ? a : b; }
ISOCHOR_KERNEL double select(bool condition, double a, double b) { return condition ? a : b; }
ISOCHOR_KERNEL float max(float a, float b) { return a > b ? a : b; }
ISOCHOR_KERNEL double max(double a, double b) { return a > b ? a : b; }
ISOCHOR_KERNEL float min(float a, float b) { return a < b ? a : b; }
ISOCHOR_KERNEL double min(double a, double b) { return a < b ? a : b; }

/// The type of one lane: what constants and tolerances depend on.
template <class T>
struct LaneOf {
  using type = T;
};
template <class T>
using Lane = typename LaneOf<T>::type;

}  // namespace isochor
