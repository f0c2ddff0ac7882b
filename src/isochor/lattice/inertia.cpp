#include "isochor/lattice/inertia.h"

#include <algorithm>
#include <limits>
#include <ranges>

#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/holds.h"
#include "isochor/lattice/operator.h"
#include "isochor/math/polar.h"

namespace isochor::lattice {
namespace {

/// Over the nodes of one body.
template <class F>
Vec3d sum_body(const BodyRange& body, ThreadArena& arena, F&& f) {
  Vec3d total;
  for (int a = 0; a < 3; ++a) {
    total[a] = deterministic_sum(arena, body.node_count, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += f(body.first_node + i)[a];
      return sum;
    });
  }
  return total;
}

/// How a body turns about its centre of mass, with nodes at some positions.
struct Turning {
  Vec3d centre;
  Mat3d tensor;  ///< of inertia

  Turning(const Model& model, const BodyRange& body, std::span<const Vec3d> x, ThreadArena& arena) {
    const std::vector<double>& mass = model.mass;
    const double whole = sum_body(body, arena, [&](std::size_t n) {
      return Vec3d{mass[n], 0, 0};
    })[0];
    centre = (1 / whole) * sum_body(body, arena, [&](std::size_t n) { return mass[n] * x[n]; });
    for (int a = 0; a < 3; ++a) {
      Vec3d axis{0, 0, 0};
      axis[a] = 1;
      tensor.column[a] = sum_body(body, arena, [&](std::size_t n) {
        const Vec3d arm = x[n] - centre;
        return mass[n] * cross(arm, cross(axis, arm));
      });
    }
  }

  /// What has an angular momentum (Cramer).
  Vec3d spin(const Vec3d& momentum) const {
    const auto& [a, b, c] = tensor.column;
    return (1 / determinant(tensor)) * Vec3d{dot(momentum, cross(b, c)), dot(a, cross(momentum, c)),
                                             dot(a, cross(b, momentum))};
  }
};

}  // namespace

Inertia::Inertia(const Model& model, const solve::TimeStep& time, MotionMemory& memory,
                 ThreadArena& arena, double stabilise)
    : model_(model), time_(time), memory_(memory), arena_(arena), stabilise_(stabilise) {}

/// Calls f(node, its body) for all nodes.
template <class F>
void Inertia::each_node(F&& f) const {
  for (const BodyRange& body : model_.bodies) {
    parallel_for(arena_, body.node_count, solve::kVectorGrain,
                 [&](std::size_t i) { f(body.first_node + i, body); });
  }
}

template <class F>
double Inertia::sum_nodes(F&& f) const {
  double total = 0;
  for (const BodyRange& body : model_.bodies) {
    total += deterministic_sum(arena_, body.node_count, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += f(body.first_node + i, body);
      return sum;
    });
  }
  return total;
}

void Inertia::begin(const State& state) {
  const double rate = time_.rate;
  const bool history = time_.before != 0;
  each_node([&](std::size_t n, const BodyRange& body) {
    const Vec3d &x = state.positions[n], &v = state.velocities[n];
    memory_.origin[n] = history ? time_.origin(x, state.last_positions[n]) : x;
    const Vec3d velocity = history ? time_.origin(v, state.last_velocities[n]) : v;
    memory_.target[n] = memory_.origin[n] + (1 / rate) * velocity;
    memory_.shift[n] =
        static_cast<float>(model_.mass[n] * rate * (rate + body.mass_damping) / stiffening(body));
  });
  // Positions are rounded relative to their size, and inertia is a multiple of their differences.
  constexpr double kEpsilon = 16 * std::numeric_limits<double>::epsilon();
  square_of_rounding_ = sum_nodes([&](std::size_t n, const BodyRange&) {
    const Vec3d at_least = kEpsilon * model_.mass[n] * rate * rate * memory_.target[n];
    return dot(at_least, at_least);
  });
  if (memory_.damping) linearise_damping(state);
}

/// The velocity that a step measures is a chord: a rotation has it where half of it is done. With a
/// history it is that of the end.
void Inertia::linearise_damping(const State& state) {
  const double start = time_.reach == 1 && time_.before == 0 ? 0.5 : 0;
  parallel_for(arena_, model_.cells.size(), 64, [&](std::size_t cell) {
    const std::int32_t place = model_.cells[cell];
    Vec3d x[8];
    for (int c = 0; c < 8; ++c) {
      const std::int32_t n = model_.corner(place, c);
      x[c] = start * state.positions[n] + (1 - start) * memory_.target[n];
    }
    const Mat3d F = deformation_gradient(x, 1 / model_.blocks[place / 8].h);
    memory_.rotations[place] = polar_decomposition(F).R;
  });
  linearise(model_, memory_.rotations, {}, stabilise_, materials::Definiteness::Clamp,
            *memory_.damping, arena_);
}

