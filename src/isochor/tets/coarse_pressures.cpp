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
  find_uses(model);
}

/// Functions body by body, layer by layer along the body's longest side: so the envelope of the
/// matrix is narrow.
void CoarsePressures::number(const Model& model) {
  using Key = std::array<std::int32_t, 3>;
  std::int32_t count = 0;
  for (const BodyRange& body : model.bodies) {
    const std::span<const Vec3d> nodes =
        std::span(model.rest_positions).subspan(body.first_node, body.node_count);
    if (body.tet_count == 0) {
      of_node_.first.resize(of_node_.first.size() + nodes.size(), of_node_.first.back());
      continue;
    }
    double volume = 0;
    for (std::int32_t t = body.first_tet; t < body.first_tet + body.tet_count; ++t) {
      volume += model.volume[t];
    }
    const double edge = kSpacing * std::cbrt(volume / double(nodes.size()));
    const geometry::Bounds box = geometry::bounds_of(nodes);
    const Vec3d size = box.size();
    int axes[3] = {0, 1, 2};
    std::ranges::sort(axes, [&](int a, int b) { return size[a] > size[b]; });
    std::vector<std::pair<Key, double>> terms;  // eight per node
    for (const Vec3d& x : nodes) {
      Key cell;
      double along[3];
      for (int a = 0; a < 3; ++a) {
        const double place = (x[axes[a]] - box.low[axes[a]]) / edge;
        cell[a] = std::int32_t(std::floor(place));
        along[a] = place - cell[a];
      }
      for (int corner = 0; corner < 8; ++corner) {
        Key key = cell;
        double weight = 1;
        for (int a = 0; a < 3; ++a) {
          const bool far = corner >> a & 1;
          key[a] += far;
          weight *= far ? along[a] : 1 - along[a];
        }
        terms.push_back({key, weight});
      }
    }
    std::vector<Key> keys;
    for (const auto& [key, weight] : terms) {
      if (weight > 0) keys.push_back(key);
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const auto& [key, weight] = terms[k];
      if (weight > 0) {
        const auto place = std::ranges::lower_bound(keys, key) - keys.begin();
        of_node_.terms.push_back({count + std::int32_t(place), float(weight)});
      }
      if (k % 8 == 7) of_node_.first.push_back(std::int32_t(of_node_.terms.size()));
    }
    count += std::int32_t(keys.size());
  }
  // The same by columns.
  of_function_.first.assign(count + 1, 0);
  for (const Term& term : of_node_.terms) ++of_function_.first[term.index + 1];
  std::partial_sum(of_function_.first.begin(), of_function_.first.end(),
                   of_function_.first.begin());
  of_function_.terms.resize(of_node_.terms.size());
  std::vector<std::int32_t> next(of_function_.first.begin(), of_function_.first.end() - 1);
  for (std::size_t i = 0; i + 1 < of_node_.first.size(); ++i) {
    for (const Term& term : of_node_.of(i)) {
      of_function_.terms[next[term.index]++] = {std::int32_t(i), term.weight};
    }
  }
  sums_.resize(count);
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
    for (const std::int32_t i : ring) {
      for (const Term& term : of_node_.of(i)) own.push_back(term.index);
    }
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const std::int32_t i : ring) {
      for (const Term& term : of_node_.of(i)) {
        slots_.push_back(std::uint16_t(std::ranges::lower_bound(own, term.index) - own.begin()));
      }
    }
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

void CoarsePressures::prepare(std::span<const Vec3f> push, std::span<const double> inverse_mass,
                              std::span<const double> diagonal, double diagonal_part,
                              std::span<const contact::Row> contacts, ThreadArena& arena) {
  const solve::BlockPattern& pattern = model_.pattern;
  parallel_for(arena, model_.node_count(), 64, [&](std::size_t j) {
    Vec3d* const slope = slopes_.data() + first_column_[j];
    std::fill(slope, slopes_.data() + first_column_[j + 1], Vec3d{0, 0, 0});
    const std::uint16_t* slot = slots_.data() + first_slot_[j];
    for (std::int32_t k = pattern.first[j]; k < pattern.first[j + 1]; ++k) {
      for (const Term& term : of_node_.of(pattern.columns[k])) {
        slope[*slot++] += double(term.weight) * to_double(push[k]);
      }
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
  parallel_for(arena, size(), 1, [&](std::size_t c) {
    for (std::int32_t u = first_use_[c]; u < first_use_[c + 1]; ++u) {
      const auto [j, place] = uses_[u];
      const Vec3d own = inverse_mass[j] * slopes_[place];
      for (std::int32_t k = first_column_[j]; k <= place; ++k) {
        cholesky_.entry(c, columns_[k]) += dot(own, slopes_[k]);
      }
    }
    for (const Term& term : of_function_.of(c)) {
      const double weight = term.weight;
      cholesky_.entry(c, c) += diagonal_part * weight * weight * diagonal[term.index];
    }
  });
  cholesky_.factorise();
}

void CoarsePressures::add_correction(std::span<const double> r, std::span<double> z,
                                     ThreadArena& arena) {
  constexpr std::size_t kGrain = 8;
  parallel_for(arena, size(), kGrain, [&](std::size_t c) {
    double sum = 0;
    for (const Term& term : of_function_.of(c)) sum += double(term.weight) * r[term.index];
    sums_[c] = sum;
  });
  cholesky_.solve(sums_);
  parallel_for(arena, z.size(), solve::kRowGrain, [&](std::size_t i) {
    double sum = 0;
    for (const Term& term : of_node_.of(i)) sum += double(term.weight) * sums_[term.index];
    z[i] += sum;
  });
}

}  // namespace isochor::tets
