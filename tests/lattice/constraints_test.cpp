/// Holds that slide, springs to points in space and springs between bodies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/grid/embedding.h"
#include "isochor/lattice/fields.h"
#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

/// Terms of the point p of a lattice whose nodes begin at `first` in the model.
std::vector<solve::SpringTerm> point_at(const grid::Lattice& lattice, const Vec3d& p,
                                        double sign = 1, std::int32_t first = 0) {
  std::vector<solve::SpringTerm> terms;
  const std::vector<Vec3d> points{p};
  for (const auto& [node, weight] : grid::embed(lattice, points).weights(0)) {
    terms.push_back({first + node, sign * weight});
  }
  return terms;
}

/// A bar of 4 x 2 x 2 cells with Young's modulus E, uniform.
BodySpec uniform_bar(double E, double nu, double h = 0.25) {
  BodySpec spec = box_spec(4, 2, 2, h);
  make_uniform(spec, E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu)));
  return spec;
}

Mat3d isotropic(double k) { return Mat3d::identity() * k; }

TEST(Springs, PullsAreTheSlopeOfTheEnergyAndStiffnessThatOfThePulls) {
  BodySpec spec = uniform_bar(1, 0.3);
  const Mat3d k = times_transpose(Mat3d::diagonal({1, 2, 3}), rotation_from_vector({1, 2, 3}));
  const Mat3d stiffness = times_transpose(k, k);
  const std::vector<solve::Spring> list{{point_at(spec.lattice, {0.3, 0.1, 0.2}), stiffness},
                                        {point_at(spec.lattice, {0.35, 0.15, 0.2}), isotropic(5)}};
  const solve::Springs springs = build_springs(list);
  const std::vector<Vec3d> targets{{0.1, 0.7, 0.2}, {0.4, -0.3, 1}};
  ThreadArena arena(1);
  const std::size_t nodes = spec.lattice.rest_positions.size();
  std::vector<Vec3d> x = spec.lattice.rest_positions, force(nodes, Vec3d{0, 0, 0}), pull(2);
  spring_pulls(springs, x, targets, pull, arena);
  add_pulls(springs, pull, 1, force, arena);

  std::vector<Vec3d> d(nodes), Kd(nodes, Vec3d{0, 0, 0}), after(2);
  std::vector<Vec3f> diagonal(nodes, Vec3f{0, 0, 0});
  for (std::size_t n = 0; n < nodes; ++n) {
    d[n] = {std::sin(3.0 * double(n)), std::cos(5.0 * double(n)), std::sin(7.0 * double(n))};
  }
  add_spring_stiffness(springs, d, after, Kd, arena);
  add_spring_diagonal(springs, diagonal, arena);
  // The energy is quadratic: central differences are exact.
  double slope = 0, curvature = 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    slope -= dot(force[n], d[n]);
    curvature += dot(d[n], Kd[n]);
  }
  const auto energy = [&](double s) {
    std::vector<Vec3d> y = x;
    for (std::size_t n = 0; n < nodes; ++n) y[n] += s * d[n];
    return spring_pulls(springs, y, targets, after, arena);
  };
  EXPECT_NEAR((energy(1) - energy(-1)) / 2, slope, 1e-12 * std::abs(slope));
  EXPECT_NEAR(energy(1) + energy(-1) - 2 * energy(0), curvature, 1e-12 * curvature);
  for (const std::int32_t n : springs.nodes) {
    std::vector<Vec3d> unit(nodes, Vec3d{0, 0, 0}), column(nodes, Vec3d{0, 0, 0});
    unit[n][1] = 1;
    add_spring_stiffness(springs, unit, after, column, arena);
    EXPECT_NEAR(column[n][1], diagonal[n][1], 1e-6);
  }
}

