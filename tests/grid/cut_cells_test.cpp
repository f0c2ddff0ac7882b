#include <cmath>
#include <gtest/gtest.h>

#include "isochor/base/error.h"
#include "isochor/geometry/shapes.h"
#include "isochor/geometry/winding_number.h"
#include "isochor/grid/embedding.h"
#include "isochor/grid/sliver_cells.h"
#include "tests/geometry/surface_checks.h"
#include "tests/grid/lattice_checks.h"
#include "tests/math/random_matrix.h"

namespace isochor::grid {
namespace {

using geometry::joined;
using geometry::make_box;
using geometry::make_sphere;
using geometry::make_torus;
using geometry::Moments;
using geometry::SurfaceMesh;

Lattice build(const SurfaceMesh& surface, LatticeOptions options, int threads = 1) {
  ThreadArena arena(threads);
  options.quadrature = true;
  return build_lattice(surface, options, "body 'test'", arena);
}

/// Of moments in a cell, in metres.
Moments placed(const Moments& m, const Vec3d& low, double h) {
  Moments result{m.volume * h * h * h, {}, {}};
  result.first = (h * h * h) * (m.volume * low + h * m.first);
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const int k = geometry::second_moment(i, j);
      result.second[k] = h * h * h *
                         (m.volume * low[i] * low[j] +
                          h * (low[i] * m.first[j] + low[j] * m.first[i]) + h * h * m.second[k]);
    }
  }
  return result;
}

/// Of the body as the quadrature sees it.
Moments integrated(const Lattice& lattice) {
  Moments sum;
  auto cut = lattice.cut_cells.begin();
  std::int32_t cell = 0;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const Index3 at = cell_coordinate(lattice.blocks[b], lane);
    const Vec3d low =
        lattice.origin + lattice.spacing * Vec3d{double(at[0]), double(at[1]), double(at[2])};
    if (cut != lattice.cut_cells.end() && cut->cell == cell) {
      EXPECT_EQ(lattice.labels[cell], CellLabel::Boundary);
      EXPECT_EQ(lattice.fractions[cell], std::min(1.0f, float(cut->fraction)));
      sum += placed(geometry::moments_of(cut->points, cut->fraction), low, lattice.spacing);
      ++cut;
    } else if (lattice.labels[cell] == CellLabel::Interior) {
      sum += placed(geometry::moments_of(full_cell_points(), 1), low, lattice.spacing);
    } else {
      EXPECT_EQ(lattice.labels[cell], CellLabel::Exterior) << "a cell without its quadrature";
    }
    ++cell;
  });
  EXPECT_EQ(cut, lattice.cut_cells.end());
  return sum;
}

/// Of a closed surface, by tetrahedra.
Moments enclosed(const SurfaceMesh& mesh) {
  Moments sum;
  for (const auto& [a, b, c] : triangulate(mesh)) {
    const Vec3d p[3] = {mesh.positions[a], mesh.positions[b], mesh.positions[c]};
    const double volume = dot(p[0], cross(p[1], p[2])) / 6;
    const Vec3d total = p[0] + p[1] + p[2];
    sum.volume += volume;
    sum.first += (volume / 4) * total;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        double products = total[i] * total[j];
        for (const Vec3d& q : p) products += q[i] * q[j];
        sum.second[geometry::second_moment(i, j)] += volume / 20 * products;
      }
    }
  }
  return sum;
}

void expect_near(const Moments& a, const Moments& b, double tolerance) {
  EXPECT_NEAR(a.volume, b.volume, tolerance);
  EXPECT_LT(norm(a.first - b.first), tolerance);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(a.second[k], b.second[k], tolerance) << k;
}

