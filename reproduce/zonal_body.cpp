#include "reproduce/zonal_body.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "isochor/base/file.h"
#include "isochor/materials/registry.h"

namespace isochor::reproduce {

materials::Material unconstrained(double mu, double poisson, const char* law) {
  materials::Material m;
  m.law = materials::law_index(law);
  m.mu = mu;
  m.lambda = 2 * mu * poisson / (1 - 2 * poisson);
  m.density = 1000;
  return m;
}

materials::Material with_penalty(double mu, double penalty, double beta) {
  materials::Material m;
  m.law = materials::law_index("neo_hookean_isochoric");
  m.mu = mu;
  m.lambda = penalty - 2 * mu / 3;
  m.shape[0] = beta;
  m.density = 1000;
  return m;
}

geometry::TetMesh box_of_tets(const std::array<int, 3>& cells, double edge) {
  geometry::TetMesh mesh;
  const auto node = [&](const std::array<int, 3>& at) {
    return at[0] + (cells[0] + 1) * (at[1] + (cells[1] + 1) * at[2]);
  };
  for (int k = 0; k <= cells[2]; ++k) {
    for (int j = 0; j <= cells[1]; ++j) {
      for (int i = 0; i <= cells[0]; ++i) mesh.positions.push_back({i * edge, j * edge, k * edge});
    }
  }
  constexpr std::array<std::array<int, 3>, 6> kOrders{
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (int k = 0; k < cells[2]; ++k) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int i = 0; i < cells[0]; ++i) {
        const std::array<int, 3> low{i, j, k};
        // Cells with odd numbers start from their other end, along each axis.
        const auto corner = [&](const std::array<int, 3>& c) {
          std::array<int, 3> at;
          for (int a = 0; a < 3; ++a) at[a] = low[a] + (low[a] % 2 ? 1 - c[a] : c[a]);
          return node(at);
        };
        for (const auto& order : kOrders) {
          std::array<int, 3> c{0, 0, 0};
          geometry::Tet tet{corner(c), 0, 0, 0};
          for (int s = 0; s < 3; ++s) {
            ++c[order[s]];
            tet[s + 1] = corner(c);
          }
          mesh.tets.push_back(tet);
        }
      }
    }
  }
  geometry::fix_winding(mesh);
  return mesh;
}

tets::HoldSpec hold_where(const geometry::TetMesh& mesh, std::string name,
                          const std::function<bool(const Vec3d&)>& chosen) {
  tets::HoldSpec hold{.name = std::move(name), .nodes = {}};
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    if (chosen(mesh.positions[i])) hold.nodes.push_back(std::int32_t(i));
  }
  return hold;
}

std::vector<shells::SheetSpec> area_skin(const geometry::TetMesh& mesh, double lambda_e) {
  if (lambda_e == 0) return {};
  return {{.name = "skin",
           .triangles = geometry::boundary_triangles(mesh.tets),
           .law = shells::AreaLaw{lambda_e, 1},
           .thickness = kSkinUnit}};
}

tets::Params params_of(std::string_view kind, solve::Integrator integrator) {
  return {.integrator = integrator, .published = kind == "paper"};
}

ZonalBody::ZonalBody(tets::BodySpec body, const tets::Params& params, Context& context)
    : context_(context),
      model_(tets::build_model({std::move(body)}, params, context.arena)),
      state_(tets::make_state(model_)),
      scratch_(model_) {
  for (const geometry::Triangle& t : geometry::boundary_triangles(model_.tets)) {
    surface_.insert(surface_.end(), t.begin(), t.end());
  }
  std::ranges::sort(surface_);
  surface_.erase(std::unique(surface_.begin(), surface_.end()), surface_.end());
}

