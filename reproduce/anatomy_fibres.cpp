/// Harmonic fibres against closed forms: in a cylinder that lies askew in its grid they go along
/// its axis, in the sector of a ring in circles. The muscle has a grid of its own; its surface cuts
/// the cells as it likes.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numbers>

#include "isochor/anatomy/harmonic_fibres.h"
#include "isochor/base/file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/run/plot.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

constexpr double kSectorAngle = 0.75 * std::numbers::pi;

/// A muscle whose ends are given by a coordinate, 0 at the origin and 1 at the insertion.
struct Muscle {
  Muscle(geometry::SurfaceMesh m, double (*coordinate)(const Vec3d&))
      : mesh(std::move(m)), triangles(geometry::triangulate(mesh)) {
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      double low = 1, high = 0;
      for (const std::int32_t v : triangles[t]) {
        low = std::min(low, coordinate(mesh.positions[v]));
        high = std::max(high, coordinate(mesh.positions[v]));
      }
      if (high < 1e-6) ends.origin.push_back(static_cast<std::int32_t>(t));
      if (low > 1 - 1e-6) ends.insertion.push_back(static_cast<std::int32_t>(t));
    }
  }
  anatomy::Solid solid() const { return {mesh.positions, triangles}; }

  geometry::SurfaceMesh mesh;
  std::vector<geometry::Triangle> triangles;
  anatomy::MuscleEnds ends;
};

Vec3d cylinder_axis() { return (1 / std::sqrt(14.0)) * Vec3d{1, 2, 3}; }
double along_cylinder(const Vec3d& p) { return dot(cylinder_axis(), p) + 0.5; }
double along_sector(const Vec3d& p) { return std::atan2(p[1], p[0]) / kSectorAngle; }

/// Between radii 1 and 2 m: a box, bent.
geometry::SurfaceMesh make_sector() {
  geometry::SurfaceMesh box = geometry::make_box({0.5, 0.5, 0.25}, {1, 1, 0.5}, 1.0 / 96);
  for (Vec3d& p : box.positions) {
    const double r = 1 + p[0], turn = kSectorAngle * p[1];
    p = {r * std::cos(turn), r * std::sin(turn), p[2]};
  }
  return box;
}

/// Angles between fibres and what they should follow, rad.
struct Misalignment {
  double mean = 0, worst = 0;
  int iterations = 0;
  std::size_t unknowns = 0;
};

Misalignment cylinder_error(double spacing, Context& context) {
  const Vec3d axis = cylinder_axis(), across = (1 / std::sqrt(5.0)) * Vec3d{2, -1, 0};
  const Muscle muscle(geometry::make_cylinder({0, 0, 0}, axis, 0.2, 1, 0.02), along_cylinder);
  const anatomy::HarmonicFibres fibres(muscle.solid(), muscle.ends, spacing, "cylinder",
                                       context.arena);
  Misalignment result{.iterations = fibres.report().iterations, .unknowns = fibres.unknowns()};
  int count = 0;
  for (double s = -0.48; s < 0.49; s += 0.02) {
    for (double r = -0.195; r < 0.2; r += 0.03) {
      const double off = norm(cross(fibres.direction(s * axis + r * across), axis));
      result.worst = std::max(result.worst, off);
      result.mean += off;
      ++count;
    }
  }
  result.mean /= count;
  return result;
}

Misalignment sector_error(const anatomy::HarmonicFibres& fibres) {
  Misalignment result{.iterations = fibres.report().iterations, .unknowns = fibres.unknowns()};
  int count = 0;
  for (double r = 1.02; r < 1.99; r += 0.043) {
    for (double a = 0.02; a < 0.99; a += 0.021) {
      const double turn = a * kSectorAngle;
      const Vec3d circle{-std::sin(turn), std::cos(turn), 0};
      const Vec3d at{r * std::cos(turn), r * std::sin(turn), 0.23};
      const double off = norm(cross(fibres.direction(at), circle));
      result.worst = std::max(result.worst, off);
      result.mean += off;
      ++count;
    }
  }
  result.mean /= count;
  return result;
}

/// Follows fibres from a point while `inside`, and leaves a gap behind them.
template <class Inside>
void trace(const anatomy::HarmonicFibres& fibres, Vec3d at, double step, Inside&& inside,
           run::Series& to) {
  for (int i = 0; i < 2000 && inside(at); ++i) {
    to.x.push_back(at[0]);
    to.y.push_back(at[1]);
    const Vec3d half = at + 0.5 * step * fibres.direction(at);
    at += step * fibres.direction(half);
  }
  to.x.push_back(std::numeric_limits<double>::quiet_NaN());
  to.y.push_back(std::numeric_limits<double>::quiet_NaN());
}

