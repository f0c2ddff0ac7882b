/// How large a report is and how long it takes to write and to open: a hundred frames of a wobbling
/// ball of a hundred thousand triangles with three fields, on a lattice of forty thousand cells.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <numbers>

#include "bench/benchmark.h"
#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/run/report_page.h"

namespace isochor::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 100, kCellsAcross = 34;

files::BodyTopology wobbly_body() {
  files::BodyTopology body{.name = "ball"};
  body.surface = geometry::make_sphere({0, 0, 0}, 1, std::numbers::pi / 2 / 92);
  constexpr int n = kCellsAcross + 1;
  for (int i = 0; i < n * n * n; ++i) {
    // NOLINTNEXTLINE(bugprone-integer-division)
    const Vec3d corner{double(i % n), double(i / n % n), double(i / n / n)};
    body.rest_nodes.push_back(corner * (2.0 / kCellsAcross) - Vec3d{1, 1, 1});
  }
  for (int k = 0; k < kCellsAcross; ++k) {
    for (int j = 0; j < kCellsAcross; ++j) {
      for (int i = 0; i < kCellsAcross; ++i) {
        std::array<std::int32_t, 8>& cell = body.cells.emplace_back();
        for (int c = 0; c < 8; ++c) {
          cell[c] = i + c % 2 + n * (j + c / 2 % 2 + n * (k + c / 4));
        }
      }
    }
  }
  return body;
}

std::vector<Vec3d> wobbled(const std::vector<Vec3d>& points, double time) {
  std::vector<Vec3d> moved;
  moved.reserve(points.size());
  for (const Vec3d& p : points) {
    const double wave = 0.1 * std::sin(5 * p[1] - 4 * time);
    moved.push_back({p[0] * (1 + wave), p[1] + 0.2 * std::sin(2 * time), p[2] * (1 - wave)});
  }
  return moved;
}

files::Frame wobbly_frame(const files::BodyTopology& body, int index) {
  const double time = index / 24.0;
  files::BodyFrame frame{.nodes = wobbled(body.rest_nodes, time),
                         .vertices = wobbled(body.surface.positions, time),
                         .fields = {}};
  for (const char* name : {"J", "pressure", "von_mises"}) {
    files::Field surface{.name = name, .unit = "Pa", .support = files::Support::Vertex};
    const double phase = double(frame.fields.size());
    const auto value = [&](const Vec3d& p) {
      return static_cast<float>(std::sin(5 * p[1] - 4 * time + phase) * std::cos(3 * p[0]));
    };
    std::ranges::transform(body.surface.positions, std::back_inserter(surface.values), value);
    files::Field inside{.name = name, .unit = "Pa", .support = files::Support::Cell};
    for (const auto& cell : body.cells) inside.values.push_back(value(body.rest_nodes[cell[0]]));
    frame.fields.push_back(std::move(surface));
    frame.fields.push_back(std::move(inside));
  }
  return {.index = index, .time = time, .bodies = {std::move(frame)}};
}

/// A folder that goes away.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("isochor-bench-{}", std::rand());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

struct LoadTime {
  std::optional<double> seconds;
  std::string problem = {};  ///< why there is none
};

/// Until a browser has unpacked and drawn a page, without what it needs to start.
LoadTime load_time(const Folder& folder, const fs::path& page) {
  const std::array<fs::path, 3> known{"/usr/bin/chromium", "/usr/bin/chromium-browser",
                                      "/usr/bin/google-chrome"};
  const auto found =
      std::ranges::find_if(known, [](const fs::path& path) { return fs::exists(path); });
  if (found == known.end()) return {{}, "no browser is installed; './dev setup --browser' does it"};
  const fs::path& browser = *found;
  const fs::path empty = folder.path / "empty.html", out = folder.path / "out";
  write_file_atomic(empty, "<!DOCTYPE html><title>empty</title>");
  const auto open = [&](const fs::path& file) {
    const std::string command = fmt::format(
        "{} --headless --no-sandbox --no-first-run --user-data-dir={} --use-gl=angle "
        "--use-angle=swiftshader --enable-unsafe-swiftshader --virtual-time-budget=2000 --dump-dom "
        "'file://{}' >{} 2>/dev/null",
        browser.string(), (folder.path / "profile").string(), file.string(), out.string());
    return std::system(command.c_str());
  };
  open(empty);  // makes the profile
  const double start = fastest(2, [&] { open(empty); });
  const double whole = fastest(2, [&] { open(page); });
  if (read_text_file(out).find("data-viewer=\"ready\"") == std::string::npos) {
    return {{}, "the browser did not show the page"};
  }
  return {whole - start};
}

}  // namespace

std::vector<BenchRow> report_page(Context&) {
  const files::Topology topology{{wobbly_body()}};
  std::vector<files::Frame> frames;
  for (int f = 0; f < kFrames; ++f) frames.push_back(wobbly_frame(topology.bodies[0], f));
  const sim::Setup setup{.attachments = {}, .bodies = std::vector<sim::BodySetup>(1)};
  const Folder folder;
  const fs::path page = folder.path / "report.html";
  const double seconds = fastest(1, ThreadArena(1), [&] {
    run::ReportInput input{.title = "Wobble"};
    input.runs.push_back({"Wobble", run::pack_viewer({.topology = topology,
                                                      .setup = setup,
                                                      .frame_count = kFrames,
                                                      .frame = [&](int f) { return frames[f]; }})});
    write_file_atomic(page, run::report_html(input));
  });
  const double triangles = 2 * double(topology.bodies[0].surface.face_count());
  const std::string note = fmt::format("{} frames, {:.0f} triangles, {} cells, 3 fields", kFrames,
                                       triangles, topology.bodies[0].cells.size());
  const LoadTime load = load_time(folder, page);
  return {{.name = "report/size",
           .value = double(fs::file_size(page)) / 1e6,
           .unit = "MB",
           .note = note + "; smooth motion, which compresses well"},
          {.name = "report/write",
           .value = seconds,
           .unit = "s",
           .note = note + "; one thread, frames already in memory"},
          {.name = "report/load",
           .value = load.seconds,
           .unit = "s",
           .note = load.seconds ? note + "; a browser that draws with the processor, from opening "
                                         "to all frames, its start taken off"
                                : load.problem}};
}

}  // namespace isochor::bench