TEST(GridCutCells, QuadraticsOverABodyAreExact) {
  Random random(1);
  const Mat3d turn = random.rotation();
  SurfaceMesh box = make_box({0, 0, 0}, {1, 0.7, 0.9}, 0.4);
  for (Vec3d& p : box.positions) p = turn * p;
  for (const SurfaceMesh& body :
       {make_sphere({0.1, 0, 0}, 1, 0.13), make_torus({0, 0.2, 0}, {1, 2, 3}, 1, 0.4, 0.1), box}) {
    const Lattice lattice = build(body, {.spacing = 0.17});
    const CutCounts counts = count(lattice.cut_cells);
    EXPECT_EQ(counts.sampled, 0u);
    for (const CutCell& cut : lattice.cut_cells) {
      EXPECT_TRUE(cut.places != PointPlaces::Shrunk || cut.fraction < 1e-6) << cut.fraction;
    }
    EXPECT_GT(counts.in_body, 99 * counts.clipped / 100);
    expect_near(integrated(lattice), enclosed(body), 1e-12);
  }
}

TEST(GridCutCells, WholeCellsStayWholeWhateverTheRounding) {
  SurfaceMesh box = make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.2);
  for (Vec3d& p : box.positions) {
    for (int a = 0; a < 3; ++a) p[a] = float(p[a]) * (1 + 3e-8 * a);
  }
  EXPECT_TRUE(build(box, {.spacing = 0.25}).cut_cells.empty());
  // A step in the wall between two layers of cells.
  std::array<std::vector<double>, 3> lines;
  for (auto& l : lines) add_lines(l, 0, 1, 0.125);
  SurfaceMesh step = grid_surface(lines, [](int i, int, int k) { return k < 4 || i < 3; });
  const Moments expected = enclosed(step);
  for (Vec3d& p : step.positions) {
    for (int a = 0; a < 3; ++a) p[a] = float(p[a] * (1 + 3e-8 * a));
  }
  const Lattice lattice = build(step, {.spacing = 0.25});
  EXPECT_EQ(count(lattice.cut_cells).sampled, 0u);
  EXPECT_EQ(lattice.cut_cells.size(), 8u);
  expect_near(integrated(lattice), expected, 1e-6);
}

TEST(GridCutCells, EachCopyHasItsOwnMaterial) {
  // Two slabs in the same cells, a hundredth of a cell apart.
  Random random(2);
  for (int sample = 0; sample < 5; ++sample) {
    const Mat3d turn = sample == 0 ? Mat3d::identity() : random.rotation();
    const SurfaceMesh first = make_box({0, 0, 0}, {1, 1, 0.04}, 0.3);
    SurfaceMesh both = joined(first, make_box({0, 0, 0.041 + 0.02}, {1, 1, 0.08}, 0.21));
    for (Vec3d& p : both.positions) p = turn * p;
    Lattice lattice = build(both, {.spacing = 0.2});
    EXPECT_EQ(count(lattice.cut_cells).sampled, 0u);
    expect_near(integrated(lattice), enclosed(both), 1e-12);
    // The material of the first is that of the cells which its vertices hang together with.
    const Parts parts = find_parts(lattice);
    const auto nodes = lattice.cell_nodes();
    ASSERT_EQ(parts.count, 2);
    const std::int32_t part = parts.of_node[nodes[lattice.vertex_cells[0]][0]];
    double volume = 0;
    for (const CutCell& cut : lattice.cut_cells) {
      if (parts.of_node[nodes[cut.cell][0]] == part) volume += cut.fraction * 0.008;
    }
    EXPECT_NEAR(volume, 0.04, 1e-12) << sample;
  }
}

TEST(GridCutCells, WhereSurfacesOverlapTheyAreSampled) {
  const SurfaceMesh both =
      joined(make_box({0, 0, 0}, {1, 1, 1}, 0.2), make_box({0.61, 0.52, 0.43}, {1, 1, 1}, 0.17));
  const Lattice lattice = build(both, {.spacing = 0.13});
  const CutCounts counts = count(lattice.cut_cells);
  EXPECT_GT(counts.sampled, 0u);
  EXPECT_GT(counts.clipped, counts.sampled);
  EXPECT_NEAR(integrated(lattice).volume, 2 - 0.39 * 0.48 * 0.57, 2e-3);
}

