#include <cctype>
#include <chrono>
#include <fmt/core.h>

#include "app/commands.h"
#include "app/tet_report.h"
#include "isochor/base/error.h"
#include "isochor/files/medit.h"
#include "isochor/files/surface_file.h"
#include "isochor/files/vtu.h"
#include "isochor/geometry/stuffing.h"
#include "reproduce/cut_tets.h"

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
  if (!command.picture.empty()) {
    const Vec3d cut = command.cut.empty() ? Vec3d{0, 0, 1}
                                          : Vec3d{command.cut[0], command.cut[1], command.cut[2]};
    const double aside = 0.4 * norm(cut);
    reproduce::draw_cut_tets(command.picture, mesh, cut, cut + Vec3d{aside, 0.8 * aside, aside},
                             context);
  }

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
