/// How well a surface that rides on the lattice follows a smooth motion, with trilinear and with
/// tricubic interpolation. Zhu et al. 2010 (fig. 18) and Patterson et al. 2012 show pictures of the
/// creases that trilinear interpolation leaves; here they become numbers: the error against a known
/// map, its order in the size of cells, and the largest jump of the surface's normal across walls
/// between cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <numbers>
#include <optional>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"
#include "isochor/run/plot.h"
#include "isochor/run/render.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

using grid::Interpolation;

constexpr std::array kKinds{Interpolation::Trilinear, Interpolation::Tricubic};
const char* name_of(Interpolation kind) {
  return kind == Interpolation::Trilinear ? "trilinear" : "tricubic";
}

/// Twisted about z, then bent about y.
Vec3d bend_and_twist(const Vec3d& x) {
  constexpr double kTwist = 1.2, kBend = 0.6;  // radians per metre
  const double c = std::cos(kTwist * x[2]), s = std::sin(kTwist * x[2]);
  const Vec3d p{c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]};
  const double radius = 1 / kBend + p[0];
  return {radius * std::cos(kBend * p[2]) - 1 / kBend, p[1], radius * std::sin(kBend * p[2])};
}

std::vector<Vec3d> mapped(std::span<const Vec3d> points) {
  std::vector<Vec3d> result;
  for (const Vec3d& x : points) result.push_back(bend_and_twist(x));
  return result;
}

/// Points where the surface passes from one cell into the next.
struct Passages {
  std::vector<Vec3d> points, normals;
  std::vector<std::int32_t> from, to;  ///< cells
};

/// Along edges of faces of the unit ball, in walls between cells.
Passages find_passages(const grid::Lattice& lattice, const geometry::SurfaceMesh& ball) {
  Passages passages;
  std::vector<Vec3d> before, after;
  const double h = lattice.spacing;
  for (std::size_t f = 0; f < ball.face_count(); ++f) {
    const Vec3d a = ball.positions[ball.face(f)[0]], b = ball.positions[ball.face(f)[1]];
    for (int axis = 0; axis < 3; ++axis) {
      const double first = (a[axis] - lattice.origin[axis]) / h;
      const double last = (b[axis] - lattice.origin[axis]) / h;
      const double wall = std::ceil(std::min(first, last));
      if (!(wall < std::max(first, last)) || std::abs(last - first) < 1e-6) continue;
      const Vec3d at = a + ((wall - first) / (last - first)) * (b - a);
      Vec3d step{0, 0, 0};
      step[axis] = 1e-4 * h;
      passages.points.push_back(at);
      passages.normals.push_back(at * (1 / norm(at)));
      before.push_back(at - step);
      after.push_back(at + step);
    }
  }
  passages.from = grid::find_cells(lattice, before);
  passages.to = grid::find_cells(lattice, after);
  return passages;
}

/// The normals of the moved surface as the given cells have them.
std::vector<Vec3d> moved_normals(const grid::Lattice& lattice, std::span<const Vec3d> moved_nodes,
                                 const Passages& at, std::span<const std::int32_t> cells,
                                 Interpolation kind) {
  const double step = 1e-6 * lattice.spacing;
  std::vector<Vec3d> points;
  std::vector<std::int32_t> cell_of;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Vec3d& n = at.normals[i];
    const Vec3d aside = std::abs(n[0]) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d u = cross(n, aside) * (1 / norm(cross(n, aside))), v = cross(n, u);
    for (const Vec3d& tangent : {u, v}) {
      for (const double sign : {-1.0, 1.0}) {
        points.push_back(at.points[i] + (sign * step) * tangent);
        cell_of.push_back(cells[i]);
      }
    }
  }
  std::vector<Vec3d> moved(points.size()), normals;
  grid::embed(lattice, points, cell_of, kind).interpolate(moved_nodes, moved);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Vec3d n = cross(moved[4 * i + 1] - moved[4 * i], moved[4 * i + 3] - moved[4 * i + 2]);
    normals.push_back(n * (1 / norm(n)));
  }
  return normals;
}

struct Errors {
  double largest = 0, rms = 0;  ///< m
  double jump = 0;              ///< of the normal, degrees
};

Errors measure(const grid::Lattice& lattice, const geometry::SurfaceMesh& ball,
               Interpolation kind) {
  const std::vector<Vec3d> nodes = mapped(lattice.rest_positions);
  std::vector<Vec3d> moved(ball.positions.size());
  grid::embed(lattice, ball.positions, lattice.vertex_cells, kind).interpolate(nodes, moved);
  Errors errors;
  for (std::size_t v = 0; v < moved.size(); ++v) {
    const double error = norm(moved[v] - bend_and_twist(ball.positions[v]));
    errors.largest = std::max(errors.largest, error);
    errors.rms += error * error / static_cast<double>(moved.size());
  }
  errors.rms = std::sqrt(errors.rms);
  const Passages passages = find_passages(lattice, ball);
  const auto before = moved_normals(lattice, nodes, passages, passages.from, kind);
  const auto after = moved_normals(lattice, nodes, passages, passages.to, kind);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double angle = std::asin(std::min(1.0, norm(cross(before[i], after[i]))));
    errors.jump = std::max(errors.jump, angle * 180 / std::numbers::pi);
  }
  return errors;
}

