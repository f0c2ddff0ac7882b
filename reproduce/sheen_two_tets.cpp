/// [Sheen21 fig 2]: two tets that share a face; one of them is pressed flat.
///
/// The figure does not say which nodes are prescribed beside the apex of the flat tet, nor its
/// shape. Here both are regular, the apex goes to the middle of the face they share, and the nodes
/// of that face stay in its plane but may move within it.
#include <cmath>
#include <fmt/core.h>

#include "reproduce/experiment.h"
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
  bool converged = false;
};

/// Presses in small steps. The plane holds nodes from one side: the one that they push against.
End press(const materials::Material& material, bool zone, Context& context) {
  const tets::Model model = tets::build_model(
      {two_tets(material, zone)}, {.preconditioner = tets::Preconditioner::Jacobi}, context.arena);
  tets::State state = tets::make_state(model);
  tets::Scratch scratch(model);
  constexpr int kSteps = 40;
  const Vec3d from = model.rest_positions[4];
  bool converged = true;
  for (int s = 1; s <= kSteps && converged; ++s) {
    const Vec3d apex = (1 - double(s) / kSteps) * from;
    converged = false;
    for (const double side : {1.0, -1.0}) {
      tets::State attempt = state;
      std::vector<tets::Slide> slides;
      for (int k = 0; k < 3; ++k) slides.push_back({k, {0, 0, side}, 0});
      const tets::StepReport report = tets::advance(
          model, attempt, {.held_positions = {&apex, 1}, .slides = slides}, scratch, context);
      double out = 0;
      for (int k = 0; k < 3; ++k) out = std::max(out, std::abs(attempt.positions[k][2]));
      if (!report.converged() || out > 1e-12) continue;
      state = attempt;
      converged = true;
      break;
    }
  }
  End end{.converged = converged};
  const double flat = determinant(deformation_gradient(model, 1, state.positions));
  end.free_tet = determinant(deformation_gradient(model, 0, state.positions));
  end.volume = 0.5 * (flat + end.free_tet);
  return end;
}

}  // namespace

std::vector<Row> sheen_two_tets(const ExperimentOptions&, Context& context) {
  std::vector<Row> rows;
  const auto add = [&](std::string quantity, std::string variant, const End& end,
                       std::optional<double> paper, Relation relation, std::optional<double> bound,
                       std::string note) {
    rows.push_back({.id = "sheen/two-tets",
                    .quantity = std::move(quantity),
                    .variant = std::move(variant),
                    .source = "Sheen 2021, fig. 2",
                    .paper = paper,
                    .ours = end.converged ? std::optional(100 * end.volume) : std::nullopt,
                    .unit = "%",
                    .relation = relation,
                    .bound = bound,
                    .note = std::move(note)});
  };
  const End without = press(unconstrained(kFleshShear, 0.495, "neo_hookean"), false, context);
  add("volume left without the constraint", "paper", without, 46.628, Relation::Shown, std::nullopt,
      "the figure's shape and what it holds are not stated; 50 % is what is left where the shared "
      "face keeps its shape");
  const End constrained = press(unconstrained(kFleshShear, 0.495, "neo_hookean"), true, context);
  add("volume left with the constraint, less 100 %", "paper", constrained, 0, Relation::AtMost,
      1e-7, fmt::format("the free tet has {:.6f} times its volume", constrained.free_tet));
  rows.back().ours = std::abs(100 * constrained.volume - 100);
  return rows;
}

}  // namespace isochor::reproduce
