#include "isochor/lattice/surfaces.h"

#include <gtest/gtest.h>

#include "isochor/lattice/fields.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/lattice/solver.h"
#include "isochor/lattice/surface_operator.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

using geometry::SurfaceMesh;
using geometry::Triangle;

/// A ball that no wall of a cell follows, and its surface in facets.
struct Ball {
  BodySpec spec;
  SurfaceMesh mesh;
  std::vector<grid::SurfaceFacet> facets;
};
Ball ball(std::string_view law, double edge = 0.3) {
  ThreadArena arena(1);
  Ball b{.spec = {.name = "ball", .law = materials::law_index(law)},
         .mesh = geometry::make_sphere({0.03, 0.01, -0.02}, 0.5, edge),
         .facets = {}};
  b.spec.lattice =
      grid::build_lattice(b.mesh, {.spacing = 0.29, .quadrature = true}, "ball", arena);
  b.facets = grid::surface_facets(b.spec.lattice, b.mesh.positions, triangulate(b.mesh), arena);
  for (std::size_t c = 0; c < b.spec.lattice.cell_count(); ++c) {
    b.spec.mu.push_back(1 + 0.3 * std::sin(double(c)));
    b.spec.lambda.push_back(2);
    b.spec.fill.push_back(std::max(0.05f, b.spec.lattice.fractions[c]));
    if (!materials::is_isotropic(b.spec.law)) {
      b.spec.axes.push_back(rotation_from_vector({0.1 * double(c), 0.4, -0.2}));
    }
  }
  const auto shape = materials::shape_parameters(b.spec.law);
  for (std::size_t i = 0; i < shape.size(); ++i) b.spec.shape[i] = shape[i].fallback;
  return b;
}

/// Those with their middle above a plane.
std::vector<grid::SurfaceFacet> above(const Ball& b, const Vec3d& normal, double height) {
  const auto nodes = b.spec.lattice.cell_nodes();
  std::vector<grid::SurfaceFacet> out;
  for (const grid::SurfaceFacet& f : b.facets) {
    const Vec3d middle = (f.corners[0] + f.corners[1] + f.corners[2]) * (1.0 / 3);
    const Vec3d at =
        b.spec.lattice.rest_positions[nodes[f.cell][0]] + b.spec.lattice.spacing * middle;
    if (dot(at, normal) > height) out.push_back(f);
  }
  return out;
}

struct Forces {
  SurfaceForces sums;
  std::vector<Vec3d> force;
  std::vector<double> volume;
};
Forces forces(const Model& model, const SurfaceConfiguration& at, int threads = 1) {
  ThreadArena arena(threads);
  SurfaceMemory memory(model);
  Forces out{.force = std::vector<Vec3d>(model.node_count(), Vec3d{0, 0, 0}),
             .volume = std::vector<double>(at.mixed ? at.mixed->pressure_count() : 0, 0.0)};
  out.sums = add_surface_forces(model, at, out.force, out.volume, memory, arena);
  return out;
}

std::vector<Vec3d> applied(const Model& model, const SurfaceConfiguration& at,
                           std::span<const Vec3d> dx, std::span<const double> dp = {},
                           std::span<double> volume = {},
                           materials::Definiteness fix = materials::Definiteness::None) {
  ThreadArena arena(1);
  SurfaceMemory memory(model);
  linearise_surfaces(model, at, fix, memory, arena);
  std::vector<Vec3d> out(model.node_count(), Vec3d{0, 0, 0});
  apply_surfaces(model, memory, dx, dp, out, volume, arena);
  return out;
}

std::vector<Vec3d> moved(std::span<const Vec3d> x, std::span<const Vec3d> dx, double length) {
  std::vector<Vec3d> out(x.begin(), x.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += length * dx[i];
  return out;
}

std::vector<Vec3d> random_direction(const Model& model, unsigned seed) {
  std::vector<Vec3d> dx = shaken(model, 1, seed);
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] -= model.rest_positions[i];
  return dx;
}

