#include "isochor/sim/tet_method.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

#include "isochor/base/error.h"
#include "isochor/shells/fit.h"
#include "isochor/sim/body_frame.h"
#include "isochor/sim/tet_muscles.h"
#include "isochor/sim/zones.h"

namespace isochor::sim {
namespace {

tets::ZoneMethod zone_method(const MethodSpec& method) {
  if (method.zones == "multiplier") return tets::ZoneMethod::Multiplier;
  return method.zones == "linear" ? tets::ZoneMethod::Linear : tets::ZoneMethod::Exact;
}

tets::Params params_of(const MethodSpec& method, const TimeSpec& time) {
  return {.preconditioner = method.preconditioner == "multigrid" ? tets::Preconditioner::Lattice
                                                                 : tets::Preconditioner::Jacobi,
          .integrator = integrator_of(time),
          .newton = method.newton,
          .zones = {.method = zone_method(method)},
          .published = method.volume == "zones" && method.variant == "paper"};
}

constexpr std::vector<double> tets::HandedPressures::*kHandedPressures[] = {
    &tets::HandedPressures::positions, &tets::HandedPressures::velocities,
    &tets::HandedPressures::elastic};

contact::SlidingBones sliding_bones(const TetScene& scene) {
  std::vector<contact::SlidingBone> bones;
  for (const BoneInTets& bone : scene.bones) bones.push_back(bone.bone);
  const double size = bones.empty() ? 0 : tets::mean_size(scene.model);
  return {std::move(bones), size};
}

/// Values of a model's tets in the order of their bodies' meshes, which is that of topologies.
std::vector<double> as_meshed(const tets::Model& model, std::span<const double> per_tet) {
  std::vector<double> out(per_tet.size());
  for (const tets::BodyRange& body : model.bodies) {
    for (std::int32_t t = body.first_tet; t < body.first_tet + body.tet_count; ++t) {
      out[body.first_tet + model.source[t]] = per_tet[t];
    }
  }
  return out;
}

}  // namespace

TetMethod::TetMethod(const SceneSpec& scene, Context& context)
    : context_(context),
      timing_(scene.time),
      gravity_(scene.world.gravity),
      bodies_(scene.bodies),
      scene_(build_tet_scene(scene, params_of(scene.method, scene.time), context)),
      model_(scene_.model),
      state_(tets::make_state(model_)),
      guides_(scene_.driver_count()),
      loads_(model_.node_count()),
      scratch_(model_),
      bones_(sliding_bones(scene_)),
      conserving_(make_conserving(scene, model_, scene_.colliders, context)),
      contact_(make_tet_contact(scene, model_, scene_.colliders, context)) {
  if (conserving_) {
    forces_.emplace(scene_, conserving_->colliders());
  } else if (contact_) {
    forces_.emplace(scene_, contact_->colliders());
  }
}

Summary TetMethod::summary() const {
  Summary result{.elements = "tets",
                 .cells = model_.tets.size(),
                 .nodes = model_.first_obstacle_node,
                 .held_nodes = model_.held_count() + model_.sliding_count()};
  result.mass = std::accumulate(model_.mass.begin(), model_.mass.end(), 0.0);
  for (std::size_t b = 0; b < scene_.topology.bodies.size(); ++b) {
    const auto& positions = scene_.topology.bodies[b].surface.positions;
    result.surface_vertices += positions.size();
    result.volume += std::abs(geometry::enclosed_volume(positions, scene_.riders[b].triangles));
  }
  result.memory = tets::bytes_allocated(model_, state_, scratch_);
  return result;
}

TetMethod::World TetMethod::world_at(double time) const {
  World world{.gravity = gravity_ * std::clamp(1 + time, 0.0, 1.0),
              .demands = demands_at(scene_, guides_, time),
              .loads = loads_.at(time, timing_),
              .activations = activations_at(bodies_, time),
              .volumes = wanted_volumes(scene_.zones, time)};
  add_tractions(scene_.tractions, model_.node_count(), time, world.loads);
  return world;
}

void TetMethod::place_bones(tets::StepInput& input, double time) {
  if (bones_.empty()) return;
  bones_.set_motions(demands_at(scene_, guides_, time_).bones,
                     demands_at(scene_, guides_, time).bones);
  input.bones = &bones_;
}

solve::NewtonReport TetMethod::advance(double time) {
  const solve::NewtonReport report = timing_.moves() && time > 0 ? step(time) : start(time);
  if (report.converged()) time_ = time;
  if (report.fallbacks > 0) {
    context_.log(LogLevel::Warning, fmt::format("frame {:g}: {}", time, report.fallback));
  }
  return report;
}

solve::NewtonReport TetMethod::start(double time) {
  solve::NewtonReport report{.end = solve::NewtonEnd::Converged, .residual = 0};
  if (timing_.starts_in_equilibrium()) {
    const World world = world_at(time);
    tets::StepInput input = world.input();
    place_obstacles();
    if (contact_) contact_->enter(input, time_, time, context_.arena);
    place_bones(input, time);
    report = tets::advance(model_, state_, input, scratch_, context_);
    if (contact_ && report.converged()) forces_->keep(contact_->forces(state_.positions));
  } else {
    state_ = tets::make_state(model_);
  }
  if (report.converged() && timing_.moves()) set_velocities();
  return report;
}

solve::NewtonReport TetMethod::step(double time) {
  const double point = solve::evaluation_point(model_.params.integrator);
  const World before = world_at(time_), after = world_at(time);
  const World between = world_at(time_ + point * (time - time_));
  tets::StepInput input = after.input();
  input.activations = between.activations;
  input.spring_targets = between.demands.spring_targets;
  input.first_spring_targets = before.demands.spring_targets;
  input.dt = (time - time_) / timing_.frame_rate;
  place_obstacles();
  if (contact_) contact_->enter(input, time_, time, context_.arena);
  place_bones(input, time);
  const auto done = [&] { return work_of(input.loads, state_.positions, model_.rest_positions); };
  // By the trapezoidal rule: of second order, as the best of the integrators.
  double work = 0.5 * energy_change(before, after) - done();
  contact::ContactForces forces;
  tets::StepReport report;
  if (conserving_) {
    forces.reset(model_.node_count(), conserving_->colliders().size());
    report =
        sim::advance(*conserving_, state_, input, time_ / timing_.frame_rate, forces, context_);
  } else {
    report = tets::advance(model_, state_, input, scratch_, context_);
    if (contact_) forces = contact_->forces(state_.positions);
  }
  if (!report.converged()) return report;
  if (forces_) forces_->keep(forces);
  work += 0.5 * energy_change(before, after) + done();
  ledger_.add(report.balance, work);
  return report;
}

/// Where a step begins.
void TetMethod::place_obstacles() {
  tets::place_obstacles(model_, time_ / timing_.frame_rate,
                        std::span(state_.positions).subspan(model_.first_obstacle_node));
}

void TetMethod::set_velocities() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const std::size_t first = model_.bodies[b].first_node, count = model_.bodies[b].node_count;
    set_rigid_velocities(bodies_[b], std::span(model_.mass).subspan(first, count),
                         std::span(state_.positions).subspan(first, count),
                         std::span(state_.velocities).subspan(first, count));
  }
  for (const tets::Hold& hold : model_.holds) {
    for (const std::int32_t n : hold.nodes) state_.velocities[n] = {0, 0, 0};
  }
  for (const tets::Slide& slide : demands_at(scene_, guides_, 0).slides) {
    Vec3d& velocity = state_.velocities[slide.node];
    velocity -= dot(slide.normal, velocity) * slide.normal;
  }
  ledger_ = {.start = total_energy()};
}