void draw_sector(const anatomy::HarmonicFibres& fibres, const std::filesystem::path& folder) {
  run::Series lines{.name = "fibres on 0.1 m cells"};
  for (double r = 1.05; r < 2; r += 0.1) {
    trace(
        fibres, {r, 0.01, 0.25}, 0.01,
        [](const Vec3d& p) { return along_sector(p) >= 0 && along_sector(p) < 1; }, lines);
  }
  write_file_atomic(folder / "anatomy_fibres_sector.svg",
                    run::plot_svg(std::vector{lines}, {.title = "Fibres in the sector of a ring",
                                                       .x_label = "x (m)",
                                                       .y_label = "y (m)",
                                                       .width = 640,
                                                       .height = 460}));
}

void draw_biceps(const std::filesystem::path& folder, Context& context) {
  const geometry::SurfaceMesh mesh = geometry::make_arm_part("biceps", 0.003);
  const std::vector<geometry::Triangle> triangles = geometry::triangulate(mesh);
  const anatomy::Solid muscle{mesh.positions, triangles};
  const anatomy::HarmonicFibres fibres(muscle, anatomy::ends_along_axis(muscle),
                                       anatomy::default_spacing(muscle), "biceps", context.arena);
  run::Series outline{.name = "surface, z = 0", .points = true},
      lines{.name = "fibres from the muscle's widest place"};
  double low = 1, high = -1;
  for (const Vec3d& p : mesh.positions) {
    if (std::abs(p[2]) > 0.002) continue;
    outline.x.push_back(1000 * p[0]);
    outline.y.push_back(1000 * p[1]);
    if (std::abs(p[0] - 0.16) > 0.005) continue;
    low = std::min(low, p[1]);
    high = std::max(high, p[1]);
  }
  const auto inside = [&](const Vec3d& p) {
    const double u = fibres.potential(p);
    return u > 0.01 && u < 0.99 && p[0] > 0.04 && p[0] < 0.285;
  };
  for (int i = 1; i < 10; ++i) {
    const Vec3d start{0.16, low + 0.1 * i * (high - low), 0};
    for (const double step : {-0.001, 0.001}) trace(fibres, start, step, inside, lines);
  }
  for (double& x : lines.x) x *= 1000;
  for (double& y : lines.y) y *= 1000;
  write_file_atomic(
      folder / "anatomy_fibres_biceps.svg",
      run::plot_svg(std::vector{lines, outline}, {.title = "Fibres of the biceps, from the side",
                                                  .x_label = "along the arm (mm)",
                                                  .y_label = "to the front (mm)",
                                                  .width = 760,
                                                  .height = 340}));
}

}  // namespace

std::vector<Row> anatomy_fibres(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const auto add = [&](std::string quantity, double ours, const char* unit, Relation relation,
                       std::optional<double> bound, std::string note = {}) {
    rows.push_back({.id = "anatomy/fibres",
                    .quantity = std::move(quantity),
                    .variant = "best",
                    .source = "closed form",
                    .ours = ours,
                    .unit = unit,
                    .relation = relation,
                    .bound = bound,
                    .note = std::move(note)});
  };
  const auto effort = [](const Misalignment& m) {
    return fmt::format("{} unknowns, {} iterations of conjugate gradients", m.unknowns,
                       m.iterations);
  };
  const Misalignment cylinder = cylinder_error(0.05, context);
  add("cylinder askew, 8 cells across/mean angle", cylinder.mean, "rad", Relation::AtMost, 1e-4,
      effort(cylinder));
  add("cylinder askew, 8 cells across/largest angle", cylinder.worst, "rad", Relation::AtMost,
      5e-3);

  const Muscle sector(make_sector(), along_sector);
  std::vector<double> spacings{0.2, 0.1, 0.05};
  if (options.full) spacings.push_back(0.025);
  Misalignment last;
  for (const double spacing : spacings) {
    if (context.cancelled) break;
    const anatomy::HarmonicFibres fibres(sector.solid(), sector.ends, spacing, "sector",
                                         context.arena);
    const Misalignment now = sector_error(fibres);
    const std::string name = fmt::format("ring, {:g} cells across", 1 / spacing);
    add(name + "/mean angle", now.mean, "rad", Relation::Shown, {}, effort(now));
    add(name + "/largest angle", now.worst, "rad", Relation::Shown, {});
    if (last.mean > 0) {
      add(name + "/order of the mean", std::log2(last.mean / now.mean), "", Relation::AtLeast, 1.7);
      add(name + "/order of the largest", std::log2(last.worst / now.worst), "", Relation::AtLeast,
          0.9, "beside the surface and where an end meets it");
    }
    last = now;
    if (spacing == 0.1 && !options.pictures.empty()) draw_sector(fibres, options.pictures);
  }
  if (!options.pictures.empty()) draw_biceps(options.pictures, context);
  return rows;
}

}  // namespace isochor::reproduce
