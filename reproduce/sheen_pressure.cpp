/// [Sheen21 fig 7], section 8.2: pressures in a cube under its weight, of 12^3 nodes as in the
/// paper. Its size is not stated; here it is 0.3 m.
#include <fmt/core.h>

#include "reproduce/experiment.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {

std::vector<Row> sheen_pressure(const ExperimentOptions& options, Context& context) {
  const int cells = options.full ? 11 : 8;
  constexpr double kSide = 0.3, kShear = 10e3;
  const geometry::TetMesh mesh = box_of_tets({cells, cells, cells}, kSide / cells);
  struct Variant {
    std::string name, kind;
    materials::Material material;
    std::vector<tets::ZoneSpec> zones;
  };
  const std::vector<Variant> variants{
      {"nu = 0.495", "comparator", unconstrained(kShear, 0.495), {}},
      {"1-rings", "comparator", with_penalty(kShear, 0, 0), tets::ring_zones(mesh, 1)},
      {"one zone and penalty", "paper", with_penalty(kShear, 100e3, 1), {tets::whole_zone(mesh)}}};
  std::vector<Row> rows;
  std::vector<double> roughness;
  PressureFigure figure;
  double offset = 0;
  for (const Variant& v : with_ours(variants)) {
    tets::BodySpec body{.name = "cube", .mesh = mesh};
    body.materials = {v.material};
    body.zones = v.zones;
    body.holds = {hold_where(mesh, "floor", [](const Vec3d& x) { return x[2] == 0; })};
    ZonalBody cube(body, params_of(v.kind), context);
    const tets::StepReport report =
        cube.step([](std::size_t, const Vec3d& x) { return x; }, {0, 0, -9.81});
    roughness.push_back(cube.roughness());
    const bool ours = v.kind != "comparator";
    rows.push_back(
        {.id = "sheen/pressure",
         .quantity = fmt::format("jumps of pressure over its spread: {}", v.name),
         .variant = v.kind,
         .source = "Sheen 2021, fig. 7, section 8.2",
         .ours = report.converged() ? std::optional(roughness.back()) : std::nullopt,
         .relation = ours ? Relation::Below : Relation::Shown,
         .bound = ours ? std::optional(std::min(roughness[0], roughness[1])) : std::nullopt,
         .note = fmt::format("rms between tets that share a face; {} Newton and {} "
                             "Krylov iterations, {:.2f} s{}",
                             report.iterations, report.krylov_iterations, cube.seconds,
                             ours ? "; bound: the smoother of the comparators" : "")});
    if (v.kind == "paper") continue;  // to look at it is ours
    figure.add(v.name, cube, {offset, 0, 0}, [](const Vec3d& x) { return x[1] > 0.5 * kSide; });
    offset += 1.4 * kSide;
  }
  if (!options.pictures.empty()) {
    figure.draw(options.pictures / "sheen_pressure.png",
                {.width = 1200,
                 .height = 420,
                 .field_min = -1000,
                 .field_max = 4000,
                 .up = {0, 0, 1},
                 .camera_direction = Vec3d{0.1, -1, 0.25},
                 .ground = false,
                 .caption = "Poisson's ratio 0.495; 1-rings; one zone with penalty"},
                context);
  }
  return rows;
}

}  // namespace isochor::reproduce
