#include "isochor/staggered/band.h"

#include <algorithm>
#include <functional>
#include <span>
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

/// The terms around a cell: of itself and of the cells before and behind it along each axis.
template <int D>
struct Terms {
  double fraction, beside[D][2], stretch[D][3], shear[kPairs<D>][4];
  bool active[kCellUnknowns<D>];

  explicit Terms(Surroundings<D> around) : fraction(around.weight()) {
    active[2 * D] = true;
    for (int i = 0; i < D; ++i) {
      for (double& a : stretch[i]) a = around.weight();
      for (double& f : beside[i]) f = around.weight();
      for (int side = 0; side < 2; ++side) active[2 * i + side] = around.active();
      for (int j = i + 1; j < D; ++j) {
        for (double& w : shear[i + j - 1]) w = around.weight();
      }
    }
  }
  /// What a pressure counts against a stretch: wherever that counts at all.
  double coupling(int axis, int cell) const {
    if (stretch[axis][cell] == 0) return 0;
    return cell == 1 ? fraction : beside[axis][cell / 2];
  }
  double mass(int face) const { return 0.5 * (fraction + beside[face / 2][face % 2]); }
  double pressure(double compressibility) const {
    double sum = fraction * compressibility;
    for (int i = 0; i < D; ++i) sum += stretch[i][1] == 0 ? 0.5 * fraction : 0;
    return sum;
  }
};