tets::StepReport ZonalBody::step(const Placement& place, const Vec3d& gravity, double dt) {
  std::vector<Vec3d> held;
  for (std::size_t h = 0; h < model_.holds.size(); ++h) {
    for (const std::int32_t n : model_.holds[h].nodes) {
      held.push_back(place(h, model_.rest_positions[n]));
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const tets::StepReport report = tets::advance(model_, state_,
                                                {.gravity = gravity,
                                                 .held_positions = held,
                                                 .slides = slides_,
                                                 .contact = contact_ ? &*contact_ : nullptr,
                                                 .dt = dt},
                                                scratch_, context_);
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  iterations += report.iterations;
  krylov += report.krylov_iterations;
  return report;
}

tets::StepReport ZonalBody::press(const Obstacle& obstacle, const Placement& place,
                                  const Vec3d& gravity, double dt) {
  constexpr int kMostRounds = 12;
  constexpr double kDeepest = 1e-6;  // m
  const tets::State start = state_;
  // Those that touched, and those that would enter in free flight.
  std::vector<std::int32_t> touching;
  for (const tets::Slide& slide : slides_) touching.push_back(slide.node);
  for (const std::int32_t n : surface_) {
    if (model_.held[n]) continue;
    const Vec3d there = state_.positions[n] + dt * (state_.velocities[n] + dt * gravity);
    if (obstacle(there).distance < 0) touching.push_back(n);
  }
  std::ranges::sort(touching);
  touching.erase(std::unique(touching.begin(), touching.end()), touching.end());
  std::vector<tets::Slide> slides;
  const auto hold = [&](std::int32_t n, const Vec3d& x) {
    const Touch touch = obstacle(x);
    slides.push_back({n, touch.normal, dot(touch.normal, x) - touch.distance});
  };
  for (const std::int32_t n : touching) hold(n, state_.positions[n]);
  tets::StepReport report;
  for (int round = 0; round < kMostRounds; ++round) {
    slides_ = slides;
    report = step(place, gravity, dt);
    if (!report.converged()) {
      state_ = start;
      return report;
    }
    bool enters = false;
    for (const std::int32_t n : surface_) {
      const Vec3d& x = state_.positions[n];
      if (model_.held[n] || obstacle(x).distance > -kDeepest) continue;
      enters = true;
      std::erase_if(slides, [&](const tets::Slide& s) { return s.node == n; });
      hold(n, x);
    }
    if (!enters) break;
    if (round + 1 < kMostRounds) state_ = start;
  }
  // Those that left are free from here on.
  std::erase_if(slides_, [&](const tets::Slide& s) {
    return dot(s.normal, state_.positions[s.node]) > s.place + kDeepest;
  });
  return report;
}

tets::StepReport ZonalBody::touch(const contact::PlacedColliders& colliders, const Placement& place,
                                  const Vec3d& gravity, double dt) {
  if (!contact_) contact_.emplace(tets::make_contact(model_, {.pairs = false}, dt));
  contact_->place(colliders, dt);
  return step(place, gravity, dt);
}

double ZonalBody::potential_energy(const Vec3d& gravity) const {
  tets::ElasticMemory memory(model_);
  double energy = tets::elastic_energy(model_, {state_.positions}, memory, context_.arena);
  for (std::size_t i = 0; i < model_.node_count(); ++i) {
    energy -= model_.mass[i] * dot(gravity, state_.positions[i] - model_.rest_positions[i]);
  }
  return energy;
}

double ZonalBody::volume() const {
  double now = 0, rest = 0;
  for (std::size_t t = 0; t < model_.tets.size(); ++t) {
    now += model_.volume[t] * determinant(deformation_gradient(model_, t, state_.positions));
    rest += model_.volume[t];
  }
  return now / rest;
}

int ZonalBody::inverted() const {
  int count = 0;
  for (std::size_t t = 0; t < model_.tets.size(); ++t) {
    count += determinant(deformation_gradient(model_, t, state_.positions)) <= 0;
  }
  return count;
}

double ZonalBody::smallest_ratio() const {
  double least = 1;
  for (std::size_t t = 0; t < model_.tets.size(); ++t) {
    least = std::min(least, determinant(deformation_gradient(model_, t, state_.positions)));
  }
  return least;
}

std::vector<double> ZonalBody::tet_pressures() const {
  return tets::pressures_of_tets(model_, state_, {}, context_.arena);
}

double ZonalBody::roughness() const {
  const std::vector<double> p = tet_pressures();
  double mean = 0, spread = 0, jumps = 0;
  for (const double value : p) mean += value / double(p.size());
  for (const double value : p) spread += (value - mean) * (value - mean) / double(p.size());
  std::map<std::array<std::int32_t, 3>, std::size_t> open;
  std::size_t faces = 0;
  for (std::size_t t = 0; t < p.size(); ++t) {
    for (const auto& corners : geometry::kTetFaces) {
      std::array<std::int32_t, 3> face;
      for (int c = 0; c < 3; ++c) face[c] = model_.tets[t][corners[c]];
      std::ranges::sort(face);
      const auto [other, fresh] = open.try_emplace(face, t);
      if (fresh) continue;
      jumps += (p[t] - p[other->second]) * (p[t] - p[other->second]);
      ++faces;
      open.erase(other);
    }
  }
  return std::sqrt(jumps / double(faces) / spread);
}

void VariantRows::add(std::string quantity, double ours, const char* unit,
                      std::optional<double> paper, Relation relation, std::optional<double> bound,
                      std::string note) const {
  rows.push_back({.id = id,
                  .quantity = std::move(quantity) + ": " + name,
                  .variant = kind,
                  .source = source,
                  .paper = paper,
                  .ours = arrived ? std::optional(ours) : std::nullopt,
                  .unit = unit,
                  .relation = relation,
                  .bound = bound,
                  .note = std::move(note)});
}

void PressureFigure::add(const std::string& name, const ZonalBody& body, const Vec3d& offset,
                         const std::function<bool(const Vec3d&)>& shown) {
  const tets::Model& model = body.model();
  const std::vector<double> p = body.tet_pressures();
  std::vector<geometry::Tet> kept;
  std::vector<double> sum(model.node_count(), 0), weight(model.node_count(), 0);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    Vec3d centre{0, 0, 0};
    for (const std::int32_t n : model.tets[t]) centre += 0.25 * model.rest_positions[n];
    if (shown && !shown(centre)) continue;
    kept.push_back(model.tets[t]);
    for (const std::int32_t n : model.tets[t]) {
      sum[n] += model.volume[t] * p[t];
      weight[n] += model.volume[t];
    }
  }
  files::BodyTopology topology{.name = name};
  files::BodyFrame frame;
  files::Field field{.name = "pressure", .unit = "Pa", .support = files::Support::Vertex};
  std::vector<std::int32_t> place(model.node_count(), -1);
  for (geometry::Triangle triangle : geometry::boundary_triangles(kept)) {
    for (std::int32_t& n : triangle) {
      if (place[n] < 0) {
        place[n] = std::int32_t(frame.vertices.size());
        topology.surface.positions.push_back(model.rest_positions[n] + offset);
        frame.vertices.push_back(body.state().positions[n] + offset);
        field.values.push_back(float(sum[n] / weight[n]));
      }
      n = place[n];
    }
    topology.surface.add_face(triangle);
  }
  frame.fields = {std::move(field)};
  topology_.bodies.push_back(std::move(topology));
  frame_.bodies.push_back(std::move(frame));
}

void PressureFigure::add_scenery(const std::string& name, geometry::SurfaceMesh surface,
                                 const Vec3d& offset) {
  for (Vec3d& x : surface.positions) x += offset;
  files::BodyFrame frame{.nodes = {}, .vertices = surface.positions, .fields = {}};
  frame.fields = {{.name = "pressure",
                   .unit = "Pa",
                   .support = files::Support::Vertex,
                   .values = std::vector<float>(surface.positions.size(), 0)}};
  topology_.bodies.push_back({.name = name, .surface = std::move(surface)});
  frame_.bodies.push_back(std::move(frame));
}

void PressureFigure::draw(const std::filesystem::path& file, run::RenderOptions options,
                          Context& context) const {
  options.field = "pressure";
  make_directory(file.parent_path());
  write_file_atomic(
      file, encode_png(run::render(topology_, frame_, options, std::nullopt, context.arena)));
}

}  // namespace isochor::reproduce