double product(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
  return sum;
}

/// The smallest relative error of a central difference over a sweep of steps, and whether it falls
/// with their square before rounding takes over.
template <class F>
void expect_derivative(F&& value, double derivative, double scale, double tolerance) {
  double best = 1e300, first = 0, third = 0;
  for (int k = 0; k < 8; ++k) {
    const double e = std::pow(10.0, -1 - 0.5 * k);
    const double error = std::abs((value(e) - value(-e)) / (2 * e) - derivative) / scale;
    if (k == 0) first = error;
    if (k == 2) third = error;
    best = std::min(best, error);
  }
  EXPECT_LT(best, tolerance);
  EXPECT_TRUE(third < 0.05 * first || first < tolerance) << first << " " << third;
}

TEST(SurfaceLoads, PressureOnAClosedSurfaceHasNoForceAndNoMoment) {
  Ball b = ball("neo_hookean");
  b.spec.pressures = {{"p", b.facets}};
  const Model model = build_model({b.spec}, {});
  const std::vector<Vec3d> x = shaken(model, 0.05, 3);
  const double p = 7;
  const Forces f = forces(model, {.positions = x, .demands = {.pressures = std::span(&p, 1)}});
  Vec3d force{0, 0, 0}, moment{0, 0, 0};
  for (std::size_t n = 0; n < x.size(); ++n) {
    force += f.force[n];
    moment += cross(x[n], f.force[n]);
  }
  EXPECT_GT(f.sums.square, 1);
  EXPECT_LT(norm(force), 1e-12);
  EXPECT_LT(norm(moment), 1e-12);
}

TEST(SurfaceLoads, PressureIsTheSumOverEverSmallerPatches) {
  const double p = 2;
  double last = 0;
  for (const int split : {2, 4, 8}) {
    Ball b = ball("neo_hookean", 0.4);
    b.spec.pressures = {{"p", b.facets}};
    const Model model = build_model({b.spec}, {});
    const std::vector<Vec3d> x = shaken(model, 0.05, 3);
    const Forces f = forces(model, {.positions = x, .demands = {.pressures = std::span(&p, 1)}});
    // The same surface in split^2 triangles each, cut along cells, with one point per patch.
    SurfaceMesh fine;
    std::vector<Triangle> triangles;
    for (const Triangle& t : triangulate(b.mesh)) {
      const Vec3d &o = b.mesh.positions[t[0]], u = (b.mesh.positions[t[1]] - o) * (1.0 / split),
                  v = (b.mesh.positions[t[2]] - o) * (1.0 / split);
      for (int i = 0; i < split; ++i) {
        for (int j = 0; j < split - i; ++j) {
          for (const bool upper : {false, true}) {
            if (upper && i + j + 1 >= split) continue;
            const auto at = [&](int k, int l) {
              fine.positions.push_back(o + double(i + k) * u + double(j + l) * v);
              return std::int32_t(fine.positions.size() - 1);
            };
            triangles.push_back(upper ? Triangle{at(1, 0), at(1, 1), at(0, 1)}
                                      : Triangle{at(0, 0), at(1, 0), at(0, 1)});
          }
        }
      }
    }
    ThreadArena arena(1);
    std::vector<Vec3d> naive(x.size(), Vec3d{0, 0, 0});
    const auto nodes = b.spec.lattice.cell_nodes();
    const double h = b.spec.lattice.spacing;
    for (const auto& patch :
         grid::surface_patches(b.spec.lattice, fine.positions, triangles, arena)) {
      Mat3d F = Mat3d::zero();
      double w[8];
      for (int c = 0; c < 8; ++c) {
        const auto factor = [&](int a) { return c >> a & 1 ? patch.local[a] : 1 - patch.local[a]; };
        const auto sign = [&](int a) { return (c >> a & 1 ? 1 : -1) / h; };
        w[c] = factor(0) * factor(1) * factor(2);
        const Vec3d g{sign(0) * factor(1) * factor(2), factor(0) * sign(1) * factor(2),
                      factor(0) * factor(1) * sign(2)};
        for (int a = 0; a < 3; ++a) F.column[a] += g[a] * x[nodes[patch.cell][c]];
      }
      const Mat3d cofactors{{cross(F.column[1], F.column[2]), cross(F.column[2], F.column[0]),
                             cross(F.column[0], F.column[1])}};
      for (int c = 0; c < 8; ++c) {
        naive[nodes[patch.cell][c]] -= (p * w[c]) * (cofactors * patch.area);
      }
    }
    double error = 0;
    for (std::size_t n = 0; n < x.size(); ++n)
      error += dot(f.force[n] - naive[n], f.force[n] - naive[n]);
    error = std::sqrt(error / product(f.force, f.force));
    if (split > 2) {
      EXPECT_LT(error, 0.3 * last);
    }
    last = error;
  }
  EXPECT_LT(last, 2e-3);
}

