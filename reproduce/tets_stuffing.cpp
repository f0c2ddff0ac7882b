/// Solids filled with tets by isosurface stuffing: no dihedral angle is near 0 or 180 degrees,
/// whatever the surface is like.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/geometry/stuffing.h"
#include "isochor/geometry/tet_quality.h"
#include "reproduce/cut_tets.h"
#include "reproduce/data_meshes.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

using geometry::StuffingOptions;
using geometry::SurfaceMesh;
using geometry::TetMesh;
using geometry::TetReport;

constexpr const char* kId = "tets/stuffing";
constexpr const char* kPaper = "Labelle and Shewchuk 2007, abstract";

/// The smallest angle beside the one that the paper promises.
Row angle_row(const std::string& name, const TetReport& report) {
  return {.id = kId,
          .quantity = name + ", smallest dihedral angle",
          .variant = "best",
          .source = kPaper,
          .paper = 10.7,
          .ours = report.smallest_angle,
          .unit = "degrees",
          .relation = Relation::Above,
          .bound = 10,
          .note = fmt::format("{} tets, largest angle {:.1f}", report.tets, report.largest_angle)};
}

TetMesh stuffed(const SurfaceMesh& mesh, const StuffingOptions& options, Context& context) {
  const geometry::SignedDistance surface(mesh.positions, triangulate(mesh), context.arena);
  return stuff(surface, options, context.arena);
}

Row surface_row(const std::string& name, const SurfaceMesh& mesh, const StuffingOptions& options,
                Context& context) {
  const TetReport report = inspect_tets(stuffed(mesh, options, context), context.arena);
  Row row = angle_row(name, report);
  const double enclosed = geometry::enclosed_volume(mesh.positions, triangulate(mesh));
  row.note += fmt::format(", {:.2g} % less volume than the surface encloses",
                          100 * (1 - report.volume / enclosed));
  return row;
}

/// Sides and cuts drawn at random, many of them where the rules of the method change: no surface
/// can do worse.
Row random_row(bool full, Context& context) {
  TetReport worst;
  worst.smallest_angle = 180;
  for (int seed = 1; seed <= (full ? 40 : 8); ++seed) {
    const auto draw = [&](const Vec3d& p, int salt) {
      std::uint64_t hash =
          static_cast<std::uint64_t>(seed) * 7919 + static_cast<std::uint64_t>(salt);
      for (const double x : p.e) {
        hash = (hash ^ static_cast<std::uint64_t>(std::llround(4 * x))) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 29;
      }
      return static_cast<double>(hash * 0x9e3779b97f4a7c15u >> 32) / 4294967296.0;
    };
    constexpr double kRadius = 16;
    const double share = 0.1 + 0.8 * ((seed - 1) % 8) / 7;
    const auto is_inside = [&](const Vec3d& p) { return norm(p) < kRadius && draw(p, 1) < share; };
    const auto has_ball = [](const Vec3d& p, double radius) -> std::optional<bool> {
      if (norm(p) > kRadius + radius) return false;
      return {};
    };
    const auto crossing = [&](const Vec3d& a, const Vec3d& b) {
      constexpr double kChanges[] = {0, 0.285, 0.398, 0.602, 0.715, 1}, kStep = 1e-9;
      const double place = 8 * draw(0.5 * (a + b), 2);
      const int k = static_cast<int>(place);
      return k < 6 ? kChanges[k] + (place - k < 0.5 ? kStep : -kStep) : place / 2 - 3;
    };
    const Vec3d corner{kRadius, kRadius, kRadius};
    const TetMesh mesh = geometry::stuff({{-corner, corner}, is_inside, has_ball, crossing},
                                         {.spacing = 1}, context.arena);
    const TetReport report = inspect_tets(mesh, context.arena);
    worst.tets += report.tets;
    worst.smallest_angle = std::min(worst.smallest_angle, report.smallest_angle);
    worst.largest_angle = std::max(worst.largest_angle, report.largest_angle);
  }
  return angle_row("sides and cuts at random", worst);
}

/// Boundary vertices are on the surface, so that the error is that of chords.
Row order_row(Context& context) {
  const auto error = [&](double h) {
    const auto ball = [](const Vec3d& p) { return norm(p) - 1; };
    const TetMesh mesh = geometry::stuff(geometry::ImplicitBody(ball), {{-1, -1, -1}, {1, 1, 1}},
                                         {.spacing = h, .grading = 2}, context.arena);
    return 4 * std::numbers::pi / 3 - total_volume(mesh);
  };
  return {.id = kId,
          .quantity = "a ball, order of the error of its volume",
          .variant = "best",
          .source = "chords of a smooth surface",
          .ours = std::log2(error(0.05) / error(0.025)),
          .relation = Relation::AtLeast,
          .bound = 1.9};
}

void draw_pictures(const std::filesystem::path& folder, const SurfaceMesh& hand, Context& context) {
  for (const int grading : {0, 3}) {
    const TetMesh mesh = stuffed(hand, {.spacing = 0.0035, .grading = grading}, context);
    draw_cut_tets(folder / (grading == 0 ? "tets_stuffing_even.png" : "tets_stuffing_graded.png"),
                  mesh, {0, 1, 0}, {-0.1, 1, 0.35}, context);
  }
}

}  // namespace

std::vector<Row> tets_stuffing(const ExperimentOptions& options, Context& context) {
  const double fine = options.full ? 0.5 : 1;
  const SurfaceMesh hand = geometry::make_hand(0.002);
  std::vector<Row> rows;
  rows.push_back(order_row(context));
  rows.push_back(surface_row("torus", geometry::make_torus({0, 0, 0}, {1, 2, 3}, 1, 0.4, 0.05),
                             {.spacing = 0.08 * fine}, context));
  rows.push_back(surface_row("hand", hand, {.spacing = 0.004 * fine, .grading = 2}, context));
  rows.push_back(surface_row("figure", geometry::make_figure_part("skin", 0.015),
                             {.spacing = 0.02 * fine, .grading = 2}, context));
  rows.push_back(random_row(options.full, context));
  const std::filesystem::path data = options.data / "classic";
  if (!options.data.empty() && std::filesystem::is_directory(data)) {
    for (const std::filesystem::path& path : meshes_in(data)) {
      const SurfaceMesh mesh = files::read_surface(path).mesh;
      const Vec3d size = geometry::bounds_of_faces(mesh).size();
      const double longest = std::max({size[0], size[1], size[2]});
      rows.push_back(surface_row("classic/" + path.filename().string(), mesh,
                                 {.spacing = longest / 50 * fine, .grading = 2}, context));
    }
  } else {
    rows.push_back({.id = kId,
                    .quantity = "classic",
                    .variant = "best",
                    .source = kPaper,
                    .note = fmt::format("no folder {} here; see --data", data.string())});
  }
  if (!options.pictures.empty()) draw_pictures(options.pictures, hand, context);
  return rows;
}

}  // namespace isochor::reproduce
