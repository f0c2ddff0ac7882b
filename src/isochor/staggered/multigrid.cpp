#include "isochor/staggered/multigrid.h"

#include <algorithm>
#include <limits>

#include "isochor/math/flush_denormals.h"
#include "isochor/math/isa.h"
#include "isochor/staggered/kernels.h"

namespace isochor::staggered {
namespace {

/// Numbers of work that are worth a thread.
constexpr std::size_t kGrain = 8192;

template <int D, class F>
void for_rows(const Layout<D>& layout, ThreadArena& arena, F&& f) {
  const std::size_t grain = std::max<std::size_t>(1, kGrain / std::size_t(layout.size[0]));
  arena.for_chunks(layout.rows.size(), grain, [&](std::size_t begin, std::size_t end) {
    const FlushDenormals flush;
    f(RowRange{std::int64_t(begin), std::int64_t(end)});
  });
}

/// Adds the time that it lives to a phase, where anybody wants to know.
class PhaseTimer {
 public:
  PhaseTimer(PhaseTimes* times, Phase phase)
      : times_(times), phase_(phase), start_(times ? times->now() : 0) {}
  ~PhaseTimer() {
    if (times_) times_->seconds[std::size_t(phase_)] += times_->now() - start_;
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  PhaseTimes* const times_;
  const Phase phase_;
  const double start_;
};

}  // namespace

template <int D>
MultigridMemory<D>::MultigridMemory(const Model<D>& model)
    : direct(std::max(model.coarsest.size(), model.order.places.size())) {
  for (const auto& level : model.levels) {
    const std::size_t size = (D + 1) * level.layout.length;
    const bool turns = model.params.law == Law::Corotated;
    levels.push_back({std::vector<float>(size), std::vector<float>(size), std::vector<float>(size),
                      std::vector<float>(turns ? kPairs<D> * level.layout.length : 0),
                      std::vector<float>(turns ? size : 0)});
  }
}

template <int D>
std::size_t MultigridMemory<D>::bytes() const {
  std::size_t sum = direct.capacity() * sizeof(double);
  for (const Level& level : levels) {
    sum += (level.u.capacity() + level.b.capacity() + level.r.capacity() + level.spins.capacity() +
            level.turned.capacity()) *
           sizeof(float);
  }
  return sum;
}

template <int D>
View<D, float> Multigrid<D>::view(std::size_t l) const {
  auto view = model_.levels[l].template view<float>(model_.material, model_.params.relaxation);
  if (turns_) view.turns = turns_->cycles[l].data();
  return view;
}

template <int D>
void Multigrid<D>::find_residual(std::size_t l, int bit, bool pressures_only) {
  auto& level = memory_.levels[l];
  const ResidualPass<D, float> pass{view(l), level.u.data(), right(l), level.r.data(),
                                    bit,     pressures_only};
  for_rows(model_.levels[l].layout, arena_, [&](const RowRange& rows) {
    if (turns_) {
      ISOCHOR_CALL_KERNEL(best_isa(), turned_residual_kernel(pass, rows));
    } else {
      ISOCHOR_CALL_KERNEL(best_isa(), residual_kernel(pass, rows));
    }
  });
}

template <int D>
void Multigrid<D>::find_spins(std::size_t l) {
  if (!spin()) return;
  auto& level = memory_.levels[l];
  const SpinPass<D, float> pass{view(l), level.u.data(), level.spins.data(), level.b.data(),
                                level.turned.data()};
  const Layout<D>& layout = model_.levels[l].layout;
  for_rows(layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), find_spins_kernel(pass, rows));
  });
  for_rows(layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), apply_spins_kernel(pass, rows));
  });
}

template <int D>
void Multigrid<D>::smooth_interior(std::size_t l) {
  find_residual(l, kPlain);
  auto& level = memory_.levels[l];
  const DistributePass<D> pass{view(l), level.u.data(), level.r.data()};
  for_rows(model_.levels[l].layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), distribute_displacements_kernel(pass, rows));
  });
  for_rows(model_.levels[l].layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), distribute_pressures_kernel(pass, rows));
  });
}

template <int D>
void Multigrid<D>::smooth_turned_interior(std::size_t l) {
  auto& level = memory_.levels[l];
  const Layout<D>& layout = model_.levels[l].layout;
  const DistributePass<D> pass{view(l), level.u.data(), level.r.data()};
  find_residual(l, kPlain);
  for_rows(layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), turn_displacements_kernel(pass, rows));
  });
  find_residual(l, kPlain, true);
  for_rows(layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), turn_potentials_kernel(pass, rows));
  });
  for_rows(layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), turn_distribute_kernel(pass, rows));
  });
}