TEST(LatticeConstraints, BodyHeldBySpringsAloneSinksUntilTheyCarryItsWeight) {
  BodySpec spec = uniform_bar(1e6, 0.3);
  const double weight = spec.density * 1.0 * 0.5 * 0.5 * 9.81, k = 1e4;
  SpringGroupSpec group{.name = "bar.soft", .springs = {}};
  std::vector<Vec3d> targets;
  for (const double x : {0.1, 0.9}) {
    for (const double y : {0.1, 0.4}) {
      for (const double z : {0.1, 0.4}) {
        targets.push_back({x, y, z});
        group.springs.push_back({point_at(spec.lattice, targets.back()), isotropic(k)});
      }
    }
  }
  const Model model = build_model({spec}, {}, {group});
  State state{model.rest_positions};
  Scratch scratch(model);
  Context context;
  const StepInput input{.gravity = {0, -9.81, 0}, .spring_targets = targets};
  ASSERT_TRUE(advance(model, state, input, scratch, context).converged());
  const auto reaction = reactions(model, state.positions, input, context.arena);
  ASSERT_EQ(reaction.size(), 1u);
  EXPECT_NEAR(reaction[0].force[1], weight, 1e-5 * weight);
  EXPECT_NEAR(reaction[0].force[0], 0, 1e-5 * weight);
  double sink = 0;  // of the held points
  for (std::size_t s = 0; s < targets.size(); ++s) {
    Vec3d point{0, 0, 0};
    for (const solve::SpringTerm& term : group.springs[s].terms) {
      point += term.weight * state.positions[term.index];
    }
    sink += (targets[s] - point)[1] / double(targets.size());
  }
  EXPECT_NEAR(sink, weight / (8 * k), 1e-5 * sink);
}

TEST(LatticeConstraints, SpringsBetweenBodiesCarryOneByTheOther) {
  BodySpec upper = uniform_bar(1e6, 0.3), lower = uniform_bar(1e6, 0.3);
  upper.name = "upper";
  lower.name = "lower";
  upper.holds = {hold_where(upper, "end", [](const Vec3d& p) { return p[0] < 1e-9; })};
  const auto first = static_cast<std::int32_t>(upper.lattice.rest_positions.size());
  // The lower bar lies 0.6 below, where the map of the upper one is continued.
  for (Vec3d& p : lower.lattice.rest_positions) p[1] -= 0.6;
  lower.lattice.origin[1] -= 0.6;
  SpringGroupSpec tie{.name = "tie", .springs = {}};
  for (const double x : {0.2, 0.5, 0.8}) {
    for (const double z : {0.1, 0.4}) {
      solve::Spring spring{point_at(lower.lattice, {x, -0.2, z}, 1, first), isotropic(1e5)};
      for (const solve::SpringTerm& t : point_at(upper.lattice, {x, -0.2, z}, -1)) {
        spring.terms.push_back(t);
      }
      tie.springs.push_back(spring);
    }
  }
  const Model model = build_model({upper, lower}, {}, {tie});
  State state{model.rest_positions};
  Scratch scratch(model);
  Context context;
  const auto held = targets(model, [](const std::string&, const Vec3d& p) { return p; });
  const StepInput input{.gravity = {0, -9.81, 0}, .held_positions = held};
  ASSERT_TRUE(advance(model, state, input, scratch, context).converged());
  const double weight = upper.density * 0.25 * 9.81;
  const auto reaction = reactions(model, state.positions, input, context.arena);
  EXPECT_NEAR(reaction[0].force[1], 2 * weight, 1e-4 * weight);
  EXPECT_NEAR(reaction[1].force[1], weight, 1e-4 * weight);  // on the lower bar
}

