/// The benchmark of cardiac mechanics of Land et al. (2015), whose eleven codes differ by about
/// half a per cent. Guccione's law, incompressible, in mm and kPa.
///
/// Problem 1: a beam of 10 x 1 x 1 mm, fibres along it, held at one end, bent by a pressure of 4 Pa
/// on its lower side that follows it. Beside it the same beam turned about its axis, so that its
/// sides pass through cells.
///
/// Problem 2: an isotropic half ellipsoid, held at its base, blown up by 10 kPa to more than four
/// times the volume of its cavity.
///
/// Problem 3: the same body with fibres that turn through its wall, which contract with 60 kPa
/// against 15 kPa in the cavity and wring it.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"
#include "isochor/lattice/cut_cells.h"
#include "reproduce/flight.h"
#include "reproduce/verification.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kId = "verify/land";

struct Guccione {
  double c, bf, bt, bfs;
};

lattice::BodySpec make_muscle(const geometry::SurfaceMesh& surface, double h,
                              const Discretisation& scheme, const Guccione& law, Context& context) {
  lattice::BodySpec spec = make_embedded(surface, h, scheme.boundary, "guccione",
                                         0.5 * law.c * law.bt, 0.5, context, Vec3d{0, 0, 0});
  spec.shape[0] = law.bf;
  spec.shape[1] = law.bt;
  spec.shape[2] = law.bfs;
  return spec;
}

struct Bent {
  bool arrived = false;
  Vec3d tip{0, 0, 0};  ///< where (10, 0.5, 1) goes, mm
  int solves = 0, iterations = 0, cuts = 0;
};

Bent bend(int across, const Discretisation& scheme, bool turned, Context& context) {
  constexpr double kPressure = 0.004;  // kPa
  constexpr int kSteps = 4;
  const double h = 1.0 / across;
  const Placement placement = turned ? Placement::turned_about_x(h) : Placement(false, h);
  lattice::BodySpec spec =
      make_muscle(placement.surface(geometry::make_box({5, 0.5, 0.5}, {10, 1, 1}, 0.5)), h, scheme,
                  {2, 8, 2, 4}, context);
  spec.axes.assign(spec.lattice.cell_count(), placement.rotation());
  spec.holds = {hold_where(spec, placement, "end", [](const Vec3d& p) { return p[0] < 1e-9; })};
  geometry::SurfaceMesh below;
  below.positions = {{0, 0, 0}, {0, 1, 0}, {10, 1, 0}, {10, 0, 0}};
  below.add_face(std::array<std::int32_t, 4>{0, 1, 2, 3});
  spec.pressures = {pressed_surface(spec, "below", placement.surface(below), context)};
  StaticBody body(std::move(spec), scheme, context);
  const std::vector<Vec3d> held = body.held([](const Vec3d& p) { return p; });
  Bent bent;
  bent.arrived = body.advance({.held_positions = held}, 0, kPressure, kSteps);
  const std::array<Vec3d, 1> tip{placement.point({10, 0.5, 1})};
  std::array<Vec3d, 1> now{};
  grid::embed(body.lattice(), tip).interpolate(body.state.positions, now);
  bent.tip = placement.point_back(now[0]);
  bent.solves = body.solves;
  bent.iterations = body.iterations;
  bent.cuts = body.cuts;
  return bent;
}

/// A point of the half plane that is turned about z, mm.
struct ProfilePoint {
  double radius, height;
};

/// Turned about z; outward is to the right of the way along the profile, seen with z upward.
geometry::SurfaceMesh revolved(std::span<const ProfilePoint> profile, int around) {
  geometry::SurfaceMesh mesh;
  std::vector<std::int32_t> first(profile.size());
  for (std::size_t i = 0; i < profile.size(); ++i) {
    first[i] = static_cast<std::int32_t>(mesh.positions.size());
    const auto& [radius, height] = profile[i];
    for (int k = 0; k < (radius > 0 ? around : 1); ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      mesh.positions.push_back({radius * std::cos(angle), radius * std::sin(angle), height});
    }
  }
  const auto vertex = [&](std::size_t i, int k) {
    return first[i] + (profile[i].radius > 0 ? k % around : 0);
  };
  for (std::size_t i = 0; i + 1 < profile.size(); ++i) {
    for (int k = 0; k < around; ++k) {
      const std::int32_t a = vertex(i, k), b = vertex(i, k + 1), c = vertex(i + 1, k + 1),
                         d = vertex(i + 1, k);
      if (a != b) mesh.add_face(std::array{a, b, c});
      if (c != d) mesh.add_face(std::array{a, c, d});
    }
  }
  return mesh;
}

