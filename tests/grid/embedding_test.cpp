#include "isochor/grid/embedding.h"

#include <functional>
#include <gtest/gtest.h>

#include "isochor/geometry/connectivity.h"
#include "isochor/geometry/shapes.h"
#include "tests/geometry/surface_checks.h"
#include "tests/grid/lattice_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::grid {
namespace {

Lattice build(const geometry::SurfaceMesh& surface, double spacing) {
  ThreadArena arena(1);
  return build_lattice(surface, spacing, "test", arena);
}

/// Interpolates `field` from the nodes and compares it with itself at the points.
void expect_exact(const Lattice& lattice, std::span<const Vec3d> points,
                  const std::function<double(const Vec3d&)>& field,
                  Interpolation interpolation = Interpolation::Trilinear) {
  const Embedding embedding = embed(lattice, points, interpolation);
  ASSERT_EQ(embedding.points.size(), points.size());
  std::vector<double> nodal, at_points(points.size());
  for (const Vec3d& x : lattice.rest_positions) nodal.push_back(field(x));
  embedding.interpolate(nodal, at_points);
  for (std::size_t p = 0; p < points.size(); ++p) {
    // Fields of size ten; some eight terms, or a few dozen with weights that sum to about five.
    EXPECT_NEAR(at_points[p], field(points[p]), 1e-12 * (1 + std::abs(field(points[p]))));
  }
}

TEST(GridEmbedding, RestPositionsComeBack) {
  for (const double spacing : {0.3, 0.11}) {
    const geometry::SurfaceMesh sphere = geometry::make_sphere({1, 2, -3}, 1, 0.1);
    const Lattice lattice = build(sphere, spacing);
    const Embedding embedding = embed(lattice, sphere.positions);
    std::vector<Vec3d> positions(sphere.positions.size());
    embedding.interpolate(lattice.rest_positions, positions);
    for (std::size_t p = 0; p < positions.size(); ++p) {
      EXPECT_LT(norm(positions[p] - sphere.positions[p]), 1e-12);
      for (int a = 0; a < 3; ++a) {
        // A point in a wall may be taken by the cell on the other side of it.
        EXPECT_GE(embedding.points[p].local[a], -1e-5);
        EXPECT_LE(embedding.points[p].local[a], 1 + 1e-5);
      }
    }
  }
}

TEST(GridEmbedding, AffineAndTrilinearFieldsAreExact) {
  Random random(1);
  const geometry::SurfaceMesh sphere = geometry::make_sphere({0, 0, 0}, 1, 0.15);
  const Lattice lattice = build(sphere, 0.17);
  std::vector<Vec3d> points = sphere.positions;
  while (points.size() < 2000) {
    const Vec3d p = random.vector();
    if (norm(p) < 0.99) points.push_back(p);
  }
  for (int sample = 0; sample < 5; ++sample) {
    double c[8];
    for (double& value : c) value = random.uniform(-2, 2);
    expect_exact(lattice, points,
                 [&](const Vec3d& x) { return c[0] + c[1] * x[0] + c[2] * x[1] + c[3] * x[2]; });
    expect_exact(lattice, points, [&](const Vec3d& x) {
      return c[0] + c[1] * x[0] + c[2] * x[1] + c[3] * x[2] + c[4] * x[0] * x[1] +
             c[5] * x[1] * x[2] + c[6] * x[2] * x[0] + c[7] * x[0] * x[1] * x[2];
    });
  }
}

TEST(GridEmbedding, AQuadraticFieldIsNotExact) {
  // So that the test above cannot pass by accident.
  const Lattice lattice = build(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5), 0.5);
  const std::vector<Vec3d> points{{0.25, 0, 0}};
  std::vector<double> nodal, at_points(1);
  for (const Vec3d& x : lattice.rest_positions) nodal.push_back(x[0] * x[0]);
  embed(lattice, points).interpolate(nodal, at_points);
  EXPECT_NEAR(at_points[0], 0.125, 1e-14);  // the chord, not the parabola at 0.0625
}