/// A bar between planes of symmetry, its end pushed: uniaxial stress, exactly.
TEST(LatticeConstraints, NodesInSeveralSlidingHoldsStayInAllTheirPlanes) {
  const double E = 1e5, nu = 0.3, strain = 1e-4;
  BodySpec spec = uniform_bar(E, nu);
  for (int a = 0; a < 3; ++a) {
    spec.holds.push_back(hold_where(spec, std::string(1, char('x' + a)),
                                    [a](const Vec3d& p) { return p[a] < 1e-9; }));
    spec.holds.back().slide = Slide::InPlane;
  }
  spec.holds.push_back(hold_where(spec, "end", [](const Vec3d& p) { return p[0] > 1 - 1e-9; }));
  spec.holds.back().slide = Slide::InPlane;
  const Model model = build_model({spec}, {.newton = {.tolerance = 1e-10}});
  State state{model.rest_positions};
  Scratch scratch(model);
  Context context;
  const auto held = targets(model, [&](const std::string& name, const Vec3d& p) {
    return name == "box.end" ? p + Vec3d{strain, 0.3, -0.2} : p;  // only x counts
  });
  const std::vector<Vec3d> directions{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  const StepInput input{
      .gravity = {0, 0, 0}, .held_positions = held, .slide_directions = directions};
  const StepReport report = advance(model, state, input, scratch, context);
  ASSERT_TRUE(report.converged()) << text(report.end) << ", residual " << report.residual;
  for (std::size_t n = 0; n < model.node_count(); ++n) {
    const Vec3d& X = model.rest_positions[n];
    const Vec3d u = state.positions[n] - X;
    EXPECT_NEAR(u[0], strain * X[0], 1e-9);
    EXPECT_NEAR(u[1], -nu * strain * X[1], 3 * strain * strain);
    EXPECT_NEAR(u[2], -nu * strain * X[2], 3 * strain * strain);
  }
  const auto reaction = reactions(model, state.positions, input, context.arena);
  EXPECT_NEAR(reaction[3].force[0], E * strain * 0.25, 1e-3 * E * strain * 0.25);
  EXPECT_NEAR(reaction[0].force[0], -reaction[3].force[0], 1e-6 * E * strain * 0.25);
  for (const int side : {1, 2}) EXPECT_LT(norm(reaction[side].force), 1e-6 * E * strain * 0.25);
}

TEST(LatticeConstraints, NodesOnALineMoveAlongItOnly) {
  BodySpec spec = uniform_bar(1e5, 0.3);
  spec.holds = {hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; }),
                hold_where(spec, "right", [](const Vec3d& p) { return p[0] > 1 - 1e-9; })};
  spec.holds[1].slide = Slide::AlongLine;
  const Model model = build_model({spec}, {});
  State state{model.rest_positions};
  Scratch scratch(model);
  Context context;
  const auto held = targets(model, [&](const std::string& name, const Vec3d& p) {
    return name == "box.right" ? p + Vec3d{0, 0.2, 0} : p;
  });
  const Vec3d slope = Vec3d{1, 1, 0} * std::sqrt(0.5);
  const std::vector<Vec3d> directions{{1, 0, 0}, slope};
  const StepInput input{
      .gravity = {0, 0, 0}, .held_positions = held, .slide_directions = directions};
  ASSERT_TRUE(advance(model, state, input, scratch, context).converged());
  double farthest = 0;
  std::size_t k = model.holds[0].nodes.size();
  for (const std::int32_t n : model.holds[1].nodes) {
    const Vec3d way = state.positions[n] - held[k++];
    EXPECT_LT(norm(way - dot(way, slope) * slope), 1e-14);
    farthest = std::max(farthest, norm(way));
  }
  EXPECT_GT(farthest, 0.05);  // it does slide
  // Nothing moves: nothing is left to do.
  const StepReport again = advance(model, state, input, scratch, context);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.operator_applications, 0);
}

TEST(LatticeConstraints, WhatIsHeldAltogetherDoesNotSlide) {
  BodySpec spec = uniform_bar(1e5, 0.3);
  spec.holds = {hold_where(spec, "floor", [](const Vec3d& p) { return p[1] < 1e-9; }),
                hold_where(spec, "left", [](const Vec3d& p) { return p[0] < 1e-9; })};
  spec.holds[0].slide = Slide::InPlane;
  const Model model = build_model({spec}, {});
  for (const std::int32_t n : model.holds[1].nodes) EXPECT_EQ(model.freedom[n], Freedom::Held);
  for (const std::int32_t n : model.holds[0].nodes) EXPECT_EQ(model.freedom[n], Freedom::Sliding);
  EXPECT_EQ(model.holds[1].nodes.size(), 9u);
  EXPECT_EQ(model.holds[0].nodes.size(), 12u);
}

}  // namespace
}  // namespace isochor::lattice