TEST(SurfaceLoads, TangentIsTheDerivativeOfTheForce) {
  Ball b = ball("neo_hookean");
  b.spec.pressures = {{"p", above(b, {0, 0, 1}, 0.1)}, {"q", above(b, {1, 0, 1}, 0)}};
  const mixed::Model model = mixed::build_model({b.spec}, {}, {});
  const std::vector<Vec3d> x = shaken(model.base, 0.05, 5), dx = random_direction(model.base, 8),
                           test = random_direction(model.base, 9);
  const std::vector<double> p{3, -2}, cells(model.pressure_count(), 0.0);
  const SurfaceConfiguration at{
      .positions = x, .demands = {.pressures = p}, .mixed = &model, .cell_pressure = cells};
  const auto value = [&](double e) {
    const std::vector<Vec3d> y = moved(x, dx, e);
    SurfaceConfiguration there = at;
    there.positions = y;
    return -product(forces(model.base, there).force, test);
  };
  const std::vector<Vec3d> image = applied(model.base, at, dx);
  expect_derivative(value, product(image, test), norm(test[0]) * std::sqrt(product(image, image)),
                    1e-7);
  // A surface with an edge: not symmetric. Where a solver needs that, half of both.
  const std::vector<Vec3d> back = applied(model.base, at, test);
  EXPECT_GT(std::abs(product(image, test) - product(back, dx)), 1e-2);
  const SurfaceConfiguration plain{.positions = x, .demands = {.pressures = p}};
  const Model& base = model.base;
  const double half = 0.5 * (product(image, test) + product(back, dx));
  EXPECT_NEAR(product(applied(base, plain, dx), test), half, 1e-5);
  EXPECT_EQ(product(applied(base, plain, dx, {}, {}, materials::Definiteness::Clamp), test), 0);
}

TEST(SurfaceLoads, WorkIsPressureTimesVolumeOnAClosedSurface) {
  Ball b = ball("neo_hookean");
  b.spec.pressures = {{"p", b.facets}};
  const Model model = build_model({b.spec}, {});
  const double p = 3;
  const std::vector<Vec3d> x = shaken(model, 0.05, 3), dx = random_direction(model, 4);
  const auto volume = [&](std::span<const Vec3d> at) {
    const Forces f = forces(model, {.positions = at, .demands = {.pressures = std::span(&p, 1)}});
    return -product(f.force, at) / (3 * p);
  };
  EXPECT_NEAR(volume(model.rest_positions),
              geometry::enclosed_volume(b.mesh.positions, triangulate(b.mesh)), 1e-13);
  ThreadArena arena(1);
  std::vector<double> memory(model.surfaces.cells.size());
  const double work = pressure_work(model, std::span(&p, 1), x, dx, 0.2, memory, arena);
  EXPECT_NEAR(work, -p * (volume(moved(x, dx, 0.2)) - volume(x)), 1e-12 * std::abs(work));
}

