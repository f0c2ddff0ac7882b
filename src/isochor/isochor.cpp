#include "isochor/isochor.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/ply_writer.h"
#include "isochor/run/runner.h"
#include "isochor/sim/simulation.h"

namespace isochor {
namespace {

/// Turns private errors into the public one.
template <class F>
decltype(auto) guarded(F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    constexpr Failure::Kind kKinds[] = {Failure::Kind::Input, Failure::Kind::Simulation,
                                        Failure::Kind::System};
    throw Failure(kKinds[static_cast<int>(error.fault())], error.what());
  } catch (const std::bad_alloc&) {
    throw Failure(Failure::Kind::System, "out of memory\n  to mend it: use larger cells");
  }
}

/// Numbers of points one after the other, three each.
std::vector<double> flat(const std::vector<Vec3d>& points) {
  std::vector<double> numbers;
  numbers.reserve(3 * points.size());
  for (const Vec3d& p : points) numbers.insert(numbers.end(), p.e, p.e + 3);
  return numbers;
}

Vec3d vector_of(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

void require_finite(std::string_view what, std::span<const double> numbers) {
  const auto bad = std::ranges::find_if_not(numbers, [](double x) { return std::isfinite(x); });
  if (bad == numbers.end()) return;
  throw Error(Fault::Input, std::string(what),
              fmt::format("number {} is {}", bad - numbers.begin(), *bad),
              "give finite numbers only");
}

std::vector<Vec3d> points_of(std::string_view what, std::span<const double> numbers) {
  if (numbers.size() % 3 != 0) {
    throw Error(Fault::Input, std::string(what),
                fmt::format("has {} numbers, which are not three each", numbers.size()),
                "give x, y and z of each");
  }
  require_finite(what, numbers);
  std::vector<Vec3d> points;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    points.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return points;
}

geometry::SurfaceMesh mesh_of(const std::string& name, std::span<const double> vertices,
                              std::span<const int> triangles) {
  geometry::SurfaceMesh mesh;
  mesh.positions = points_of(name + ": vertices", vertices);
  if (triangles.empty() || triangles.size() % 3 != 0) {
    throw Error(Fault::Input, name + ": triangles",
                fmt::format("has {} vertex numbers", triangles.size()),
                "give three for each of at least one triangle");
  }
  const auto count = static_cast<int>(mesh.positions.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (triangles[i] >= 0 && triangles[i] < count) continue;
    throw Error(Fault::Input, fmt::format("{}: triangle {}", name, i / 3),
                fmt::format("there is no vertex {}", triangles[i]),
                fmt::format("vertices count from 0 to {}", count - 1));
  }
  for (std::size_t i = 0; i < triangles.size(); i += 3) mesh.add_face(triangles.subspan(i, 3));
  return mesh;
}

FrameReport to_public(const sim::FrameReport& r) {
  return {.frame = r.frame,
          .time = r.time,
          .steps = r.steps,
          .cut_steps = r.cut_steps,
          .newton_iterations = r.newton_iterations,
          .krylov_iterations = r.krylov_iterations,
          .operator_applications = r.operator_applications,
          .residual = r.residual,
          .seconds = r.solve_seconds};
}

Measures to_public(const sim::Measures& m) {
  return {.volume_error = m.volume_error,
          .worst_cell_volume_error = m.worst_cell_volume_error,
          .min_j = m.min_j,
          .inverted_cells = m.inverted_cells,
          .elastic_energy = m.elastic_energy,
          .spring_energy = m.spring_energy,
          .gravity_energy = m.gravity_energy,
          .kinetic_energy = m.motion ? m.motion->kinetic_energy : 0};
}

void connect(Context& context, const Callbacks& callbacks) {
  if (callbacks.on_iteration) {
    context.on_progress = [f = callbacks.on_iteration](const Progress& p) {
      f({p.frame, p.fraction, p.newton_iterations, p.krylov_iterations, p.residual});
    };
  }
  if (callbacks.on_log) {
    context.log = [f = callbacks.on_log](LogLevel level, std::string_view text) {
      f(std::string(text), level == LogLevel::Warning);
    };
  }
}

}  // namespace

const char* version() { return ISOCHOR_VERSION; }

// ---- Scene --------------------------------------------------------------------------------------

struct Scene::Impl {
  std::string text;
  std::filesystem::path file;
  std::vector<std::string> settings;
  std::map<std::string, std::shared_ptr<const files::SurfaceFile>> meshes;

