#include "isochor/lattice/braces.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "isochor/lattice/contacts.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

constexpr double kCell = 0.1, kMu = 4e3;

/// A ball whose cells at the surface are cut, with its surface.
struct Ball {
  geometry::SurfaceMesh surface = geometry::make_sphere({0, 0, 0}, 0.33, 0.08);
  ThreadArena arena{1};
  BodySpec spec;
  Model model;

  Ball() {
    spec = {.name = "ball", .law = materials::law_index("corotated")};
    spec.lattice = grid::build_lattice(
        surface, {.spacing = kCell, .quadrature = true, .least_fraction = 0.02}, "ball", arena);
    spec.mu.assign(spec.lattice.cell_count(), kMu);
    spec.lambda.assign(spec.lattice.cell_count(), 6e3);
    model = build_model({spec}, {});
  }

  ContactSurface contact_surface() const {
    ContactSurface out;
    const grid::Embedding embedding = grid::embed(spec.lattice, surface.positions);
    add_surface({.rest = surface.positions,
                 .triangles = geometry::triangulate(surface),
                 .embedding = embedding},
                out);
    return out;
  }
};

TEST(Braces, HoldNodesWithLittleMaterialAndNoOthers) {
  const Ball ball;
  const std::vector<solve::Spring> braces = find_braces(ball.model, ball.model.bodies[0], 0.2);
  const double full = std::ranges::max(ball.model.mass);
  std::vector<bool> braced(ball.model.node_count(), false);
  for (const solve::Spring& brace : braces) braced[brace.terms[0].index] = true;
  std::size_t weakest = 0;
  for (std::size_t n = 0; n < braced.size(); ++n) {
    EXPECT_TRUE(!braced[n] || ball.model.mass[n] < 0.1 * full) << n;
    if (ball.model.mass[n] < ball.model.mass[weakest]) weakest = n;
  }
  EXPECT_LT(ball.model.mass[weakest], 1e-2 * full) << "or the ball shows nothing";
  EXPECT_TRUE(braced[weakest]);
  for (const solve::Spring& brace : braces) {
    EXPECT_GT(ball.model.mass[brace.terms[1].index], ball.model.mass[brace.terms[0].index]);
  }
}

TEST(Braces, OfWholeCellsThereAreNone) {
  const Model box = build_model({box_spec(3, 2, 2, kCell)}, {});
  EXPECT_TRUE(find_braces(box, box.bodies[0], 0.2).empty());
}

TEST(Braces, OfABodyUnderPressureAreAmongItsSprings) {
  Ball ball;
  EXPECT_EQ(ball.model.springs.count(), 0u);
  ball.spec.pressures = {
      {.name = "all",
       .facets = grid::surface_facets(ball.spec.lattice, ball.surface.positions,
                                      geometry::triangulate(ball.surface), ball.arena)}};
  const Model pressed = build_model({ball.spec}, {});
  EXPECT_EQ(pressed.springs.count(), find_braces(ball.model, ball.model.bodies[0], 0.2).size());
  EXPECT_TRUE(pressed.spring_groups.empty());
}

TEST(Braces, LeaveHomogeneousDeformationsAlone) {
  const Ball ball;
  const Mat3d F = rotation_from_vector({0.3, -1.2, 0.5}) *
                  Mat3d{{Vec3d{1.4, 0.2, 0}, Vec3d{-0.3, 0.8, 0.1}, Vec3d{0, 0.4, 1.1}}};
  for (const solve::Spring& brace : find_braces(ball.model, ball.model.bodies[0], 0.2)) {
    Vec3d stretch{0, 0, 0};
    for (const auto& [node, weight] : brace.terms) {
      stretch += weight * (F * ball.model.rest_positions[node] + Vec3d{3, 1, 2});
    }
    EXPECT_LT(norm(stretch), 1e-14);
  }
}

TEST(Braces, PullAsTheirEnergyAndStiffnessSayWithBarriersOnly) {
  Ball ball;
  Contacts contacts(ball.model, ball.contact_surface(), {}, {.self_contact = true}, ball.arena);
  contacts.begin(ball.model.rest_positions, 0);
  EXPECT_LT(contacts.evaluate(ball.model.rest_positions).energy, 1e-25) << "rounding";
  const std::vector<Vec3d> x = shaken(ball.model, 1e-3 * kCell, 3);
  std::vector<Vec3d> way = shaken(ball.model, 1, 7), force(x.size(), Vec3d{0, 0, 0}), image = force;
  for (std::size_t n = 0; n < way.size(); ++n) way[n] -= ball.model.rest_positions[n];
  const double energy = contacts.evaluate(x).energy;
  ASSERT_GT(energy, 0);
  contacts.add_forces(force);
  contacts.linearise(contact::Curvature::Exact);
  contacts.apply(way, image);
  // The energy is quadratic where nothing touches: these three terms are all of it.
  constexpr double kStep = 1e-4;
  double expected = energy;
  std::vector<Vec3d> there = x;
  for (std::size_t n = 0; n < x.size(); ++n) {
    expected += -kStep * dot(force[n], way[n]) + 0.5 * kStep * kStep * dot(way[n], image[n]);
    there[n] += kStep * way[n];
  }
  EXPECT_NEAR(contacts.evaluate(there).energy, expected, 1e-10 * expected);

  Contacts published(ball.model, ball.contact_surface(), {},
                     {.scheme = ContactScheme::Published, .self_contact = true}, ball.arena);
  published.begin(ball.model.rest_positions, 0);
  EXPECT_EQ(published.evaluate(x).energy, 0);
}

}  // namespace
}  // namespace isochor::lattice