template <int D>
void Multigrid<D>::smooth_band(std::size_t l, const Band<D>& band, int sweeps) {
  auto& level = memory_.levels[l];
  const auto for_patches = [&](int colour, auto&& f) {
    const std::size_t first = band.colours[colour];
    arena_.for_chunks(band.colours[colour + 1] - first, 1, [&](std::size_t begin, std::size_t end) {
      const FlushDenormals flush;
      f(RowRange{std::int64_t(first + begin), std::int64_t(first + end)});
    });
  };
  if (!turns_) {
    const BandPass<D> pass{view(l),
                           model_.levels[l].layout.extents.data(),
                           band.patches.data(),
                           band.packs.data(),
                           band.many.data(),
                           band.classes.data(),
                           level.u.data(),
                           right(l),
                           sweeps};
    for (int colour = 0; colour < 1 << D && sweeps > 0; ++colour) {
      for_patches(colour, [&](const RowRange& patches) {
        ISOCHOR_CALL_KERNEL(best_isa(), smooth_patches_kernel(pass, patches));
      });
    }
    return;
  }
  const TurnedBandPass<D> pass{
      view(l), band.cells.data(), band.groups.data(), band.starts.data(), level.u.data(), right(l)};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int turn = 0; turn < 1 << D; ++turn) {
      // Every other sweep goes back.
      for_patches(sweep % 2 == 0 ? turn : (1 << D) - 1 - turn, [&](const RowRange& patches) {
        ISOCHOR_CALL_KERNEL(best_isa(), turned_patches_kernel(pass, patches));
      });
    }
  }
}

template <int D>
void Multigrid<D>::smooth_as_published(std::size_t l, PublishedPart part, int sweeps,
                                       const std::uint8_t* only) {
  auto& level = memory_.levels[l];
  const PublishedPass<D> pass{view(l),       std::int64_t(model_.levels[l].layout.rows.size()),
                              part,          sweeps,
                              only,          level.u.data(),
                              level.b.data()};
  const FlushDenormals flush;
  ISOCHOR_CALL_KERNEL(best_isa(), published_smooth_kernel(pass));
}

template <int D>
void Multigrid<D>::smooth_boundary(std::size_t l) {
  const PhaseTimer timer(times_, Phase::Boundary);
  const Params& params = model_.params;
  if (params.boundary != Boundary::Own) {
    auto& level = memory_.levels[l];
    for (int sweep = 0; sweep < params.band_sweeps; ++sweep) {
      model_.levels[l].comparator.sweep(level.b.data(), level.u.data());
    }
  } else if (params.smoother == Smoother::Best) {
    smooth_band(l, model_.levels[l].band, params.band_sweeps);
  } else {
    smooth_as_published(l, PublishedPart::Boundary, params.band_sweeps);
  }
}

template <int D>
void Multigrid<D>::smooth_inside(std::size_t l) {
  const PhaseTimer timer(times_, Phase::Interior);
  if (turns_) {
    smooth_turned_interior(l);
  } else if (model_.params.smoother == Smoother::Best) {
    smooth_interior(l);
  } else {
    smooth_as_published(l, PublishedPart::Interior, 1);
  }
}

template <int D>
void Multigrid<D>::smooth(std::size_t l) {
  if (model_.params.smoother == Smoother::Unaugmented) {
    return smooth_as_published(l, PublishedPart::Everywhere, 1);
  }
  // Spins follow smoothing: short waves turn cells by little.
  find_spins(l);
  smooth_boundary(l);
  find_spins(l);
  smooth_inside(l);
  find_spins(l);
  smooth_boundary(l);
}

template <int D>
void Multigrid<D>::smooth_relocated(std::size_t l) {
  const Params& params = model_.params;
  const Level<D>& level = model_.levels[l];
  if (params.extra_sweeps == 0) return;
  const PhaseTimer timer(times_, Phase::Boundary);
  if (params.smoother == Smoother::Best) {
    smooth_band(l, level.relocated, params.extra_sweeps);
  } else {
    smooth_as_published(l, PublishedPart::Boundary, params.extra_sweeps,
                        level.relocated_bits.data());
  }
}

template <int D>
void Multigrid<D>::descend(std::size_t l) {
  find_spins(l);
  {
    const PhaseTimer timer(times_, Phase::Residual);
    find_residual(l, kActive);
  }
  const PhaseTimer timer(times_, Phase::Restriction);
  auto& coarse = memory_.levels[l + 1];
  std::fill(coarse.u.begin(), coarse.u.end(), 0.0f);
  const TransferPass<D> pass{view(l), view(l + 1), memory_.levels[l].r.data(), coarse.b.data(),
                             model_.params.measured};
  for_rows(model_.levels[l + 1].layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), restrict_kernel(pass, rows));
  });
}

