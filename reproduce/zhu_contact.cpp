/// A ball pressed into a block by tractions on its embedded surface [Zhu10 sec 9.2], beside what
/// is known of such a contact.
#include <cmath>
#include <fmt/core.h>

#include "isochor/geometry/shapes.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"
#include "reproduce/zhu_flesh.h"

namespace isochor::reproduce {

/// An incompressible layer on a rigid base, thin against its width: Hertz's force and what the base
/// adds to it (Dimitriadis et al. 2002, for Poisson's ratio 0.5 and a layer that sticks).
std::vector<Row> zhu_contact(const ExperimentOptions& options, Context& context) {
  const double radius = 0.06, deep = 0.004, young = 1e4;
  std::vector<Row> rows;
  for (const double spacing :
       options.full ? std::vector{0.006, 0.004, 0.003} : std::vector{0.006, 0.004}) {
    if (context.cancelled) break;
    // Its top and sides run through cells.
    const double height = 0.04, width = 0.15;
    const geometry::SurfaceMesh block =
        geometry::make_box({0, 0.5 * height, 0}, {width, height, width}, 0.8 * spacing);
    FleshSpec spec{.surface = &block, .spacing = spacing, .young = young, .poisson = 0.5};
    spec.piece = [](const Vec3d& x) { return x[1] < 0 ? 0 : -1; };
    Flesh flesh(spec, context);
    const Vec3d middle{0, height + radius - deep, 0};
    const Pressed pressed = flesh.press(
        [&](const Vec3d& x, Vec3d& push) {
          const double away = norm(x - middle);
          push = (1 / away) * (x - middle);
          return radius - away;
        },
        0.01 * deep, 60);
    const double chi = std::sqrt(radius * deep) / height;
    const double known = 16.0 / 9 * young * std::sqrt(radius) * std::pow(deep, 1.5) *
                         (1 + chi * (1.133 + chi * (1.283 + chi * (0.769 + chi * 0.0975))));
    rows.push_back(
        {.id = "zhu/contact",
         .quantity = fmt::format("force/cells of {} mm", 1e3 * spacing),
         .variant = "best",
         .source = "ours",
         .ours = -pressed.force[1],
         .unit = "N",
         .note = fmt::format(
             "a thin layer has {:.3g} N (Dimitriadis 2002); area of contact {:.3g} mm^2; "
             "vertices off by at most {:.2g} of the depth; {} solves, {} cycles",
             known, 1e6 * pressed.area, pressed.deepest / deep, pressed.solves, pressed.cycles)});
    if (options.pictures.empty()) continue;
    const geometry::SurfaceMesh ball = geometry::make_sphere(middle, radius, 0.006);
    Figure picture;
    picture.add("block", block, flesh.surface(), {0, 0, 0});
    picture.add("ball", ball, ball.positions, {0, 0.04, 0});
    run::RenderOptions view;
    view.width = 700;
    view.height = 500;
    view.camera_direction = {0.3, 0.5, 1};
    picture.draw(options.pictures / "zhu_contact.png", view, context);
  }
  return rows;
}

}  // namespace isochor::reproduce