  sim::SceneSpec spec() const {
    sim::SceneSpec scene = sim::parse_scene(text, file, settings);
    for (sim::BodySpec& body : scene.bodies) {
      const auto mesh = meshes.find(body.shape.file);
      if (body.shape.kind == "mesh" && mesh != meshes.end()) body.shape.given = mesh->second;
    }
    return scene;
  }
};

Scene::Scene(const std::string& text, const std::string& folder, const std::string& name)
    : impl_(std::make_unique<Impl>(
          Impl{.text = text, .file = std::filesystem::path(folder) / name})) {
  guarded([&] { impl_->spec(); });
}

Scene Scene::load(const std::string& file) {
  const std::filesystem::path path = file;
  return Scene(guarded([&] { return read_text_file(path); }), path.parent_path().string(),
               path.filename().string());
}

Scene::~Scene() = default;
Scene::Scene(const Scene& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Scene& Scene::operator=(const Scene& other) {
  *impl_ = *other.impl_;
  return *this;
}

void Scene::set(const std::string& key, const std::string& value) {
  Impl changed = *impl_;
  changed.settings.push_back(key + "=" + value);
  guarded([&] { changed.spec(); });
  *impl_ = std::move(changed);
}

void Scene::set_mesh(const std::string& name, const std::vector<double>& vertices,
                     const std::vector<int>& triangles) {
  guarded([&] {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (name.empty() || name.find_first_not_of(kAllowed) != std::string::npos) {
      throw Error(Fault::Input, "name of a mesh", fmt::format("'{}' cannot name a file", name),
                  "use letters, digits, '.', '-' and '_'");
    }
    const sim::SceneSpec scene = impl_->spec();
    if (std::ranges::none_of(scene.bodies, [&](const sim::BodySpec& body) {
          return body.shape.kind == "mesh" && body.shape.file == name;
        })) {
      throw Error(Fault::Input, name, "no body of the scene has a mesh of this name",
                  fmt::format("give a body the shape {{kind = \"mesh\", file = \"{}\"}}", name));
    }
    impl_->meshes[name] = std::make_shared<files::SurfaceFile>(
        files::SurfaceFile{.mesh = mesh_of(name, vertices, triangles)});
  });
}

std::string Scene::text() const {
  return guarded([&] { return sim::resolved_scene(impl_->spec()); });
}

void Scene::save(const std::string& file) const {
  guarded([&] {
    const std::filesystem::path path = file, folder = std::filesystem::absolute(path).parent_path();
    sim::SceneSpec scene = impl_->spec();
    // What lies in files is found from the new place.
    const auto from_there = [&](std::string& name) {
      const std::filesystem::path old = impl_->file.parent_path() / name;
      name = std::filesystem::absolute(old).lexically_normal().lexically_proximate(folder).string();
    };
    for (sim::BodySpec& body : scene.bodies) {
      for (sim::PaintSpec& paint : body.paints) {
        if (!paint.file.empty()) from_there(paint.file);
      }
      if (body.shape.kind != "mesh") continue;
      if (!body.shape.given) {
        from_there(body.shape.file);
        continue;
      }
      const geometry::SurfaceMesh& mesh = body.shape.given->mesh;
      body.shape.file = path.stem().string() + "_" + body.shape.file;
      if (!body.shape.file.ends_with(".ply")) body.shape.file += ".ply";
      files::write_ply(folder / body.shape.file, mesh.positions, mesh);
    }
    write_file_atomic(path, sim::resolved_scene(scene));
  });
}

// ---- Simulation ---------------------------------------------------------------------------------

struct Simulation::Impl {
  /// What is read of a body. Vectors are filled, never replaced: callers keep their addresses.
  struct Body {
    std::string name;
    std::vector<double> rest_positions, positions, node_positions;
    std::vector<int> triangles, cells, tets;
    std::vector<Field> fields;
  };

  Impl(const sim::SceneSpec& scene, int threads, const Callbacks& callbacks)
      : context(threads), simulation(connected(callbacks, scene), context) {
    for (const files::BodyTopology& t : simulation.topology().bodies) {
      Body& body = bodies.emplace_back();
      body.name = t.name;
      body.rest_positions = flat(t.surface.positions);
      for (const geometry::Triangle& triangle : geometry::triangulate(t.surface)) {
        body.triangles.insert(body.triangles.end(), triangle.begin(), triangle.end());
      }
      for (const auto& cell : t.cells)
        body.cells.insert(body.cells.end(), cell.begin(), cell.end());
      for (const auto& tet : t.tets) body.tets.insert(body.tets.end(), tet.begin(), tet.end());
    }
  }

  /// The context listens before the simulation is built, which has things to say.
  const sim::SceneSpec& connected(const Callbacks& callbacks, const sim::SceneSpec& scene) {
    connect(context, callbacks);
    return scene;
  }

  /// Brings what is read up to date.
  void refresh() {
    if (!stale) return;
    const auto [frame, m] = simulation.snapshot();
    for (std::size_t b = 0; b < bodies.size(); ++b) refresh(bodies[b], frame.bodies[b]);
    index = frame.index;
    report = last_step;
    measures = to_public(m);
    reactions.clear();
    for (const sim::NamedReaction& r : m.reactions) {
      Reaction& reaction = reactions.emplace_back();
      reaction.name = r.name;
      std::copy_n(r.force.e, 3, reaction.force.begin());
      std::copy_n(r.moment.e, 3, reaction.moment.begin());
    }
    stale = false;
  }

  static void refresh(Body& body, const files::BodyFrame& frame) {
    body.positions.resize(3 * frame.vertices.size());
    std::ranges::copy(flat(frame.vertices), body.positions.begin());
    body.node_positions.resize(3 * frame.nodes.size());
    std::ranges::copy(flat(frame.nodes), body.node_positions.begin());
    body.fields.resize(frame.fields.size());
    constexpr Field::On kOn[] = {Field::On::Node, Field::On::Cell, Field::On::Vertex};
    for (std::size_t f = 0; f < frame.fields.size(); ++f) {
      const files::Field& field = frame.fields[f];
      Field& to = body.fields[f];
      to.name = field.name;
      to.unit = field.unit;
      to.on = kOn[static_cast<int>(field.support)];
      to.components = field.components;
      to.values.resize(field.values.size());
      std::ranges::copy(field.values, to.values.begin());
    }
  }

  std::size_t checked(int body) const {
    if (body < 0 || body >= static_cast<int>(bodies.size())) {
      throw Error(Fault::Input, fmt::format("body {}", body), "there is no such body",
                  fmt::format("bodies count from 0 to {}", bodies.size() - 1));
    }
    return static_cast<std::size_t>(body);
  }

  /// What is read of a body, up to date.
  const Body& read(int body) {
    return guarded([&]() -> const Body& {
      refresh();
      return bodies[checked(body)];
    });
  }

  Context context;
  sim::Simulation simulation;
  FrameReport last_step;
  std::atomic<bool> stale{true};
  // All that follows is as fresh as the last refresh().
  FrameReport report;
  int index = -1;
  std::vector<Body> bodies;
  Measures measures;
  std::vector<Reaction> reactions;
};

Simulation::Simulation(const Scene& scene, int threads, const Callbacks& callbacks)
    : impl_(guarded(
          [&] { return std::make_unique<Impl>(scene.impl_->spec(), threads, callbacks); })) {
  guarded([&] { impl_->refresh(); });
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

bool Simulation::step() {
  return guarded([&] {
    impl_->context.cancelled = false;
    std::optional<sim::FrameReport> report;
    try {
      report = impl_->simulation.advance();
    } catch (...) {
      // A callback may throw in the middle of a frame.
      restore(checkpoint());
      throw;
    }
    if (!report) return false;
    impl_->last_step = to_public(*report);
    impl_->stale = true;
    return true;
  });
}

void Simulation::cancel() noexcept { impl_->context.cancelled = true; }

int Simulation::frame() const {
  guarded([&] { impl_->refresh(); });
  return impl_->index;
}
int Simulation::frame_count() const { return impl_->simulation.scene().time.frames; }
const FrameReport& Simulation::report() const {
  guarded([&] { impl_->refresh(); });
  return impl_->report;
}

int Simulation::body_count() const { return static_cast<int>(impl_->bodies.size()); }

const std::string& Simulation::body_name(int body) const { return impl_->read(body).name; }

int Simulation::find_body(const std::string& name) const {
  return guarded([&] {
    std::vector<std::string> names;
    for (const Impl::Body& body : impl_->bodies) names.push_back(body.name);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw Error(Fault::Input, name, "there is no body of this name",
                  fmt::format("use one of: {}", fmt::join(names, ", ")));
    }
    return static_cast<int>(found - names.begin());
  });
}

const std::vector<double>& Simulation::positions(int body) const {
  return impl_->read(body).positions;
}
const std::vector<double>& Simulation::rest_positions(int body) const {
  return impl_->read(body).rest_positions;
}
const std::vector<int>& Simulation::triangles(int body) const {
  return impl_->read(body).triangles;
}
const std::vector<double>& Simulation::node_positions(int body) const {
  return impl_->read(body).node_positions;
}
const std::vector<int>& Simulation::cells(int body) const { return impl_->read(body).cells; }
const std::vector<int>& Simulation::tets(int body) const { return impl_->read(body).tets; }
const std::vector<Field>& Simulation::fields(int body) const { return impl_->read(body).fields; }

const Measures& Simulation::measures() const {
  guarded([&] { impl_->refresh(); });
  return impl_->measures;
}

const std::vector<Reaction>& Simulation::reactions() const {
  guarded([&] { impl_->refresh(); });
  return impl_->reactions;
}

const Reaction& Simulation::reaction(const std::string& name) const {
  return guarded([&]() -> const Reaction& {
    const auto found = std::ranges::find(reactions(), name, &Reaction::name);
    if (found != reactions().end()) return *found;
    std::vector<std::string> names;
    for (const Reaction& r : reactions()) names.push_back(r.name);
    throw Error(Fault::Input, name, "nothing of this name holds a body",
                fmt::format("use one of: {}", fmt::join(names, ", ")));
  });
}

void Simulation::move_hold(const std::string& name, const std::array<double, 3>& translate,
                           const std::array<double, 3>& rotate) {
  guarded([&] {
    require_finite(name + ": translate", translate);
    require_finite(name + ": rotate", rotate);
    impl_->simulation.move_hold(name, {vector_of(translate), vector_of(rotate)});
  });
}

void Simulation::push_surface(int body, const std::vector<double>& forces) {
  guarded([&] {
    const std::size_t b = impl_->checked(body);
    const std::string what = impl_->bodies[b].name + ": forces";
    const std::vector<Vec3d> vectors = points_of(what, forces);
    const std::size_t count = impl_->bodies[b].rest_positions.size() / 3;
    if (vectors.size() != count) {
      throw Error(Fault::Input, what, fmt::format("are {}, for {} vertices", vectors.size(), count),
                  "give one per surface vertex");
    }
    impl_->simulation.push_surface(b, vectors);
  });
}

void Simulation::push_body(int body, const std::array<double, 3>& force) {
  guarded([&] {
    const std::size_t b = impl_->checked(body);
    require_finite(impl_->bodies[b].name + ": force", force);
    impl_->simulation.push_mass(b, vector_of(force));
  });
}

std::vector<char> Simulation::checkpoint() const {
  const std::vector<std::byte>& bytes = impl_->simulation.checkpoint();
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  return {begin, begin + bytes.size()};
}

void Simulation::restore(const std::vector<char>& checkpoint) {
  guarded([&] {
    impl_->simulation.restore("checkpoint", std::as_bytes(std::span(checkpoint)));
    impl_->stale = true;
  });
}

// ---- Run ----------------------------------------------------------------------------------------

struct Run::Impl {
  Context context;
  sim::SceneSpec scene;
  run::RunOptions options;
  std::function<void(const FrameReport&, const Measures&)> on_frame;
  int frames = 0;

  Impl(sim::SceneSpec spec, const std::string& directory, const RunOptions& wanted)
      : context(wanted.threads),
        scene(std::move(spec)),
        options{.out = directory, .resume = wanted.resume, .pictures = wanted.pictures},
        on_frame(wanted.on_frame) {
    if (wanted.last_frame >= 0) options.last_frame = wanted.last_frame;
    connect(context, wanted.callbacks);
  }
};

Run::Run(const Scene& scene, const std::string& directory, const RunOptions& options)
    : impl_(guarded(
          [&] { return std::make_unique<Impl>(scene.impl_->spec(), directory, options); })) {}
Run::~Run() = default;

bool Run::execute() {
  const run::RunResult result = guarded([&] {
    return run::run_scene(impl_->scene, impl_->options, impl_->context,
                          [&](const sim::FrameReport& report, const sim::Measures& measures) {
                            if (impl_->on_frame) {
                              impl_->on_frame(to_public(report), to_public(measures));
                            }
                          });
  });
  impl_->frames = result.frames;
  if (result.end == run::RunEnd::Failed) {
    throw Failure(Failure::Kind::Simulation, result.message);
  }
  return result.end == run::RunEnd::Done;
}

void Run::cancel() noexcept { impl_->context.cancelled = true; }

int Run::frames() const { return impl_->frames; }

}  // namespace isochor
