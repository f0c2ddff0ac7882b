#pragma once

#include "isochor/staggered/model.h"

namespace isochor::staggered {

/// Cells of a level that are solved one by one, with the inverses of their matrices: faces that are
/// unknowns and the pressure, all else as it stands. Cells with the same weights around them
/// share one. Without inverses where cells turn: these are found as they are needed.
template <int D>
Band<D> make_band(const Level<D>& level, const Material& material,
                  const std::vector<Index<D>>& cells, Law law);

}  // namespace isochor::staggered
