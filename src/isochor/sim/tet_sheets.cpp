#include "isochor/sim/tet_sheets.h"

#include <cmath>

#include "isochor/shells/band.h"
#include "isochor/shells/fit.h"
#include "isochor/sim/sheet_spec.h"

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

}  // namespace isochor::sim
