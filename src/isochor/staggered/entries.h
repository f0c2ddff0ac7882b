#pragma once

#include <functional>

#include "isochor/staggered/model.h"

namespace isochor::staggered {

/// Calls f(row, column, value) for all entries of a level's matrix among its unknowns that are not
/// zero, by places among the fields.
template <int D>
void for_each_entry(const Level<D>& level, const View<D, double>& view,
                    const std::function<void(std::size_t, std::size_t, double)>& f);

/// What adds to them where cells of a level turn on as faces move; the same entry may come several
/// times.
template <int D>
void for_each_spin_entry(const Level<D>& level, const View<D, double>& view,
                         const std::function<void(std::size_t, std::size_t, double)>& f);

}  // namespace isochor::staggered
