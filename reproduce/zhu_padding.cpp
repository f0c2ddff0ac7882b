/// [Zhu10 fig 17]: an elbow bends, and what the cage of cells leaves on its surface, by how far
/// normals are from those with much smaller cells; with one more layer of cells, and with cells of
/// half the size. Of that, a larger cage makes another shape, and what oscillates from cell to cell
/// is what the paper calls artifacts: waves that are shorter than about four cells.
#include <cmath>
#include <fmt/core.h>

#include "isochor/geometry/implicit_surface.h"
#include "isochor/geometry/implicit_surface_bodies.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"
#include "reproduce/zhu_flesh.h"

namespace isochor::reproduce {
namespace {

using geometry::SurfaceMesh;

constexpr double kTolerance = 1e-3;
constexpr int kMostCycles = 200;

/// 36 cm long, thinnest at its elbow in the origin.
SurfaceMesh make_limb(double edge) {
  const geometry::BallChain limb{{{-0.16, 0, 0}, 0.042},
                                 {{-0.09, 0, 0}, 0.046},
                                 {{0, 0, 0}, 0.036},
                                 {{0.09, 0, 0}, 0.040},
                                 {{0.16, 0, 0}, 0.032}};
  return geometry::mesh_implicit_body([&](const Vec3d& x) { return limb.joined(1, x, 0.02); },
                                      {{-0.22, -0.06, -0.06}, {0.22, 0.06, 0.06}}, edge);
}

std::vector<Vec3d> normals(const SurfaceMesh& surface, std::span<const Vec3d> x) {
  std::vector<Vec3d> sums(x.size(), Vec3d{0, 0, 0});
  for (const auto& [a, b, c] : geometry::triangulate(surface)) {
    const Vec3d area = cross(x[b] - x[a], x[c] - x[a]);
    for (const std::int32_t v : {a, b, c}) sums[v] += area;
  }
  for (Vec3d& n : sums) n = (1 / norm(n)) * n;
  return sums;
}

/// Root of the mean square of vectors at places, once as they are and once without their means over
/// balls of a radius.
struct Sizes {
  double whole = 0, short_waves = 0;
};
Sizes sizes_of(const std::vector<Vec3d>& places, const std::vector<Vec3d>& vectors, double radius) {
  Sizes sums;
  for (std::size_t v = 0; v < places.size(); ++v) {
    Vec3d mean{0, 0, 0};
    double count = 0;
    for (std::size_t w = 0; w < places.size(); ++w) {
      if (norm(places[w] - places[v]) > radius) continue;
      mean += vectors[w];
      ++count;
    }
    const Vec3d rest = vectors[v] - (1 / count) * mean;
    sums.whole += dot(vectors[v], vectors[v]) / double(places.size());
    sums.short_waves += dot(rest, rest) / double(places.size());
  }
  return {std::sqrt(sums.whole), std::sqrt(sums.short_waves)};
}

struct Bent {
  std::vector<Vec3d> surface;
  std::size_t cells = 0;
  bool converged = true;
};

Bent bend(const SurfaceMesh& limb, double spacing, int padding, bool published, Context& context) {
  FleshSpec spec{.surface = &limb, .spacing = spacing, .padding = padding, .published = published};
  spec.law = staggered::Law::Corotated;
  spec.piece = [](const Vec3d& x) {
    const bool bone = std::hypot(x[1], x[2]) < 0.013 && std::abs(x[0]) > 0.018;
    return !bone || std::abs(x[0]) > 0.16 ? -1 : int(x[0] > 0);
  };
  Flesh flesh(spec, context);
  Bent bent;
  for (int step = 1; step <= 4; ++step) {
    const RigidMotion pieces[] = {{},
                                  {rotation_from_vector({0, 0, step * 0.3}), {0, 0, 0}, {0, 0, 0}}};
    bent.converged = flesh.move(pieces, kTolerance, kMostCycles).converged && bent.converged;
  }
  bent.surface = flesh.surface();
  bent.cells = flesh.cells();
  return bent;
}

}  // namespace

std::vector<Row> zhu_padding(const ExperimentOptions& options, Context& context) {
  const SurfaceMesh limb = make_limb(0.0025);
  // The paper's cells are 9 mm, and half of that.
  const double spacing = 0.009;
  const Bent known = bend(limb, options.full ? spacing / 4 : spacing / 3, 1, false, context);
  const std::vector<Vec3d> smooth = normals(limb, known.surface);
  struct Cage {
    const char* name;
    double spacing;
    int padding;
  };
  const Cage cages[] = {{"no padding", spacing, 0},
                        {"one layer", spacing, 1},
                        {"no padding, half the spacing", 0.5 * spacing, 0}};
  std::vector<Row> rows;
  for (const bool published : {true, false}) {
    Figure picture;
    double aside = 0;
    std::optional<double> unpadded;
    for (const Cage& cage : cages) {
      if (context.cancelled) return rows;
      const Bent bent = bend(limb, cage.spacing, cage.padding, published, context);
      const std::vector<Vec3d> own = normals(limb, bent.surface);
      std::vector<Vec3d> places, off;
      for (std::size_t v = 0; v < own.size(); ++v) {
        if (std::abs(limb.positions[v][0]) > 0.08) continue;
        places.push_back(limb.positions[v]);
        off.push_back(180 / M_PI * (own[v] - smooth[v]));
      }
      const Sizes sizes = sizes_of(places, off, 2 * spacing);
      Row row{.id = "zhu/padding",
              .quantity = fmt::format("normals off near the elbow/{}", cage.name),
              .variant = published ? "paper" : "best",
              .source = "fig 17",
              .ours = sizes.whole,
              .unit = "degrees",
              .note = fmt::format("root of the mean square, from those with {} cells; {} cells of "
                                  "{} mm{}",
                                  known.cells, bent.cells, 1e3 * cage.spacing,
                                  bent.converged ? "" : "; NOT ALL STEPS CONVERGED")};
      rows.push_back(row);
      row.quantity = fmt::format("artifacts near the elbow/{}", cage.name);
      row.ours = sizes.short_waves;
      row.note = fmt::format("the same without its mean over {} mm", 2e3 * spacing);
      if (unpadded) {
        row.relation = Relation::Below;
        row.bound = unpadded;
      } else {
        unpadded = sizes.short_waves;
      }
      rows.push_back(std::move(row));
      picture.add(cage.name, limb, bent.surface, {aside, 0, 0});
      aside += 0.36;
    }
    if (options.pictures.empty()) continue;
    run::RenderOptions view;
    view.width = 1500;
    view.height = 600;
    view.camera_direction = {0.1, 0.1, 1};
    picture.draw(options.pictures / (published ? "zhu_padding_paper.png" : "zhu_padding.png"), view,
                 context);
  }
  return rows;
}

}  // namespace isochor::reproduce