/// The slope of log(error) over log(h), by least squares over the last three.
double order(std::span<const double> h, std::span<const double> errors) {
  const std::size_t first = h.size() - 3;
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = first; i < h.size(); ++i) {
    mean_x += std::log(h[i]) / 3;
    mean_y += std::log(errors[i]) / 3;
  }
  for (std::size_t i = first; i < h.size(); ++i) {
    xx += (std::log(h[i]) - mean_x) * (std::log(h[i]) - mean_x);
    xy += (std::log(h[i]) - mean_x) * (std::log(errors[i]) - mean_y);
  }
  return xy / xx;
}

void plot(const std::vector<double>& h, const std::array<std::vector<Errors>, 2>& errors,
          const std::filesystem::path& folder) {
  std::vector<run::Series> series;
  for (std::size_t k = 0; k < 2; ++k) {
    run::Series largest{.name = fmt::format("{}, largest", name_of(kKinds[k]))};
    run::Series rms{.name = fmt::format("{}, rms", name_of(kKinds[k])), .dashed = true};
    for (std::size_t i = 0; i < h.size(); ++i) {
      for (run::Series* s : {&largest, &rms}) s->x.push_back(std::log2(1 / h[i]));
      largest.y.push_back(errors[k][i].largest);
      rms.y.push_back(errors[k][i].rms);
    }
    series.push_back(std::move(largest));
    series.push_back(std::move(rms));
  }
  make_directory(folder);
  write_file_atomic(folder / "grid_embedding_error.svg",
                    run::plot_svg(series, {.title = "A ball, bent and twisted",
                                           .x_label = "log2 of cells per radius",
                                           .y_label = "error of the surface, m",
                                           .log_y = true}));
}

/// The surface on a coarse lattice, where creases can be seen.
void draw(const geometry::SurfaceMesh& ball, Interpolation kind,
          const std::filesystem::path& folder, Context& context) {
  const grid::Lattice lattice = grid::build_lattice(ball, 0.5, "ball", context.arena);
  files::BodyFrame shape{.nodes = mapped(lattice.rest_positions)};
  shape.vertices.resize(ball.positions.size());
  grid::embed(lattice, ball.positions, lattice.vertex_cells, kind)
      .interpolate(shape.nodes, shape.vertices);
  const files::Topology topology{{{.name = "ball",
                                   .rest_nodes = lattice.rest_positions,
                                   .cells = lattice.cell_nodes(),
                                   .surface = ball}}};
  const run::RenderOptions options{.width = 900, .height = 900, .caption = name_of(kind)};
  make_directory(folder);
  write_file_atomic(
      folder / fmt::format("grid_embedding_{}.png", name_of(kind)),
      encode_png(run::render(topology, {.bodies = {shape}}, options, std::nullopt, context.arena)));
}

class Rows {
 public:
  void add(std::string quantity, Interpolation kind, double value, std::string unit,
           Relation relation = Relation::Shown, std::optional<double> bound = {},
           std::string note = "") {
    rows_.push_back({.id = "grid/embedding",
                     .quantity = std::move(quantity),
                     .variant = name_of(kind),
                     .source = "Zhu 2010, fig. 18; Patterson 2012, sec. 6 (pictures)",
                     .ours = value,
                     .unit = std::move(unit),
                     .relation = relation,
                     .bound = bound,
                     .note = std::move(note)});
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  std::vector<Row> rows_;
};

}  // namespace

std::vector<Row> grid_embedding(const ExperimentOptions& options, Context& context) {
  const geometry::SurfaceMesh ball = geometry::make_sphere({0, 0, 0}, 1, 0.02);
  std::vector<double> h{0.25, 0.125, 0.0625, 0.03125};
  if (options.full) h.push_back(0.015625);
  std::array<std::vector<Errors>, 2> errors;
  Rows rows;
  for (const double spacing : h) {
    const grid::Lattice lattice = grid::build_lattice(ball, spacing, "ball", context.arena);
    for (std::size_t k = 0; k < 2; ++k) {
      errors[k].push_back(measure(lattice, ball, kKinds[k]));
      const Errors& e = errors[k].back();
      const std::string cells = fmt::format("{:.0f} cells per radius", 1 / spacing);
      rows.add("largest error, " + cells, kKinds[k], e.largest, "m");
      rows.add("rms error, " + cells, kKinds[k], e.rms, "m");
      rows.add("largest jump of the normal, " + cells, kKinds[k], e.jump, "degrees");
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const double bound = kKinds[k] == Interpolation::Trilinear ? 1.9 : 2.9;
    std::vector<double> largest, rms;
    for (const Errors& e : errors[k]) {
      largest.push_back(e.largest);
      rms.push_back(e.rms);
    }
    const std::string note = "over the three finest lattices";
    rows.add("order of the largest error", kKinds[k], order(h, largest), "", Relation::AtLeast,
             bound, note);
    rows.add("order of the rms error", kKinds[k], order(h, rms), "", Relation::AtLeast, bound,
             note);
  }
  rows.add("jump of the normal on the finest lattice, over that of trilinear",
           Interpolation::Tricubic, errors[1].back().jump / errors[0].back().jump, "",
           Relation::AtMost, 1e-4, "what differences of rounded positions leave of zero");
  if (!options.pictures.empty()) {
    plot(h, errors, options.pictures);
    for (const Interpolation kind : kKinds) draw(ball, kind, options.pictures, context);
  }
  return rows.take();
}

}  // namespace isochor::reproduce
