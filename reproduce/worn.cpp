#include "reproduce/worn.h"

#include <chrono>
#include <cmath>

namespace isochor::reproduce {

tets::BodySpec band_body(shells::BandMesh mesh, const shells::SheetLaw& law, double thickness,
                         double scale) {
  tets::BodySpec body{.name = "band"};
  body.mesh.positions = std::move(mesh.positions);
  shells::SheetSpec sheet{.name = "sheet", .triangles = std::move(mesh.triangles), .law = law};
  sheet.thickness = thickness;
  sheet.directions = std::move(mesh.directions);
  sheet.rest_scale = {scale, 1};
  body.sheets = {std::move(sheet)};
  return body;
}

Worn::Worn(const std::vector<tets::BodySpec>& bodies, const tets::Params& params,
           const Contact& contact, Context& context)
    : context_(context),
      model_(tets::build_model(bodies, params, context.arena)),
      state_(tets::make_state(model_)),
      scratch_(model_),
      contact_(
          tets::make_contact(model_, {.reach = contact.reach, .friction = contact.friction}, 0)) {
  const contact::Colliders colliders(contact.colliders, context.arena);
  contact_.place(colliders.at(0, context.arena), 0);
}

bool Worn::tighten(int count, std::span<const tets::Slide> slides) {
  constexpr int kMostCuts = 6;
  std::vector<Vec3d> held;
  for (const tets::Hold& hold : model_.holds) {
    for (const std::int32_t n : hold.nodes) held.push_back(model_.rest_positions[n]);
  }
  const auto start = std::chrono::steady_clock::now();
  double done = 0, step = 1.0 / count;
  int in_row = 0;
  while (done < 1 && in_row <= kMostCuts && !context_.cancelled) {
    const double next = done + step > 1 - 1e-9 ? 1 : done + step;
    const std::vector<double> tightening(model_.sheets.laws.size(), next);
    const tets::StepReport report = tets::advance(
        model_, state_,
        {.held_positions = held, .slides = slides, .contact = &contact_, .tightening = tightening},
        scratch_, context_);
    iterations += report.iterations;
    krylov += report.krylov_iterations;
    held_back += report.converged() && report.fallbacks > 0;
    ++steps;
    if (report.converged()) {
      done = next;
      in_row = 0;
    } else {
      step /= 2;
      ++in_row;
      ++cuts;
    }
  }
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  contact_.evaluate(state_.positions, context_.arena);
  return done == 1;
}

std::vector<double> Worn::pressures() {
  return shells::contact_pressures(contact_, state_.positions);
}

std::vector<geometry::Triangle> Worn::triangles_of(std::size_t body) {
  const tets::BodyRange& range = model_.bodies[body];
  std::vector<geometry::Triangle> out;
  for (const geometry::Triangle& t : contact_.surface().surface().triangles) {
    if (t[0] >= range.first_node && t[0] < range.first_node + range.node_count) out.push_back(t);
  }
  return out;
}

shells::PressureMeasure Worn::pressure_on(std::size_t body) {
  const std::vector<geometry::Triangle> triangles = triangles_of(body);
  return shells::pressure_on(triangles, state_.positions,
                             shells::spread_out(triangles, state_.positions, pressures()));
}

double Worn::mean_tension(std::size_t body) const {
  const tets::BodyRange& range = model_.bodies[body];
  return shells::mean_tension(model_.sheets, {state_.positions}, range.first_node,
                              range.node_count);
}

double Worn::volume(std::size_t body) const {
  const tets::BodyRange& range = model_.bodies[body];
  double now = 0, rest = 0;
  for (std::int32_t t = range.first_tet; t < range.first_tet + range.tet_count; ++t) {
    now += model_.volume[t] * determinant(deformation_gradient(model_, t, state_.positions));
    rest += model_.volume[t];
  }
  return now / rest;
}

}  // namespace isochor::reproduce
