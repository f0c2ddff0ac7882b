#pragma once

#include <algorithm>
#include <string>

#include "isochor/staggered/coarsest.h"
#include "isochor/staggered/comparators.h"
#include "isochor/staggered/passes.h"

namespace isochor::staggered {

/// Linear elasticity, isotropic and the same everywhere.
struct Material {
  double mu = 1;               ///< shear modulus, Pa
  double compressibility = 0;  ///< mu / lambda; zero is Poisson's ratio 0.5
  /// What a time step adds: rho / dt^2 for backward Euler, kg/(m^3 s^2). Zero: static.
  double inertia = 0;

  static Material from_poisson(double young, double poisson);
};

enum class Law {
  Linear,     ///< small displacements
  Corotated,  ///< each cell's strain in a frame that turns with it
};
enum class Cycle { V, W };
enum class Smoother {
  Best,         ///< cells near the boundary one by one, the interior red-black by distribution
  Published,    ///< Gauss and Seidel near the boundary, the interior by distribution, as printed
  Unaugmented,  ///< Gauss and Seidel everywhere, pressures eliminated: what the paper improves on
};

struct Params {
  Law law = Law::Linear;
  Cycle cycle = Cycle::W;
  Smoother smoother = Smoother::Best;
  Boundary boundary = Boundary::Own;
  int band_width = 2;   ///< cells from the boundary that are solved one by one
  int band_sweeps = 2;  ///< of them before and after each sweep of the interior
  /// Of what is near walls and outlines that are elsewhere on the coarse level, before restriction
  /// and after prolongation [Zhu10 sec 6].
  int extra_sweeps = 0;
  double relaxation = 1.15;
  /// Coarse levels know how full their cells are and where walls stand (Shape), and get all loads.
  bool measured = true;
  /// Levels are added until one can be factorised into no more numbers than this. The more, the
  /// thinner may parts of a body be: a coarse level has nothing that bends where it is one cell
  /// thick.
  int direct_entries = 1'500'000;
  /// The same where limbs are less than about four cells thick: the next level would have cells for
  /// kThin times as much as there is, and bend by something else. Where a body is solved for once
  /// that takes longer than cycles, from the sixth time on it does not.
  int thin_entries = 4'000'000;
  static constexpr double kThin = 1.4;

  /// `variant = "paper"`: nothing improved. Needs compressibility.
  static Params published() {
    return {.cycle = Cycle::V,
            .smoother = Smoother::Published,
            .band_width = 1,
            .band_sweeps = 3,
            .relaxation = 1,
            .measured = false,
            .direct_entries = 20'000,
            .thin_entries = 0};
  }
  /// The same for corotated elasticity: its coarsest level is factorised often, and rotations leave
  /// no room for relaxation. Near the boundary cells are solved one by one in any case.
  Params corotated() const {
    Params params = *this;
    params.law = Law::Corotated;
    params.smoother = Smoother::Best;
    params.boundary = Boundary::Own;
    params.relaxation = 1;
    params.direct_entries = std::min(direct_entries, 500'000);
    params.thin_entries = 0;
    return params;
  }
};

/// Cells near the boundary, in patches that can be smoothed at a time.
template <int D>
struct Band {
  std::array<std::uint32_t, (1 << D) + 1> colours{};  ///< the first patch of each
  std::size_t count = 0;                              ///< cells

  std::vector<BandPatch<D>> patches;
  std::vector<BandPack> packs;
  std::vector<std::uint32_t> many;
  std::vector<float> classes;  ///< each distinct one once

  // Of corotated elasticity.
  std::vector<BandCell> cells;
  std::vector<BandGroup> groups;
  std::vector<std::uint32_t> starts;  ///< the first group of each patch, and an end

  std::size_t bytes() const;
};

template <int D>
struct Level {
  Layout<D> layout;
  Weights<D> weights;
  Spacing<D> spacing{};
  Band<D> band;
  Band<D> relocated;  ///< cells for extra sweeps
  std::vector<std::uint8_t>
      relocated_bits;  ///< the same for Smoother::Published: bits of relocated()
  Comparator<D> comparator;
  std::vector<float> diagonals;  ///< of corotated elasticity, D fields as View::diagonals

  /// As kernels see it.
  template <class T>
  View<D, T> view(const Material& material, double relaxation = 1) const;
  std::size_t bytes() const;
};

/// Built once, never changed.
template <int D>
struct Model {
  Material material;
  Params params;
  std::vector<Level<D>> levels;  ///< the finest first
  Coarsest<D> coarsest;          ///< the last one's matrix, factorised; none where cells turn
  EliminationOrder<D> order;     ///< of it where cells turn

  /// Numbers of a field of the finest level, of which there are D + 1.
  std::size_t length() const { return levels[0].layout.length; }
  std::size_t unknowns() const { return (D + 1) * length(); }
  std::size_t bytes() const;
};

/// `place` names the body in errors.
template <int D>
Model<D> build_model(Domain<D> domain, const Material& material, const Params& params,
                     const std::string& place);

}  // namespace isochor::staggered
