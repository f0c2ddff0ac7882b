#include "isochor/lattice/contacts.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>

#include "isochor/contact/crossings.h"
#include "isochor/grid/embedding.h"
#include "isochor/lattice/mixed_solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

constexpr double kCell = 0.05;

/// A box of cells with its middle somewhere and the surface that bounds it.
struct TouchingBox {
  BodySpec spec;
  geometry::SurfaceMesh surface;
};

TouchingBox touching_box(std::array<int, 3> cells, const Vec3d& middle) {
  ThreadArena arena(1);
  const Vec3d size{cells[0] * kCell, cells[1] * kCell, cells[2] * kCell};
  TouchingBox out{.spec = {.name = "box", .law = materials::law_index("corotated")},
                  .surface = geometry::make_box(middle, size, kCell)};
  out.spec.lattice = grid::build_lattice(out.surface, kCell, "box", arena);
  out.spec.mu.assign(out.spec.lattice.cell_count(), 4e3);
  out.spec.lambda.assign(out.spec.lattice.cell_count(), 6e3);
  return out;
}

/// Their surfaces, on the nodes of a model of all of them.
ContactSurface surface_of(std::span<const TouchingBox> boxes) {
  ContactSurface out;
  std::int32_t first_node = 0;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const std::vector<Vec3d>& rest = boxes[b].surface.positions;
    const grid::Embedding embedding = grid::embed(boxes[b].spec.lattice, rest);
    add_surface({.rest = rest,
                 .triangles = geometry::triangulate(boxes[b].surface),
                 .embedding = embedding,
                 .body = static_cast<std::int32_t>(b),
                 .first_node = first_node},
                out);
    first_node += static_cast<std::int32_t>(boxes[b].spec.lattice.rest_positions.size());
  }
  return out;
}

Model model_of(std::span<const TouchingBox> boxes, Params params = {}) {
  std::vector<BodySpec> specs;
  for (const TouchingBox& box : boxes) specs.push_back(box.spec);
  return build_model(specs, params);
}

contact::Collider ground() { return {.name = "ground", .shape = contact::HalfSpace{}}; }

/// Two boxes, a little more than half the reach apart, above the ground by as much, all of their
/// nodes moved at random by less.
struct NearBoxes {
  double reach = 0.1 * kCell;
  std::vector<TouchingBox> boxes;
  Model model;
  ThreadArena arena{1};
  Contacts contacts;
  std::vector<Vec3d> nodes;

  NearBoxes()
      : boxes{touching_box({2, 2, 2}, {0, kCell + 0.6 * reach, 0}),
              touching_box({2, 2, 2}, {2 * kCell + 0.6 * reach, kCell + 0.6 * reach, 0.3 * kCell})},
        model(model_of(boxes)),
        contacts(model, surface_of(boxes), {ground()},
                 {.self_contact = true, .friction = 0.5, .reach = reach}, arena),
        nodes(shaken(model, 0.05 * reach, 3)) {
    contacts.begin(model.rest_positions, 0.01);
  }
};

TEST(LatticeContacts, ForcesAreMinusTheGradientOfTheEnergyAndStiffnessIsTheirs) {
  NearBoxes near;
  ASSERT_TRUE(near.contacts.apart());
  std::vector<Vec3d> force(near.model.node_count(), Vec3d{0, 0, 0});
  ASSERT_GT(near.contacts.evaluate(near.nodes).energy, 0);
  near.contacts.add_forces(force);
  const std::vector<Vec3d> there = shaken(near.model, 1, 5);
  std::vector<Vec3d> way(there.size());
  double slope = 0;
  for (std::size_t n = 0; n < way.size(); ++n) {
    way[n] = there[n] - near.model.rest_positions[n];
    slope -= dot(force[n], way[n]);
  }
  std::vector<double> errors;
  for (const double step : {1e-2, 1e-3, 1e-4}) {
    const auto energy_at = [&](double length) {
      std::vector<Vec3d> x = near.nodes;
      for (std::size_t n = 0; n < x.size(); ++n) x[n] += (length * step * near.reach) * way[n];
      return near.contacts.evaluate(x).energy;
    };
    errors.push_back(
        std::abs((energy_at(1) - energy_at(-1)) / (2 * step * near.reach) / slope - 1));
  }
  EXPECT_LT(errors[1], 0.05 * errors[0]) << "second order";
  EXPECT_LT(errors[2], 0.05 * errors[1]);
  EXPECT_LT(errors[2], 1e-5);
}

