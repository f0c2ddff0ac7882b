#include <cctype>
#include <chrono>
#include <fmt/core.h>

#include "app/commands.h"
#include "app/tet_report.h"
#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/medit.h"
#include "isochor/files/surface_file.h"
#include "isochor/files/vtu.h"
#include "isochor/geometry/stuffing.h"

namespace isochor::app {
namespace {

using Writer = void (*)(const std::filesystem::path&, const geometry::TetMesh&);

/// Known before the work begins.
Writer writer_for(const std::filesystem::path& out) {
  std::string extension = out.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".mesh") return files::write_medit;
  if (extension == ".vtu") return files::write_vtu_tets;
  throw Error(Fault::Input, out.string(), "names no format that tets are written in",
              "end the name with .mesh (MEDIT) or .vtu (VTK)");
}

/// The tets on this side of a plane through the middle, each a little smaller than it is.
geometry::SurfaceMesh cut_open(const geometry::TetMesh& mesh, const geometry::Bounds& bounds,
                               const Vec3d& towards) {
  constexpr double kShrink = 0.95;
  const Vec3d middle = 0.5 * (bounds.low + bounds.high);
  geometry::SurfaceMesh surface;
  for (const geometry::Tet& tet : mesh.tets) {
    Vec3d center{0, 0, 0};
    for (const std::int32_t v : tet) center += 0.25 * mesh.positions[v];
    if (dot(center - middle, towards) > 0) continue;
    for (const auto& face : geometry::kTetFaces) {
      // Corners of their own keep the faces flat in the picture.
      const auto first = static_cast<std::int32_t>(surface.positions.size());
      for (const int k : face) {
        surface.positions.push_back(center + kShrink * (mesh.positions[tet[k]] - center));
      }
      surface.add_face(std::array{first, first + 1, first + 2});
    }
  }
  return surface;
}

void draw(const TetrahedraliseCommand& command, const geometry::TetMesh& mesh,
          const geometry::Bounds& bounds, Context& context) {
  const Vec3d cut =
      command.cut.empty() ? Vec3d{0, 0, 1} : Vec3d{command.cut[0], command.cut[1], command.cut[2]};
  files::Topology topology;
  topology.bodies.push_back({.name = "tets", .surface = cut_open(mesh, bounds, cut)});
  if (topology.bodies[0].surface.positions.empty()) {
    throw Error(Fault::Input, "--cut", "leaves nothing to draw", "give a direction such as 0 0 1");
  }
  files::Frame frame;
  frame.bodies.push_back({.vertices = topology.bodies[0].surface.positions});
  run::RenderOptions options{.width = 1000, .height = 800, .samples = 32};
  options.camera_direction = cut + Vec3d{0.5 * cut[2], 0.35, 0.5 * cut[0]};
  write_file_atomic(command.picture,
                    encode_png(run::render(topology, frame, options, std::nullopt, context.arena)));
}

}  // namespace

int tetrahedralise_command(const TetrahedraliseCommand& command, const CommonOptions& common) {
  const Writer write = writer_for(command.out);
  files::SurfaceFile file = files::read_surface(command.mesh);
  for (Vec3d& p : file.mesh.positions) p *= command.scale;
  const std::vector<geometry::Triangle> triangles = triangulate(file.mesh);
  Context context(common.threads);
  if (!common.quiet) {
    for (const std::string& note : file.notes) fmt::print(stderr, "{}\n", note);
    fmt::print(stderr, "{}: {} triangles\n", command.mesh.string(), triangles.size());
  }

  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const geometry::SignedDistance surface(file.mesh.positions, triangles, context.arena);
  const geometry::TetMesh mesh =
      stuff(surface, {.spacing = command.spacing, .grading = command.grading}, context.arena);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  write(command.out, mesh);
  const geometry::TetReport report = inspect_tets(mesh, context.arena);
  if (!command.picture.empty()) draw(command, mesh, report.bounds, context);

  const double enclosed = geometry::enclosed_volume(file.mesh.positions, triangles);
  if (common.json) {
    Json json = to_json(report, {});
    json.add("file", command.out.string());
    json.add("seconds", seconds);
    json.add("volume_of_surface", enclosed);
    fmt::print("{}\n", json.text());
  } else if (!common.quiet) {
    fmt::print("{}: {}\n", command.out.string(), verdict(report));
    fmt::print("{:<12} {:.3g} s, {:.3g} tets per second\n", "time", seconds,
               static_cast<double>(report.tets) / seconds);
    print_report(report, {});
    fmt::print("the surface encloses {:.6g}\n", enclosed);
  }
  finish_output();
  return kDone;
}

}  // namespace isochor::app
