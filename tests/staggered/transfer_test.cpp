#include <gtest/gtest.h>
#include <optional>

#include "isochor/math/isa.h"
#include "isochor/staggered/kernels.h"
#include "tests/staggered/naive.h"

namespace isochor::staggered {
namespace {

/// Interpolation axis by axis as documented in transfer_kernel.cpp, one number at a time.
template <int D>
struct Interpolation {
  const Level<D>& coarse;
  const std::vector<float>& from;
  int component;
  Index<D> fine;

  std::optional<double> at(int axis, Index<D> place) const {
    if (axis < 0) {
      const std::size_t n = coarse.layout.place(place);
      if (!(coarse.weights.flags[n] >> (kKnown + component) & 1)) return {};
      return double(from[component * coarse.layout.length + n]);
    }
    const std::int32_t parent = (fine[axis] + Layout<D>::kMargin) / 2;
    const bool odd = fine[axis] & 1;
    const auto beside = [&](std::int32_t n) {
      place[axis] = n;
      return at(axis - 1, place);
    };
    const std::optional<double> near = beside(parent);
    if (component == D || (component == axis && !odd)) return near;
    const bool halfway = component == axis;
    const int by = odd ? 1 : -1;
    const std::optional<double> far = beside(parent + by);
    if (!near) return far;
    if (far) return *near + (halfway ? 0.5 : 0.25) * (*far - *near);
    const std::optional<double> behind = beside(parent - by);
    return halfway || !behind ? near : *near + 0.25 * (*near - *behind);
  }
};

template <int D>
void expect_interpolated(const Domain<D>& domain) {
  const Model<D> model =
      build_model<D>(domain, Material::from_poisson(1, 0.4), {.direct_entries = 3000}, "test");
  ASSERT_GT(model.levels.size(), 1u);
  const Level<D>&fine = model.levels[0], &coarse = model.levels[1];
  std::vector<float> from((D + 1) * coarse.layout.length);
  std::mt19937 generator(3);
  for (const auto& row : coarse.layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const std::size_t place = coarse.layout.place(coarse.layout.coordinate(row, x));
      for (int k = 0; k <= D; ++k) {
        if (!(coarse.weights.flags[place] >> (kActive + k) & 1)) continue;
        from[k * coarse.layout.length + place] = float(generator() % 2001) / 1000 - 1;
      }
    }
  }
  std::vector<std::vector<float>> of_isas;
  for (const Isa isa : available_isas()) {
    std::vector<float> to((D + 1) * fine.layout.length);
    const TransferPass<D> pass{fine.template view<float>(model.material),
                               coarse.template view<float>(model.material), from.data(), to.data()};
    const RowRange rows{0, std::int64_t(fine.layout.rows.size())};
    ISOCHOR_CALL_KERNEL(isa, prolong_kernel(pass, rows));
    for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
      const Interpolation<D> naive{coarse, from, k, Layout<D>::inside(cell)};
      EXPECT_NEAR(double(to[place]), naive.at(D - 1, {}).value_or(0), 1e-6);
    });
    of_isas.push_back(std::move(to));
  }
  for (const auto& numbers : of_isas) EXPECT_EQ(numbers, of_isas[0]);
}

TEST(StaggeredTransfer, InterpolationGoesOnBeyondTheLastNumbers) {
  expect_interpolated(naive::box<3>(18, false));
  expect_interpolated(naive::random_domain<3>({21, 10, 9}, {1, 1, 1}, 3));
  expect_interpolated(naive::box<2>(150, true));
  expect_interpolated(naive::random_domain<2>({150, 40}, {1, 1}, 4));
}

}  // namespace
}  // namespace isochor::staggered
