#include "isochor/staggered/band.h"

#include <gtest/gtest.h>
#include <numeric>

#include "isochor/math/isa.h"
#include "isochor/staggered/entries.h"
#include "isochor/staggered/inverse.h"
#include "isochor/staggered/kernels.h"
#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

/// Cells of all labels, some of them not full.
template <int D>
Model<D> random_model(const Index<D>& size, bool fractions, double inertia) {
  Spacing<D> spacing;
  for (int k = 0; k < D; ++k) spacing[k] = 1 + 0.25 * k;
  Domain<D> domain = naive::random_domain<D>(size, spacing, 5);
  if (fractions) {
    std::mt19937 generator(7);
    for (std::size_t n = 0; n < domain.cells.size(); ++n) {
      domain.fraction.push_back(float(64 + generator() % 65) / 128);
    }
  }
  return build_model<D>(std::move(domain), {.mu = 1, .compressibility = 0.02, .inertia = inertia},
                        {.direct_entries = 30000}, "test");
}

using Numbers = std::vector<float>;

/// One sweep over the band by kernels.
template <int D>
Numbers smoothed(const Model<D>& model, Numbers u, const Numbers& b, Isa isa) {
  const Level<D>& level = model.levels[0];
  const Band<D>& band = level.band;
  const BandPass<D> pass{level.template view<float>(model.material),
                         level.layout.extents.data(),
                         band.patches.data(),
                         band.packs.data(),
                         band.many.data(),
                         band.classes.data(),
                         u.data(),
                         b.data()};
  const RowRange all{0, std::int64_t(band.patches.size())};
  ISOCHOR_CALL_KERNEL(isa, smooth_patches_kernel(pass, all));
  return u;
}

/// The same cell by cell, with rows of the assembled matrix in double precision: colours of
/// patches, patches, colours of cells; cells of a colour all see what stood before.
template <int D>
std::vector<double> solved_one_by_one(const Model<D>& model, std::vector<double> u,
                                      const std::vector<double>& b) {
  const Level<D>& level = model.levels[0];
  const Layout<D>& layout = level.layout;
  std::vector<std::map<std::size_t, double>> rows(u.size());
  for_each_entry<D>(
      level, level.template view<double>(model.material),
      [&](std::size_t row, std::size_t column, double value) { rows[row][column] += value; });
  std::map<std::array<int, 3>, std::vector<Index<D>>> groups;
  for (const Index<D>& at : find_band(layout, level.weights, model.params.band_width)) {
    std::array<int, 3> turn{};
    for (int k = D - 1; k >= 0; --k) {
      turn[0] = 2 * turn[0] + at[k] / kPatch % 2;
      turn[1] = 100 * turn[1] + at[k] / kPatch;
      turn[2] = 2 * turn[2] + at[k] % 2;
    }
    groups[turn].push_back(at);
  }
  for (const auto& [turn, cells] : groups) {
    const std::vector<double> before = u;
    for (const Index<D>& at : cells) {
      std::vector<std::size_t> members;
      for (int f = 0; f < kCellUnknowns<D>; ++f) {
        const int component = f / 2;
        const std::size_t place = layout.place(component < D ? moved<D>(at, component, f % 2) : at);
        if (level.weights.flags[place] >> (kActive + component) & 1) {
          members.push_back(component * layout.length + place);
        }
      }
      const std::size_t count = members.size();
      std::vector<double> matrix(count * count), r(count);
      for (std::size_t i = 0; i < count; ++i) {
        r[i] = b[members[i]];
        for (const auto& [column, value] : rows[members[i]]) r[i] -= value * before[column];
        for (std::size_t j = 0; j < count; ++j) {
          const auto found = rows[members[i]].find(members[j]);
          if (found != rows[members[i]].end()) matrix[count * i + j] = found->second;
        }
      }
      const std::vector<double> inverse = inverted(matrix, int(count));
      for (std::size_t i = 0; i < count; ++i) {
        u[members[i]] += std::inner_product(r.begin(), r.end(), &inverse[count * i], 0.0);
      }
    }
  }
  return u;
}

template <int D>
void expect_cells_solved(const Model<D>& model) {
  const std::vector<double> u = naive::random_unknowns(model, 1),
                            b = naive::random_unknowns(model, 2);
  const std::vector<double> expected = solved_one_by_one(model, u, b);
  double changed = 0;
  std::vector<Numbers> of_isas;
  for (const Isa isa : available_isas()) {
    const Numbers now =
        smoothed<D>(model, Numbers(u.begin(), u.end()), Numbers(b.begin(), b.end()), isa);
    double off = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      off = std::max(off, std::abs(double(now[i]) - expected[i]));
      changed = std::max(changed, std::abs(expected[i] - u[i]));
    }
    EXPECT_LT(off, 2e-5 * changed) << name(isa);
    of_isas.push_back(now);
  }
  EXPECT_GT(changed, 1);
  // AVX2 and AVX-512 have the same bits.
  if (of_isas.size() == 3) {
    EXPECT_EQ(of_isas[1], of_isas[2]);
  }
}

TEST(StaggeredBand, CellsAreSolvedOneByOne) {
  // Boxes that are short along each axis in turn, over several patches along the others.
  expect_cells_solved(random_model<3>({19, 17, 4}, false, 0));
  expect_cells_solved(random_model<3>({4, 19, 17}, false, 0.3));
  expect_cells_solved(random_model<3>({17, 4, 19}, false, 0));
  expect_cells_solved(random_model<2>({70, 23}, false, 0.3));
}

TEST(StaggeredBand, CellsThatAreNotFullAreSolvedToo) {
  // With inertia, as some hang on nothing else.
  expect_cells_solved(random_model<3>({18, 9, 18}, true, 0.2));
  expect_cells_solved(random_model<2>({40, 35}, true, 0.2));
}

TEST(StaggeredBand, FlatWallsHaveFewClasses) {
  const Model<3> model =
      build_model<3>(naive::box<3>(32, false), Material::from_poisson(1, 0.49), {}, "box");
  const Band<3>& band = model.levels[0].band;
  EXPECT_EQ(band.count, 32u * 32 * 32 - 28u * 28 * 28);
  EXPECT_TRUE(band.many.empty());
  // No more than five places per axis differ: two layers at each end, and what is between.
  EXPECT_LE(band.classes.size(), 125u * CellClass<3>::kSize);
  std::size_t members = 0;
  for (const BandPack& pack : band.packs) members += std::size_t(__builtin_popcount(pack.members));
  EXPECT_EQ(members, band.count);
}

}  // namespace
}  // namespace isochor::staggered