template <int D>
std::vector<double> cell_matrix(const Terms<D>& terms, const Coefficients<D, double>& k) {
  constexpr int kCount = kCellUnknowns<D>;
  std::vector<double> matrix(std::size_t(kCount) * kCount);
  const auto entry = [&](int row, int column) -> double& { return matrix[kCount * row + column]; };
  entry(2 * D, 2 * D) = terms.pressure(k.compressibility);
  for (int i = 0; i < D; ++i) {
    const double per_h = k.per_h[i], own = terms.stretch[i][1];
    for (int side = 0; side < 2; ++side) {
      const int f = 2 * i + side;
      entry(f, f) -=
          2 * per_h * per_h * (own + terms.stretch[i][2 * side]) + k.inertia * terms.mass(f);
      entry(f, f ^ 1) += 2 * per_h * per_h * own;
      entry(f, 2 * D) = entry(2 * D, f) = (side == 0 ? -1 : 1) * terms.coupling(i, 1) * per_h;
    }
    for (int j = i + 1; j < D; ++j) {
      for (int c = 0; c < 4; ++c) {
        // The shear of an edge is that of its two faces of this cell and of two others.
        const double weight = terms.shear[i + j - 1][c];
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
    if (terms.active[row]) continue;
    for (int n = 0; n < kCount; ++n) entry(row, n) = entry(n, row) = 0;
  }
  return matrix;
}

template <int D>
void add_class(const Terms<D>& terms, const Coefficients<D, double>& k,
               std::vector<float>& classes) {
  using Class = CellClass<D>;
  classes.resize(classes.size() + Class::kSize);
  float* const to = &classes[classes.size() - Class::kSize];
  for (int i = 0; i < D; ++i) {
    const double per_h = k.per_h[i];
    for (int c = 0; c < 3; ++c) {
      to[Class::stretch(i, c)] = float(2 * terms.stretch[i][c] * per_h * per_h);
      to[Class::coupling(i, c)] = float(terms.coupling(i, c) * per_h);
    }
    for (int j = i + 1; j < D; ++j) {
      for (int c = 0; c < 4; ++c) to[Class::shear(i, j, c)] = float(terms.shear[i + j - 1][c]);
    }
  }
  to[Class::kPressure] = float(terms.pressure(k.compressibility));
  for (int f = 0; f < 2 * D; ++f) to[Class::mass(f)] = float(k.inertia * terms.mass(f));
  const std::vector<double> inverse = inverted(cell_matrix<D>(terms, k), kCellUnknowns<D>);
  for (int row = 0; row < kCellUnknowns<D>; ++row) {
    for (int column = row; column < kCellUnknowns<D>; ++column) {
      to[Class::inverse(row, column)] = float(inverse[kCellUnknowns<D> * row + column]);
    }
  }
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

template <int D>
class Maker {
 public:
  Maker(const Level<D>& level, const Material& material, Law law)
      : level_(level), k_(level.template view<double>(material).k), law_(law) {}

  Band<D> make(const std::vector<Index<D>>& cells) {
    std::vector<Turn<D>> turns;
    for (const Index<D>& at : cells) turns.emplace_back(level_.layout, at);
    std::ranges::stable_sort(turns, {}, &Turn<D>::order);
    std::uint32_t colour = 0, patches = 0;
    for (std::size_t first = 0; first < turns.size();) {
      std::size_t last = first;
      while (last < turns.size() && turns[last].patch == turns[first].patch) ++last;
      for (; colour <= turns[first].patch_colour; ++colour) band_.colours[colour] = patches;
      const std::span<const Turn<D>> patch(&turns[first], last - first);
      law_ == Law::Corotated ? add_groups(patch) : add_patch(patch);
      ++patches;
      first = last;
    }
    for (; colour <= 1u << D; ++colour) band_.colours[colour] = patches;
    band_.count = turns.size();
    if (law_ == Law::Corotated) band_.starts.push_back(std::uint32_t(band_.groups.size()));
    band_.patches.shrink_to_fit();
    band_.packs.shrink_to_fit();
    band_.many.shrink_to_fit();
    band_.classes.shrink_to_fit();
    band_.cells.shrink_to_fit();
    band_.groups.shrink_to_fit();
    band_.starts.shrink_to_fit();
    return std::move(band_);
  }

 private:
  struct Member {
    std::int32_t place;
    std::uint32_t which;
  };

  void add_groups(std::span<const Turn<D>> turns) {
    band_.starts.push_back(std::uint32_t(band_.groups.size()));
    for (std::size_t n = 0; n < turns.size(); ++n) {
      if (n == 0 || turns[n].cell_colour != turns[n - 1].cell_colour) {
        band_.groups.push_back({std::uint32_t(band_.cells.size()), 0});
      }
      ++band_.groups.back().count;
      const Index<D>& at = turns[n].at;
      band_.cells.push_back({std::int32_t(level_.layout.row_of(at)), at[0]});
      if (n + 1 < turns.size() && turns[n].cell_colour == turns[n + 1].cell_colour) continue;
      while (band_.cells.size() % kWidestPack != 0) band_.cells.push_back(band_.cells.back());
    }
  }

  void add_patch(std::span<const Turn<D>> turns) {
    BandPatch<D> patch{turns[0].at, turns[0].at, {}, {}};
    for (const Turn<D>& turn : turns) {
      for (int k = 0; k < D; ++k) {
        patch.begin[k] = std::min(patch.begin[k], turn.at[k]);
        patch.end[k] = std::max(patch.end[k], turn.at[k] + 1);
      }
    }
    // The longest axis the closest, so that packs are filled; x where nothing is gained.
    for (int k = 0; k < D; ++k) patch.order[k] = std::uint8_t(k);
    std::ranges::stable_sort(patch.order, std::greater{},
                             [&](int k) { return patch.end[k] - patch.begin[k]; });
    const BandCopy<D> copy(patch);
    std::size_t n = 0;
    for (std::uint32_t colour = 0; colour < 1u << D; ++colour) {
      patch.packs[colour] = std::uint32_t(band_.packs.size());
      members_.clear();
      for (; n < turns.size() && turns[n].cell_colour == colour; ++n) {
        members_.push_back({copy.place(turns[n].at), class_of(turns[n].at)});
      }
      std::ranges::sort(members_, {}, &Member::place);
      for (std::size_t first = 0; first < members_.size();) {
        std::size_t last = first;
        while (last < members_.size() &&
               members_[last].place < members_[first].place + kWidestPack) {
          ++last;
        }
        add_packs(std::span<const Member>(&members_[first], last - first));
        first = last;
      }
    }
    patch.packs[1u << D] = std::uint32_t(band_.packs.size());
    band_.patches.push_back(patch);
  }

  /// Of cells that fit in one: one per class, or one for all of many.
  void add_packs(std::span<const Member> members) {
    constexpr std::size_t kFew = 4;
    const std::int32_t place = members[0].place;
    const auto bit = [&](const Member& m) { return std::uint16_t(1u << (m.place - place)); };
    std::vector<BandPack>& packs = band_.packs;
    const std::size_t first = packs.size();
    for (const Member& m : members) {
      std::size_t n = first;
      while (n < packs.size() && packs[n].which != m.which) ++n;
      if (n == packs.size()) packs.push_back({std::uint16_t(place), 0, m.which});
      packs[n].members |= bit(m);
    }
    if (packs.size() - first <= kFew) return;
    packs.resize(first);
    packs.push_back({std::uint16_t(place), 0, BandPack::kMany | std::uint32_t(band_.many.size())});
    band_.many.resize(band_.many.size() + kWidestPack);
    for (const Member& m : members) {
      packs.back().members |= bit(m);
      *(band_.many.end() - kWidestPack + (m.place - place)) = m.which;
    }
  }

  std::uint32_t class_of(const Index<D>& at) {
    const Surroundings<D> around(level_, at);
    const auto [found, made] = numbers_.try_emplace(around.key(), std::uint32_t(numbers_.size()));
    if (made) add_class<D>(Terms<D>(around), k_, band_.classes);
    return found->second;
  }

  const Level<D>& level_;
  const Coefficients<D, double> k_;
  const Law law_;
  Band<D> band_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<Member> members_;
};

}  // namespace

template <int D>
Band<D> make_band(const Level<D>& level, const Material& material,
                  const std::vector<Index<D>>& cells, Law law) {
  return Maker<D>(level, material, law).make(cells);
}

template Band<2> make_band(const Level<2>&, const Material&, const std::vector<Index<2>>&, Law);
template Band<3> make_band(const Level<3>&, const Material&, const std::vector<Index<3>>&, Law);

}  // namespace isochor::staggered