double TetMethod::gravity_energy(const Vec3d& gravity) const {
  double energy = 0;
  for (std::size_t n = 0; n < model_.node_count(); ++n) {
    energy -= model_.mass[n] * dot(gravity, state_.positions[n] - model_.rest_positions[n]);
  }
  return energy;
}

double TetMethod::stored_energy(const World& world) const {
  tets::ElasticMemory memory(model_);
  return tets::elastic_energy(model_, configuration(world), memory, context_.arena) +
         bones_.energy(state_.positions, world.demands.bones);
}

double TetMethod::energy_change(const World& from, const World& to) const {
  const bool same =
      from.activations == to.activations && scene_.soft_holds.empty() && bones_.empty();
  return same ? 0 : stored_energy(to) - stored_energy(from);
}

double TetMethod::total_energy() const {
  return stored_energy(world_at(std::max(time_, 0.0))) + gravity_energy(gravity_) +
         solve::momenta(model_.mass, state_.positions, state_.velocities, context_.arena)
             .kinetic_energy;
}

Snapshot TetMethod::snapshot() const {
  Snapshot result;
  const World world = world_at(time_);
  tets::Configuration at = configuration(world);
  at.spring_targets = {};
  std::vector<Vec3d> force(model_.node_count());
  tets::ElasticMemory memory(model_);
  Measures& m = result.measures;
  m.elastic_energy = tets::elastic_force(model_, at, force, memory, context_.arena);
  std::vector<Vec3d> pulls(model_.springs.count());
  m.spring_energy = solve::spring_pulls(model_.springs, state_.positions,
                                        world.demands.spring_targets, pulls, context_.arena);
  solve::add_pulls(model_.springs, pulls, 1, force, context_.arena);
  m.spring_energy += bones_.energy(state_.positions, world.demands.bones);
  if (forces_) forces_->add_bones(force);
  m.gravity_energy = gravity_energy(world.gravity);
  tets::TetFields tets = tets::tet_fields(model_, at, context_.arena);
  add_volume_ratios(tets.J, m);
  if (!scene_.zones.empty()) {
    tets::add_zone_force(model_, state_, force, context_.arena);
    tets.pressure = tets::pressures_of_tets(model_, state_, world.activations, context_.arena);
    ZoneMeasures zones = measure_zones(model_, state_, scene_.zones, time_, context_.arena);
    m.zones = std::move(zones.zones);
    m.worst_zone_volume_error = zones.worst;
  }
  const auto reactions = tets::reactions(model_, state_, force, world.input(), context_.arena);
  const std::vector<std::string> names = hold_names();
  for (std::size_t h = 0; h < reactions.size(); ++h) {
    m.reactions.push_back({names[h], reactions[h].force, reactions[h].moment});
  }
  if (timing_.moves()) {
    m.motion = motion_measures(
        ledger_, solve::momenta(model_.mass, state_.positions, state_.velocities, context_.arena),
        total_energy());
  }

  if (conserving_) {
    const std::span<const double> of_rings = conserving_->pressures().elastic;
    for (std::size_t t = 0; t < model_.tets.size(); ++t) {
      for (const std::int32_t n : model_.tets[t]) tets.pressure[t] += of_rings[n] / 4;
    }
  }

  struct Field {
    const char *name, *unit;
    std::vector<double> per_tet, per_node;
  };
  std::vector<Field> fields;
  for (const auto& [name, unit, values] :
       {std::tuple("J", "", &tets.J), std::tuple("pressure", "Pa", &tets.pressure),
        std::tuple("von_mises", "Pa", &tets.von_mises)}) {
    fields.push_back({name, unit, as_meshed(model_, *values), tets::to_nodes(model_, *values)});
  }
  const std::vector<double> rest_volume = as_meshed(model_, model_.volume);
  double volume = 0, all_at_rest = 0;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const tets::BodyRange& range = model_.bodies[b];
    const files::BodyTopology& topology = scene_.topology.bodies[b];
    const TetRider& rider = scene_.riders[b];
    const auto of_tets = [&](const std::vector<double>& all) {
      return std::span(all).subspan(range.first_tet, range.tet_count);
    };
    const auto of_nodes = [&](const auto& all) {
      return std::span(all).subspan(range.first_node, range.node_count);
    };
    std::vector<Quantity> quantities;
    for (const Field& f : fields) {
      if (range.tet_count == 0) break;
      quantities.push_back({f.name, f.unit, of_tets(f.per_tet), of_nodes(f.per_node)});
    }
    result.bodies.push_back(make_body_frame(topology, of_nodes(state_.positions), rider.surface,
                                            quantities, rider.painted));
    if (range.tet_count > 0 && scene_.zones.empty()) {
      m.worst_zone_volume_error =
          worse(m.worst_zone_volume_error,
                worst_zone_volume_error(rider.painted, quantities[0].per_cell,
                                        [&](std::size_t t) { return of_tets(rest_volume)[t]; }));
    }
    volume += std::abs(geometry::enclosed_volume(result.bodies.back().vertices, rider.triangles));
    all_at_rest += std::abs(geometry::enclosed_volume(topology.surface.positions, rider.triangles));
  }
  m.volume_error = volume / all_at_rest - 1;
  if (forces_) add_contact(result);
  if (contact_ && contact_->pushes_surfaces()) add_bands(result);
  return result;
}

