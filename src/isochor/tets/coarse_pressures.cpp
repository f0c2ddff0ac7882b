#include "isochor/tets/coarse_pressures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace isochor::tets {
namespace {

/// Edge of the lattice, in mean distances of nodes. Iterations grow with it, and the direct solve
/// shrinks with its third power and more.
constexpr double kSpacing = 7;
constexpr std::size_t kLeastNodes = 500;

Vec3d to_double(const Vec3f& v) { return {v[0], v[1], v[2]}; }

}  // namespace

CoarsePressures::CoarsePressures(const Model& model) : model_(model) {
  if (model.node_count() < kLeastNodes) return;
  number(model);
  list_nodes();
  find_uses(model);
}

/// Functions body by body, layer by layer along the body's longest side: so the envelope of the
/// matrix is narrow.
void CoarsePressures::number(const Model& model) {
  using Key = std::array<std::int32_t, 3>;
  const auto distinct = [](std::vector<Key>& keys) {
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  };
  const auto find = [](const std::vector<Key>& keys, const Key& key) {
    return std::int32_t(std::ranges::lower_bound(keys, key) - keys.begin());
  };
  places_.resize(model.node_count());
  for (const BodyRange& body : model.bodies) {
    if (body.tet_count == 0) continue;
    const std::span<const Vec3d> nodes =
        std::span(model.rest_positions).subspan(body.first_node, body.node_count);
    double volume = 0;
    for (std::int32_t t = body.first_tet; t < body.first_tet + body.tet_count; ++t) {
      volume += model.volume[t];
    }
    const double edge = kSpacing * std::cbrt(volume / double(nodes.size()));
    const geometry::Bounds box = geometry::bounds_of(nodes);
    const Vec3d size = box.size();
    int axes[3] = {0, 1, 2};
    std::ranges::sort(axes, [&](int a, int b) { return size[a] > size[b]; });
    std::vector<Key> of_node(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (int a = 0; a < 3; ++a) {
        const double place = (nodes[i][axes[a]] - box.low[axes[a]]) / edge;
        of_node[i][a] = std::int32_t(std::floor(place));
        places_[body.first_node + i].along[a] = float(place - of_node[i][a]);
      }
    }
    std::vector<Key> cells = of_node;
    distinct(cells);
    const auto corner_of = [](Key cell, int corner) {
      for (int a = 0; a < 3; ++a) cell[a] += corner >> a & 1;
      return cell;
    };
    std::vector<Key> functions;
    for (const Key& cell : cells) {
      for (int corner = 0; corner < 8; ++corner) functions.push_back(corner_of(cell, corner));
    }
    distinct(functions);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      places_[body.first_node + i].cell = std::int32_t(corners_.size()) + find(cells, of_node[i]);
    }
    for (const Key& cell : cells) {
      std::array<std::int32_t, 8>& corners = corners_.emplace_back();
      for (int c = 0; c < 8; ++c) {
        corners[c] = std::int32_t(sums_.size()) + find(functions, corner_of(cell, c));
      }
    }
    sums_.resize(sums_.size() + functions.size());
  }
  cell_sums_.resize(corners_.size());
}

