#include "isochor/lattice/skin.h"

#include <gtest/gtest.h>

#include "isochor/grid/anchored_lattice.h"
#include "isochor/grid/embedding.h"
#include "isochor/grid/sliver_cells.h"
#include "isochor/lattice/cell_weights.h"
#include "isochor/lattice/fields.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/lattice/solver.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

constexpr double kSkinThickness = 0.02;
const shells::RubberLaw kSkinRubber{.mu = 40};

/// Skin on those triangles of a surface for which f(normal) is true.
template <class F>
void add_skin(BodySpec& spec, const geometry::SurfaceMesh& mesh, F&& f) {
  ThreadArena arena(1);
  std::vector<geometry::Triangle> triangles;
  for (const geometry::Triangle& t : geometry::triangulate(mesh)) {
    const auto& x = mesh.positions;
    const Vec3d n = cross(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
    if (f(n * (1 / norm(n)))) triangles.push_back(t);
  }
  spec.skin = {.law = kSkinRubber,
               .thickness = kSkinThickness,
               .facets = grid::surface_facets(spec.lattice, mesh.positions, triangles, arena)};
}

/// A ball that no wall of a cell follows.
BodySpec skin_ball(double spacing = 0.29, double edge = 0.2) {
  ThreadArena arena(1);
  const auto mesh = geometry::make_sphere({0.03, 0.01, -0.02}, 0.5, edge);
  BodySpec spec{.name = "ball", .law = materials::law_index("neo_hookean")};
  spec.lattice = grid::build_lattice(mesh, {.spacing = spacing, .quadrature = true}, "ball", arena);
  spec.mu.assign(spec.lattice.cell_count(), 1);
  spec.lambda.assign(spec.lattice.cell_count(), 2);
  add_skin(spec, mesh, [](const Vec3d&) { return true; });
  return spec;
}

/// A block of 1 x 0.62 x 0.45 along x, its sides through the middle of cells, with skin on them but
/// not on its ends, which slide in their planes.
constexpr double kWide = 0.62, kHigh = 0.45;
BodySpec skin_block(double mu, double lambda) {
  ThreadArena arena(1);
  const auto mesh = geometry::make_box({0.5, 0, 0}, {1, kWide, kHigh}, 0.25);
  BodySpec spec{.name = "block", .law = materials::law_index("neo_hookean")};
  spec.lattice = grid::build_lattice(mesh, {.spacing = 0.125, .quadrature = true}, "block", arena);
  spec.mu.assign(spec.lattice.cell_count(), mu);
  spec.lambda.assign(spec.lattice.cell_count(), lambda);
  add_skin(spec, mesh, [](const Vec3d& n) { return std::abs(n[0]) < 0.5; });
  for (const double end : {0.0, 1.0}) {
    spec.holds.push_back(hold_where(spec, end > 0 ? "right" : "left",
                                    [&](const Vec3d& p) { return std::abs(p[0] - end) < 1e-9; }));
    spec.holds.back().slide = Slide::InPlane;
  }
  // What is left of its freedom: a node is pinned, and one beside it stays as high.
  for (const double side : {-0.0625, 0.0625}) {
    spec.holds.push_back(hold_where(spec, side < 0 ? "pin" : "level", [&](const Vec3d& p) {
      return norm(p - Vec3d{0, side, 0}) < 1e-9;
    }));
  }
  spec.holds.back().slide = Slide::InPlane;
  return spec;
}

double skin_energy(const BodySpec& spec, const Mat3d& F) {
  BodySpec bare = spec;
  bare.skin = {};
  const Model with = build_model({spec}, {}), without = build_model({bare}, {});
  std::vector<Vec3d> x;
  for (const Vec3d& p : with.rest_positions) x.push_back(F * p);
  return elastic_energy(with, x) - elastic_energy(without, x);
}

TEST(LatticeSkin, ItsEnergyIsThatOfTheStretchedSurface) {
  // Every cell is in the full rule or has points: no difference of quadratures for an affine map.
  const double stretch = 1.3;
  const BodySpec block = skin_block(1, 2);
  Mat3d F = Mat3d::diagonal({stretch, 1, 1});
  const double c = stretch * stretch, per_volume = 0.5 * kSkinRubber.mu * (c + 1 + 1 / c - 3);
  const double volume = kSkinThickness * 2 * (kWide + kHigh);
  EXPECT_NEAR(skin_energy(block, F), volume * per_volume, 1e-9 * volume * per_volume);

  // On a ball that grows, the area of its triangles counts; pieces of 10 degrees are flat here.
  const BodySpec ball = skin_ball();
  F = Mat3d::diagonal({stretch, stretch, stretch});
  const double W = 0.5 * kSkinRubber.mu * (2 * c + 1 / (c * c) - 3);
  double area = 0;
  for (const grid::SurfaceFacet& f : ball.skin.facets) {
    area += 0.5 * norm(cross(f.corners[1] - f.corners[0], f.corners[2] - f.corners[0]));
  }
  area *= ball.lattice.spacing * ball.lattice.spacing;
  EXPECT_NEAR(area, M_PI, 0.1 * M_PI);
  EXPECT_NEAR(skin_energy(ball, F), area * kSkinThickness * W, 1e-9 * W);
}

TEST(LatticeSkin, TurningItCostsNothing) {
  const Mat3d Q = rotation_from_vector({0.4, -1.2, 0.7});
  EXPECT_NEAR(skin_energy(skin_ball(), Q), 0, 1e-12);
}

TEST(LatticeSkin, ForcesAndMatrixAreDerivatives) {
  const Model model = build_model({skin_ball()}, {});
  const std::vector<Vec3d> x = shaken(model, 0.01, 3);
  std::vector<Vec3d> dx = shaken(model, 1, 5);
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] -= model.rest_positions[i];
  const auto at = [&](double length) {
    std::vector<Vec3d> moved = x;
    for (std::size_t i = 0; i < x.size(); ++i) moved[i] += length * dx[i];
    return moved;
  };
  const std::vector<Vec3d> force = elastic_force(model, x);
  ThreadArena arena(1);
  std::vector<Vec3d> image(x.size());
  apply_stiffness(model, linearised(model, x), dx, image, arena);
  const double e = 1e-5;
  const std::vector<Vec3d> ahead = elastic_force(model, at(e)),
                           behind = elastic_force(model, at(-e));
  double slope = 0, error = 0, scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    slope -= dot(force[i], dx[i]);
    const Vec3d difference = (behind[i] - ahead[i]) * (0.5 / e);
    error += dot(difference - image[i], difference - image[i]);
    scale += dot(image[i], image[i]);
  }
  const double by_energy = (elastic_energy(model, at(e)) - elastic_energy(model, at(-e))) / (2 * e);
  EXPECT_NEAR(by_energy, slope, 1e-6 * std::abs(slope));
  EXPECT_LT(std::sqrt(error / scale), 1e-5);
}