TEST(GridCutCells, AHoleIsSampledAndTheRestIsNot) {
  const SurfaceMesh ball = make_sphere({0, 0, 0}, 1, 0.1);
  SurfaceMesh open{.positions = ball.positions};
  for (std::size_t f = 0; f < ball.face_count(); ++f) {
    const Vec3d& p = ball.positions[ball.face(f)[0]];
    if (p[2] < 0.97) open.add_face(ball.face(f));
  }
  const Lattice lattice = build(open, {.spacing = 0.15});
  const CutCounts counts = count(lattice.cut_cells);
  EXPECT_GT(counts.sampled, 0u);
  EXPECT_LT(counts.sampled, counts.clipped / 10);
  // Cells in the hole that no triangle touches are whole or not there: five of them more or less.
  EXPECT_NEAR(integrated(lattice).volume, enclosed(ball).volume, 5 * 0.15 * 0.15 * 0.15);
  std::vector<std::uint8_t> sampled(lattice.cell_count(), 0);
  for (const CutCell& cut : lattice.cut_cells) {
    sampled[cut.cell] = cut.source == MomentSource::Sampled;
  }
  std::size_t cell = 0;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const double z = lattice.origin[2] + 0.15 * cell_coordinate(lattice.blocks[b], lane)[2];
    if (sampled[cell++]) {
      EXPECT_GT(z, 0.6);
    }
  });
}

TEST(GridCutCells, PointsAreWhereTheySayTheyAre) {
  const SurfaceMesh torus = make_torus({0, 0.2, 0}, {1, 2, 3}, 1, 0.4, 0.1);
  const Lattice lattice = build(torus, {.spacing = 0.17});
  const geometry::WindingNumber winding(torus.positions, triangulate(torus));
  const auto nodes = lattice.cell_nodes();
  double least = 1;
  for (const CutCell& cut : lattice.cut_cells) {
    least = std::min(least, cut.fraction);
    for (const Vec3d& p : cut.points) {
      for (int a = 0; a < 3; ++a) {
        EXPECT_GE(p[a], 0);
        EXPECT_LE(p[a], 1);
      }
      if (cut.places != PointPlaces::InBody) continue;
      EXPECT_GT(winding(lattice.rest_positions[nodes[cut.cell][0]] + 0.17 * p), 0.5);
    }
  }
  EXPECT_LT(least, 0.01);
}

TEST(GridCutCells, AreTheSameForAnyNumberOfThreads) {
  const SurfaceMesh both = joined(make_sphere({0, 0, 0}, 1, 0.2), make_sphere({1, 1, 0}, 1, 0.23));
  const LatticeOptions options{.spacing = 0.25, .least_fraction = 0.02};
  const Lattice one = build(both, options, 1), three = build(both, options, 3);
  expect_same(one, three);
  ASSERT_EQ(one.cut_cells.size(), three.cut_cells.size());
  for (std::size_t i = 0; i < one.cut_cells.size(); ++i) {
    EXPECT_EQ(one.cut_cells[i].cell, three.cut_cells[i].cell);
    EXPECT_EQ(one.cut_cells[i].fraction, three.cut_cells[i].fraction);
    for (int q = 0; q < 4; ++q) {
      EXPECT_EQ(norm(one.cut_cells[i].points[q] - three.cut_cells[i].points[q]), 0);
    }
  }
}

TEST(GridCutCells, PaddingKeepsThem) {
  const SurfaceMesh ball = make_sphere({0, 0, 0}, 1, 0.2);
  const Lattice lattice = build(ball, {.spacing = 0.3, .padding = 1, .least_fraction = 0.02});
  EXPECT_EQ(lattice.dropped.count,
            build(ball, {.spacing = 0.3, .least_fraction = 0.02}).dropped.count);
  EXPECT_NEAR(integrated(lattice).volume + lattice.dropped.volume, enclosed(ball).volume, 1e-12);
}