/// Nodes by cells, and cells by functions.
void CoarsePressures::list_nodes() {
  const auto turn = [](std::size_t count, std::size_t items, auto&& of, auto& first, auto& list) {
    first.assign(count + 1, 0);
    for (std::size_t i = 0; i < items; ++i) {
      if (of(i) >= 0) ++first[of(i) + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    list.resize(first.back());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < items; ++i) {
      if (of(i) >= 0) list[next[of(i)]++] = std::int32_t(i);
    }
  };
  std::vector<std::int32_t> nodes;
  turn(
      corners_.size(), places_.size(), [&](std::size_t i) { return places_[i].cell; },
      first_member_, nodes);
  for (const std::int32_t i : nodes) {
    const float(&along)[3] = places_[i].along;
    members_.push_back({i, {along[0], along[1], along[2]}});
  }
  turn(
      sums_.size(), 8 * corners_.size(), [&](std::size_t k) { return corners_[k / 8][k % 8]; },
      first_cell_, cells_);
}

CoarsePressures::Corners CoarsePressures::weights(const float (&along)[3]) {
  Corners out;
  for (int corner = 0; corner < 8; ++corner) {
    out[corner] = 1;
    for (int a = 0; a < 3; ++a) {
      out[corner] *= corner >> a & 1 ? double(along[a]) : 1 - double(along[a]);
    }
  }
  return out;
}

template <class F>
void CoarsePressures::sum_functions(F&& f, std::span<double> sums, ThreadArena& arena) {
  parallel_for(arena, corners_.size(), 1, [&](std::size_t cell) {
    Corners total{};
    for (std::int32_t k = first_member_[cell]; k < first_member_[cell + 1]; ++k) {
      const Member& member = members_[k];
      const Corners weight = weights(member.along);
      for (int c = 0; c < 8; ++c) total[c] += weight[c] * f(member.node, weight[c]);
    }
    cell_sums_[cell] = total;
  });
  for (std::size_t c = 0; c < sums.size(); ++c) {
    double sum = 0;
    for (std::int32_t k = first_cell_[c]; k < first_cell_[c + 1]; ++k) {
      sum += cell_sums_[cells_[k] / 8][cells_[k] % 8];
    }
    sums[c] = sum;
  }
}

/// Which functions push which nodes.
void CoarsePressures::find_uses(const Model& model) {
  const solve::BlockPattern& pattern = model.pattern;
  std::vector<std::int32_t> own, uses_per(sums_.size() + 1, 0), envelope(sums_.size());
  std::iota(envelope.begin(), envelope.end(), 0);
  for (std::size_t j = 0; j < model.node_count(); ++j) {
    const std::span<const std::int32_t> ring =
        std::span(pattern.columns)
            .subspan(pattern.first[j], pattern.first[j + 1] - pattern.first[j]);
    own.clear();
    const auto each_function = [&](auto&& f) {
      for (const std::int32_t i : ring) {
        if (places_[i].cell >= 0) std::ranges::for_each(corners_[places_[i].cell], f);
      }
    };
    each_function([&](std::int32_t c) { own.push_back(c); });
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    each_function([&](std::int32_t c) {
      slots_.push_back(std::uint16_t(std::ranges::lower_bound(own, c) - own.begin()));
    });
    first_slot_.push_back(std::int32_t(slots_.size()));
    for (const std::int32_t c : own) {
      ++uses_per[c + 1];
      envelope[c] = std::min(envelope[c], own.front());
    }
    columns_.insert(columns_.end(), own.begin(), own.end());
    first_column_.push_back(std::int32_t(columns_.size()));
  }
  slopes_.resize(columns_.size());
  std::partial_sum(uses_per.begin(), uses_per.end(), uses_per.begin());
  first_use_ = uses_per;
  uses_.resize(columns_.size());
  for (std::size_t j = 0; j < model.node_count(); ++j) {
    for (std::int32_t k = first_column_[j]; k < first_column_[j + 1]; ++k) {
      uses_[uses_per[columns_[k]]++] = {std::int32_t(j), k};
    }
  }
  cholesky_ = solve::EnvelopeCholesky(envelope);
}

void CoarsePressures::prepare(ReadPushes read, std::span<const double> inverse_mass,
                              std::span<const double> diagonal, double diagonal_part,
                              std::span<const contact::Row> contacts, ThreadArena& arena) {
  const solve::BlockPattern& pattern = model_.pattern;
  parallel_for(arena, model_.node_count(), 64, [&](std::size_t j) {
    Vec3d* const slope = slopes_.data() + first_column_[j];
    std::fill(slope, slopes_.data() + first_column_[j + 1], Vec3d{0, 0, 0});
    const std::uint16_t* slot = slots_.data() + first_slot_[j];
    constexpr std::int32_t kTogether = 64;
    Vec3f pushes[kTogether];
    const std::int32_t first = pattern.first[j], end = pattern.first[j + 1];
    for (std::int32_t k = first; k < end; ++k) {
      const std::int32_t in_part = (k - first) % kTogether;
      if (in_part == 0) read(k, std::span(pushes, std::min(kTogether, end - k)));
      const Place& place = places_[pattern.columns[k]];
      if (place.cell < 0) continue;
      const Corners weight = weights(place.along);
      const Vec3d push = to_double(pushes[in_part]);
      for (int c = 0; c < 8; ++c) slope[*slot++] += weight[c] * push;
    }
  });
  for (const contact::Row& row : contacts) {
    if (row.count != 1) continue;
    const std::int32_t j = row.points[0];
    for (std::int32_t k = first_column_[j]; k < first_column_[j + 1]; ++k) {
      slopes_[k] -= dot(row.normal, slopes_[k]) * row.normal;
    }
  }
  cholesky_.fill(0);
  sum_functions([&](std::int32_t i, double weight) { return weight * diagonal[i]; }, sums_, arena);
  parallel_for(arena, size(), 1, [&](std::size_t c) {
    for (std::int32_t u = first_use_[c]; u < first_use_[c + 1]; ++u) {
      const auto [j, place] = uses_[u];
      const Vec3d own = inverse_mass[j] * slopes_[place];
      for (std::int32_t k = first_column_[j]; k <= place; ++k) {
        cholesky_.entry(c, columns_[k]) += dot(own, slopes_[k]);
      }
    }
    cholesky_.entry(c, c) += diagonal_part * sums_[c];
  });
  cholesky_.factorise();
}

void CoarsePressures::precondition(std::span<const double> r, std::span<const double> diagonal,
                                   std::span<double> z, ThreadArena& arena) {
  sum_functions([&](std::int32_t i, double) { return r[i]; }, sums_, arena);
  cholesky_.solve(sums_);
  parallel_for(arena, corners_.size(), 1, [&](std::size_t cell) {
    for (int c = 0; c < 8; ++c) cell_sums_[cell][c] = sums_[corners_[cell][c]];
  });
  parallel_for(arena, z.size(), solve::kRowGrain, [&](std::size_t i) {
    const auto& [cell, along] = places_[i];
    z[i] = r[i] / diagonal[i];
    if (cell < 0) return;
    Corners value = cell_sums_[cell];
    for (int a = 2; a >= 0; --a) {
      for (int c = 0; c < 1 << a; ++c) {
        value[c] += double(along[a]) * (value[c + (1 << a)] - value[c]);
      }
    }
    z[i] += value[0];
  });
}

}  // namespace isochor::tets
