#pragma once

#include <array>

#include "isochor/base/parallel.h"
#include "isochor/solve/envelope_cholesky.h"

namespace isochor::solve {

/// Where a symmetric matrix has entries, of which the unknowns fall into two halves that do not
/// touch each other and a joint that both may touch. They are numbered in this order.
struct SplitEnvelope {
  /// First columns, counted within the half: of its own rows, then of the joint's. A joint's row
  /// without entries there begins behind all of its columns, with itself.
  std::array<std::vector<std::int32_t>, 2> halves;
  std::size_t joint = 0;

  std::size_t own(int half) const { return halves[half].size() - joint; }
  std::size_t size() const { return own(0) + own(1) + joint; }
  std::size_t bytes() const;
  /// Multiplications of a factorisation, and of a solution.
  double cost() const;
  double solve_cost() const;
};

/// EnvelopeCholesky from both ends towards the middle: halves are eliminated side by side, each in
/// the cache of its own core, and then the joint. Same bits for any number of threads.
class SplitCholesky {
 public:
  SplitCholesky() = default;
  explicit SplitCholesky(const SplitEnvelope& envelope);

  std::size_t size() const { return halves_[0].own + halves_[1].own + joint_.size(); }
  void fill(double value);
  /// Of the lower triangle, within the envelope.
  double& entry(std::size_t i, std::size_t j);
  std::size_t bytes() const;

  void factorise(ThreadArena& arena);
  /// Solves in place.
  void solve(std::span<double> b, ThreadArena& arena);

 private:
  struct Half {
    std::size_t begin = 0, own = 0;  ///< of its unknowns
    EnvelopeCholesky cholesky;       ///< the joint's rows are left
    std::vector<double> x;           ///< its own unknowns, then the joint's
  };
  template <class F>
  void for_halves(ThreadArena& arena, F&& f);

  std::array<Half, 2> halves_;
  EnvelopeCholesky joint_;
  std::size_t entries_ = 0;
};

}  // namespace isochor::solve
