/// Section 3.1 of Patterson et al. 2012: four points that integrate polynomials of degree two over
/// whatever is in a cell. Their moments are exact here, by clipping, where the paper's are sampled
/// at random. Measured are the rule and the moments on random solids, closed forms, the mean of J
/// by four points against Gauss, and how often points in the body are found on real bodies.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <numbers>
#include <random>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/mirrored_points.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/lattice.h"
#include "isochor/run/plot.h"
#include "isochor/run/render.h"
#include "reproduce/data_meshes.h"
#include "reproduce/experiment.h"
#include "reproduce/mixed_block.h"
#include "reproduce/mixed_volumes.h"
#include "reproduce/split_tetrahedra.h"

namespace isochor::reproduce {
namespace {

using geometry::CubeMoments;
using geometry::FourPoints;
using geometry::Moments;
using geometry::SurfaceMesh;

constexpr double kPi = std::numbers::pi;

class Rows {
 public:
  void add(std::string quantity, std::string source, double value, std::string unit,
           Relation relation = Relation::Shown, std::optional<double> bound = {},
           std::string note = "", std::string variant = "best", std::optional<double> paper = {}) {
    rows_.push_back({.id = "patterson/quadrature",
                     .quantity = std::move(quantity),
                     .variant = std::move(variant),
                     .source = std::move(source),
                     .paper = paper,
                     .ours = value,
                     .unit = std::move(unit),
                     .relation = relation,
                     .bound = bound,
                     .note = std::move(note)});
  }
  std::vector<Row> take() { return std::move(rows_); }
  void add(Row row) { rows_.push_back(std::move(row)); }

 private:
  std::vector<Row> rows_;
};

class Random {
 public:
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  Vec3d vector(double low, double high) {
    const double x = uniform(low, high), y = uniform(low, high), z = uniform(low, high);
    return {x, y, z};
  }