/// Of an ellipsoid from its apex up to the plane z = 5.
std::vector<ProfilePoint> wall(double radius, double length, double edge) {
  constexpr double kBase = 5;
  const double last = std::numbers::pi - std::acos(kBase / length);
  const int pieces = static_cast<int>(std::ceil(last * length / edge));
  std::vector<ProfilePoint> points{{0, -length}};
  for (int i = 1; i <= pieces; ++i) {
    const double u = last * i / pieces;
    points.push_back({radius * std::sin(u), i == pieces ? kBase : -length * std::cos(u)});
  }
  return points;
}

/// The left ventricle of problems 2 and 3, its cavity and its whole surface.
struct Ventricle {
  geometry::SurfaceMesh cavity, whole;
};
Ventricle make_ventricle(double edge) {
  std::vector<ProfilePoint> inner = wall(7, 17, edge), profile = wall(10, 20, edge);
  std::ranges::reverse(inner);
  const ProfilePoint rim = profile.back();
  const int pieces = static_cast<int>(std::ceil((rim.radius - inner[0].radius) / edge));
  for (int i = 1; i < pieces; ++i) {
    profile.push_back({rim.radius + (inner[0].radius - rim.radius) * i / pieces, rim.height});
  }
  profile.insert(profile.end(), inner.begin(), inner.end());
  const int around = 4 * static_cast<int>(std::ceil(5 * std::numbers::pi / edge));
  return {revolved(inner, around), revolved(profile, around)};
}

/// Sizes of cells, mm: the base lies in a wall of cells, the other ends of the ventricle do not,
/// where cells with next to nothing in them would wrinkle.
constexpr std::array kSizes{1.25, 5.0 / 6};
/// The same with fibres that turn, which want more cells across the wall: limits are those of the
/// last, the others show how errors fall.
constexpr std::array kFibreSizes{1.25, 5.0 / 6, 5.0 / 9};

struct Inflated {
  bool arrived = false;
  double inner_apex = 0, outer_apex = 0;  ///< z, mm
  double volume = 0;                      ///< of the cavity below the plane of the base, mm^3
  double pressure = 0;                    ///< that was reached, kPa
  int cells = 0, solves = 0, iterations = 0, cuts = 0;
};

/// Volume between a surface that is turned inward and a point.
double cavity_volume(std::span<const Vec3d> positions, const geometry::SurfaceMesh& surface,
                     const Vec3d& point) {
  double volume = 0;
  for (const auto& [a, b, c] : geometry::triangulate(surface)) {
    volume -= dot(positions[a] - point, cross(positions[b] - point, positions[c] - point)) / 6;
  }
  return volume;
}

void find_inflation(const Ventricle& ventricle, const StaticBody& body, Inflated& inflated) {
  inflated.pressure = body.pressure;
  std::vector<Vec3d> points = ventricle.cavity.positions;
  points.push_back({0, 0, -17});
  points.push_back({0, 0, -20});
  std::vector<Vec3d> now(points.size());
  grid::embed(body.lattice(), points).interpolate(body.state.positions, now);
  inflated.inner_apex = now[now.size() - 2][2];
  inflated.outer_apex = now.back()[2];
  inflated.volume = cavity_volume(now, ventricle.cavity, {0, 0, 5});
  inflated.cells = static_cast<int>(body.lattice().cell_count());
  inflated.solves = body.solves;
  inflated.iterations = body.iterations;
  inflated.cuts = body.cuts;
}

