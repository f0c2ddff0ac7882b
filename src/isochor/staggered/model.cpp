#include "isochor/staggered/model.h"

#include "isochor/base/error.h"
#include "isochor/staggered/band.h"

namespace isochor::staggered {
namespace {

template <int D>
std::size_t count_cells(const Layout<D>& layout) {
  std::size_t count = 0;
  for (const auto& row : layout.rows) count += std::size_t(row.end - row.begin);
  return count;
}

template <int D>
Level<D> make_level(const Shape<D>& shape, bool finest) {
  Layout<D> layout(shape.domain, finest);
  Weights<D> weights = make_weights(shape, layout);
  return {std::move(layout), std::move(weights), shape.domain.spacing, {}, {}, {}, {}, {}};
}

/// Minus the diagonal of the rows of displacements, which rotations do not change.
template <int D>
std::vector<float> turned_diagonals(const Level<D>& level, const Material& material) {
  const Layout<D>& layout = level.layout;
  std::vector<float> diagonals(D * layout.length);
  for (const auto& row : layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const Index<D> at = layout.coordinate(row, x);
      const auto weight = [&](int kind, const Index<D>& cell) {
        return double(level.weights.bytes[kind * layout.length + layout.place(cell)]) / kFullWeight;
      };
      for (int i = 0; i < D; ++i) {
        if (!(level.weights.flags[layout.place(at)] >> (kActive + i) & 1)) continue;
        const Index<D> below = moved<D>(at, i, -1);
        double sum = 0.5 * material.inertia / material.mu * (weight(0, at) + weight(0, below));
        for (int j = 0; j < D; ++j) {
          const int kind = j == i ? stretch_kind<D>(i) : shear_kind<D>(i, j);
          const Index<D> other = j == i ? below : moved<D>(at, j, 1);
          sum +=
              2 * (weight(kind, at) + weight(kind, other)) / (level.spacing[j] * level.spacing[j]);
        }
        diagonals[i * layout.length + layout.place(at)] = float(sum);
      }
    }
  }
  return diagonals;
}

/// Whether the next level swells: see Params::thin_entries.
template <int D>
bool is_thin(const Shape<D>& shape) {
  const auto cells = [](const Domain<D>& domain) {
    return double(std::ranges::count(domain.cells, Cell::Interior));
  };
  const Shape<D> coarse = coarsened(shape, false);
  return (1 << D) * cells(coarse.domain) > Params::kThin * cells(shape.domain);
}

/// What Params::extra_sweeps go over.
template <int D>
void add_relocated(const Domain<D>& fine, const Domain<D>& coarse, const Model<D>& model,
                   Level<D>& level) {
  const std::vector<std::uint8_t> marks = relocated(fine, coarse);
  std::vector<Index<D>> cells;
  level.relocated_bits.resize(level.layout.length);
  fine.for_each([&](const Index<D>& cell) {
    const std::uint8_t mark = marks[fine.index(cell)];
    if (mark == 0) return;
    const Index<D> at = level.layout.inside(cell);
    level.relocated_bits[level.layout.place(at)] = mark;
    cells.push_back(at);
  });
  if (model.params.smoother == Smoother::Best) {
    level.relocated = make_band(level, model.material, cells, model.params.law);
  }
}

}  // namespace

Material Material::from_poisson(double young, double poisson) {
  const double mu = young / (2 + 2 * poisson);
  // mu / lambda = (1 - 2 nu) / (2 nu); no Poisson's ratio at all is no lambda.
  if (!(poisson > 0)) {
    throw Error(Fault::Input, "poisson", "the staggered method needs a positive Poisson's ratio",
                "use a small one, or another method");
  }
  return {.mu = mu, .compressibility = (1 - 2 * poisson) / (2 * poisson)};
}

