#include "isochor/staggered/corotated.h"

#include <cmath>
#include <limits>

namespace isochor::staggered {
namespace {

double dot(ThreadArena& arena, std::span<const float> a, std::span<const float> b) {
  return deterministic_sum(arena, a.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += double(a[i]) * double(b[i]);
    return sum;
  });
}

/// Coefficients for which |r + sum_k c_k changes_k| is least, by Cholesky; a change that others
/// make up for gets none.
template <class Changes>
std::vector<double> least_squares(ThreadArena& arena, const Changes& changes, std::size_t count,
                                  std::span<const float> r) {
  std::vector<double> normal(count * count), c(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      normal[count * i + j] = dot(arena, changes[i], changes[j]);
    }
    c[i] = -dot(arena, changes[i], r);
  }
  constexpr double kNothing = 1e-10;
  for (std::size_t i = 0; i < count; ++i) {
    const double whole = normal[count * i + i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = normal[count * i + j];
      for (std::size_t k = 0; k < j; ++k) sum -= normal[count * i + k] * normal[count * j + k];
      const double pivot = normal[count * j + j];
      if (j < i) {
        normal[count * i + j] = pivot > 0 ? sum / pivot : 0;
      } else {
        normal[count * i + i] = sum > kNothing * whole ? std::sqrt(sum) : 0;
      }
    }
    for (std::size_t k = 0; k < i; ++k) c[i] -= normal[count * i + k] * c[k];
    const double pivot = normal[count * i + i];
    c[i] = pivot > 0 ? c[i] / pivot : 0;
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) c[i] -= normal[count * k + i] * c[k];
    const double pivot = normal[count * i + i];
    c[i] = pivot > 0 ? c[i] / pivot : 0;
  }
  return c;
}

/// The mean spin, in radians, beyond which turning to first order tells nothing. Some cells may
/// well turn by more, as where a ball hits.
constexpr double kMostSpin = 0.5;

template <int D>
class Search {
 public:
  Search(const Model<D>& model, std::span<const double> b, std::span<double> u,
         CorotatedMemory<D>& memory, Context& context)
      : model_(model),
        b_(b),
        u_(u),
        m_(memory),
        context_(context),
        arena_(context.arena),
        multigrid_(model, memory.cycles, context.arena, &memory.turns),
        by_h_(1 / model.levels[0].spacing[0]),
        scaled_(b.size()) {
    m_.rates.clear();
  }

  SolveReport run(std::span<const double> from, double tolerance, double scale, int most) {
    find_turns<D>(model_, from, m_.turns, arena_);
    now_ = residual_of(u_, m_.residual);
    most_ = most;
    scale_ = scale > 0 ? scale : now_;
    enough_ = tolerance * scale_;
    const bool follows = m_.params.history > 0;
    bool far = !follows || !predict(from);
    if (!far && goes_on()) follow();
    for (double before = std::numeric_limits<double>::infinity(); far || goes_on(); before = now_) {
      far = false;
      frozen_window();
      if (follows && now_ < 0.5 * before && goes_on()) follow();
    }
    report_.relative_residual = scale_ > 0 ? now_ / scale_ : 0;
    report_.converged = now_ <= enough_;
    return report_;
  }