tets::Configuration TetMethod::configuration(const World& world) const {
  tets::Configuration at{.positions = state_.positions,
                         .activations = world.activations,
                         .spring_targets = world.demands.spring_targets};
  if (contact_) at.tightening = contact_->tightening_at(time_);
  return at;
}

void TetMethod::add_contact(Snapshot& snapshot) const {
  Measures& m = snapshot.measures;
  contact::ContactReport report;
  if (conserving_) {
    report =
        contact_report(*conserving_, state_.positions, time_ / timing_.frame_rate, context_.arena);
    m.contact = measures_of(report, conserving_->params().contact_distance,
                            conserving_->params().self_contact, !model_.obstacles.empty());
    if (conserving_->params().keep_volumes) {
      conserving_->rings().measure(state_.positions);
      m.contact->worst_ring_volume_error = conserving_->rings().largest_error();
    }
  } else {
    report = contact_->report(state_.positions, time_, context_.arena);
    if (contact_->touches()) {
      m.contact = measures_of(report, contact_->reach(), contact_->self_contact(),
                              !model_.obstacles.empty());
    }
  }
  std::ranges::move(forces_->reactions(state_.positions), std::back_inserter(m.reactions));
  const bool pushes_surfaces = contact_ && contact_->pushes_surfaces();
  if (!conserving_ && !pushes_surfaces) return;
  for (std::size_t b = 0; b < snapshot.bodies.size(); ++b) {
    std::ranges::move(forces_->fields(b, report.gaps, !pushes_surfaces),
                      std::back_inserter(snapshot.bodies[b].fields));
  }
}