Inflated inflate(double h, const Discretisation& scheme, Context& context) {
  constexpr double kPressure = 10;  // kPa
  constexpr int kSteps = 20;
  const Ventricle ventricle = make_ventricle(h / 3);
  lattice::BodySpec spec = make_muscle(ventricle.whole, h, scheme, {10, 1, 1, 1}, context);
  spec.axes.assign(spec.lattice.cell_count(), Mat3d::identity());
  spec.holds = {hold_where(spec, Placement(false, h), "base",
                           [](const Vec3d& p) { return p[2] > 5 - 1e-9; })};
  spec.pressures = {pressed_surface(spec, "cavity", ventricle.cavity, context)};
  StaticBody body(std::move(spec), scheme, context, 1e-6);
  const std::vector<Vec3d> held = body.held([](const Vec3d& p) { return p; });
  Inflated inflated;
  inflated.arrived = body.advance({.held_positions = held}, 0, kPressure, kSteps);
  find_inflation(ventricle, body, inflated);
  return inflated;
}

/// Fibre, sheet and normal of problem 3 where the wall is at rest: ellipsoids (7 + 3 t, 17 + 3 t),
/// fibres at 90 - 180 t degrees to their circles of latitude.
Mat3d turning_axes(const Vec3d& at) {
  const double r = std::hypot(at[0], at[1]);
  double inner = -1, outer = 2;  // of t: a point is outside of the first ellipsoid, not of the last
  for (int i = 0; i < 60; ++i) {
    const double t = 0.5 * (inner + outer);
    const bool outside = std::hypot(r / (7 + 3 * t), at[2] / (17 + 3 * t)) > 1;
    (outside ? inner : outer) = t;
  }
  const double t = inner, angle = (0.5 - t) * std::numbers::pi;
  const Vec3d across = r > 0 ? Vec3d{at[0] / r, at[1] / r, 0} : Vec3d{1, 0, 0};
  const double short_axis = 7 + 3 * t, long_axis = 17 + 3 * t;
  const Vec3d climb =
      Vec3d{0, 0, long_axis * r / short_axis} - (short_axis * at[2] / long_axis) * across;
  const Vec3d along_meridian = (1 / norm(climb)) * climb;
  const Vec3d along_circle = cross(Vec3d{0, 0, 1}, across);
  const Vec3d fibre = std::sin(angle) * along_meridian + std::cos(angle) * along_circle;
  const Vec3d normal = cross(along_meridian, along_circle);
  return {{fibre, cross(normal, fibre), normal}};
}

/// A point of the middle of the wall, and where axisymmetric elements see it go.
struct Midwall {
  ProfilePoint from, to;
  double twist;  ///< degrees
};
constexpr std::array kMidwall{Midwall{{5.1200, -14.7672}, {4.7762, -11.2839}, -18.02},
                              Midwall{{7.8985, -6.8353}, {7.8998, -5.0034}, -8.801},
                              Midwall{{8.4921, 0.7974}, {8.5992, 1.3663}, -3.092}};

constexpr double kWrungCavity = 1795.9;  ///< mm^3, by the same elements

struct Wrung : Inflated {
  std::array<ProfilePoint, kMidwall.size()> midwall{};
  std::array<double, kMidwall.size()> twist{};  ///< degrees
};

/// Of points all around, as the lattice has directions of its own.
void find_midwall(const StaticBody& body, Wrung& wrung) {
  constexpr int kAround = 16;
  for (std::size_t m = 0; m < kMidwall.size(); ++m) {
    std::vector<Vec3d> points, now(kAround);
    for (int k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * (k + 0.5) / kAround;
      const auto& [radius, height] = kMidwall[m].from;
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), height});
    }
    grid::embed(body.lattice(), points).interpolate(body.state.positions, now);
    for (int k = 0; k < kAround; ++k) {
      const Vec3d &p = points[k], &q = now[k];
      wrung.midwall[m].radius += std::hypot(q[0], q[1]) / kAround;
      wrung.midwall[m].height += q[2] / kAround;
      wrung.twist[m] += std::atan2(p[0] * q[1] - p[1] * q[0], p[0] * q[0] + p[1] * q[1]) * 180 /
                        std::numbers::pi / kAround;
    }
  }
}

