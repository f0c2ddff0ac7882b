#pragma once

#include <cstddef>
#include <cstdint>

namespace isochor::staggered {

/// Where a symmetric matrix has entries below its diagonal, row by row.
struct Envelope {
  std::size_t size = 0;
  const std::int32_t* first = nullptr;    ///< column that each row begins with
  const std::ptrdiff_t* start = nullptr;  ///< of rows among the entries
};

}  // namespace isochor::staggered
