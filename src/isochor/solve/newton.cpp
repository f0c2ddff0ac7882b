#include "isochor/solve/newton.h"

namespace isochor::solve {

void describe(FieldVisitor& visitor, NewtonParams& params) {
  visitor.number("tolerance", params.tolerance, Unit::None,
                 Range{.min = 0, .max = 0.1, .open_min = true},
                 "largest force left on free nodes, relative to the forces that hold the body");
  visitor.integer("max_iterations", params.max_iterations, Range::between(1, 100000),
                  "linear systems per step before it is cut in two");
  visitor.integer("max_krylov_iterations", params.max_krylov_iterations, Range::between(1, 1000000),
                  "iterations per linear system");
}

std::string_view text(NewtonEnd end) {
  switch (end) {
    case NewtonEnd::Converged:
      return "converged";
    case NewtonEnd::Stalled:
      return "no step along the Newton direction lowers the energy";
    case NewtonEnd::TooManyIterations:
      return "out of Newton iterations";
    case NewtonEnd::NotFinite:
      return "energy or force is not a finite number";
    case NewtonEnd::Diverged:
      return "the motion blows up: volumes or velocities grow without bound";
    case NewtonEnd::Cancelled:
      return "cancelled";
  }
  return "";
}

}  // namespace isochor::solve