TEST(LatticeSkin, ThreadsGiveTheSameBits) {
  const Model model = build_model({skin_ball(0.11)}, {});
  const std::vector<Vec3d> x = shaken(model, 0.002, 3);
  std::vector<Vec3d> forces[2];
  double energy[2];
  for (const int k : {0, 1}) {
    ThreadArena arena(k == 0 ? 1 : 3);
    forces[k].resize(x.size());
    std::vector<double> blocks(model.blocks.size());
    energy[k] = elastic_force(model, x, forces[k], blocks, arena);
  }
  EXPECT_EQ(energy[0], energy[1]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int a = 0; a < 3; ++a) EXPECT_EQ(forces[0][i][a], forces[1][i][a]);
  }
}

/// Pulls a block to a length; returns what its right end pulls with.
struct Pull {
  double force = 0;
  solve::NewtonReport report;
};
template <class Model, class State, class Scratch, class ElasticForce>
Pull pull_to(const Model& model, const lattice::Model& base, State& state, Scratch& scratch,
             double length, ElasticForce&& elastic) {
  Context context(1);
  const std::vector<Vec3d> held = targets(base, [&](const std::string& name, const Vec3d& p) {
    return name == "block.right" ? Vec3d{length, p[1], p[2]} : p;
  });
  const std::vector<Vec3d> directions{{1, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 1}};
  const StepInput input{.held_positions = held, .slide_directions = directions};
  Pull pull{.report = advance(model, state, input, scratch, context)};
  const std::vector<Vec3d> force = elastic(state);
  for (const std::int32_t n : base.holds[1].nodes) pull.force -= force[n][0];
  return pull;
}

TEST(LatticeSkin, AStretchedBlockPullsWithFleshAndSkin) {
  // Small strains, Poisson's ratio 0.45 in flesh: E A + E_s t P, but for the skin, which would
  // narrow a little more than the flesh.
  const double mu = 50, strain = 1e-4;
  const Model model =
      build_model({skin_block(mu, 9 * mu)}, {.preconditioner = Preconditioner::Multigrid});
  State state = make_state(model);
  Scratch scratch(model);
  const Pull pull = pull_to(model, model, state, scratch, 1 + strain,
                            [&](const State& s) { return elastic_force(model, s.positions); });
  EXPECT_TRUE(pull.report.converged());
  const double flesh = 2.9 * mu * kWide * kHigh;
  const double skin = 3 * kSkinRubber.mu * kSkinThickness * 2 * (kWide + kHigh);
  EXPECT_NEAR(pull.force / strain, flesh + skin, 0.005 * (flesh + skin));
}

