#include "isochor/sim/tet_sheets.h"

#include <algorithm>
#include <cmath>

#include "isochor/shells/band.h"
#include "isochor/shells/fit.h"
#include "isochor/sim/sheet_spec.h"
#include "isochor/tets/touching.h"

namespace isochor::sim {

std::vector<shells::SheetSpec> build_skin(const SkinSpec& spec, const geometry::TetMesh& mesh) {
  if (spec.law == "none") return {};
  shells::SheetSpec skin{.name = "skin", .triangles = geometry::boundary_triangles(mesh.tets)};
  skin.thickness = spec.thickness;
  skin.law = sheet_law_of(spec);
  return {std::move(skin)};
}

tets::BodySpec build_band(const BandSpec& spec, const BodySpec& body, const geometry::TetMesh& mesh,
                          double spacing) {
  constexpr double kClearance = 0.05;  // of the cells
  const shells::BandPlace place{.center = spec.center,
                                .axis = spec.axis,
                                .width = spec.width,
                                .within = spec.within,
                                .edge = spec.edge > 0 ? spec.edge : 0.5 * spacing,
                                .clearance = kClearance * spacing};
  shells::BandMesh band = shells::wrap(mesh.positions, geometry::boundary_triangles(mesh.tets),
                                       place, spec.place.text());
  const double loose =
      shells::section_length(band.triangles, band.positions, spec.center, spec.axis);
  tets::BodySpec out{.name = body.name + "." + spec.name};
  out.mesh.positions = std::move(band.positions);
  shells::SheetSpec sheet{.name = "sheet",
                          .triangles = std::move(band.triangles),
                          .law = shells::RubberLaw{.mu = spec.young / 3}};
  sheet.thickness = spec.thickness;
  sheet.density = spec.density;
  // Of a plate that keeps its volume; also where nothing stretches it a band keeps some shape.
  sheet.bending = spec.young * std::pow(spec.thickness, 3) / 9;
  sheet.directions = std::move(band.directions);
  sheet.rest_scale = {spec.girth / loose, 1};
  out.sheets = {std::move(sheet)};
  return out;
}

WornBands::WornBands(const SceneSpec& scene, const tets::Model& model, double friction)
    : model_(model),
      contact_(tets::make_contact(
          model, {.friction = friction},
          scene.time.moves() ? 1 / (scene.time.frame_rate * scene.time.substeps) : 0)) {
  // Sheets of the model: skin of all bodies, then bands.
  for (const BodySpec& body : scene.bodies) {
    if (body.skin.law != "none") tight_at_.push_back(0);
  }
  for (const BodySpec& body : scene.bodies) {
    for (const BandSpec& band : body.bands) tight_at_.push_back(band.tight_at);
  }
  // Bodies of the model: those of the scene, then bands.
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    for (const BandSpec& band : scene.bodies[b].bands) {
      worn_.push_back({.name = scene.bodies[b].name + "." + band.name,
                       .band = scene.bodies.size() + worn_.size(),
                       .wearer = b});
    }
  }
  for (Worn& w : worn_) {
    const std::vector<geometry::Triangle> band = triangles_of(w.band);
    w.rest_girth = shells::girth_within(band, triangles_of(w.wearer), model.rest_positions,
                                        shells::middle_of(band, model.rest_positions));
  }
}

std::vector<geometry::Triangle> WornBands::triangles_of(std::size_t body) {
  const contact::Surface& surface = contact_.surface().surface();
  std::vector<geometry::Triangle> out;
  std::ranges::copy_if(surface.triangles, std::back_inserter(out),
                       [&](const auto& t) { return surface.bodies[t[0]] == std::int32_t(body); });
  return out;
}

void WornBands::enter(tets::StepInput& input, double time) {
  contact_.place({}, input.dt);
  input.contact = &contact_;
  input.tightening = tightening_at(time);
}

std::span<const double> WornBands::tightening_at(double time) {
  tightening_.clear();
  for (const double frame : tight_at_) {
    tightening_.push_back(std::clamp(frame > 0 ? time / frame : 1 + time, 0.0, 1.0));
  }
  return tightening_;
}

std::vector<double> WornBands::pressures(std::span<const Vec3d> positions, ThreadArena& arena) {
  contact_.begin(positions, arena);
  contact_.evaluate(positions, arena);
  return shells::spread_out(contact_.surface().surface().triangles, positions,
                            shells::contact_pressures(contact_, positions));
}

std::vector<NamedBand> WornBands::measure(std::span<const Vec3d> positions,
                                          std::span<const double> pressures, double time) {
  std::vector<NamedBand> out;
  for (const Worn& w : worn_) {
    const std::vector<geometry::Triangle> band = triangles_of(w.band);
    const shells::Plane middle = shells::middle_of(band, positions);
    const shells::PressureMeasure p = shells::pressure_on(band, positions, pressures);
    const tets::BodyRange& range = model_.bodies[w.band];
    out.push_back(
        {.name = w.name,
         .girth = shells::section_length(band, positions, middle.point, middle.normal),
         .body_girth = shells::girth_within(band, triangles_of(w.wearer), positions, middle),
         .rest_body_girth = w.rest_girth,
         .tension = shells::mean_tension(model_.sheets, {positions, tightening_at(time)},
                                         range.first_node, range.node_count),
         .pressure = p.mean,
         .most_pressure = p.most});
  }
  return out;
}

std::unique_ptr<WornBands> make_bands(const SceneSpec& scene, const tets::Model& model) {
  for (const BodySpec& body : scene.bodies) {
    if (body.bands.empty()) continue;
    return std::make_unique<WornBands>(scene, model, body.bands[0].friction);
  }
  return nullptr;
}

}  // namespace isochor::sim
