#include "isochor/staggered/band.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "isochor/staggered/inverse.h"

namespace isochor::staggered {
namespace {

/// All weights that the matrix of a cell depends on, as bytes in a fixed order.
template <int D>
class Surroundings {
 public:
  Surroundings(const Level<D>& level, const Index<D>& at) {
    const Layout<D>& layout = level.layout;
    const auto add = [&](int kind, const Index<D>& cell) {
      key_.push_back(char(level.weights.bytes[kind * layout.length + layout.place(cell)]));
    };
    add(0, at);
    for (int i = 0; i < D; ++i) {
      for (const int by : {-1, 0, 1}) add(stretch_kind<D>(i), moved<D>(at, i, by));
      for (const int by : {-1, 1}) add(0, moved<D>(at, i, by));
      for (int side = 0; side < 2; ++side) {
        key_.push_back(
            char(level.weights.flags[layout.place(moved<D>(at, i, side))] >> (kActive + i) & 1));
      }
      for (int j = i + 1; j < D; ++j) {
        for (int c = 0; c < 4; ++c) {
          add(shear_kind<D>(i, j), moved<D>(moved<D>(at, i, c & 1), j, c >> 1));
        }
      }
    }
    read_ = 0;
  }
  const std::string& key() const { return key_; }
  /// The next one, in the order of the constructor.
  double weight() { return double(std::uint8_t(key_[read_++])) / kFullWeight; }
  bool active() { return key_[read_++] != 0; }

 private:
  std::string key_;
  std::size_t read_;
};

template <int D>
std::vector<double> cell_matrix(Surroundings<D> around, const Coefficients<D, double>& k) {
  constexpr int kCount = kCellUnknowns<D>;
  std::vector<double> matrix(kInverseSize<D>);
  const auto entry = [&](int row, int column) -> double& { return matrix[kCount * row + column]; };
  bool active[kCount] = {};
  active[2 * D] = true;
  const double full = around.weight();
  entry(2 * D, 2 * D) = full * k.compressibility;
  for (int i = 0; i < D; ++i) {
    const double per_h = k.per_h[i];
    const double below = around.weight(), own = around.weight(), above = around.weight();
    const double mass[2] = {0.5 * (full + around.weight()), 0.5 * (full + around.weight())};
    if (own == 0) entry(2 * D, 2 * D) += 0.5 * full;
    for (int side = 0; side < 2; ++side) {
      const int f = 2 * i + side;
      active[f] = around.active();
      entry(f, f) -=
          2 * per_h * per_h * (own + (side == 0 ? below : above)) + k.inertia * mass[side];
      entry(f, f ^ 1) += 2 * per_h * per_h * own;
      entry(f, 2 * D) = entry(2 * D, f) = (side == 0 ? -1 : 1) * (own > 0 ? full : 0) * per_h;
    }
    for (int j = i + 1; j < D; ++j) {
      for (int c = 0; c < 4; ++c) {
        // The shear of an edge is that of its two faces of this cell and of two others.
        const double weight = around.weight();
        const int f = 2 * i + (c & 1), g = 2 * j + (c >> 1);
        const double by_f = (c >> 1 ? -1 : 1) * k.per_h[j], by_g = (c & 1 ? -1 : 1) * per_h;
        entry(f, f) -= weight * by_f * by_f;
        entry(g, g) -= weight * by_g * by_g;
        entry(f, g) -= weight * by_f * by_g;
        entry(g, f) -= weight * by_f * by_g;
      }
    }
  }
  for (int row = 0; row < kCount; ++row) {
    if (active[row]) continue;
    for (int n = 0; n < kCount; ++n) entry(row, n) = entry(n, row) = 0;
  }
  return matrix;
}

/// Where a cell comes in the order of smoothing: colour of its patch, patch, colour of the cell.
template <int D>
struct Turn {
  std::uint32_t patch_colour = 0, cell_colour = 0;
  std::uint64_t patch = 0;
  Index<D> at;

  Turn(const Layout<D>& layout, const Index<D>& cell) : at(cell) {
    for (int k = D - 1; k >= 0; --k) {
      const std::int32_t n = cell[k] / kPatch;
      patch_colour = 2 * patch_colour + (n & 1);
      cell_colour = 2 * cell_colour + (cell[k] & 1);
      patch = patch * std::uint64_t(layout.size[k]) + std::uint64_t(n);
    }
  }
  auto order() const { return std::tuple(patch_colour, patch, cell_colour); }
};

}  // namespace

template <int D>
Band<D> make_band(const Level<D>& level, const Material& material,
                  const std::vector<Index<D>>& cells, Law law) {
  Band<D> band;
  const Coefficients<D, double> k = level.template view<double>(material).k;
  std::vector<Turn<D>> turns;
  for (const Index<D>& at : cells) turns.emplace_back(level.layout, at);
  std::ranges::stable_sort(turns, {}, &Turn<D>::order);
  std::unordered_map<std::string, std::uint32_t> numbers;
  const auto fill_pack = [&] {
    while (band.cells.size() % kWidestPack != 0) band.cells.push_back(band.cells.back());
  };
  std::uint32_t colour = 0;
  for (std::size_t n = 0; n < turns.size(); ++n) {
    const Turn<D>& turn = turns[n];
    if (n == 0 || turn.order() != turns[n - 1].order()) {
      fill_pack();
      const bool new_patch = n == 0 || turn.patch != turns[n - 1].patch;
      for (; colour <= turn.patch_colour; ++colour) {
        band.colours[colour] = std::uint32_t(band.patches.size());
      }
      if (new_patch) band.patches.push_back(std::uint32_t(band.groups.size()));
      band.groups.push_back({std::uint32_t(band.cells.size()), 0});
    }
    ++band.groups.back().count;
    if (law == Law::Corotated) {
      band.cells.push_back({std::int32_t(level.layout.row_of(turn.at)), turn.at[0], 0});
      continue;
    }
    const Surroundings<D> around(level, turn.at);
    const auto [found, made] = numbers.try_emplace(around.key(), std::uint32_t(numbers.size()));
    if (made) {
      for (const double entry : inverted(cell_matrix<D>(around, k), kCellUnknowns<D>)) {
        band.inverses.push_back(float(entry));
      }
    }
    band.cells.push_back({std::int32_t(level.layout.row_of(turn.at)), turn.at[0], found->second});
  }
  fill_pack();
  for (; colour <= 1u << D; ++colour) band.colours[colour] = std::uint32_t(band.patches.size());
  band.patches.push_back(std::uint32_t(band.groups.size()));
  band.cells.shrink_to_fit();
  band.groups.shrink_to_fit();
  return band;
}

template Band<2> make_band(const Level<2>&, const Material&, const std::vector<Index<2>>&, Law);
template Band<3> make_band(const Level<3>&, const Material&, const std::vector<Index<3>>&, Law);

}  // namespace isochor::staggered