/// Cells that are stretched see strain in a rotation, however they are turned. So the spin of each
/// body as a whole is taken from velocities, and what turns it from forces, about where inertia
/// would take its nodes: damping takes next to no angular momentum, and is symmetric and
/// semi-definite as it was. Velocities in memory are then those without spin.
void Inertia::multiply_damping(std::span<const Vec3d> v) {
  if (!memory_.damping) return;
  const std::span<const Vec3d> x = memory_.target;
  const std::span<Vec3d> straining = memory_.velocities, image = memory_.image;
  const auto each = [&](const BodyRange& body, auto&& f) {
    parallel_for(arena_, body.node_count, solve::kVectorGrain,
                 [&](std::size_t i) { f(body.first_node + i); });
  };
  for (const BodyRange& body : model_.bodies) {
    const Turning turning(model_, body, x, arena_);
    const Vec3d spin = turning.spin(sum_body(body, arena_, [&](std::size_t n) {
      return model_.mass[n] * cross(x[n] - turning.centre, v[n]);
    }));
    each(body, [&](std::size_t n) { straining[n] = v[n] - cross(spin, x[n] - turning.centre); });
  }
  apply_stiffness(model_, *memory_.damping, straining, image, arena_);
  for (const BodyRange& body : model_.bodies) {
    const Turning turning(model_, body, x, arena_);
    const Vec3d spin = turning.spin(sum_body(
        body, arena_, [&](std::size_t n) { return cross(x[n] - turning.centre, image[n]); }));
    each(body,
         [&](std::size_t n) { image[n] -= model_.mass[n] * cross(spin, x[n] - turning.centre); });
  }
}

/// C times a velocity, whose image is there.
Vec3d Inertia::damping_pull(std::size_t n, const BodyRange& body, const Vec3d& velocity) const {
  const Vec3d by_mass = body.mass_damping * model_.mass[n] * velocity;
  return memory_.damping ? by_mass + body.stiffness_damping * memory_.image[n] : by_mass;
}

double Inertia::energy(std::span<const Vec3d> y) {
  // Velocities of the end are not known yet: their place serves for those of y.
  const auto find_velocities = [&] {
    each_node([&](std::size_t n, const BodyRange&) {
      memory_.velocities[n] = time_.rate * (y[n] - memory_.origin[n]);
    });
  };
  find_velocities();
  multiply_damping(memory_.velocities);
  if (memory_.damping) find_velocities();
  return sum_nodes([&](std::size_t n, const BodyRange& body) {
    const Vec3d way = time_.rate * (y[n] - memory_.target[n]);
    const Vec3d& velocity = memory_.velocities[n];
    return 0.5 * (model_.mass[n] * dot(way, way) +
                  dot(velocity, damping_pull(n, body, velocity)) / time_.rate);
  });
}

double Inertia::add_force(std::span<const Vec3d> y, std::span<Vec3d> force) {
  const double result = energy(y);
  each_node([&](std::size_t n, const BodyRange& body) {
    force[n] -= model_.mass[n] * time_.rate * time_.rate * (y[n] - memory_.target[n]) +
                damping_pull(n, body, memory_.velocities[n]);
  });
  return result;
}

double Inertia::square_of_inertia(std::span<const Vec3d> y) const {
  return sum_nodes([&](std::size_t n, const BodyRange&) {
    const Vec3d force = model_.mass[n] * time_.rate * time_.rate * (y[n] - memory_.target[n]);
    return dot(force, force);
  });
}

void Inertia::apply(std::span<const Vec3d> v, std::span<Vec3d> out) {
  multiply_damping(v);
  each_node([&](std::size_t n, const BodyRange& body) {
    out[n] +=
        model_.mass[n] * time_.rate * time_.rate * v[n] + time_.rate * damping_pull(n, body, v[n]);
  });
}

void Inertia::add_diagonal(std::span<Vec3f> diagonal) {
  if (memory_.damping) {
    stiffness_diagonal(model_, *memory_.damping, std::span(memory_.diagonal), arena_);
    each_node([&](std::size_t n, const BodyRange& body) {
      diagonal[n] += static_cast<float>(time_.rate * body.stiffness_damping) * memory_.diagonal[n];
    });
  }
  each_node([&](std::size_t n, const BodyRange& body) {
    const auto mass =
        static_cast<float>(model_.mass[n] * time_.rate * (time_.rate + body.mass_damping));
    diagonal[n] += Vec3f{mass, mass, mass};
  });
}

void Inertia::free_flight(const Vec3d& gravity, std::span<Vec3d> y) const {
  const Vec3d fall = (1 / (time_.rate * time_.rate)) * gravity;
  each_node([&](std::size_t n, const BodyRange&) { y[n] = memory_.target[n] + fall; });
}

