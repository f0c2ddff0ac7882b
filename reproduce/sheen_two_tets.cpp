/// [Sheen21 fig 2]: two tets that share a face; one of them is pressed flat.
///
/// The figure does not say which nodes are prescribed beside the apex of the flat tet, nor its
/// shape. Here both are regular, the apex goes to the middle of the face they share, and the nodes
/// of that face stay in its plane but may move within it.
#include <cmath>
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/field_figure.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

tets::BodySpec two_tets(const materials::Material& material, bool zone) {
  tets::BodySpec body{.name = "tets"};
  const double height = std::sqrt(2.0 / 3);
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * M_PI * k / 3, r = 1 / std::sqrt(3.0);
    body.mesh.positions.push_back({r * std::cos(angle), r * std::sin(angle), 0});
  }
  body.mesh.positions.push_back({0, 0, height});
  body.mesh.positions.push_back({0, 0, -height});
  body.mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
  body.materials = {material};
  body.holds = {{.name = "apex", .nodes = {4}}};
  if (zone) body.zones = {tets::whole_zone(body.mesh)};
  return body;
}

struct End {
  double volume = 0, free_tet = 0;
  double iterations = 0;  ///< of Newton's method, per step
  bool converged = false;
  std::vector<Vec3d> positions;
};

/// Presses in small steps. The plane holds nodes from one side: the one that they push against.
End press(bool zone, std::string_view kind, Context& context) {
  tets::Params params = params_of(kind);
  params.preconditioner = tets::Preconditioner::Jacobi;
  const tets::Model model = tets::build_model(
      {two_tets(unconstrained(kFleshShear, 0.495, "neo_hookean"), zone)}, params, context.arena);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  constexpr int kSteps = 40;
  const Vec3d from = model.rest_positions[4];
  End end{.converged = true};
  for (int s = 1; s <= kSteps && end.converged; ++s) {
    const Vec3d apex = (1 - double(s) / kSteps) * from;
    end.converged = false;
    for (const double side : {1.0, -1.0}) {
      tets::State attempt = state;
      std::vector<tets::Slide> slides;
      for (int k = 0; k < 3; ++k) slides.push_back({k, {0, 0, side}, 0});
      const tets::StepReport report = tets::advance(
          model, attempt, {.held_positions = {&apex, 1}, .slides = slides}, scratch, context);
      end.iterations += double(report.iterations) / kSteps;
      double out = 0;
      for (int k = 0; k < 3; ++k) out = std::max(out, std::abs(attempt.positions[k][2]));
      if (!report.converged() || out > 1e-12) continue;
      state = attempt;
      end.converged = true;
      break;
    }
  }
  const double flat = determinant(deformation_gradient(model, 1, state.positions));
  end.free_tet = determinant(deformation_gradient(model, 0, state.positions));
  end.volume = 0.5 * (flat + end.free_tet);
  end.positions = state.positions;
  return end;
}

}  // namespace

std::vector<Row> sheen_two_tets(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  FieldFigure figure("volume", "% of that at rest");
  const tets::BodySpec rest = two_tets({}, false);
  int place = 0;
  const auto show = [&](const char* name, std::span<const Vec3d> positions, double volume) {
    const std::vector<double> values(positions.size(), 100 * volume);
    figure.add(name, geometry::boundary_triangles(rest.mesh.tets), positions, values,
               {1.6 * place++, 0, 0});
  };
  show("at rest", rest.mesh.positions, 1);
  const auto rows_of = [&](const char* name, const char* kind, const End& end) {
    return VariantRows{rows, "sheen/two-tets", "Sheen 2021, fig. 2", name, kind, end.converged};
  };
  const End without = press(false, "comparator", context);
  rows_of("without a zone", "comparator", without)
      .show("volume left", 100 * without.volume, "%", 46.628,
            "the figure's shape and what it holds are not stated; 50 % is what is left where the "
            "shared face keeps its shape");
  show("without", without.positions, without.volume);
  for (const char* kind : {"paper", "best"}) {
    const End end = press(true, kind, context);
    const VariantRows out = rows_of("zone", kind, end);
    out.add("volume left, less 100 %", std::abs(100 * end.volume - 100), "%", 0, Relation::AtMost,
            1e-7, fmt::format("the free tet has {:.6f} times its volume", end.free_tet));
    out.show("Newton iterations per step", end.iterations, "", {},
             "40 steps; some are done again, on the other side of the plane");
    if (kind == std::string_view("best")) show("zone", end.positions, end.volume);
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_two_tets.png",
                {.width = 1000,
                 .height = 420,
                 .field_min = 0,
                 .field_max = 100,
                 .up = {0, 0, 1},
                 .camera_direction = Vec3d{0.2, -1, 0.3},
                 .ground = false,
                 .caption = "at rest; the lower one pressed flat; the same as one zone"},
                context);
  }
  return rows;
}

}  // namespace isochor::reproduce
