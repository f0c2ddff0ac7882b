#include "isochor/sim/simulation.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/sim/body_frame.h"
#include "isochor/sim/skeleton_scene.h"

namespace isochor::sim {
namespace {

constexpr files::Magic kCheckpointMagic{"ISOCHKPT"};
constexpr std::uint32_t kCheckpointVersion = 7;
/// A step is cut into no more parts than this.
constexpr int kMostParts = 64;

}  // namespace

Simulation::Simulation(SceneSpec scene, Context& context)
    : scene_(std::move(scene)),
      context_(context),
      method_(make_method(scene_, context)),
      checkpoint_(save()) {}

std::optional<FrameReport> Simulation::advance() {
  const auto start = std::chrono::steady_clock::now();
  FrameReport report{.frame = frame_ + 1, .time = (frame_ + 1) / scene_.time.frame_rate};
  // Counted in the shortest steps, so that a frame has a whole number of them.
  const int whole = kMostParts * scene_.time.substeps;
  const auto part = [&](int count) { return double(count) / whole; };
  int done = 0, length = kMostParts;
  while (done < whole) {
    context_.status.frame = report.frame;
    context_.status.fraction = part(done);
    const solve::NewtonReport step = method_->advance(frame_ + part(done + length));
    report.newton_iterations += step.iterations;
    report.krylov_iterations += step.krylov_iterations;
    report.operator_applications += step.operator_applications;
    report.cut_steps += step.cuts;
    report.residual = step.residual;
    if (step.converged()) {
      ++report.steps;
      done += length;
      length = std::min({2 * length, kMostParts, whole - done});
      continue;
    }
    if (step.end != solve::NewtonEnd::Cancelled && length > 1) {
      ++report.cut_steps;
      length /= 2;
      context_.log(LogLevel::Warning,
                   fmt::format("frame {}: {} (residual {:.2g}); the step is cut to 1/{:.0f} frame",
                               report.frame, text(step.end), step.residual, 1 / part(length)));
      continue;
    }
    files::ByteReader reader =
        files::open_sealed("checkpoint", checkpoint_, kCheckpointMagic, kCheckpointVersion);
    reader.get<std::int32_t>();
    method_->load(reader);
    if (step.end == solve::NewtonEnd::Cancelled) return std::nullopt;
    throw Error(
        Fault::Simulation, fmt::format("frame {}", report.frame),
        fmt::format("no equilibrium found, even in steps of 1/{:.0f} frame: {} (residual {:.2g}, "
                    "tolerance {:.2g})",
                    1 / part(length), text(step.end), step.residual,
                    scene_.method.newton.tolerance),
        "use more frames or time.substeps for the same motion, smaller cells, or a larger "
        "method.newton.max_iterations");
  }
  ++frame_;
  checkpoint_ = save();
  report.solve_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

Setup Simulation::setup() const {
  Setup setup = method_->setup();
  std::vector<Vec3d> points;
  for (const files::BodyTopology& body : topology().bodies) {
    points.insert(points.end(), body.surface.positions.begin(), body.surface.positions.end());
  }
  setup.scenery = scenery_of(scene_, geometry::bounds_of(points), context_);
  return setup;
}

void Simulation::move_hold(const std::string& name, const Pose& pose) {
  method_->move_hold(name, pose);
  checkpoint_ = save();
}

void Simulation::push_surface(std::size_t body, std::span<const Vec3d> forces) {
  method_->push_surface(body, forces);
  checkpoint_ = save();
}

void Simulation::push_mass(std::size_t body, const Vec3d& force) {
  method_->push_mass(body, force);
  checkpoint_ = save();
}

std::pair<files::Frame, Measures> Simulation::snapshot() const {
  Snapshot snapshot = method_->snapshot();
  const Vec3d offset = root_offset(scene_, frame_);
  if (norm(offset) > 0) {
    for (files::BodyFrame& body : snapshot.bodies) move(body, offset);
  }
  return {files::Frame{.index = frame_,
                       .time = frame_ / scene_.time.frame_rate,
                       .bodies = std::move(snapshot.bodies)},
          std::move(snapshot.measures)};
}

std::vector<std::byte> Simulation::save() const {
  files::ByteWriter writer;
  writer.put(std::int32_t{frame_});
  method_->save(writer);
  return files::seal(kCheckpointMagic, kCheckpointVersion, writer.bytes());
}

void Simulation::restore(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  files::ByteReader reader = files::open_sealed(path, bytes, kCheckpointMagic, kCheckpointVersion);
  const auto frame = reader.get<std::int32_t>();
  method_->load(reader);
  reader.expect_end();
  frame_ = frame;
  checkpoint_.assign(bytes.begin(), bytes.end());
}

}  // namespace isochor::sim