void TetMethod::add_bands(Snapshot& snapshot) const {
  const std::vector<double> all = contact_->pressures(state_.positions, time_, context_.arena);
  snapshot.measures.bands = contact_->measure_bands(state_.positions, all, time_);
  for (std::size_t b = 0; b < snapshot.bodies.size(); ++b) {
    const tets::BodyRange& range = model_.bodies[b];
    files::BodyFrame& body = snapshot.bodies[b];
    std::vector<double> values(body.vertices.size());
    scene_.riders[b].surface.interpolate(std::span(all).subspan(range.first_node, range.node_count),
                                         values);
    body.fields.push_back(make_field("contact_pressure", "Pa", files::Support::Vertex, values));
    // As bandages and stockings are sold.
    for (double& value : values) value /= shells::kMillimetreOfMercury;
    body.fields.push_back(
        make_field("contact_pressure_mmhg", "mmHg", files::Support::Vertex, values));
  }
}

void TetMethod::move_hold(const std::string& name, const Pose& pose) {
  const std::size_t number = find_hold(name, hold_names(), time_, timing_);
  const Driver& driver = scene_.driver(number);
  if (driver.points.empty()) {
    throw Error(Fault::Input, name, "is a tie, which moves with its bodies", "move a hold");
  }
  std::optional<Guide>& guide = guides_[number];
  guide = Guide{.since = time_, .from = pose_at(driver, guide, time_), .to = pose};
}