TEST(GridEmbedding, PointsInWallsAndCornersOfTheBoxAreTaken) {
  const double h = 0.1;
  const geometry::SurfaceMesh box = geometry::make_box({0.7, 0.1, -0.3}, {0.3, 0.5, 0.7}, h);
  const Lattice lattice = build(box, h);
  expect_exact(lattice, lattice.rest_positions, [](const Vec3d& x) { return x[0] - 2 * x[2]; });
  expect_exact(lattice, box.positions, [](const Vec3d& x) { return x[0] - 2 * x[2] + x[1]; });
}

TEST(GridEmbedding, VerticesOfASimpleBodyRideOnTheCellsThatHoldThem) {
  const geometry::SurfaceMesh box = geometry::make_box({0.7, 0.1, -0.3}, {0.3, 0.5, 0.7}, 0.05);
  const geometry::SurfaceMesh ball = geometry::make_sphere({0, 0, 0}, 1, 0.1);
  for (const double h : {0.1, 0.13}) {
    const Lattice in_box = build(box, h), in_ball = build(ball, h);
    EXPECT_EQ(in_box.vertex_cells, find_cells(in_box, box.positions));
    EXPECT_EQ(in_ball.vertex_cells, find_cells(in_ball, ball.positions));
  }
}

TEST(GridEmbedding, APointALittleOutsideRidesOnTheNearestCell) {
  const Lattice lattice = build(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5), 0.5);
  const std::vector<Vec3d> points{{0.6, 0.1, 0.1}, {-0.6, -0.7, 0.2}};
  expect_exact(lattice, points, [](const Vec3d& x) { return 1 + x[0] + 2 * x[1] - x[2]; });
}

TEST(GridEmbedding, RidesAlongWithAMotion) {
  Random random(2);
  const geometry::SurfaceMesh sphere = geometry::make_sphere({0, 0, 0}, 1, 0.2);
  const Lattice lattice = build(sphere, 0.2);
  const Mat3d F = random.matrix(-2, 2);
  const Vec3d shift = random.vector();
  std::vector<Vec3d> moved, points(sphere.positions.size());
  for (const Vec3d& x : lattice.rest_positions) moved.push_back(F * x + shift);
  embed(lattice, sphere.positions).interpolate(moved, points);
  for (std::size_t p = 0; p < points.size(); ++p) {
    EXPECT_LT(norm(points[p] - (F * sphere.positions[p] + shift)), 1e-12);
  }
}

TEST(GridEmbedding, APointFarFromEveryCellRidesOnTheNearestOne) {
  // Two small bodies far apart in one lattice, points between them and outside: an affine motion
  // continues to where they are.
  const Lattice lattice = build(geometry::joined(geometry::make_box({0, 0, 0}, {1, 1, 1}, 1),
                                                 geometry::make_box({9, 0, 0}, {1, 1, 1}, 1)),
                                0.5);
  const std::vector<Vec3d> far{{4.2, 0, 0}, {4.8, 0.3, 0}, {-1e12, 0, 0}};
  const Embedding embedding = embed(lattice, far);
  std::vector<Vec3d> moved, points(far.size());
  for (const Vec3d& x : lattice.rest_positions) moved.push_back({2 * x[0] + 1, x[1], x[2]});
  embedding.interpolate(moved, points);
  for (std::size_t p = 0; p < far.size(); ++p) {
    EXPECT_NEAR(points[p][0], 2 * far[p][0] + 1, 1e-14 * std::abs(far[p][0]) + 1e-12);
  }
  const auto x_of_cell = [&](int p) {
    return lattice.rest_positions[embedding.points[p].nodes[0]][0];
  };
  EXPECT_LT(x_of_cell(0), 1);
  EXPECT_GT(x_of_cell(1), 8);
}

TEST(GridLattice, AVertexThatNoFaceUsesChangesNothing) {
  geometry::SurfaceMesh box = geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5);
  const Lattice before = build(box, 0.25);
  box.positions.push_back({100, 0, 0});
  const Lattice after = build(box, 0.25);
  EXPECT_EQ(after.size, before.size);
  EXPECT_EQ(after.cell_count(), before.cell_count());
  EXPECT_EQ(embed(after, box.positions).points.size(), box.positions.size());
}