/// A ball with two held caps, one of which slides, away from where they have to be.
struct HeldBall {
  mixed::Model model;
  std::vector<SurfaceMotion> motions;
  std::vector<Vec3d> x;
  std::vector<double> p;
  SurfaceConfiguration at(bool mixed) const {
    SurfaceConfiguration c{.positions = x, .demands = {.motions = motions}};
    if (!mixed) return c;
    c.mixed = &model;
    c.cell_pressure = p;
    return c;
  }
};
HeldBall held_ball(std::string_view law) {
  Ball b = ball(law);
  const Vec3d direction = Vec3d{1, 2, -1} * (1 / std::sqrt(6.0));
  b.spec.held_surfaces = {{"top", above(b, {0, 0, 1}, 0.1), Slide::None, {0, 0, 1}},
                          {"side", above(b, {1, 0, 1}, 0.3), Slide::InPlane, direction},
                          {"line", above(b, {0, -1, 0}, 0.3), Slide::AlongLine, direction}};
  HeldBall out{.model = mixed::build_model({b.spec}, {}, {}), .motions = {}, .x = {}, .p = {}};
  out.motions.assign(3, {.rotation = rotation_from_vector({0.02, 0.01, -0.03}),
                         .translation = {0.01, 0.005, 0.01},
                         .direction = direction});
  out.x = shaken(out.model.base, 0.01, 6);
  out.p.assign(out.model.pressure_count(), 0.0);
  for (const std::int32_t cell : out.model.base.cells) {
    out.p[mixed::Model::pressure_at(cell)] = std::sin(double(cell));
  }
  return out;
}

TEST(HeldSurface, ForceIsMinusTheGradientOfEnergyAndTangentItsDerivative) {
  for (const std::string_view law : {"neo_hookean", "corotated", "guccione"}) {
    for (const bool mixed : {false, true}) {
      SCOPED_TRACE(std::string(law) + (mixed ? " mixed" : ""));
      const HeldBall ball = held_ball(law);
      const Model& model = ball.model.base;
      const SurfaceConfiguration at = ball.at(mixed);
      const Forces here = forces(model, at);
      EXPECT_GT(here.sums.strain, 0.02);
      const std::vector<Vec3d> dx = random_direction(model, 8), test = random_direction(model, 9);
      const auto there = [&](double e, auto&& f) {
        const std::vector<Vec3d> y = moved(ball.x, dx, 0.01 * e);
        SurfaceConfiguration c = at;
        c.positions = y;
        return f(forces(model, c)) / 0.01;
      };
      const double scale = std::sqrt(product(here.force, here.force));
      expect_derivative(
          [&](double e) { return there(e, [](const Forces& f) { return f.sums.energy; }); },
          -product(here.force, dx), scale, 1e-7);
      std::vector<double> volume(ball.model.pressure_count(), 0.0);
      const std::vector<Vec3d> image =
          applied(model, at, dx, {}, mixed ? std::span(volume) : std::span<double>());
      expect_derivative(
          [&](double e) {
            return there(e, [&](const Forces& f) { return -product(f.force, test); });
          },
          product(image, test), std::sqrt(product(image, image)), 1e-6);
      if (!mixed) continue;
      // The rows of pressures, and their columns.
      std::vector<double> dp(volume.size());
      for (std::size_t i = 0; i < dp.size(); ++i) dp[i] = std::cos(double(i));
      double expected = 0, largest = 0;
      for (std::size_t i = 0; i < dp.size(); ++i) {
        expected += volume[i] * dp[i];
        largest = std::max(largest, std::abs(volume[i]));
      }
      expect_derivative(
          [&](double e) {
            return there(e, [&](const Forces& f) {
              double sum = 0;
              for (std::size_t i = 0; i < dp.size(); ++i) sum += f.volume[i] * dp[i];
              return sum;
            });
          },
          expected, largest, 1e-6);
      const std::vector<Vec3d> none(model.node_count(), Vec3d{0, 0, 0});
      EXPECT_NEAR(product(applied(model, at, none, dp), dx), expected, 1e-5 * largest);
    }
  }
}

