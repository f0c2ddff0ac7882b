#pragma once

#include <string>
#include <string_view>

namespace isochor::sim {

/// A bone or a muscle of a body: what its surface encloses, and what of it is in cells of the body
/// once overlaps are settled, m^3.
struct PartVolume {
  std::string name;
  std::string_view tissue;  ///< "bone" or "muscle"
  double enclosed = 0, in_cells = 0;
};

}  // namespace isochor::sim
