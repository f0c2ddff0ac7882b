#pragma once

#include <array>

#include "isochor/base/parallel.h"
#include "isochor/staggered/turns.h"

namespace isochor::staggered {

/// Memory of cycles: per level unknowns, right-hand sides and residuals, in single precision.
template <int D>
struct MultigridMemory {
  struct Level {
    std::vector<float> u, b, r;
    std::vector<float> spins, turned;  ///< of corotated elasticity, see SpinPass
  };
  std::vector<Level> levels;
  std::vector<double> direct;

  explicit MultigridMemory(const Model<D>& model);
  std::size_t bytes() const;
};

/// Where the time of cycles goes, with the parts of [Zhu10 fig 22].
enum class Phase { Boundary, Interior, Residual, Restriction, Prolongation, Direct };
inline constexpr int kPhases = 6;
struct PhaseTimes {
  double (*now)() = nullptr;  ///< s
  std::array<double, kPhases> seconds{};
};

/// Cycles of the multigrid correction scheme [Zhu10 alg 1]. Smoothing is the boundary, the interior
/// by distribution, and the boundary again. All of it is Jacobi-like within colours: the same bits
/// for any number of threads.
template <int D>
class Multigrid {
 public:
  /// `turns` where the law is corotated: its rotations of cycles. It must outlive this.
  Multigrid(const Model<D>& model, MultigridMemory<D>& memory, ThreadArena& arena,
            const Turns<D>* turns = nullptr)
      : model_(model), memory_(memory), arena_(arena), turns_(turns) {}

  /// z is what one cycle from zero makes of r; a fixed linear map, neither symmetric nor definite.
  void apply(std::span<const double> r, std::span<double> z);
  /// One cycle on what stands in the finest level of the memory.
  void cycle() { cycle(0); }
  /// One smoothing step of a level.
  void smooth(std::size_t level);
  /// Cycles add to `times` from here on; null: to nothing.
  void watch(PhaseTimes* times) { times_ = times; }

 private:
  void cycle(std::size_t level);
  bool spin() const { return turns_ && turns_->spin; }
  void find_spins(std::size_t level);
  /// What rows with frozen rotations have on their right.
  const float* right(std::size_t level) const {
    return (spin() ? memory_.levels[level].turned : memory_.levels[level].b).data();
  }
  void smooth_boundary(std::size_t level);
  void smooth_inside(std::size_t level);
  void smooth_relocated(std::size_t level);
  void smooth_band(std::size_t level, const Band<D>& band, int sweeps);
  void smooth_as_published(std::size_t level, PublishedPart part, int sweeps,
                           const std::uint8_t* only = nullptr);
  void smooth_interior(std::size_t level);
  void smooth_turned_interior(std::size_t level);
  void find_residual(std::size_t level, int bit, bool pressures_only = false);
  void descend(std::size_t level);
  void ascend(std::size_t level);
  View<D, float> view(std::size_t level) const;

  const Model<D>& model_;
  MultigridMemory<D>& memory_;
  ThreadArena& arena_;
  const Turns<D>* turns_;
  PhaseTimes* times_ = nullptr;
};

/// r = b - A u in double precision, on the finest level. Numbers of u that are no unknowns count as
/// given; theirs of r stay as they are.
template <int D>
void find_residual(const Model<D>& model, std::span<const double> u, std::span<const double> b,
                   std::span<double> r, ThreadArena& arena);

/// What a right-hand side of frozen rotations becomes where cells turn on as faces move by u:
/// `turned` is b with the stress that they lose, and may be where u is. `spins` has kPairs<D>
/// fields of memory.
template <int D>
void turn_on(const Model<D>& model, const Turns<D>& turns, std::span<const double> u,
             std::span<const double> b, std::span<double> spins, std::span<double> turned,
             ThreadArena& arena);

/// The same of corotated elasticity: the whole force, with the rotations that forces have.
template <int D>
void find_turned_residual(const Model<D>& model, const Turns<D>& turns, std::span<const double> u,
                          std::span<const double> b, std::span<double> r, ThreadArena& arena);

}  // namespace isochor::staggered