Wrung contract(double h, const Discretisation& scheme, Context& context) {
  constexpr double kPressure = 15, kTension = 60;  // kPa
  constexpr int kSteps = 20;
  const Guccione law{2, 8, 2, 4};
  const Ventricle ventricle = make_ventricle(h / 3);
  lattice::BodySpec spec = make_muscle(ventricle.whole, h, scheme, law, context);
  spec.shape[3] = kTension / (0.5 * law.c * law.bt);
  lattice::set_axes(spec, turning_axes);
  // One point in a cell is what this scheme is.
  if (scheme.boundary == Boundary::Weighted) spec.point_axes.clear();
  spec.holds = {hold_where(spec, Placement(false, h), "base",
                           [](const Vec3d& p) { return p[2] > 5 - 1e-9; })};
  spec.pressures = {pressed_surface(spec, "cavity", ventricle.cavity, context)};
  StaticBody body(std::move(spec), scheme, context, 1e-6);
  const std::vector<Vec3d> held = body.held([](const Vec3d& p) { return p; });
  Wrung wrung;
  wrung.arrived = true;
  for (int step = 1; step <= kSteps && wrung.arrived; ++step) {
    const std::array<double, 1> activation{double(step) / kSteps};
    wrung.arrived = body.advance({.held_positions = held, .activations = activation},
                                 kPressure * (step - 1) / kSteps, kPressure * step / kSteps, 1);
  }
  find_inflation(ventricle, body, wrung);
  find_midwall(body, wrung);
  return wrung;
}

constexpr const char* kNotArrived = "no equilibrium was found";

std::string effort(int solves, int iterations, int cuts) {
  return fmt::format("{} linear systems, {} iterations, {} steps cut", solves, iterations, cuts);
}

void add_beam(const ExperimentOptions& options, std::vector<Row>& rows,
              std::vector<run::Series>& lines, Context& context) {
  constexpr double kTip = 4.167;
  const std::vector<int> grids =
      options.full ? std::vector<int>{2, 4, 8, 16} : std::vector<int>{2, 4, 8};
  for (const bool turned : {false, true}) {
    const Placement placement = turned ? Placement::turned_about_x(1) : Placement(false, 1);
    for (const Discretisation& scheme : schemes()) {
      // Cells of the aligned beam are whole: weights change nothing.
      if (!turned && scheme.boundary == Boundary::Weighted) continue;
      run::Series& line = lines.emplace_back(series_of(scheme, placement));
      for (const int n : grids) {
        const Bent bent = bend(n, scheme, turned, context);
        Row row = verification_row(
            kId,
            fmt::format("1, {}: error of the tip's height, {} cells across", placement.name(), n),
            scheme.name, "Q2/P1 elements; published 4.0 to 4.2 mm");
        const double error = 100 * (bent.tip[2] / kTip - 1);
        row = claim(row, std::abs(error), "%", Relation::AtMost, 1);
        if (bent.arrived) {
          row.note = fmt::format("{:.4f} mm for {} mm: {:+.2f} %; {}", bent.tip[2], kTip, error,
                                 effort(bent.solves, bent.iterations, bent.cuts));
          line.x.push_back(std::log2(n));
          line.y.push_back(bent.tip[2]);
        } else {
          row.ours.reset();
          row.note = kNotArrived;
        }
        const bool judged = n >= 8;
        if (!judged || scheme.boundary == Boundary::Weighted) row.relation = Relation::Shown;
        rows.push_back(row);
      }
    }
  }
}