TEST(GridEmbedding, FingersMoveApartWithTheirOwnCells) {
  const double h = 0.2, gap = 0.02;
  const geometry::SurfaceMesh fingers = two_fingers(1.03, gap, 0.15);
  const Lattice lattice = build(fingers, h);
  const auto is_right = [&](const Vec3d& p) { return p[0] > 1.03 + 0.5 * gap; };
  // The fingers are two parts above the palm.
  geometry::DisjointSets sets(lattice.rest_positions.size());
  for (const auto& nodes : lattice.cell_nodes()) {
    if (lattice.rest_positions[nodes[0]][2] < h) continue;
    for (const std::int32_t n : nodes) sets.unite(nodes[0], n);
  }
  std::set<std::int32_t> right;
  for (const std::int32_t n :
       nodes_under(lattice, fingers, [&](const Vec3d& p) { return is_right(p) && p[2] > 2 * h; })) {
    right.insert(sets.find(n));
  }
  ASSERT_EQ(right.size(), 1u);
  std::vector<Vec3d> nodal = lattice.rest_positions;
  const Vec3d away{0.7, -0.1, 0.2};
  for (std::size_t n = 0; n < nodal.size(); ++n) {
    if (right.contains(sets.find(static_cast<std::int32_t>(n)))) nodal[n] += away;
  }
  for (const Interpolation kind : {Interpolation::Trilinear, Interpolation::Tricubic}) {
    // By the cells of the surface, and by the nearest piece of it.
    for (const bool known : {true, false}) {
      const auto cells = known ? lattice.vertex_cells : find_cells(lattice, fingers.positions);
      std::vector<Vec3d> moved(fingers.positions.size());
      embed(lattice, fingers.positions, cells, kind).interpolate(nodal, moved);
      for (std::size_t v = 0; v < moved.size(); ++v) {
        const Vec3d& p = fingers.positions[v];
        if (p[2] > -4 * h && p[2] < 6 * h) continue;  // bent
        const Vec3d expected = is_right(p) && p[2] > 0 ? p + away : p;
        EXPECT_LT(norm(moved[v] - expected), 1e-12) << p[0] << " " << p[2];
      }
    }
  }
}

TEST(GridEmbedding, PointsInsideGoWithTheNearestSurface) {
  const geometry::SurfaceMesh fingers = two_fingers(1.03, 0.02, 0.3);
  const Lattice lattice = build(fingers, 0.2);
  const std::vector<Vec3d> points{{1.02, 0.5, 2.5}, {1.06, 0.5, 2.5}};
  const auto cells = find_cells(lattice, points);
  const auto cell_nodes = lattice.cell_nodes();
  const auto left =
      nodes_under(lattice, fingers, [](const Vec3d& p) { return p[0] < 1.04 && p[2] > 1; });
  EXPECT_NE(cells[0], cells[1]);
  EXPECT_TRUE(left.contains(cell_nodes[cells[0]][0]));
  EXPECT_FALSE(left.contains(cell_nodes[cells[1]][0]));
}

constexpr auto kTricubic = Interpolation::Tricubic;

TEST(GridTricubic, QuadraticFieldsAreExactEverywhereOnABall) {
  Random random(3);
  const geometry::SurfaceMesh ball = geometry::make_sphere({0, 0, 0}, 1, 0.15);
  for (const double h : {0.31, 0.17}) {
    const Lattice lattice = build(ball, h);
    std::vector<Vec3d> points = ball.positions;
    for (int i = 0; i < 200; ++i) points.push_back(0.5 * random.vector());
    double c[10];
    for (double& value : c) value = random.uniform(-2, 2);
    expect_exact(
        lattice, points,
        [&](const Vec3d& x) {
          return c[0] + c[1] * x[0] + c[2] * x[1] + c[3] * x[2] + c[4] * x[0] * x[1] +
                 c[5] * x[1] * x[2] + c[6] * x[2] * x[0] + c[7] * x[0] * x[0] + c[8] * x[1] * x[1] +
                 c[9] * x[2] * x[2];
        },
        kTricubic);
  }
}