std::vector<std::string> TetMethod::hold_names() const {
  std::vector<std::string> names;
  for (const tets::Hold& hold : model_.holds) names.push_back(hold.name);
  for (const tets::SlidingHold& hold : model_.sliding) names.push_back(hold.name);
  for (const tets::SpringGroup& group : model_.spring_groups) names.push_back(group.name);
  for (const BoneInTets& bone : scene_.bones) names.push_back(bone.bone.name);
  return names;
}

void TetMethod::push_surface(std::size_t body, std::span<const Vec3d> forces) {
  const tets::BodyRange& range = model_.bodies[body];
  const std::span<Vec3d> loads = loads_.renew(time_, timing_, range.first_node, range.node_count);
  for (std::size_t v = 0; v < forces.size(); ++v) {
    for (const auto& [node, weight] : scene_.riders[body].surface.weights(v)) {
      loads[node] += weight * forces[v];
    }
  }
}

void TetMethod::push_mass(std::size_t body, const Vec3d& force) {
  const tets::BodyRange& range = model_.bodies[body];
  spread_by_mass(force, std::span(model_.mass).subspan(range.first_node, range.node_count),
                 loads_.renew(time_, timing_, range.first_node, range.node_count));
}

void TetMethod::poison_scratch() {
  scratch_.poison();
  if (conserving_) conserving_->poison();
}

void TetMethod::save(files::ByteWriter& writer) const {
  writer.put(time_);
  save_nodes(state_, writer);
  sim::save(ledger_, writer);
  sim::save(guides_, writer);
  loads_.save(writer);
  if (!scene_.zones.empty()) writer.put(state_.pressures);
  if (forces_) forces_->save(writer);
  if (!conserving_) return;
  writer.put(state_.contact_pushes);
  writer.put(state_.contact_change);
  for (const auto part : kHandedPressures) writer.put(conserving_->pressures().*part);
}

void TetMethod::load(files::ByteReader& reader) {
  const double time = reader.get<double>();
  tets::State state;
  load_nodes(state, state_, reader);
  const Ledger ledger = load_ledger(reader);
  Guides guides = load_guides(reader, guides_.size());
  NodalLoads loads = NodalLoads::load(reader, model_.node_count());
  if (!scene_.zones.empty()) {
    state.pressures = reader.get_vector<double>();
    if (state.pressures.size() != state_.pressures.size()) {
      reader.fail("it holds pressures of another number of zones than the scene has");
    }
  }
  std::optional<TetForces> forces = forces_;
  if (forces) forces->load(reader);
  state.contact_pushes.assign(state_.contact_pushes.size(), 0);
  if (conserving_) {
    state.contact_pushes = reader.get_vector<double>();
    if (state.contact_pushes.size() != state_.contact_pushes.size()) {
      reader.fail("it holds contacts of another number of nodes than the scene has");
    }
    state.contact_change = reader.get<double>();
    tets::HandedPressures pressures;
    for (const auto part : kHandedPressures) {
      pressures.*part = reader.get_vector<double>();
      if ((pressures.*part).size() != model_.node_count()) {
        reader.fail("it holds pressures of another number of nodes than the scene has");
      }
    }
    conserving_->set_pressures(std::move(pressures));
  }
  forces_ = std::move(forces);
  loads_ = std::move(loads);
  guides_ = std::move(guides);
  ledger_ = ledger;
  time_ = time;
  state_ = std::move(state);
}

}  // namespace isochor::sim