void add_inflation(std::vector<Row>& rows, Context& context) {
  struct Quantity {
    const char* name;
    double Inflated::*member;
    double reference, limit;
    const char* unit;
  };
  static constexpr Quantity kQuantities[]{
      {"inner apex", &Inflated::inner_apex, -26.61, 0.3, "mm"},
      {"outer apex", &Inflated::outer_apex, -28.28, 0.3, "mm"},
      {"volume of the cavity", &Inflated::volume, 10734, 0.015 * 10734, "mm^3"}};
  for (const double h : kSizes) {
    for (const Discretisation& scheme : schemes()) {
      const Inflated inflated = inflate(h, scheme, context);
      for (const Quantity& q : kQuantities) {
        Row row = verification_row(kId, fmt::format("2: {}, cells of {:.3g} mm, error", q.name, h),
                                   scheme.name, "axisymmetric Q2/P1 elements");
        const double value = inflated.*q.member;
        row = claim(row, std::abs(value - q.reference), q.unit, Relation::AtMost, q.limit);
        if (inflated.arrived) {
          row.note = fmt::format("{:.2f} {} for {}; {} cells, {}", value, q.unit, q.reference,
                                 inflated.cells,
                                 effort(inflated.solves, inflated.iterations, inflated.cuts));
        } else {
          row.ours.reset();
          row.note =
              fmt::format("{} at 10 kPa, reached {:.2f} kPa", kNotArrived, inflated.pressure);
        }
        if (scheme.boundary == Boundary::Weighted) row.relation = Relation::Shown;
        rows.push_back(row);
      }
    }
  }
}

void add_contraction(std::vector<Row>& rows, Context& context) {
  for (const Discretisation& scheme : schemes()) {
    Refinement volume, twist;
    for (const double h : kFibreSizes) {
      const Wrung wrung = contract(h, scheme, context);
      if (wrung.arrived) {
        volume.add(h, wrung.volume - kWrungCavity);
        twist.add(h, wrung.twist[0] - kMidwall[0].twist);
      }
      const auto add = [&](std::string_view name, double value, double reference, double limit,
                           const char* unit, bool judged) {
        Row row = verification_row(kId, fmt::format("3: {}, cells of {:.3g} mm, error", name, h),
                                   scheme.name, "axisymmetric Q2/P1 elements");
        row = claim(row, std::abs(value - reference), unit, Relation::AtMost, limit);
        if (wrung.arrived) {
          row.note = fmt::format("{:.3f} {} for {}; {} cells, {}", value, unit, reference,
                                 wrung.cells, effort(wrung.solves, wrung.iterations, wrung.cuts));
        } else {
          row.ours.reset();
          row.note = fmt::format("{} at 15 kPa, reached {:.2f} kPa", kNotArrived, wrung.pressure);
        }
        const bool finest = h == kFibreSizes.back();
        if (!judged || !finest || scheme.boundary == Boundary::Weighted) {
          row.relation = Relation::Shown;
        }
        rows.push_back(row);
      };
      add("volume of the cavity", wrung.volume, kWrungCavity, 0.005 * kWrungCavity, "mm^3", true);
      // Fibres have no direction at the apex: its place drifts with refinement.
      add("inner apex", wrung.inner_apex, -12.37, 0.01 * (17 - 12.37), "mm", false);
      add("outer apex", wrung.outer_apex, -15.46, 0.01 * (20 - 15.46), "mm", false);
      for (std::size_t m = 0; m < kMidwall.size(); ++m) {
        add(fmt::format("twist {} mm below the base", std::round(5 - kMidwall[m].from.height)),
            wrung.twist[m], kMidwall[m].twist, 0.01 * std::abs(kMidwall[0].twist), "degrees", true);
      }
    }
    for (const auto& [name, errors] : {std::pair{"volume of the cavity", &volume},
                                       std::pair{"twist next to the apex", &twist}}) {
      if (errors->error.size() < kFibreSizes.size()) continue;
      Row row = verification_row(kId, fmt::format("3: {}, observed order", name), scheme.name,
                                 "axisymmetric Q2/P1 elements");
      row.ours = errors->order();
      row.note = fmt::format("errors {:+.3f}, {:+.3f}, {:+.3f}", errors->error[0], errors->error[1],
                             errors->error[2]);
      rows.push_back(row);
    }
  }
}

}  // namespace

std::vector<Row> verify_land(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<run::Series> lines;
  add_beam(options, rows, lines, context);
  // It takes minutes.
  if (options.full) {
    add_inflation(rows, context);
    add_contraction(rows, context);
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    write_file_atomic(options.pictures / "verify_land_beam.svg",
                      run::plot_svg(lines, {.title = "Land's beam; converged: 4.167 mm",
                                            .x_label = "log2 of cells across",
                                            .y_label = "height of the tip [mm]",
                                            .width = 720,
                                            .height = 360}));
  }
  return rows;
}

}  // namespace isochor::reproduce
