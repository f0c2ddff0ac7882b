/// Every mesh of a collection becomes a body, is deformed, and gives its own vertices back.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"
#include "isochor/geometry/mesh_report.h"
#include "isochor/sim/simulation.h"
#include "reproduce/data_meshes.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kFolders[] = {"classic", "bad", "anatomy_right_arm", "garment",
                                         "characters"};

/// A body of about a metre, held at both ends of its longest axis, one of them pulled and turned.
sim::SceneSpec pulling_scene(const std::filesystem::path& mesh, const geometry::Bounds& bounds,
                             int cells) {
  const Vec3d size = bounds.size();
  int axis = 0;
  for (int a = 1; a < 3; ++a) axis = size[a] > size[axis] ? a : axis;
  sim::BodySpec body;
  body.name = "body";
  body.shape.kind = "mesh";
  body.shape.file = std::filesystem::absolute(mesh).string();
  body.shape.scale = 1 / size[axis];
  body.cell_size = 1.0 / cells;
  body.material.law = "stable_neo_hookean";
  body.material.young = 1e4;
  body.material.poisson = 0.4;
  const char letter = static_cast<char>('x' + axis);
  sim::KeySpec start, end{.frame = 1};
  end.translate[axis] = 0.1;
  end.rotate[axis] = 0.5;
  body.holds = {
      {.name = "low", .where = std::string{letter, '-'}, .depth = 0.08},
      {.name = "high", .where = std::string{letter, '+'}, .depth = 0.08, .keys = {start, end}}};
  sim::SceneSpec scene;
  scene.time.frames = 1;
  scene.world.gravity = {0, 0, 0};
  scene.method.newton.tolerance = 1e-4;
  scene.bodies = {body};
  return scene;
}

/// Whether the mesh is a body without defects; what is wrong with it otherwise.
std::string verdict(const geometry::MeshReport& report) {
  if (report.watertight) return "watertight";
  const auto count = [&](geometry::Defect kind) {
    return report.defects[static_cast<std::size_t>(kind)].count;
  };
  return fmt::format(
      "{} boundary, {} non-manifold, {} flipped edges", count(geometry::Defect::BoundaryEdge),
      count(geometry::Defect::NonManifoldEdge), count(geometry::Defect::FlippedEdge));
}

Row measure(const std::filesystem::path& path, const std::string& name, int cells,
            Context& context) {
  Row row{.id = "grid/meshes",
          .quantity = name,
          .variant = "best",
          .source = "every mesh becomes a body",
          .unit = "largest error of a vertex at rest / size",
          .relation = Relation::AtMost,
          .bound = 1e-6};
  try {
    const files::SurfaceFile file = files::read_surface(path);
    const geometry::MeshReport report = geometry::inspect_mesh(file.mesh, context.arena, {});
    sim::Simulation simulation(pulling_scene(path, report.bounds, cells), context);
    const double scale = simulation.scene().bodies[0].shape.scale;
    simulation.advance();
    const std::vector<Vec3d> rest = simulation.snapshot().first.bodies[0].vertices;
    double error = rest.size() == file.mesh.positions.size() ? 0 : INFINITY;
    for (std::size_t v = 0; v < std::min(rest.size(), file.mesh.positions.size()); ++v) {
      error = std::max(error, norm(rest[v] - scale * file.mesh.positions[v]));
    }
    const auto report_of_pull = simulation.advance();
    const auto [frame, measures] = simulation.snapshot();
    bool finite = true;
    for (const Vec3d& p : frame.bodies[0].vertices) finite = finite && std::isfinite(norm(p));
    row.ours = finite ? error : INFINITY;
    row.note = fmt::format(
        "{} triangles, {}; {} cells; pulled and turned in {} Newton iterations, "
        "smallest J {:.2f}",
        report.triangles, verdict(report), simulation.summary().cells,
        report_of_pull ? report_of_pull->newton_iterations : 0, measures.min_j);
  } catch (const Error& error) {
    row.note = error.what();
    row.ours = INFINITY;
  }
  return row;
}

}  // namespace

std::vector<Row> grid_meshes(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  for (const std::string_view folder : kFolders) {
    const std::filesystem::path path = options.data / folder;
    if (options.data.empty() || !std::filesystem::is_directory(path)) {
      rows.push_back({.id = "grid/meshes",
                      .quantity = std::string(folder),
                      .variant = "best",
                      .source = "every mesh becomes a body",
                      .note = fmt::format("no folder {} here; see --data", path.string())});
      continue;
    }
    for (const std::filesystem::path& mesh : meshes_in(path)) {
      if (context.cancelled) return rows;
      rows.push_back(measure(mesh, fmt::format("{}/{}", folder, mesh.filename().string()),
                             options.full ? 48 : 24, context));
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