template <int D>
template <class T>
View<D, T> Level<D>::view(const Material& material, double relaxation) const {
  View<D, T> view{layout.base.data(),
                  layout.rows.data(),
                  layout.size[1],
                  std::int64_t(layout.length),
                  weights.bytes.data(),
                  weights.flags.data(),
                  {}};
  for (int k = 0; k < D; ++k) view.k.per_h[k] = T(1 / spacing[k]);
  view.k.compressibility = T(material.compressibility);
  view.k.inertia = T(material.inertia / material.mu);
  view.k.relaxation = T(relaxation);
  view.diagonals = diagonals.data();
  return view;
}

template <int D>
std::size_t Level<D>::bytes() const {
  return layout.bytes() + weights.bytes.capacity() + weights.flags.capacity() * 2 + band.bytes() +
         relocated.bytes() + relocated_bits.capacity() + comparator.bytes() +
         diagonals.capacity() * sizeof(float);
}

template <int D>
std::size_t Band<D>::bytes() const {
  return patches.capacity() * sizeof(BandPatch<D>) + packs.capacity() * sizeof(BandPack) +
         many.capacity() * sizeof(many[0]) + classes.capacity() * sizeof(float) +
         cells.capacity() * sizeof(BandCell) + groups.capacity() * sizeof(BandGroup) +
         starts.capacity() * sizeof(starts[0]);
}

template <int D>
std::size_t Model<D>::bytes() const {
  std::size_t sum = coarsest.bytes();
  for (const Level<D>& level : levels) sum += level.bytes();
  return sum;
}

template <int D>
Model<D> build_model(Domain<D> domain, const Material& material, const Params& params,
                     const std::string& place) {
  check(domain, place);
  if (params.smoother != Smoother::Best && !(material.compressibility > 0)) {
    throw Error(Fault::Input, place,
                "the published smoother divides by the compressibility, which is zero",
                "use the best variant, or a Poisson's ratio below 0.5");
  }
  if (params.law == Law::Corotated && params.boundary != Boundary::Own) {
    throw Error(Fault::Input, place, "boxes and projections are there for linear elasticity alone",
                "use the smoother's own treatment of the boundary, or linear elasticity");
  }
  Model<D> model{material, params, {}, {}, {}};
  Shape<D> shape = finest_shape(std::move(domain));
  for (;;) {
    model.levels.push_back(make_level(shape, model.levels.empty()));
    Level<D>& level = model.levels.back();
    // No use to order what is too large in any order.
    const std::size_t most = std::size_t(std::max(params.direct_entries, params.thin_entries));
    if (count_cells(level.layout) < most / 32) {
      const bool turns = params.law == Law::Corotated;
      EliminationOrder<D> order(level, turns);
      const std::size_t entries = order.entries();
      if (entries <= std::size_t(params.direct_entries) || (entries <= most && is_thin(shape))) {
        if (turns) {
          model.order = std::move(order);
        } else {
          const View<D, double> view = level.template view<double>(material);
          model.coarsest = Coarsest<D>(level, view, false, std::move(order));
        }
        return model;
      }
    }
    if (params.law == Law::Corotated) level.diagonals = turned_diagonals(level, material);
    if (params.boundary != Boundary::Own) {
      level.comparator = Comparator<D>(level, material, params.boundary);
    } else if (params.smoother == Smoother::Best) {
      level.band = make_band(level, material,
                             find_band(level.layout, level.weights, params.band_width), params.law);
    }
    Shape<D> coarse = coarsened(shape, params.measured);
    if (params.extra_sweeps > 0) add_relocated(shape.domain, coarse.domain, model, level);
    shape = std::move(coarse);
  }
}

template struct Band<2>;
template struct Band<3>;
template struct Level<2>;
template struct Level<3>;
template View<2, float> Level<2>::view(const Material&, double) const;
template View<3, float> Level<3>::view(const Material&, double) const;
template View<2, double> Level<2>::view(const Material&, double) const;
template View<3, double> Level<3>::view(const Material&, double) const;
template struct Model<2>;
template struct Model<3>;
template Model<2> build_model(Domain<2>, const Material&, const Params&, const std::string&);
template Model<3> build_model(Domain<3>, const Material&, const Params&, const std::string&);

}  // namespace isochor::staggered