TEST(GridTricubic, AffineFieldsAreExactOnAnyLattice) {
  const auto field = [](const Vec3d& x) { return 1 + x[0] + 2 * x[1] - x[2]; };
  // A cell, a row, a layer, a thin slanted sheet, fingers.
  std::vector<geometry::SurfaceMesh> bodies{
      geometry::make_box({0, 0, 0}, {1, 1, 1}, 1), geometry::make_box({0, 0, 0}, {1, 1, 5}, 1),
      geometry::make_box({0, 0, 0}, {4, 1, 5}, 1), geometry::make_box({0, 0, 0}, {5, 5, 0.1}, 0.5),
      two_fingers(1, 0.1, 0.5)};
  const Mat3d turn = rotation_from_vector({0.3, -0.5, 0.2});
  for (Vec3d& p : bodies[3].positions) p = turn * p;
  for (const auto& body : bodies) {
    expect_exact(build(body, 1), body.positions, field, kTricubic);
    expect_exact(build(body, 0.4), body.positions, field, kTricubic);
  }
}

TEST(GridTricubic, ATrilinearFieldIsExactOnOneCell) {
  const Lattice lattice = build(geometry::make_box({0, 0, 0}, {1, 1, 1}, 1), 1);
  const std::vector<Vec3d> points{{0.1, 0.2, -0.3}, {0.5, 0.5, 0.5}};
  expect_exact(
      lattice, points, [](const Vec3d& x) { return x[0] * x[1] * x[2] - x[1]; }, kTricubic);
}

TEST(GridTricubic, ACubicFieldIsNotExact) {
  // So that the tests above cannot pass by accident.
  const Lattice lattice = build(geometry::make_box({0, 0, 0}, {2, 2, 2}, 1), 0.25);
  const std::vector<Vec3d> points{{0.05, 0, 0}};
  std::vector<double> nodal, at_points(1);
  for (const Vec3d& x : lattice.rest_positions) nodal.push_back(x[0] * x[0] * x[0]);
  embed(lattice, points, kTricubic).interpolate(nodal, at_points);
  EXPECT_GT(std::abs(at_points[0] - 0.05 * 0.05 * 0.05), 1e-4);
}

TEST(GridTricubic, APointOutsideRidesOnTheLinearContinuation) {
  const Lattice lattice = build(geometry::make_box({0, 0, 0}, {1, 1, 1}, 0.5), 0.25);
  const std::vector<Vec3d> points{{0.6, 0.1, 0.1}, {-0.6, -0.7, 0.2}, {3, 4, 5}, {-1e6, 0, 0}};
  expect_exact(
      lattice, points, [](const Vec3d& x) { return 1 + x[0] + 2 * x[1] - x[2]; }, kTricubic);
  // Exactly linear along a ray away from a face.
  std::vector<double> nodal, at_points(3);
  for (const Vec3d& x : lattice.rest_positions) nodal.push_back(std::sin(3 * x[0]) + x[1] * x[0]);
  const std::vector<Vec3d> ray{{0.5, 0.1, 0.2}, {1.5, 0.1, 0.2}, {2.5, 0.1, 0.2}};
  embed(lattice, ray, kTricubic).interpolate(nodal, at_points);
  EXPECT_NEAR(at_points[2] - at_points[1], at_points[1] - at_points[0], 1e-12);
}

TEST(GridTricubic, WeightsSumToOneAndGiveTheInterpolation) {
  Random random(5);
  const geometry::SurfaceMesh fingers = two_fingers(1.03, 0.02, 0.3);
  const Lattice lattice = build(fingers, 0.25);
  std::vector<double> nodal;
  for (std::size_t n = 0; n < lattice.rest_positions.size(); ++n) {
    nodal.push_back(random.uniform(-1, 1));
  }
  std::vector<double> at_points(fingers.positions.size());
  for (const Interpolation kind : {Interpolation::Trilinear, kTricubic}) {
    const Embedding embedding = embed(lattice, fingers.positions, lattice.vertex_cells, kind);
    EXPECT_EQ(embedding.interpolation(), kind);
    embedding.interpolate(nodal, at_points);
    for (std::size_t p = 0; p < at_points.size(); ++p) {
      double sum = 0, value = 0, size = 0;
      std::int32_t last = -1;
      for (const auto& [node, weight] : embedding.weights(p)) {
        EXPECT_GT(node, last);
        last = node;
        sum += weight;
        size += std::abs(weight);
        value += weight * nodal[node];
      }
      EXPECT_NEAR(sum, 1, 1e-13);
      EXPECT_NEAR(value, at_points[p], 1e-13);
      EXPECT_LT(size, 3) << "a wild extrapolation";
    }
  }
}