TEST(HeldSurface, ASmallGapIsLinear) {
  HeldBall ball = held_ball("neo_hookean");
  const Model& model = ball.model.base;
  ball.x = model.rest_positions;
  double last = 0;
  for (const double size : {1.0, 0.1}) {
    for (SurfaceMotion& m : ball.motions) {
      m.rotation = Mat3d::identity();
      m.translation = size * Vec3d{0.003, -0.002, 0.001};
    }
    SurfaceConfiguration at = ball.at(true);
    const Forces exact = forces(model, at);
    at.linear = true;
    const Forces linear = forces(model, at);
    double error = 0;
    for (std::size_t n = 0; n < exact.force.size(); ++n) {
      error = std::max(error, norm(exact.force[n] - linear.force[n]));
    }
    if (last > 0) {
      EXPECT_NEAR(error / last, 0.01, 0.003);
    }
    last = error;
  }
}

/// What a cell's cut quadrature, exact for degree two, makes of the gradients of weights is what
/// the surface makes of weights: a body in uniform stress, held all over, is in equilibrium.
TEST(HeldSurface, AgreesWithExactVolumeIntegralsOfUniformStress) {
  Ball b = ball("neo_hookean");
  b.spec.held_surfaces = {{"all", b.facets, Slide::None, {0, 0, 1}}};
  const Model model = build_model({b.spec}, {});
  std::vector<Vec3d> left(model.node_count(), Vec3d{0, 0, 0});
  for (const SurfaceCell& cell : model.surfaces.cells) {
    for (int c = 0; c < 8; ++c) {
      left[cell.nodes[c]] += model.surfaces.held_parts[cell.first_held].normals[c];
    }
  }
  const double h = b.spec.lattice.spacing;
  const auto nodes = b.spec.lattice.cell_nodes();
  std::vector<const grid::CutCell*> cut(nodes.size(), nullptr);
  for (const grid::CutCell& c : b.spec.lattice.cut_cells) cut[c.cell] = &c;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (int c = 0; c < 8; ++c) {
      const auto slope = [&](const Vec3d& at) {
        Vec3d g;
        for (int a = 0; a < 3; ++a) {
          g[a] = c >> a & 1 ? 1 : -1;
          for (const int o : {(a + 1) % 3, (a + 2) % 3}) g[a] *= c >> o & 1 ? at[o] : 1 - at[o];
        }
        return g;
      };
      Vec3d sum{0, 0, 0};
      if (!cut[k]) sum = slope({0.5, 0.5, 0.5});
      for (int q = 0; cut[k] && q < 4; ++q) {
        sum += (0.25 * cut[k]->fraction) * slope(cut[k]->points[q]);
      }
      left[nodes[k][c]] -= h * h * sum;
    }
  }
  for (const Vec3d& v : left) EXPECT_LT(norm(v), 1e-12);
}

TEST(Surfaces, GiveTheSameBitsForAnyNumberOfThreads) {
  const HeldBall ball = held_ball("neo_hookean");
  const Forces one = forces(ball.model.base, ball.at(true), 1);
  const Forces four = forces(ball.model.base, ball.at(true), 4);
  EXPECT_EQ(one.sums.energy, four.sums.energy);
  for (std::size_t n = 0; n < one.force.size(); ++n) {
    for (int a = 0; a < 3; ++a) ASSERT_EQ(one.force[n][a], four.force[n][a]);
  }
}

TEST(Surfaces, NodalAreasAddUpToTheSurface) {
  const Ball b = ball("neo_hookean");
  double area = 0, expected = 0;
  for (const double a : nodal_areas(b.spec.lattice, b.facets)) area += a;
  for (const auto& [i, j, k] : triangulate(b.mesh)) {
    const std::vector<Vec3d>& x = b.mesh.positions;
    expected += 0.5 * norm(cross(x[j] - x[i], x[k] - x[i]));
  }
  EXPECT_NEAR(area, expected, 1e-12);
}

