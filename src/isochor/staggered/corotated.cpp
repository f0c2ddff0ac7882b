#include "isochor/staggered/corotated.h"

#include <cmath>

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

  SolveReport run(double tolerance, double scale, int most) {
    double now = renewed();
    if (!(scale > 0)) scale = now;
    SolveReport report;
    for (int since = 0;; ++since) {
      if (since == m_.params.refresh || (m_.params.frozen && now <= tolerance * scale)) {
        // What counts is the force with the rotations that are now.
        if (m_.params.frozen) now = renewed();
        since = 0;
      }
      report.relative_residual = scale > 0 ? now / scale : 0;
      report.converged = now <= tolerance * scale;
      const bool goes_on = !report.converged && std::isfinite(now) && report.iterations < most;
      if (!goes_on || context_.cancelled) return report;
      if (since == 0) turn_cycles<D>(model_, m_.turns, arena_);
      multigrid_.apply(m_.residual, m_.step);
      ++report.iterations;
      const double before = now;
      now = m_.params.history > 0 ? combined_step(now) : whole_step();
      m_.rates.push_back(now / before);
    }
  }

 private:
  double renewed() {
    find_turns<D>(model_, u_, m_.turns, arena_);
    return residual_of(u_, m_.residual);
  }
  double residual_of(std::span<const double> u, std::span<double> r) {
    find_turned_residual<D>(model_, m_.turns, u, b_, r, arena_);
    return residual_norm<D>(model_, r, arena_);
  }
  double residual_at(std::span<const double> u, std::span<double> r) {
    if (!m_.params.frozen) find_turns<D>(model_, u, m_.turns, arena_);
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
    if (!m_.params.frozen) find_turns<D>(model_, u_, m_.turns, arena_);
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
  std::size_t next_ = 0;
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
SolveReport solve_corotated(const Model<D>& model, std::span<const double> b, std::span<double> u,
                            double tolerance, double scale, int most, CorotatedMemory<D>& memory,
                            Context& context) {
  return Search<D>(model, b, u, memory, context).run(tolerance, scale, most);
}

template struct CorotatedMemory<2>;
template struct CorotatedMemory<3>;
template double residual_norm<2>(const Model<2>&, std::span<const double>, ThreadArena&);
template double residual_norm<3>(const Model<3>&, std::span<const double>, ThreadArena&);
template SolveReport solve_corotated(const Model<2>&, std::span<const double>, std::span<double>,
                                     double, double, int, CorotatedMemory<2>&, Context&);
template SolveReport solve_corotated(const Model<3>&, std::span<const double>, std::span<double>,
                                     double, double, int, CorotatedMemory<3>&, Context&);

}  // namespace isochor::staggered
