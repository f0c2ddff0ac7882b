#pragma once

#include "isochor/staggered/model.h"

namespace isochor::staggered {

/// Cells of a level that are solved one by one: faces that are unknowns and the pressure, all else
/// as it stands. Where cells turn their matrices are found as they are needed.
template <int D>
Band<D> make_band(const Level<D>& level, const Material& material,
                  const std::vector<Index<D>>& cells, Law law);

}  // namespace isochor::staggered
