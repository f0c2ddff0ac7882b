#include "isochor/isochor.h"

#include <optional>

#include "isochor/base/error.h"
#include "isochor/sim/simulation.h"

namespace isochor {

struct Simulation::Impl {
  Impl(const std::string& file, const std::vector<std::string>& settings, int threads)
      : context(threads), simulation(sim::load_scene(file, settings), context) {}

  /// Computed when first asked for, dropped by the next step.
  const std::pair<files::Frame, sim::Measures>& snapshot() {
    if (!latest) latest = simulation.snapshot();
    return *latest;
  }

  const files::BodyTopology& body(int index) const {
    const auto& bodies = simulation.topology().bodies;
    if (index < 0 || index >= static_cast<int>(bodies.size())) {
      throw Failure("there is no body " + std::to_string(index) + "; the scene has " +
                    std::to_string(bodies.size()));
    }
    return bodies[static_cast<std::size_t>(index)];
  }

  Context context;
  sim::Simulation simulation;
  std::optional<std::pair<files::Frame, sim::Measures>> latest;
};

namespace {

/// Turns private errors into the public one.
template <class F>
auto guarded(F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Failure(error.what());
  }
}

}  // namespace

Simulation::Simulation(const std::string& scene_file, const std::vector<std::string>& settings,
                       int threads)
    : impl_(guarded([&] { return std::make_unique<Impl>(scene_file, settings, threads); })) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::step() {
  guarded([&] {
    impl_->latest.reset();
    impl_->simulation.advance();
  });
}

int Simulation::frame() const { return impl_->simulation.frame(); }
int Simulation::frame_count() const { return impl_->simulation.scene().time.frames; }

int Simulation::body_count() const {
  return static_cast<int>(impl_->simulation.topology().bodies.size());
}

std::string Simulation::body_name(int body) const { return impl_->body(body).name; }

std::vector<double> Simulation::surface_positions(int body) const {
  impl_->body(body);
  const files::BodyFrame& shape = impl_->snapshot().first.bodies[static_cast<std::size_t>(body)];
  std::vector<double> flat;
  flat.reserve(3 * shape.vertices.size());
  for (const Vec3d& v : shape.vertices) flat.insert(flat.end(), v.e, v.e + 3);
  return flat;
}

std::vector<int> Simulation::surface_triangles(int body) const {
  std::vector<int> flat;
  for (const geometry::Triangle& t : geometry::triangulate(impl_->body(body).surface)) {
    flat.insert(flat.end(), t.begin(), t.end());
  }
  return flat;
}

double Simulation::volume_error() const { return impl_->snapshot().second.volume_error; }

}  // namespace isochor