 private:
  bool goes_on() const {
    return now_ > enough_ && std::isfinite(now_) && report_.iterations < most_ &&
           !context_.cancelled;
  }
  void cycle() {
    multigrid_.apply(m_.residual, m_.step);
    ++report_.iterations;
    const double before = now_;
    now_ = m_.params.history > 0 ? combined_step(now_) : whole_step();
    m_.rates.push_back(now_ / before);
  }
  /// The linear system about the state before holds moved: cells turn on as they do to first
  /// order. Where that is by more than a little on the whole, it is taken back.
  bool predict(std::span<const double> from) {
    solve::copy(arena_, u_, m_.start);
    from_ = from;
    window(true);
    from_ = {};
    std::size_t cells = 0;
    for (std::size_t n = 0; n < model_.length(); ++n) {
      cells += model_.levels[0].weights.flags[n] >> (kActive + D) & 1;
    }
    if (solve::dot(arena_, m_.spins, m_.spins) <= kMostSpin * kMostSpin * double(cells)) {
      now_ = renewed();
      return true;
    }
    solve::copy(arena_, m_.start, u_);
    now_ = residual_of(u_, m_.residual);
    return false;
  }
  /// The linear system of the rotations that stand, not exactly: they are not those of its
  /// solution.
  void frozen_window() {
    window(false);
    now_ = renewed();
  }
  void window(bool spin) {
    turn_cycles<D>(model_, spin, m_.turns, arena_);
    frozen_ = true;
    next_ = 0;
    now_ = residual_of(u_, m_.residual);
    for (int c = 0; c < m_.params.window && goes_on(); ++c) cycle();
    frozen_ = false;
    next_ = 0;
  }
  /// While that pays.
  void follow() {
    for (double before = now_; goes_on(); before = now_) {
      turn_cycles<D>(model_, true, m_.turns, arena_);
      for (int c = 0; c < m_.params.refresh && goes_on(); ++c) cycle();
      if (!(now_ < 0.7 * before)) return;
    }
  }
  double renewed() {
    find_turns<D>(model_, u_, m_.turns, arena_);
    return residual_of(u_, m_.residual);
  }
  double residual_of(std::span<const double> u, std::span<double> r) {
    if (from_.empty()) {
      find_turned_residual<D>(model_, m_.turns, u, b_, r, arena_);
    } else {
      parallel_for(arena_, u.size(), solve::kVectorGrain,
                   [&](std::size_t i) { m_.turned[i] = u[i] - from_[i]; });
      turn_on<D>(model_, m_.turns, m_.turned, b_, m_.spins, m_.turned, arena_);
      find_turned_residual<D>(model_, m_.turns, u, m_.turned, r, arena_);
    }
    return residual_norm<D>(model_, r, arena_);
  }
  double residual_at(std::span<const double> u, std::span<double> r) {
    if (!frozen_) find_turns<D>(model_, u, m_.turns, arena_);
    return residual_of(u, r);
  }
  double whole_step() {
    solve::axpy(arena_, 1, m_.step, u_);
    return residual_at(u_, m_.residual);
  }
  /// As floats of one size, so that pressures weigh what displacements do.
  void scale_to(std::span<const double> r, std::span<float> out) {
    const std::size_t pressures = D * model_.length();
    parallel_for(arena_, r.size(), solve::kVectorGrain,
                 [&](std::size_t i) { out[i] = float(r[i] * (i < pressures ? 1 : by_h_)); });
  }
  /// The step of a cycle, and with it the combination of all steps that leaves the least residual
  /// were the force linear.
  double combined_step(double now) {
    const std::size_t slot = next_ % std::size_t(m_.params.history);
    parallel_for(arena_, u_.size(), solve::kVectorGrain,
                 [&](std::size_t i) { m_.next[i] = u_[i] + m_.step[i]; });
    const double plain = residual_at(m_.next, m_.tried);
    parallel_for(arena_, u_.size(), solve::kVectorGrain, [&](std::size_t i) {
      m_.steps[slot][i] = float(m_.step[i]);
      m_.step[i] = m_.tried[i] - m_.residual[i];
    });
    scale_to(m_.step, m_.changes[slot]);
    scale_to(m_.tried, scaled_);
    ++next_;
    const std::size_t count = std::min<std::size_t>(next_, std::size_t(m_.params.history));
    const std::vector<double> c = least_squares(arena_, m_.changes, count, scaled_);
    parallel_for(arena_, u_.size(), solve::kVectorGrain, [&](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < count; ++k) sum += c[k] * double(m_.steps[k][i]);
      m_.step[i] = m_.next[i] + sum;
    });
    const double combined = residual_at(m_.step, m_.residual);
    if (combined <= plain || combined <= now) {
      solve::copy(arena_, m_.step, u_);
      return combined;
    }
    // What was combined turned too far.
    next_ = 0;
    solve::copy(arena_, m_.next, u_);
    if (!frozen_) find_turns<D>(model_, u_, m_.turns, arena_);
    std::swap(m_.tried, m_.residual);
    return plain;
  }

  const Model<D>& model_;
  std::span<const double> b_;
  std::span<double> u_;
  CorotatedMemory<D>& m_;
  Context& context_;
  ThreadArena& arena_;
  Multigrid<D> multigrid_;
  const double by_h_;
  std::vector<float> scaled_;
  std::size_t next_ = 0;          ///< steps since the history began
  bool frozen_ = false;           ///< forces keep their rotations
  std::span<const double> from_;  ///< they turn on to first order from there
  double now_ = 0, scale_ = 0, enough_ = 0;
  int most_ = 0;
  SolveReport report_;
};

}  // namespace

template <int D>
CorotatedMemory<D>::CorotatedMemory(const Model<D>& model, const CorotatedParams& p)
    : params(p),
      cycles(model),
      turns(model),
      residual(model.unknowns()),
      step(residual),
      tried(p.history > 0 ? model.unknowns() : 0),
      next(tried),
      start(tried),
      turned(tried),
      spins(p.history > 0 ? kPairs<D> * model.length() : 0),
      steps(std::size_t(p.history), std::vector<float>(model.unknowns())),
      changes(steps) {}

template <int D>
double residual_norm(const Model<D>& model, std::span<const double> r, ThreadArena& arena) {
  const std::size_t pressures = D * model.length();
  const double by_h = 1 / model.levels[0].spacing[0];
  const auto p = r.subspan(pressures), u = r.first(pressures);
  return std::sqrt(solve::dot(arena, u, u) + by_h * by_h * solve::dot(arena, p, p));
}

template <int D>
SolveReport solve_corotated(const Model<D>& model, std::span<const double> b,
                            std::span<const double> from, std::span<double> u, double tolerance,
                            double scale, int most, CorotatedMemory<D>& memory, Context& context) {
  return Search<D>(model, b, u, memory, context).run(from, tolerance, scale, most);
}

template struct CorotatedMemory<2>;
template struct CorotatedMemory<3>;
template double residual_norm<2>(const Model<2>&, std::span<const double>, ThreadArena&);
template double residual_norm<3>(const Model<3>&, std::span<const double>, ThreadArena&);
template SolveReport solve_corotated(const Model<2>&, std::span<const double>,
                                     std::span<const double>, std::span<double>, double, double,
                                     int, CorotatedMemory<2>&, Context&);
template SolveReport solve_corotated(const Model<3>&, std::span<const double>,
                                     std::span<const double>, std::span<double>, double, double,
                                     int, CorotatedMemory<3>&, Context&);

}  // namespace isochor::staggered