TEST(LatticeSkin, FleshAndSkinOfRubberFollowTheClosedForm) {
  // Both keep their volume and narrow alike: F = (mu A + mu_s t P) (l - 1/l^2), at any stretch.
  const double mu = 50, stretch = 1.5;
  const mixed::Model model =
      mixed::build_model({skin_block(mu, std::numeric_limits<double>::infinity())}, {}, {});
  mixed::State state = mixed::make_state(model);
  mixed::Scratch scratch(model);
  Pull pull;
  for (const double length : {1 + 0.5 * (stretch - 1), stretch}) {
    pull = pull_to(model, model.base, state, scratch, length, [&](const mixed::State& s) {
      std::vector<Vec3d> force(s.positions.size());
      std::vector<double> volume(model.pressure_count());
      mixed::BlockValues blocks(model.base.blocks.size());
      ThreadArena arena(1);
      mixed::evaluate(model, {s.positions, s.pressure, {}}, force, volume, blocks, arena);
      return force;
    });
    EXPECT_TRUE(pull.report.converged());
    EXPECT_LE(pull.report.krylov_iterations, 40 * pull.report.iterations);
  }
  const double area = mu * kWide * kHigh + kSkinRubber.mu * kSkinThickness * 2 * (kWide + kHigh);
  const double expected = area * (stretch - 1 / (stretch * stretch));
  EXPECT_NEAR(pull.force, expected, 1e-4 * expected);
}

TEST(LatticeSkin, ABallGrowsAsItShouldWhereCellsAreNearlyEmpty) {
  // A stiff skin on smaller and smaller cells: torn where cells were left out, it let the ball grow
  // by 0.25 % too much. By a dead traction p to l times its size,
  //     p = mu (l - 1/l) + 3 lambda ln(l) / l + 2 mu_s t / R (l - l^-5).
  ThreadArena arena(1);
  const double radius = 0.5, l = 1.001;
  const auto mesh = geometry::make_sphere({0, 0, 0}, radius, radius / 24);
  BodySpec spec{.name = "ball", .law = materials::law_index("neo_hookean")};
  spec.lattice = grid::build_anchored_lattice(
      mesh, {0, 0, 0},
      {.spacing = radius / 8, .quadrature = true, .least_fraction = grid::kLeastUnderSkin}, "ball",
      arena);
  const auto& fractions = spec.lattice.fractions;
  ASSERT_GT(std::ranges::count_if(fractions, [](float f) { return f < grid::kLeastFraction; }), 50);
  spec.mu.assign(spec.lattice.cell_count(), 1);
  spec.lambda.assign(spec.lattice.cell_count(), 1.5);
  spec.fill.assign(fractions.begin(), fractions.end());
  add_skin(spec, mesh, [](const Vec3d&) { return true; });
  spec.holds = {hold_where(spec, "middle", [&](const Vec3d& p) { return norm(p) < 0.07; })};

  const double pressure = (l - 1 / l) + 4.5 * std::log(l) / l +
                          2 * kSkinRubber.mu * kSkinThickness / radius * (l - std::pow(l, -5));
  const double h = spec.lattice.spacing;
  const auto nodes = spec.lattice.cell_nodes();
  std::vector<Vec3d> loads(spec.lattice.rest_positions.size(), Vec3d{0, 0, 0});
  for (const grid::SurfaceFacet& facet : spec.skin.facets) {
    const auto& [a, b, c] = facet.corners;
    const CellWeights w((1.0 / 3) * (a + b + c));
    Vec3d at{0, 0, 0};
    for (int k = 0; k < 8; ++k) {
      at += w.value[k] * spec.lattice.rest_positions[nodes[facet.cell][k]];
    }
    const double push = pressure * 0.5 * h * h * norm(cross(b - a, c - a)) / norm(at);
    for (int k = 0; k < 8; ++k) loads[nodes[facet.cell][k]] += (push * w.value[k]) * at;
  }
  const grid::Embedding embedding =
      grid::embed(spec.lattice, mesh.positions, spec.lattice.vertex_cells);
  const Model model = build_model({spec}, {.preconditioner = Preconditioner::Multigrid});
  State state = make_state(model);
  Scratch scratch(model);
  Context context(1);
  const std::vector<Vec3d> held =
      targets(model, [&](const std::string&, const Vec3d& p) { return l * p; });
  const auto report =
      advance(model, state, {.held_positions = held, .loads = loads}, scratch, context);
  ASSERT_TRUE(report.converged());
  std::vector<Vec3d> now(mesh.positions.size());
  embedding.interpolate(state.positions, now);
  double growth = 0;
  for (std::size_t v = 0; v < now.size(); ++v) {
    const Vec3d& p = mesh.positions[v];
    growth += dot(now[v] - p, p) / dot(p, p) / static_cast<double>(now.size());
  }
  EXPECT_NEAR(growth / (l - 1), 1, 0.001);
}

}  // namespace
}  // namespace isochor::lattice