/// A box whose faces are held by what they are, not by nodes: three slide, one is pulled. As its
/// lattice lies, or turned in it.
struct PulledBox {
  BodySpec spec;
  Mat3d turn;
  SurfaceMesh mesh;
  std::vector<SurfaceMotion> motions;  ///< the last is of what is pulled

  void pull_by(double length) { motions[3].translation = turn * Vec3d{length, 0, 0}; }
};
PulledBox pulled_box(const Mat3d& turn = Mat3d::identity()) {
  ThreadArena arena(1);
  PulledBox box{.spec = {.name = "box", .law = materials::law_index("neo_hookean")},
                .turn = turn,
                .mesh = geometry::make_box({0.5, 0.375, 0.375}, {1, 0.75, 0.75}, 0.25)};
  const SurfaceMesh straight = box.mesh;
  for (Vec3d& p : box.mesh.positions) p = turn * p;
  box.spec.lattice =
      grid::build_lattice(box.mesh, {.spacing = 0.25, .quadrature = true}, "box", arena);
  box.spec.mu.assign(box.spec.lattice.cell_count(), 1);
  box.spec.lambda.assign(box.spec.lattice.cell_count(), 10);
  box.spec.fill.assign(box.spec.lattice.fractions.begin(), box.spec.lattice.fractions.end());
  const std::vector<Triangle> triangles = triangulate(box.mesh);
  const auto hold = [&](const std::string& name, int axis, double at) {
    std::vector<Triangle> in;
    for (const Triangle& t : triangles) {
      bool all = true;
      for (const std::int32_t v : t) all = all && std::abs(straight.positions[v][axis] - at) < 1e-9;
      if (all) in.push_back(t);
    }
    box.motions.push_back({.direction = turn.column[axis]});
    box.spec.held_surfaces.push_back(
        {name, grid::surface_facets(box.spec.lattice, box.mesh.positions, in, arena),
         Slide::InPlane, turn.column[axis]});
  };
  hold("low x", 0, 0);
  hold("low y", 1, 0);
  hold("low z", 2, 0);
  hold("pulled", 0, 1);
  return box;
}
const std::array<Mat3d, 2> kTurns{Mat3d::identity(),
                                  rotation_from_vector(Vec3d{1, 2, 3} * (0.7 / std::sqrt(14.0)))};

/// How far nodes are from where stretches along the axes of the box take them. Those that carry
/// next to nothing are where rounding leaves them.
double worst_place(const PulledBox& box, std::span<const Vec3d> rest, std::span<const Vec3d> x,
                   const Vec3d& stretch) {
  std::vector<char> carries(x.size(), 0);
  const auto nodes = box.spec.lattice.cell_nodes();
  for (std::size_t c = 0; c < nodes.size(); ++c) {
    for (const std::int32_t n : nodes[c]) carries[n] |= box.spec.fill[c] > 0.2;
  }
  double worst = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (!carries[n]) continue;
    const Vec3d r = transpose(box.turn) * rest[n];
    const Vec3d to{stretch[0] * r[0], stretch[1] * r[1], stretch[2] * r[2]};
    worst = std::max(worst, norm(x[n] - box.turn * to));
  }
  return worst;
}

TEST(HeldSurface, UniaxialStretchIsExactHoweverTheBoxIsTurned) {
  for (const Mat3d& turn : kTurns) {
    for (const auto preconditioner : {Preconditioner::Jacobi, Preconditioner::Multigrid}) {
      // Cells filled to a millionth are nothing for single precision.
      if (preconditioner == Preconditioner::Multigrid && &turn != std::data(kTurns)) continue;
      PulledBox box = pulled_box(turn);
      const Model model = build_model(
          {box.spec}, {.preconditioner = preconditioner, .newton = {.tolerance = 1e-11}});
      State state = make_state(model);
      Scratch scratch(model);
      scratch.poison();
      Context context;
      box.pull_by(0.5);
      const StepInput input{.surfaces = {.motions = box.motions}};
      const StepReport report = advance(model, state, input, scratch, context);
      ASSERT_TRUE(report.converged()) << report.residual;
      // The stretch across and the force are those of the law, lambda = 10 mu.
      EXPECT_LT(
          worst_place(box, model.rest_positions, state.positions, {1.5, 0.82934177, 0.82934177}),
          2e-8);
      const auto pushes = surface_pushes(
          model, {.positions = state.positions, .demands = {.motions = box.motions}});
      const Vec3d pull = transpose(turn) * pushes[3].force;
      EXPECT_NEAR(pull[0], 1.04146149 * 0.75 * 0.75, 1e-8);
      EXPECT_LT(norm(pushes[0].force + pushes[3].force), 1e-8);
      // Solved again it stays where it is.
      EXPECT_EQ(advance(model, state, input, scratch, context).iterations, 0);
    }
  }
}