 private:
  std::mt19937_64 engine_{2012};
};

double difference(const Moments& a, const Moments& b) {
  double largest = std::abs(a.volume - b.volume);
  for (int i = 0; i < 3; ++i) largest = std::max(largest, std::abs(a.first[i] - b.first[i]));
  for (int i = 0; i < 6; ++i) largest = std::max(largest, std::abs(a.second[i] - b.second[i]));
  return largest;
}

CubeMoments gather(const SurfaceMesh& mesh) {
  CubeMoments sum;
  for (const auto& [a, b, c] : triangulate(mesh)) {
    sum.add({mesh.positions[a], mesh.positions[b], mesh.positions[c]});
  }
  return sum;
}

/// A star with random radii, not convex, wider or smaller than the unit cube.
SurfaceMesh random_star(Random& random) {
  SurfaceMesh mesh = geometry::make_sphere({0, 0, 0}, 1, 0.6);
  const Vec3d center = random.vector(-0.2, 1.2);
  const double size = random.uniform(0.2, 2);
  for (Vec3d& p : mesh.positions) p = center + (size * random.uniform(0.3, 1)) * p;
  return mesh;
}

void measure_random_cells(int count, Rows& rows) {
  Random random;
  double rule = 0, moments = 0, closed = 0;
  int cut = 0;
  for (int i = 0; i < count; ++i) {
    const SurfaceMesh star = random_star(random);
    const Moments expected = split_moments(star.positions, triangulate(star));
    const CubeMoments sum = gather(star);
    const auto corner = static_cast<int>(std::lround(expected.volume - sum.bare_volume()));
    const Moments ours = sum.moments(corner);
    moments = std::max(moments, difference(ours, expected));
    if (ours.volume < 1e-3) continue;
    ++cut;
    const Vec3d axis = random.vector(-3, 3);
    const FourPoints points = four_points(spread_of(ours), rotation_from_vector(axis));
    rule = std::max(rule, difference(geometry::moments_of(points, ours.volume), ours));
  }
  for (int i = 0; i < count; ++i) {
    // A half-space as a tetrahedron that reaches far beyond the cube.
    const Vec3d n = random.vector(0.1, 1), low{-9, -9, -9};
    const double distance = random.uniform(0, n[0] + n[1] + n[2]);
    std::array<Vec3d, 4> t{low, low, low, low};
    for (int a = 0; a < 3; ++a) t[a + 1][a] += (distance - dot(n, low)) / n[a];
    CubeMoments sum;
    for (const auto& [a, b, c] : {std::array{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) {
      sum.add({t[a], t[b], t[c]});
    }
    closed = std::max(closed, difference(sum.moments(0), half_space_moments(n, distance)));
  }
  rows.add("degree two on random cut cells, rule against moments", "sec. 3.1: exact", rule, "cell",
           Relation::AtMost, 1e-10, fmt::format("{} cells, at random rotations", cut));
  rows.add(
      "moments of random cut cells against subdivision", "sec. 3.1: sampled at random", moments,
      "cell", Relation::AtMost, 1e-10,
      fmt::format("{} stars that are not convex, clipped; tetrahedra split by six planes", count));
  rows.add("moments of half-spaces against closed forms", "sum over corners of the cube", closed,
           "cell", Relation::AtMost, 1e-10, fmt::format("{} planes", count));
}

void measure_closed_forms(Rows& rows) {
  // Faces inside a ball: of second order in their size.
  const auto add = [&](const std::string& quantity, double edge, const auto& error) {
    const double coarse = error(edge), fine = error(edge / 2);
    rows.add(quantity + ": order in the size of faces", "closed form", std::log2(coarse / fine), "",
             Relation::AtLeast, 1.9, fmt::format("error {:.1e} at edges of {}", fine, edge / 2));
  };
  add("octant of a ball, moments", 0.06, [](double edge) {
    const double r = 0.9;
    const Moments m = gather(geometry::make_sphere({0, 0, 0}, r, edge)).moments(0);
    return std::max({std::abs(m.volume - kPi * std::pow(r, 3) / 6),
                     std::abs(m.first[0] - kPi * std::pow(r, 4) / 16),
                     std::abs(m.second[0] - kPi * std::pow(r, 5) / 30),
                     std::abs(m.second[5] - std::pow(r, 5) / 15)});
  });
  for (const auto& [radius, volume] : {std::pair(0.6, 0.7979645340), {0.7, 0.9592329569}}) {
    add(fmt::format("ball of radius {} less six caps, volume", radius), 0.02, [&](double edge) {
      const SurfaceMesh ball = geometry::make_sphere({0.5, 0.5, 0.5}, radius, edge);
      return std::abs(gather(ball).bare_volume() - volume);
    });
  }
}

/// A smooth motion without symmetry.
Vec3d swirl(const Vec3d& x) {
  return x + 0.2 * Vec3d{std::sin(x[0] + 2 * x[1] + 1.5 * x[2]),
                         std::cos(2 * x[0] - x[1] + 1.2 * x[2] + 0.3),
                         std::sin(1.3 * x[0] + 1.7 * x[1] - x[2] + 0.8)};
}

/// J of the trilinear map with given corners, in a cell of size 1.
double volume_ratio(const std::array<Vec3d, 8>& corners, const Vec3d& at) {
  Mat3d F = Mat3d::zero();
  for (int c = 0; c < 8; ++c) {
    for (int a = 0; a < 3; ++a) {
      double slope = 1;
      for (int b = 0; b < 3; ++b) {
        const bool high = c >> b & 1;
        slope *= b == a ? (high ? 1 : -1) : (high ? at[b] : 1 - at[b]);
      }
      F.column[a] += slope * corners[c];
    }
  }
  return determinant(F);
}

double mean_by_gauss(const std::array<Vec3d, 8>& corners) {
  const double g = 0.5 / std::sqrt(3.0);
  double mean = 0;
  for (int q = 0; q < 8; ++q) {
    mean += volume_ratio(corners, {0.5 + (q & 1 ? g : -g), 0.5 + (q >> 1 & 1 ? g : -g),
                                   0.5 + (q >> 2 & 1 ? g : -g)}) /
            8;
  }
  return mean;
}

double mean_by_four(const std::array<Vec3d, 8>& corners, const FourPoints& points) {
  double mean = 0;
  for (const Vec3d& p : points) mean += volume_ratio(corners, p) / 4;
  return mean;
}

/// The points that the paper prints for a whole cell.
FourPoints printed_points() {
  const double a = std::sqrt(2.0 / 3), b = std::sqrt(1.0 / 3);
  FourPoints points{{{a, b, 0}, {-a, b, 0}, {0, -b, a}, {0, -b, -a}}};
  for (Vec3d& p : points) p = 0.5 * (p + Vec3d{1, 1, 1});
  return points;
}

struct MeanErrors {
  double largest = 0, rms = 0;
};

/// Of the mean of J by four points, over corners that are moved at random by up to `reach` cells.
MeanErrors random_mean_errors(double reach, const FourPoints& points, int count) {
  Random random;
  MeanErrors errors;
  for (int i = 0; i < count; ++i) {
    std::array<Vec3d, 8> corners;
    for (int c = 0; c < 8; ++c) {
      corners[c] = Vec3d{double(c & 1), double(c >> 1 & 1), double(c >> 2 & 1)} +
                   random.vector(-reach, reach);
    }
    const double exact = mean_by_gauss(corners);
    const double error = std::abs(mean_by_four(corners, points) - exact) / std::abs(exact);
    errors.largest = std::max(errors.largest, error);
    errors.rms += error * error / count;
  }
  errors.rms = std::sqrt(errors.rms);
  return errors;
}

double mean_by_eight(const std::array<Vec3d, 8>& corners, const FourPoints& points) {
  return 0.5 * (mean_by_four(corners, points) + mean_by_four(corners, geometry::mirrored(points)));
}

/// The mean of J over whole cells and over cut ones, by four points and by eight.
void measure_eight_points(int count, Rows& rows) {
  constexpr double kReach = 0.2, kLeast = 0.02;
  Random random;
  double whole = 0, four = 0, eight = 0;
  int cut = 0;
  for (int i = 0; i < count; ++i) {
    std::array<Vec3d, 8> corners;
    for (int c = 0; c < 8; ++c) {
      corners[c] = Vec3d{double(c & 1), double(c >> 1 & 1), double(c >> 2 & 1)} +
                   random.vector(-kReach, kReach);
    }
    const double gauss = mean_by_gauss(corners);
    whole = std::max(whole, std::abs(mean_by_eight(corners, grid::full_cell_points()) / gauss - 1));
    const SurfaceMesh star = random_star(random);
    const auto triangles = triangulate(star);
    const Moments moments = split_moments(star.positions, triangles);
    if (moments.volume < kLeast) continue;
    const double exact = split_integral(star.positions, triangles,
                                        [&](const Vec3d& p) { return volume_ratio(corners, p); }) /
                         moments.volume;
    const FourPoints points = four_points(spread_of(moments), Mat3d::identity());
    const auto square_error = [&](double mean) { return std::pow(mean / exact - 1, 2); };
    four += square_error(mean_by_four(corners, points));
    eight += square_error(mean_by_eight(corners, points));
    ++cut;
  }
  const std::string how = fmt::format("corners moved by up to {} cells", kReach);
  rows.add("mean of J by eight points, whole cell, largest error", "sec. 3.1: exact", whole, "",
           Relation::AtMost, 1e-12, fmt::format("{} cells, {}", count, how));
  const std::string note = fmt::format("{} random cut cells, {}", cut, how);
  rows.add("mean of J by four points, cut cell, rms error", "degree six by subdivision",
           100 * std::sqrt(four / cut), "%", Relation::Shown, {}, note);
  rows.add("mean of J by eight points, cut cell, rms error", "degree six by subdivision",
           100 * std::sqrt(eight / cut), "%", Relation::Shown, {}, note);
}

/// What Jbar by eight points is worth in an equilibrium: incompressible cells keep the volume of
/// their trilinear maps.
void measure_kept_volumes(Rows& rows, Context& context) {
  namespace mixed = lattice::mixed;
  constexpr double kAngle = kPi / 2;
  for (const mixed::MeanPoints points : {mixed::MeanPoints::Four, mixed::MeanPoints::Eight}) {
    const bool eight = points == mixed::MeanPoints::Eight;
    const mixed::Model model = mixed::build_model(
        {make_block({8, 4, 4}, "neo_hookean", 0.5, context)},
        {.quadrature = lattice::Quadrature::FourPoints},
        {.mean = mixed::Mean::OfVolume, .mean_points = points, .jumps = 0, .max_krylov = 500});
    mixed::State state = mixed::make_state(model);
    mixed::Scratch scratch(model);
    const FollowedMotion motion = follow(
        model,
        [&](const Vec3d& p, double t) {
          const Vec3d middle{0, 0.5, 0.5};
          return middle + rotation_from_vector({kAngle * t, 0, 0}) * (p - middle);
        },
        state, scratch, context);
    const Volumes volumes = trilinear_volumes(model.base, state.positions);
    rows.add(fmt::format("block twisted by 90 degrees, nu=0.5, Jbar by {} points: worst cell",
                         eight ? "eight" : "four"),
             "(6): volume of its map", 100 * volumes.worst_cell, "%",
             eight ? Relation::AtMost : Relation::Shown, eight ? std::optional(1e-3) : std::nullopt,
             fmt::format("128 cells with four points each, no jumps; {} solves, {} Krylov "
                         "iterations, {} cuts{}",
                         motion.solves, motion.iterations, motion.cuts,
                         motion.arrived ? "" : "; no equilibrium"),
             "paper");
  }
}

double smooth_mean_error(double h, const FourPoints& points) {
  double largest = 0;
  for (int i = 0; i < 64; ++i) {
    const Vec3d low{0.5 * (i & 3) - 1, 0.5 * (i >> 2 & 3) - 1, 0.5 * (i >> 4) - 1};
    std::array<Vec3d, 8> corners;
    for (int c = 0; c < 8; ++c) {
      const Vec3d offset{double(c & 1), double(c >> 1 & 1), double(c >> 2 & 1)};
      corners[c] = swirl(low + h * offset) * (1 / h);
    }
    largest = std::max(largest, std::abs(mean_by_four(corners, points) - mean_by_gauss(corners)));
  }
  return largest;
}

void measure_mean_of_j(int count, const std::filesystem::path& pictures, Rows& rows) {
  const std::array<std::pair<const char*, FourPoints>, 2> rules{
      {{"paper", printed_points()}, {"best", grid::full_cell_points()}}};
  std::vector<run::Series> series;
  const char* claim = "sec. 3.1: < 0.1 % even for severe deformation";
  for (const auto& [variant, points] : rules) {
    const bool ours = variant == std::string_view("best");
    run::Series largest{.name = fmt::format("{}, largest", variant)};
    run::Series rms{.name = fmt::format("{}, rms", variant), .dashed = true};
    for (const double reach : {0.02, 0.05, 0.1, 0.15, 0.2}) {
      const MeanErrors e = random_mean_errors(reach, points, count);
      largest.x.push_back(reach);
      largest.y.push_back(e.largest);
      rms.x.push_back(reach);
      rms.y.push_back(e.rms);
      if (reach != 0.05 && reach != 0.2) continue;
      rows.add(fmt::format("mean of J, corners moved by up to {} cells, rms error", reach), claim,
               100 * e.rms, "%", ours ? Relation::AtMost : Relation::Shown,
               ours ? std::optional(0.1) : std::nullopt,
               fmt::format("largest {:.2g} % of {} cells; against Gauss, which is exact",
                           100 * e.largest, count),
               variant, 0.1);
    }
    series.push_back(std::move(largest));
    series.push_back(std::move(rms));
    const double coarse = smooth_mean_error(0.1, points), fine = smooth_mean_error(0.05, points);
    rows.add("mean of J in a smooth motion, largest error at h = 0.1", claim, 100 * coarse, "%",
             Relation::AtMost, 0.1, "waves of length 2 to 6, in units of which h is 0.1", variant,
             0.1);
    rows.add("mean of J in a smooth motion, order in h", "ours", std::log2(coarse / fine), "",
             Relation::AtLeast, 2.9, "h = 0.1 and 0.05", variant);
  }
  if (pictures.empty()) return;
  make_directory(pictures);
  write_file_atomic(pictures / "patterson_quadrature_mean_j.svg",
                    run::plot_svg(series, {.title = "Mean of J by four points against Gauss",
                                           .x_label = "corners moved by up to, cells",
                                           .y_label = "relative error",
                                           .log_y = true}));
}

/// How the cells of a body at its surface are integrated.
void measure_body(const std::string& name, const SurfaceMesh& mesh, double spacing, bool claim,
                  Rows& rows, Context& context) {
  const grid::Lattice lattice = grid::build_lattice(
      mesh, {.spacing = spacing, .quadrature = true, .least_fraction = 0.02}, name, context.arena);
  const grid::CutCounts counts = grid::count(lattice.cut_cells);
  const double cells = std::max(1.0, double(lattice.cut_cells.size()));
  double volume = 0, least = INFINITY;
  const double h3 = spacing * spacing * spacing;
  for (const grid::CellLabel label : lattice.labels) {
    volume += label == grid::CellLabel::Interior ? h3 : 0;
  }
  for (const grid::CutCell& cut : lattice.cut_cells) {
    volume += h3 * cut.fraction;
    if (cut.places == grid::PointPlaces::InBody) {
      least = std::min(least, geometry::hourglass_stiffness(cut.points));
    }
  }
  const std::string note = fmt::format(
      "{} cut cells: {} clipped, {} sampled; points of {} in the body, {} in the cell, {} shrunk; "
      "{} cells below 2 % left out with {:.2g} % of the volume; least hourglass stiffness {:.1e}",
      lattice.cut_cells.size(), counts.clipped, counts.sampled, counts.in_body, counts.in_cell,
      counts.shrunk, lattice.dropped.count, 100 * lattice.dropped.volume / volume, least);
  rows.add(name + ", cells with a fallback", "sec. 3.1: in the cell at least",
           100 * double(counts.in_cell + counts.shrunk) / cells, "%",
           claim ? Relation::AtMost : Relation::Shown, claim ? std::optional(0.5) : std::nullopt,
           note);
  if (!claim) return;
  const double exact = geometry::enclosed_volume(mesh.positions, triangulate(mesh));
  rows.add(name + ", volume of all cells against that of its surface", "exact",
           std::abs((volume + lattice.dropped.volume) / exact - 1), "", Relation::AtMost, 1e-10);
}

void measure_bodies(const ExperimentOptions& options, Rows& rows, Context& context) {
  const double finer = options.full ? 0.5 : 1;
  const auto measure = [&](const char* name, const SurfaceMesh& mesh, double spacing) {
    measure_body(name, mesh, finer * spacing, true, rows, context);
  };
  measure("ball", geometry::make_sphere({0.01, 0.02, 0.03}, 1, 0.07), 0.13);
  measure("torus", geometry::make_torus({0, 0, 0}, {1, 2, 3}, 1, 0.4, 0.07), 0.11);
  measure("arm", geometry::make_arm(0.006).skin, 0.012);
  measure("hand", geometry::make_hand(0.002), 0.006);
  measure("figure", geometry::make_figure(0.015).skin, 0.03);
  for (const char* folder : {"classic", "anatomy_right_arm", "characters", "garment", "bad"}) {
    const std::filesystem::path path = options.data / folder;
    if (options.data.empty() || !std::filesystem::is_directory(path)) continue;
    for (const std::filesystem::path& file : meshes_in(path)) {
      const std::string name = fmt::format("{}/{}", folder, file.filename().string());
      try {
        const SurfaceMesh mesh = files::read_surface(file).mesh;
        const Vec3d size = bounds_of_faces(mesh).size();
        const double longest = std::max({size[0], size[1], size[2]});
        measure_body(name, mesh, longest / (options.full ? 80 : 40), false, rows, context);
      } catch (const Error& error) {
        rows.add({.id = "patterson/quadrature",
                  .quantity = name,
                  .variant = "best",
                  .source = "ours",
                  .note = error.what()});
      }
    }
  }
}

/// Small balls at the points of some cells, with these cells.
void add_points(const std::string& name, const grid::Lattice& lattice,
                std::span<const std::pair<std::int32_t, FourPoints>> cells,
                files::Topology& topology, files::Frame& frame) {
  files::BodyTopology body{.name = name, .rest_nodes = lattice.rest_positions};
  const auto nodes = lattice.cell_nodes();
  for (const auto& [cell, points] : cells) {
    body.cells.push_back(nodes[cell]);
    const Vec3d low = lattice.rest_positions[nodes[cell][0]];
    for (const Vec3d& p : points) {
      const SurfaceMesh ball =
          geometry::make_sphere(low + lattice.spacing * p, 0.07 * lattice.spacing, 0.02);
      const auto first = static_cast<std::int32_t>(body.surface.positions.size());
      body.surface.positions.insert(body.surface.positions.end(), ball.positions.begin(),
                                    ball.positions.end());
      for (std::size_t f = 0; f < ball.face_count(); ++f) {
        std::vector<std::int32_t> face(ball.face(f).begin(), ball.face(f).end());
        for (std::int32_t& v : face) v += first;
        body.surface.add_face(face);
      }
    }
  }
  frame.bodies.push_back({.nodes = body.rest_nodes, .vertices = body.surface.positions});
  topology.bodies.push_back(std::move(body));
}

/// One layer of cells of a ball in what is below it of the ball.
void draw(const std::filesystem::path& folder, Context& context) {
  const SurfaceMesh ball = geometry::make_sphere({0, 0, 0}, 1, 0.05);
  const grid::Lattice lattice = grid::build_lattice(
      ball, {.spacing = 0.28, .quadrature = true, .least_fraction = 0.02}, "ball", context.arena);
  const int layer = lattice.size[2] / 2;
  const double floor = lattice.origin[2] + lattice.spacing * layer;
  std::vector<std::pair<std::int32_t, FourPoints>> cut, full;
  std::int32_t cell = 0;
  lattice.for_each_cell([&](std::size_t b, int lane) {
    if (grid::cell_coordinate(lattice.blocks[b], lane)[2] == layer) {
      const auto found = std::find_if(lattice.cut_cells.begin(), lattice.cut_cells.end(),
                                      [&](const grid::CutCell& c) { return c.cell == cell; });
      if (found == lattice.cut_cells.end()) {
        full.push_back({cell, grid::full_cell_points()});
      } else {
        cut.push_back({cell, found->points});
      }
    }
    ++cell;
  });
  files::BodyTopology bowl{.name = "ball"};
  bowl.surface.positions = ball.positions;
  for (std::size_t f = 0; f < ball.face_count(); ++f) {
    const auto face = ball.face(f);
    if (std::all_of(face.begin(), face.end(),
                    [&](std::int32_t v) { return ball.positions[v][2] < floor; })) {
      bowl.surface.add_face(face);
    }
  }
  files::Topology topology{{bowl}};
  files::Frame frame;
  frame.bodies.push_back({.vertices = ball.positions});
  add_points("cut", lattice, cut, topology, frame);
  add_points("full", lattice, full, topology, frame);
  const run::RenderOptions options{.width = 1100,
                                   .height = 900,
                                   .show_lattice = true,
                                   .up = {0, 0, 1},
                                   .camera_direction = Vec3d{0.35, -0.8, 1.5},
                                   .ground = false,
                                   .caption = "four points per cell, in a layer of a ball"};
  make_directory(folder);
  write_file_atomic(folder / "patterson_quadrature_points.png",
                    encode_png(run::render(topology, frame, options, std::nullopt, context.arena)));
}

}  // namespace

std::vector<Row> patterson_quadrature(const ExperimentOptions& options, Context& context) {
  Rows rows;
  const int count = options.full ? 10000 : 500;
  measure_random_cells(count, rows);
  measure_closed_forms(rows);
  measure_mean_of_j(20 * count, options.pictures, rows);
  measure_eight_points(count, rows);
  measure_kept_volumes(rows, context);
  rows.add("hourglass stiffness of a whole cell", "sec. 3.1, points as printed",
           geometry::hourglass_stiffness(printed_points()), "", Relation::Shown, {},
           "harmonic mean over twelve modes; 0: a mode goes unseen", "paper");
  rows.add("hourglass stiffness of a whole cell", "every other Gauss point",
           geometry::hourglass_stiffness(grid::full_cell_points()), "", Relation::Above, 0.1);
  measure_bodies(options, rows, context);
  if (!options.pictures.empty()) draw(options.pictures, context);
  return rows.take();
}

}  // namespace isochor::reproduce
