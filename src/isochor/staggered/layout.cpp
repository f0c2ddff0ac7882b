#include "isochor/staggered/layout.h"

#include <algorithm>

namespace isochor::staggered {
namespace {

struct Extent {
  std::int32_t begin = INT32_MAX, end = 0;
  bool empty() const { return end <= begin; }
  void join(const Extent& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
};

/// Where packs from its begin on reach.
std::int32_t packed_end(const Extent& extent) {
  constexpr std::int32_t kPack = Layout<3>::kPack;
  return extent.begin + (extent.end - extent.begin + kPack - 1) / kPack * kPack;
}

}  // namespace

template <int D>
Layout<D>::Layout(const Domain<D>& domain, bool finest) {
  std::size_t count = 1;
  for (int k = 0; k < D; ++k) {
    size[k] = domain.size[k] + 2 * kMargin;
    if (k > 0) count *= std::size_t(size[k]);
  }
  std::vector<Extent> own(count), known(count);
  std::vector<bool> present(count);
  domain.for_each([&](const Index<D>& cell) {
    const Cell label = domain.cells[domain.index(cell)];
    const Index<D> at = inside(cell);
    const Extent here{at[0], at[0] + 1};
    if (label != Cell::Exterior) present[row_of(at)] = true;
    if (label == Cell::Interior) own[row_of(at)].join(here);
    if (finest ? label == Cell::Interior : label != Cell::Exterior) known[row_of(at)].join(here);
  });
  for (std::size_t r = 0; r < count; ++r) {
    if (!own[r].empty()) rows.push_back({std::int32_t(r), own[r].begin, own[r].end});
  }
  // A row is read at the places of rows up to two away, in whole packs and two further on either
  // side; memory of its own has what is given next to it.
  std::vector<Extent> read(count);
  std::vector<bool> touches(count);
  const std::int64_t reach = D > 2 ? 2 : 0;
  for (std::size_t row = 0; row < count; ++row) {
    if (known[row].empty()) continue;
    for (std::int64_t dz = -reach; dz <= reach; ++dz) {
      for (std::int64_t dy = -2; dy <= 2; ++dy) {
        const std::size_t r = std::size_t(std::int64_t(row) + dy + dz * size[1]);
        read[r].join({known[row].begin - kMargin, known[row].end + kMargin});
        if (!own[row].empty()) read[r].join({own[row].begin, packed_end(own[row]) + kMargin});
        if (std::abs(dy) < 2 && std::abs(dz) < 2) touches[r] = present[r];
      }
    }
  }
  base.assign(count, 0);
  extents.resize(count);
  length = std::size_t(size[0] + kPack);
  for (std::size_t r = 0; r < count; ++r) {
    if (!touches[r]) continue;
    stored.push_back({std::int32_t(r), read[r].begin, read[r].end});
    extents[r] = {read[r].begin, read[r].end};
    base[r] = std::int64_t(length) - read[r].begin;
    length += std::size_t(read[r].end - read[r].begin);
  }
  rows.shrink_to_fit();
  stored.shrink_to_fit();
}

template struct Layout<2>;
template struct Layout<3>;

}  // namespace isochor::staggered