TEST(HeldSurface, UniaxialStretchIsExactWithPressures) {
  for (const Mat3d& turn : kTurns) {
    PulledBox box = pulled_box(turn);
    make_uniform(box.spec, 1, std::numeric_limits<double>::infinity());
    const mixed::Model model = mixed::build_model({box.spec}, {}, {.tolerance = 1e-10});
    mixed::State state = mixed::make_state(model);
    mixed::Scratch scratch(model);
    scratch.poison();
    Context context;
    box.pull_by(0.05);
    const mixed::StepReport report =
        advance(model, state, {.surfaces = {.motions = box.motions}}, scratch, context);
    ASSERT_TRUE(report.converged()) << report.residual;
    const double t = 1 / std::sqrt(1.05);
    EXPECT_LT(worst_place(box, model.base.rest_positions, state.positions, {1.05, t, t}), 1e-7);
    const auto pushes = surface_pushes(model.base, {.positions = state.positions,
                                                    .demands = {.motions = box.motions},
                                                    .mixed = &model,
                                                    .cell_pressure = state.pressure});
    EXPECT_NEAR((transpose(turn) * pushes[3].force)[0], (1.05 - 1 / 1.1025) * 0.75 * 0.75, 1e-7);
  }
}

TEST(SurfaceLoads, ACompressibleBoxShrinksUnderPressureHoweverItIsTurned) {
  for (const Mat3d& turn : kTurns) {
    PulledBox box = pulled_box(turn);
    ThreadArena arena(1);
    // What is held is not loaded.
    box.spec.held_surfaces.pop_back();
    box.motions.pop_back();
    std::vector<Triangle> free;
    for (const Triangle& t : triangulate(box.mesh)) {
      Vec3d middle{0, 0, 0};
      for (const std::int32_t v : t) middle += transpose(turn) * box.mesh.positions[v];
      if (std::min({middle[0], middle[1], middle[2]}) > 1e-9) free.push_back(t);
    }
    box.spec.pressures = {
        {"all", grid::surface_facets(box.spec.lattice, box.mesh.positions, free, arena)}};
    const Model model = build_model({box.spec}, {.newton = {.tolerance = 1e-10}});
    State state = make_state(model);
    Scratch scratch(model);
    Context context;
    const double p = 0.3;
    const StepInput input{.surfaces = {.pressures = std::span(&p, 1), .motions = box.motions}};
    const StepReport report = advance(model, state, input, scratch, context);
    ASSERT_TRUE(report.converged()) << report.residual;
    // mu (s - 1/s) + 3 lambda ln(s) / s = -p s^2.
    double s = 0.9;
    for (int k = 0; k < 50; ++k) {
      const auto f = [&](double t) { return (t - 1 / t) + 30 * std::log(t) / t + p * t * t; };
      s -= f(s) / ((f(s + 1e-6) - f(s - 1e-6)) / 2e-6);
    }
    // Conjugate gradients have half of the tangent of what is not closed.
    EXPECT_LT(worst_place(box, model.rest_positions, state.positions, {s, s, s}), 1e-7);
    EXPECT_LE(report.iterations, 20);
  }
}

}  // namespace
}  // namespace isochor::lattice