/// The derivative along `direction` of an embedded field at a point, as one cell has it.
double slope(const Lattice& lattice, std::span<const double> nodal, const Vec3d& at,
             const Vec3d& direction, std::int32_t cell, Interpolation kind) {
  const double step = 1e-5 * lattice.spacing;
  const std::vector<Vec3d> points{at, at + step * direction};
  const std::vector<std::int32_t> cells{cell, cell};
  std::vector<double> values(2);
  embed(lattice, points, cells, kind).interpolate(nodal, values);
  return (values[1] - values[0]) / step;
}

TEST(GridTricubic, SlopesAreContinuousAcrossWalls) {
  const geometry::SurfaceMesh ball = geometry::make_sphere({0, 0, 0}, 1, 0.3);
  const Lattice lattice = build(ball, 0.3);
  std::vector<double> nodal;
  for (const Vec3d& x : lattice.rest_positions)
    nodal.push_back(std::sin(2 * x[0]) * x[1] + x[2] * x[2]);
  std::map<Index3, std::int32_t> cell_at;
  std::int32_t cell = 0;
  lattice.for_each_cell(
      [&](std::size_t b, int lane) { cell_at[cell_coordinate(lattice.blocks[b], lane)] = cell++; });
  double worst = 0, worst_trilinear = 0;
  int tried = 0;
  for (const auto& [place, here] : cell_at) {
    const int axis = tried % 3;
    Index3 beyond = place;
    ++beyond[axis];
    if (!cell_at.contains(beyond)) continue;
    if (++tried % 7 > 0) continue;
    Vec3d local{0.3, 0.6, 0.45}, normal{0, 0, 0};
    local[axis] = 1;
    normal[axis] = 1;
    const Vec3d at =
        lattice.origin +
        lattice.spacing * (Vec3d{double(place[0]), double(place[1]), double(place[2])} + local);
    for (const Interpolation kind : {Interpolation::Trilinear, kTricubic}) {
      const double before = slope(lattice, nodal, at, -normal, here, kind);
      const double after = slope(lattice, nodal, at, normal, cell_at[beyond], kind);
      double& jump = kind == kTricubic ? worst : worst_trilinear;
      jump = std::max(jump, std::abs(after + before));
    }
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(worst_trilinear, 0.05);
  EXPECT_LT(worst, 1e-4);
}

TEST(GridTricubic, ErrorIsOfThirdOrderUpToTheSurface) {
  const auto map = [](const Vec3d& x) {
    return Vec3d{x[0] + 0.2 * std::sin(2 * x[1]), x[1] * std::cos(x[2]), x[2] + 0.3 * x[0] * x[1]};
  };
  const geometry::SurfaceMesh ball = geometry::make_sphere({0, 0, 0}, 1, 0.1);
  const auto error = [&](double h, Interpolation kind) {
    const Lattice lattice = build(ball, h);
    std::vector<Vec3d> nodal, moved(ball.positions.size());
    for (const Vec3d& x : lattice.rest_positions) nodal.push_back(map(x));
    embed(lattice, ball.positions, lattice.vertex_cells, kind).interpolate(nodal, moved);
    double worst = 0;
    for (std::size_t v = 0; v < moved.size(); ++v) {
      worst = std::max(worst, norm(moved[v] - map(ball.positions[v])));
    }
    return worst;
  };
  EXPECT_NEAR(error(0.25, Interpolation::Trilinear) / error(0.125, Interpolation::Trilinear), 4,
              0.5);
  EXPECT_GT(error(0.25, kTricubic) / error(0.125, kTricubic), 6.5);
  EXPECT_LT(error(0.125, kTricubic), 0.1 * error(0.125, Interpolation::Trilinear));
}

}  // namespace
}  // namespace isochor::grid