template <int D>
void Multigrid<D>::ascend(std::size_t l) {
  const PhaseTimer timer(times_, Phase::Prolongation);
  const TransferPass<D> pass{view(l), view(l + 1), memory_.levels[l + 1].u.data(),
                             memory_.levels[l].u.data()};
  for_rows(model_.levels[l].layout, arena_, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), prolong_kernel(pass, rows));
  });
}

template <int D>
void Multigrid<D>::cycle(std::size_t l) {
  auto& level = memory_.levels[l];
  if (l + 1 == model_.levels.size()) {
    const PhaseTimer timer(times_, Phase::Direct);
    const Coarsest<D>& coarsest = turns_ ? turns_->coarsest : model_.coarsest;
    coarsest.solve(level.b.data(), level.u.data(), memory_.direct);
    return;
  }
  smooth(l);
  smooth_relocated(l);
  descend(l);
  cycle(l + 1);
  if (model_.params.cycle == Cycle::W && l + 2 < model_.levels.size()) cycle(l + 1);
  ascend(l);
  smooth_relocated(l);
  smooth(l);
}

template <int D>
void Multigrid<D>::apply(std::span<const double> r, std::span<double> z) {
  auto& finest = memory_.levels[0];
  parallel_for(arena_, r.size(), kGrain, [&](std::size_t i) {
    finest.b[i] = float(r[i]);
    finest.u[i] = 0;
  });
  cycle(0);
  parallel_for(arena_, z.size(), kGrain, [&](std::size_t i) { z[i] = double(finest.u[i]); });
}

template <int D>
void find_residual(const Model<D>& model, std::span<const double> u, std::span<const double> b,
                   std::span<double> r, ThreadArena& arena) {
  const Level<D>& level = model.levels[0];
  const ResidualPass<D, double> pass{level.template view<double>(model.material), u.data(),
                                     b.data(), r.data(), kActive};
  for_rows(level.layout, arena, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), residual_kernel(pass, rows));
  });
}

template <int D>
void turn_on(const Model<D>& model, const Turns<D>& turns, std::span<const double> u,
             std::span<const double> b, std::span<double> spins, std::span<double> turned,
             ThreadArena& arena) {
  const Level<D>& level = model.levels[0];
  View<D, double> view = level.template view<double>(model.material);
  view.turns = turns.finest.data();
  const SpinPass<D, double> pass{view, u.data(), spins.data(), b.data(), turned.data()};
  for_rows(level.layout, arena, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), find_spins_kernel(pass, rows));
  });
  for_rows(level.layout, arena, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), apply_spins_kernel(pass, rows));
  });
}

template <int D>
void find_turned_residual(const Model<D>& model, const Turns<D>& turns, std::span<const double> u,
                          std::span<const double> b, std::span<double> r, ThreadArena& arena) {
  const Level<D>& level = model.levels[0];
  View<D, double> view = level.template view<double>(model.material);
  view.turns = turns.finest.data();
  const ResidualPass<D, double> pass{view, u.data(), b.data(), r.data()};
  for_rows(level.layout, arena, [&](const RowRange& rows) {
    ISOCHOR_CALL_KERNEL(best_isa(), turned_balance_kernel(pass, rows));
  });
}

template class Multigrid<2>;
template class Multigrid<3>;
template struct MultigridMemory<2>;
template struct MultigridMemory<3>;
template void find_residual(const Model<2>&, std::span<const double>, std::span<const double>,
                            std::span<double>, ThreadArena&);
template void find_residual(const Model<3>&, std::span<const double>, std::span<const double>,
                            std::span<double>, ThreadArena&);
template void turn_on(const Model<2>&, const Turns<2>&, std::span<const double>,
                      std::span<const double>, std::span<double>, std::span<double>, ThreadArena&);
template void turn_on(const Model<3>&, const Turns<3>&, std::span<const double>,
                      std::span<const double>, std::span<double>, std::span<double>, ThreadArena&);
template void find_turned_residual(const Model<2>&, const Turns<2>&, std::span<const double>,
                                   std::span<const double>, std::span<double>, ThreadArena&);
template void find_turned_residual(const Model<3>&, const Turns<3>&, std::span<const double>,
                                   std::span<const double>, std::span<double>, ThreadArena&);

}  // namespace isochor::staggered