TEST(LatticeContacts, WhatBodiesDoToEachOtherHasNoForceAndNoMoment) {
  NearBoxes near;
  Contacts contacts(near.model, surface_of(near.boxes), {},
                    {.self_contact = true, .friction = 0.5, .reach = near.reach}, near.arena);
  contacts.begin(near.model.rest_positions, 0.01);
  const double scale = std::sqrt(contacts.evaluate(near.nodes).force_squared);
  ASSERT_GT(scale, 0);
  std::vector<Vec3d> force(near.model.node_count(), Vec3d{0, 0, 0});
  contacts.add_forces(force);
  Vec3d sum{0, 0, 0};
  for (const Vec3d& f : force) sum += f;
  EXPECT_LT(norm(sum), 1e-13 * scale);
  // Barriers alone have no moment either: friction acts on two sides of a gap.
  Contacts smooth(near.model, surface_of(near.boxes), {},
                  {.self_contact = true, .reach = near.reach}, near.arena);
  smooth.begin(near.model.rest_positions, 0.01);
  smooth.evaluate(near.nodes);
  std::ranges::fill(force, Vec3d{0, 0, 0});
  smooth.add_forces(force);
  Vec3d moment{0, 0, 0};
  for (std::size_t n = 0; n < force.size(); ++n) moment += cross(near.nodes[n], force[n]);
  EXPECT_LT(norm(moment), 1e-12 * scale * kCell);
}

TEST(LatticeContacts, TheTangentIsThatOfForcesAndDefinite) {
  NearBoxes near;
  near.contacts.evaluate(near.nodes);
  near.contacts.linearise(contact::Curvature::Definite);
  // One body moves towards the other and both to the ground: along normals, where nothing has to be
  // made definite.
  std::vector<Vec3d> way(near.nodes.size(), Vec3d{0, -1, 0}), image(way.size(), Vec3d{0, 0, 0});
  for (std::int32_t n = near.model.bodies[1].first_node; n < std::int32_t(way.size()); ++n) {
    way[n][0] = -2;
  }
  near.contacts.apply(way, image);
  double product = 0, size = 0;
  for (std::size_t n = 0; n < way.size(); ++n) {
    product += dot(way[n], image[n]);
    size += dot(image[n], image[n]);
  }
  EXPECT_GT(product, 0);
  const double step = 1e-4 * near.reach;
  std::vector<Vec3d> change(way.size(), Vec3d{0, 0, 0});
  for (const double sign : {1.0, -1.0}) {
    std::vector<Vec3d> x = near.nodes, force(way.size(), Vec3d{0, 0, 0});
    for (std::size_t n = 0; n < x.size(); ++n) x[n] += (sign * step) * way[n];
    near.contacts.evaluate(x);
    near.contacts.add_forces(force);
    for (std::size_t n = 0; n < x.size(); ++n) change[n] -= (sign / (2 * step)) * force[n];
  }
  double error = 0;
  for (std::size_t n = 0; n < way.size(); ++n) {
    error += dot(change[n] - image[n], change[n] - image[n]);
  }
  EXPECT_LT(std::sqrt(error / size), 0.05);
}

TEST(LatticeContacts, TheExactTangentIsThatOfForcesInEveryDirection) {
  NearBoxes near;
  near.contacts.evaluate(near.nodes);
  near.contacts.linearise(contact::Curvature::Exact);
  std::vector<Vec3d> way = shaken(near.model, 1, 7), image(way.size(), Vec3d{0, 0, 0});
  for (std::size_t n = 0; n < way.size(); ++n) way[n] -= near.model.rest_positions[n];
  near.contacts.apply(way, image);
  double size = 0;
  for (const Vec3d& f : image) size += dot(f, f);
  ASSERT_GT(size, 0);
  std::vector<double> errors;
  for (const double step : {1e-3, 1e-4}) {
    std::vector<Vec3d> change(way.size(), Vec3d{0, 0, 0});
    for (const double sign : {1.0, -1.0}) {
      std::vector<Vec3d> x = near.nodes, force(way.size(), Vec3d{0, 0, 0});
      for (std::size_t n = 0; n < x.size(); ++n) x[n] += (sign * step * near.reach) * way[n];
      near.contacts.evaluate(x);
      near.contacts.add_forces(force);
      for (std::size_t n = 0; n < x.size(); ++n) {
        change[n] -= (sign / (2 * step * near.reach)) * force[n];
      }
    }
    double error = 0;
    for (std::size_t n = 0; n < way.size(); ++n) {
      error += dot(change[n] - image[n], change[n] - image[n]);
    }
    errors.push_back(std::sqrt(error / size));
  }
  EXPECT_LT(errors[1], 0.05 * errors[0]) << "second order";
  EXPECT_LT(errors[1], 1e-4);
}