TEST(GridCutCells, SliversAreLeftOutAndTheirSurfaceStays) {
  for (const SurfaceMesh& body :
       {make_sphere({0.03, 0.05, 0}, 1, 0.1), make_torus({0, 0, 0}, {0, 0, 1}, 1, 0.3, 0.1)}) {
    const Lattice all = build(body, {.spacing = 0.2});
    const Lattice lattice = build(body, {.spacing = 0.2, .least_fraction = 0.02});
    expect_sound(lattice);
    EXPECT_GT(lattice.dropped.count, 0u);
    EXPECT_EQ(lattice.cell_count() + lattice.dropped.count, all.cell_count());
    EXPECT_EQ(find_parts(lattice).count, 1);
    for (const CutCell& cut : lattice.cut_cells) EXPECT_GE(cut.fraction, 0.02);
    EXPECT_NEAR(integrated(lattice).volume + lattice.dropped.volume, enclosed(body).volume, 1e-12);
    EXPECT_LT(lattice.dropped.volume, 2e-3 * enclosed(body).volume);
    // Trilinear motion of the nodes moves all vertices by it, and none is far from its cell.
    const auto motion = [](const Vec3d& x) {
      return Vec3d{x[0] + 0.1 * x[1], x[1] - 0.2 * x[2], x[2] + 0.3 * x[0]};
    };
    std::vector<Vec3d> nodes, vertices(body.positions.size());
    for (const Vec3d& x : lattice.rest_positions) nodes.push_back(motion(x));
    const Embedding embedding = embed(lattice, body.positions, lattice.vertex_cells);
    embedding.interpolate(nodes, vertices);
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      EXPECT_LT(norm(vertices[v] - motion(body.positions[v])), 1e-12);
      for (int a = 0; a < 3; ++a) EXPECT_NEAR(embedding.points[v].local[a], 0.5, 1.0);
    }
  }
}

TEST(GridCutCells, ABodyOfSliversKeepsItsCells) {
  const Lattice sheet =
      build(make_box({0, 0, 0}, {1, 1, 0.001}, 0.3), {.spacing = 0.2, .least_fraction = 0.02});
  EXPECT_EQ(sheet.cell_count(), 25u);
  EXPECT_EQ(sheet.dropped.count, 0u);
  for (const CutCell& cut : sheet.cut_cells) EXPECT_NEAR(cut.fraction, 0.005, 1e-12);
}

TEST(GridCutCells, APartOfACellThatIsNoneIsRefused) {
  for (const double least : {-0.1, 1.0, std::nan("")}) {
    EXPECT_THROW(
        build(make_box({0, 0, 0}, {1, 1, 1}, 0.3), {.spacing = 0.2, .least_fraction = least}),
        Error);
  }
}

/// Cells in a row that share faces.
std::vector<LooseCell> row_of_cells(int count) {
  std::vector<LooseCell> cells;
  for (int i = 0; i < count; ++i) {
    LooseCell cell{.at = {i, 0, 0}, .nodes = {}};
    for (int c = 0; c < 8; ++c) cell.nodes[c] = 4 * (i + (c & 1)) + (c >> 1);
    cells.push_back(cell);
  }
  return cells;
}

TEST(GridCutCells, ASliverThatHoldsTheLatticeTogetherStays) {
  const std::vector<LooseCell> cells = row_of_cells(5);
  const std::vector<double> fractions{0.01, 0.5, 0.01, 0.5, 0.01};
  EXPECT_EQ(find_stand_ins(cells, fractions, 0.02, 24), (std::vector<std::int32_t>{1, 1, 2, 3, 3}));
}

TEST(GridCutCells, TheFullerNeighbourTakesTheSurface) {
  // A ring of four round an edge: the sliver has two neighbours by faces.
  std::vector<LooseCell> cells;
  for (int i = 0; i < 4; ++i) {
    LooseCell cell{.at = {i & 1, i >> 1, 0}, .nodes = {}};
    for (int c = 0; c < 8; ++c) {
      const Index3 at = shifted(cell.at, c);
      cell.nodes[c] = at[0] + 3 * at[1] + 9 * at[2];
    }
    cells.push_back(cell);
  }
  EXPECT_EQ(find_stand_ins(cells, std::vector{0.01, 0.3, 0.4, 0.9}, 0.02, 18),
            (std::vector<std::int32_t>{2, 1, 2, 3}));
}

}  // namespace
}  // namespace isochor::grid
