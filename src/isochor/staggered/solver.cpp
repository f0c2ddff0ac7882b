#include "isochor/staggered/solver.h"

namespace isochor::staggered {

template <int D>
SolverMemory<D>::SolverMemory(const Model<D>& model, int restart)
    : cycles(model),
      residual(model.unknowns()),
      correction(model.unknowns()),
      krylov(restart > 0 ? model.unknowns() : 0, restart) {}

template <int D>
SolveReport solve(const Model<D>& model, std::span<const double> b, std::span<double> u,
                  double tolerance, int most, SolverMemory<D>& memory, Context& context) {
  ThreadArena& arena = context.arena;
  Multigrid<D> multigrid(model, memory.cycles, arena);
  std::vector<double>&residual = memory.residual, &correction = memory.correction;
  const auto norm = [&] {
    find_residual(model, std::as_const(u), b, std::span(residual), arena);
    return std::sqrt(solve::dot(arena, residual, residual));
  };
  SolveReport report;
  const double first = norm();
  if (first == 0) return {.relative_residual = 0, .converged = true};
  const auto judge = [&] {
    report.relative_residual = norm() / first;
    report.converged = report.relative_residual <= tolerance;
  };

  if (memory.krylov.restart() == 0) {
    while (!report.converged && report.iterations < most && !context.cancelled) {
      multigrid.apply(residual, correction);
      solve::axpy(arena, 1, correction, u);
      ++report.iterations;
      judge();
    }
    return report;
  }
  // find_residual against zero has the sign turned.
  const std::vector<double> zero(b.size());
  const auto krylov = solve::gmres(
      arena,
      [&](std::span<const double> p, std::span<double> q) {
        find_residual(model, p, std::span<const double>(zero), q, arena);
        solve::detail::scale(arena, -1, q);
      },
      [&](std::span<const double> r, std::span<double> z) { multigrid.apply(r, z); },
      [&] { return bool(context.cancelled); }, std::span<const double>(residual), correction,
      tolerance, most, memory.krylov);
  report.iterations = krylov.iterations;
  solve::axpy(arena, 1, correction, u);
  judge();
  // The recurrence knows its residual up to rounding.
  report.converged =
      report.converged || (krylov.converged && report.relative_residual <= 2 * tolerance);
  return report;
}

template struct SolverMemory<2>;
template struct SolverMemory<3>;
template SolveReport solve(const Model<2>&, std::span<const double>, std::span<double>, double, int,
                           SolverMemory<2>&, Context&);
template SolveReport solve(const Model<3>&, std::span<const double>, std::span<double>, double, int,
                           SolverMemory<3>&, Context&);

}  // namespace isochor::staggered