TEST(LatticeContacts, ABoxOnTheGroundIsCarriedAtTheGapOfItsWeight) {
  // Four corners, edges and middles of the lower face share the weight; the gap of a stiff box is
  // the same everywhere.
  std::vector boxes{touching_box({2, 2, 2}, {0, kCell + 0.09 * kCell, 0})};
  boxes[0].spec.mu.assign(8, 4e6);
  boxes[0].spec.lambda.assign(8, 6e6);
  boxes[0].spec.density = 1000;
  const double reach = 0.1 * kCell, dt = 0.05;
  const Model model = model_of(
      boxes, {.integrator = solve::Integrator::BackwardEuler, .newton = {.tolerance = 1e-9}});
  Context context(1);
  Contacts contacts(model, surface_of(boxes), {ground()}, {.reach = reach}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  const Vec3d gravity{0, -9.81, 0};
  for (int step = 0; step < 60; ++step) {
    const StepReport report = advance(
        model, state, {.gravity = gravity, .contacts = &contacts, .dt = dt}, scratch, context);
    ASSERT_TRUE(report.converged()) << step;
  }
  const contact::ContactForces forces = contacts.forces();
  const double weight = 1000 * 8 * kCell * kCell * kCell * 9.81;
  EXPECT_NEAR(forces.colliders[0].force[1], -weight, 1e-6 * weight);
  // Of the barrier, mu area / reach: nine points carry a ninth each.
  const double area = 24 * kCell * kCell / double(boxes[0].surface.positions.size());
  const contact::Barrier barrier{.reach = reach, .stiffness = 4e6 * area / reach};
  double low = 0, high = reach;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (-contact::evaluate(barrier, middle).slope > weight / 9 ? low : high) = middle;
  }
  const double gap = contacts.report(state.positions, 0, reach).smallest_collider_gap;
  EXPECT_NEAR(gap, low, 1e-3 * low);
}

/// A bar that is folded until its halves meet, without crossing itself; or, where nothing touches,
/// through itself, and then comes apart.
template <class ModelOf, class StateOf, class Advance>
void fold(ModelOf&& model_from, StateOf&& state_of, Advance&& step, int threads,
          std::vector<Vec3d>& result, bool touches = true) {
  TouchingBox box = touching_box({12, 3, 3}, {0, 0, 0});
  const double half = 6 * kCell;
  box.spec.holds = {
      hold_where(box.spec, "left", [&](const Vec3d& p) { return p[0] < 1.1 * kCell - half; }),
      hold_where(box.spec, "right", [&](const Vec3d& p) { return p[0] > half - 1.1 * kCell; })};
  const std::vector boxes{box};
  const auto model = model_from(boxes);
  const Model& base = [&]() -> const Model& {
    if constexpr (requires { model.base; }) {
      return model.base;
    } else {
      return model;
    }
  }();
  Context context(threads);
  std::optional<Contacts> anew;
  auto state = state_of(model);
  constexpr int kFrames = 4;
  for (int frame = 1; frame <= kFrames; ++frame) {
    // With two threads anew, as after resuming: nothing may depend on the frames before.
    if (frame == 1 || threads == 2) {
      anew.emplace(base, surface_of(boxes), std::vector<contact::Collider>{},
                   ContactParams{.self_contact = true}, context.arena);
    }
    Contacts& contacts = *anew;
    const double angle = 1.26 * frame / kFrames;  // in the end by 144 degrees
    const auto held = targets(base, [&](const std::string& name, const Vec3d& p) {
      const double sign = name == "box.left" ? 1 : -1;
      const Mat3d Q = rotation_from_vector({0, 0, -sign * angle});
      return Q * p;
    });
    const StepInput input{.held_positions = held, .contacts = touches ? &contacts : nullptr};
    ASSERT_TRUE(step(model, state, input, context)) << frame;
    const contact::ContactReport report = contacts.report(state.positions, 0, contacts.reach());
    if (touches || frame == kFrames) {
      EXPECT_EQ(report.crossings.count() == 0, touches) << frame;
    }
    if (touches || frame < kFrames) continue;
    ASSERT_TRUE(step(model, state, {.held_positions = held, .contacts = &contacts}, context));
    EXPECT_EQ(contacts.report(state.positions, 0, contacts.reach()).crossings.count(), 0);
  }
  result = state.positions;
}