void Inertia::rigid_flight(const State& state, const Vec3d& gravity, std::span<Vec3d> y) const {
  const Vec3d fall = (1 / (time_.rate * time_.rate)) * gravity;
  for (const BodyRange& body : model_.bodies) {
    const auto nodes = std::views::iota(body.first_node, body.first_node + body.node_count);
    const auto held = [&](std::int32_t n) { return model_.freedom[n] != Freedom::Free; };
    if (std::ranges::any_of(nodes, held)) {
      for (const std::int32_t n : nodes) y[n] = state.positions[n];
      continue;
    }
    double mass = 0;
    Vec3d from{0, 0, 0}, to{0, 0, 0};
    for (const std::int32_t n : nodes) {
      mass += model_.mass[n];
      from += model_.mass[n] * state.positions[n];
      to += model_.mass[n] * memory_.target[n];
    }
    from *= 1 / mass;
    to *= 1 / mass;
    // The rotation that takes the body closest to where inertia would take its nodes.
    Mat3d spread = Mat3d::zero();
    for (const std::int32_t n : nodes) {
      const Vec3d a = model_.mass[n] * (memory_.target[n] - to), b = state.positions[n] - from;
      for (int k = 0; k < 9; ++k) spread(k / 3, k % 3) += a[k / 3] * b[k % 3];
    }
    const Mat3d R = polar_decomposition(spread).R;
    for (const std::int32_t n : nodes) y[n] = to + fall + R * (state.positions[n] - from);
  }
}

Balance Inertia::finish(const State& state, const StepInput& input, const Found& found) {
  // By mean velocities of the step, of second order whatever the scheme.
  const std::span<Vec3d> v = memory_.velocities;
  const auto find_means = [&] {
    each_node([&](std::size_t n, const BodyRange&) {
      v[n] = (time_.reach / time_.dt) * (found.positions[n] - state.positions[n]);
    });
  };
  find_means();
  multiply_damping(v);
  if (memory_.damping) find_means();
  const double power = sum_nodes(
      [&](std::size_t n, const BodyRange& body) { return dot(v[n], damping_pull(n, body, v[n])); });
  each_node([&](std::size_t n, const BodyRange&) {
    v[n] = time_.rate * (found.positions[n] - memory_.origin[n]);
  });
  Balance balance{.damping_loss = time_.dt * power};
  balance.hold_work = settle_holds(state, found);
  if (time_.reach != 1) carry_on(state, input, found);
  return balance;
}

/// Along directions that are held, velocities are those of the prescribed motion, and inertia is
/// what these need: schemes that go half way would let both swing from step to step.
double Inertia::settle_holds(const State& state, const Found& found) {
  double work = 0;
  const auto push_along = [&](std::int32_t n, const Vec3d& direction) {
    const double m = model_.mass[n], rate = time_.rate;
    const Vec3d& y = found.positions[n];
    const double inertia = m * rate * rate * dot(direction, y - memory_.target[n]);
    const double others = -dot(direction, found.force[n]) - inertia;
    const double way = time_.reach * dot(direction, y - state.positions[n]);
    const double before = dot(direction, state.velocities[n]);
    const double after = dot(direction, memory_.velocities[n]);
    work += others * way + 0.5 * m * (after * after - before * before);
    return (others + (time_.reach == 1 ? inertia : m * (after - before) / time_.dt)) * direction;
  };
  constexpr Vec3d kAxes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for_each_held(model_, [&](std::int32_t n, std::size_t, std::size_t k) {
    if (model_.freedom[n] != Freedom::Held) return;
    const double before = work;
    Vec3d& push = memory_.pushes[k] = {0, 0, 0};
    for (const Vec3d& axis : kAxes) push += push_along(n, axis);
    // With a history work is of second order too.
    if (time_.before == 0) return;
    work = before + 0.5 * dot(push + state.pushes[k], found.positions[n] - state.positions[n]);
  });
  // A node that slides may be in several holds, and is pushed once: in place of its force, which is
  // done with.
  for (std::size_t s = 0; s < model_.sliding.size(); ++s) {
    Vec3d push{0, 0, 0};
    const SlideFrame& frame = found.slides[s];
    for (int k = 0; k < frame.count; ++k) push += push_along(model_.sliding[s], frame.direction[k]);
    found.force[model_.sliding[s]] = push;
  }
  for_each_held(model_, [&](std::int32_t n, std::size_t, std::size_t k) {
    if (model_.freedom[n] == Freedom::Sliding) memory_.pushes[k] = found.force[n];
  });
  return work;
}

/// From half way to the end; not the velocities of the last function.
void Inertia::carry_on(const State& state, const StepInput& input, const Found& found) {
  const std::span<Vec3d> x = found.positions, v = memory_.velocities;
  const auto beyond = [&](const Vec3d& start, const Vec3d& y) {
    return start + time_.reach * (y - start);
  };
  each_node([&](std::size_t n, const BodyRange&) {
    x[n] = beyond(state.positions[n], x[n]);
    if (model_.freedom[n] == Freedom::Free) v[n] = beyond(state.velocities[n], v[n]);
  });
  for (std::size_t s = 0; s < model_.sliding.size(); ++s) {
    const std::int32_t n = model_.sliding[s];
    const Vec3d prescribed = v[n];
    v[n] = beyond(state.velocities[n], v[n]);
    for (int k = 0; k < found.slides[s].count; ++k) {
      const Vec3d& direction = found.slides[s].direction[k];
      v[n] += dot(direction, prescribed - v[n]) * direction;
    }
  }
  for_each_held(model_, [&](std::int32_t n, std::size_t, std::size_t k) {
    if (model_.freedom[n] == Freedom::Held) x[n] = input.held_positions[k];
  });
}

}  // namespace isochor::lattice