TEST(LatticeContacts, AFoldingBarNeverCrossesItselfAndHasTheSameBitsOnTwoThreads) {
  std::vector<Vec3d> shapes[3];
  // The last one without contact, to see that there is something to avoid, and to undo.
  for (const int run : {0, 1, 2}) {
    fold(
        [](const auto& boxes) {
          return model_of(boxes, {.preconditioner = Preconditioner::Multigrid});
        },
        [](const Model& model) { return make_state(model); },
        [](const Model& model, State& state, const StepInput& input, Context& context) {
          Scratch scratch(model);
          return advance(model, state, input, scratch, context).converged();
        },
        run == 1 ? 2 : 1, shapes[run], run < 2);
  }
  ASSERT_EQ(shapes[0].size(), shapes[1].size());
  EXPECT_EQ(std::memcmp(shapes[0].data(), shapes[1].data(), shapes[0].size() * sizeof(Vec3d)), 0);
}

TEST(LatticeContacts, AnIncompressibleBarFoldsWithoutCrossingItself) {
  std::vector<Vec3d> shape;
  fold(
      [](const auto& boxes) { return mixed::build_model({boxes[0].spec}, {}, {}); },
      [](const mixed::Model& model) { return mixed::make_state(model); },
      [](const mixed::Model& model, mixed::State& state, const StepInput& input, Context& context) {
        mixed::Scratch scratch(model);
        return mixed::advance(model, state, input, scratch, context).converged();
      },
      1, shape);
}

TEST(LatticeContacts, BoxesThatStartInsideEachOtherComeApart) {
  std::vector boxes{touching_box({3, 3, 3}, {0, 0, 0}),
                    touching_box({3, 3, 3}, {2.5 * kCell, 0.3 * kCell, 0.2 * kCell})};
  for (TouchingBox& box : boxes) {
    const double far = box.surface.positions[0][0] < -kCell ? -1 : 1;
    box.spec.holds = {hold_where(box.spec, "far", [&](const Vec3d& p) {
      return far < 0 ? p[0] < -1.4 * kCell : p[0] > 3.9 * kCell;
    })};
  }
  const Model model = model_of(boxes, {.preconditioner = Preconditioner::Multigrid});
  Context context(1);
  Contacts contacts(model, surface_of(boxes), {}, {.self_contact = true}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  ASSERT_GT(contacts.report(state.positions, 0, contacts.reach()).crossings.between_bodies, 0);
  const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
  ASSERT_TRUE(
      advance(model, state, {.held_positions = held, .contacts = &contacts}, scratch, context)
          .converged());
  EXPECT_TRUE(contacts.apart());
  EXPECT_EQ(contacts.report(state.positions, 0, contacts.reach()).crossings.count(), 0);
}

TEST(LatticeContacts, AColliderThatMovesPushesABodyAheadOfIt) {
  std::vector boxes{touching_box({2, 2, 2}, {0, 0, 0})};
  boxes[0].spec.holds = {
      hold_where(boxes[0].spec, "top", [](const Vec3d& p) { return p[1] > 0.9 * kCell; })};
  const Model model = model_of(boxes, {.preconditioner = Preconditioner::Multigrid});
  Context context(1);
  contact::Collider plate{.name = "plate", .shape = contact::Box{{1, 0.1, 1}}};
  plate.keys = {{.time = 0, .translation = {0, -0.1 - 1.2 * kCell, 0}},
                {.time = 1, .translation = {0, -0.1 - 0.5 * kCell, 0}}};
  Contacts contacts(model, surface_of(boxes), {plate}, {}, context.arena);
  State state = make_state(model);
  Scratch scratch(model);
  const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
  contacts.set_interval(0, 1);
  ASSERT_TRUE(
      advance(model, state, {.held_positions = held, .contacts = &contacts}, scratch, context)
          .converged());
  const contact::ContactReport report = contacts.report(state.positions, 1, contacts.reach());
  EXPECT_GT(report.smallest_collider_gap, 0);
  EXPECT_LT(contacts.forces().colliders[0].force[1], -1.0) << "the plate carries what it presses";
}

}  // namespace
}  // namespace isochor::lattice
