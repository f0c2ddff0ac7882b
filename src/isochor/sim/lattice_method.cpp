#include "isochor/sim/lattice_method.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

#include "isochor/sim/body_frame.h"
#include "isochor/sim/zones.h"

namespace isochor::sim {
namespace {

lattice::Params params_of(const MethodSpec& method, const TimeSpec& time) {
  using Points = lattice::FourPointTangent;
  return {.quadrature = method.quadrature == "gauss"         ? lattice::Quadrature::Gauss
                        : method.quadrature == "four-points" ? lattice::Quadrature::FourPoints
                                                             : lattice::Quadrature::OnePoint,
          .four_point_tangent = method.tangent == "exact"     ? Points::Exact
                                : method.tangent == "surface" ? Points::AtSurface
                                                              : Points::None,
          .fibre_point = method.variant == "paper" && method.volume == "mixed"
                             ? lattice::FibrePoint::Centroid
                             : lattice::FibrePoint::Points,
          .stabilise = method.stabilise,
          .always_definite = method.variant == "paper",
          .definiteness = method.definiteness == "none"       ? materials::Definiteness::None
                          : method.definiteness == "absolute" ? materials::Definiteness::Absolute
                                                              : materials::Definiteness::Clamp,
          .preconditioner = method.preconditioner == "multigrid"
                                ? lattice::Preconditioner::Multigrid
                                : lattice::Preconditioner::Jacobi,
          .cycle = method.variant == "paper" ? lattice::Cycle::Published : lattice::Cycle::Best,
          .solver = method.solver == "fas" ? lattice::Solver::Fas : lattice::Solver::Newton,
          .integrator = integrator_of(time),
          .newton = method.newton};
}

}  // namespace

LatticeMethod::LatticeMethod(const SceneSpec& scene, Context& context)
    : context_(context),
      timing_(scene.time),
      gravity_(scene.world.gravity),
      bodies_(scene.bodies),
      scene_(build_lattice_scene(scene, params_of(scene.method, scene.time), context)),
      model_(scene_.model()),
      state_(rest()),
      guides_(scene_.driver_count()),
      loads_(model_.node_count()),
      guess_(scene_),
      contact_(make_lattice_contact(scene, scene_, context)),
      scratch_(scene_.plain) {
  if (scene_.mixed) mixed_scratch_.emplace(*scene_.mixed);
}

Summary LatticeMethod::summary() const {
  Summary result{.cells = model_.cells.size(), .nodes = model_.node_count()};
  for (const lattice::Hold& hold : model_.holds) result.held_nodes += hold.nodes.size();
  result.mass = std::accumulate(model_.mass.begin(), model_.mass.end(), 0.0);
  for (std::size_t b = 0; b < scene_.topology.bodies.size(); ++b) {
    const auto& positions = scene_.topology.bodies[b].surface.positions;
    result.surface_vertices += positions.size();
    result.volume += std::abs(geometry::enclosed_volume(positions, scene_.riders[b].triangles));
  }
  result.memory = scene_.mixed
                      ? lattice::mixed::bytes_allocated(*scene_.mixed, state_, *mixed_scratch_)
                      : lattice::bytes_allocated(model_, state_, scratch_);
  return result;
}

LatticeMethod::World LatticeMethod::world_at(double time) const {
  World world{.gravity = gravity_ * std::clamp(1 + time, 0.0, 1.0),
              .demands = demands_at(scene_, guides_, time),
              .activations = {},
              .loads = loads_.at(time, timing_)};
  add_tractions(scene_.tractions, model_.node_count(), time, world.loads);
  for (const BodySpec& body : bodies_) add_activations_at(body, time, world.activations);
  return world;
}

solve::NewtonReport LatticeMethod::advance(double time) {
  if (contact_) {
    contact_->contacts().set_interval(time_ / timing_.frame_rate, time / timing_.frame_rate);
    contact_->contacts().set_bones(bone_motions_at(scene_, guides_, time_),
                                   bone_motions_at(scene_, guides_, time));
  }
  const solve::NewtonReport report = timing_.moves() && time > 0 ? step(time) : start(time);
  if (report.converged()) time_ = time;
  if (report.fallbacks > 0) {
    const std::string_view other = scene_.mixed ? "a definite one took over"
                                   : model_.params.solver == lattice::Solver::Fas
                                       ? "Newton's method took over"
                                       : "conjugate gradients took over";
    context_.log(LogLevel::Info, fmt::format("{}: {}", report.fallback, other));
  }
  return report;
}

solve::NewtonReport LatticeMethod::start(double time) {
  solve::NewtonReport report{.end = solve::NewtonEnd::Converged, .residual = 0};
  if (timing_.starts_in_equilibrium()) {
    report = relax(world_at(time), time);
  } else {
    state_ = rest();
  }
  if (report.converged() && timing_.moves()) set_velocities();
  return report;
}

Snapshot LatticeMethod::snapshot() const {
  Snapshot result;
  const std::span<const Vec3d> positions = state_.positions;
  const World world = world_at(time_);
  const lattice::StepInput input = world.input();
  Elastic elastic = elastic_in(world);
  const lattice::CellFields& cells = elastic.cells;

  Measures& m = result.measures;
  m.elastic_energy = elastic.energy;
  std::vector<Vec3d> pull(model_.springs.count());
  m.spring_energy =
      solve::spring_pulls(model_.springs, positions, input.spring_targets, pull, context_.arena);
  for (std::size_t n = 0; n < positions.size(); ++n) {
    m.gravity_energy -=
        model_.mass[n] * dot(input.gravity, positions[n] - model_.rest_positions[n]);
  }
  lattice::SurfaceMemory surfaces(model_);
  lattice::add_surface_forces(model_, surfaces_in(world), elastic.force, {}, surfaces,
                              context_.arena);
  if (contact_) contact_->add_to_nodes(positions, elastic.force);
  if (timing_.moves()) {
    m.motion =
        motion_measures(ledger_, lattice::momenta(model_, state_, context_.arena), total_energy());
  }
  m.worst_zone_volume_error = worst_zone_volume_error(scene_, cells.J);
  add_volume_ratios(cells.J, m);
  const auto reactions = lattice::reactions(
      model_, positions, std::move(elastic.force), input, context_.arena,
      state_.last_dt > 0 ? std::span<const Vec3d>(state_.pushes) : std::span<const Vec3d>());
  auto reaction = reactions.begin();
  const auto name_next = [&](const std::string& name) {
    m.reactions.push_back({name, reaction->force, reaction->moment});
    ++reaction;
  };
  for (const lattice::Hold& hold : model_.holds) name_next(hold.name);
  for (const lattice::SpringGroup& group : model_.spring_groups) name_next(group.name);
  const auto pushes = lattice::surface_pushes(model_, surfaces_in(world));
  for (std::size_t h = 0; h < pushes.size(); ++h) {
    m.reactions.push_back({model_.surfaces.holds[h].name, pushes[h].force, pushes[h].moment});
  }

  const std::vector<double> nodal_j = lattice::to_nodes(model_, cells.J),
                            nodal_pressure = lattice::to_nodes(model_, cells.pressure),
                            nodal_von_mises = lattice::to_nodes(model_, cells.von_mises);
  double volume = 0, rest_volume = 0;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const lattice::BodyRange& range = model_.bodies[b];
    const files::BodyTopology& topology = scene_.topology.bodies[b];
    const Rider& rider = scene_.riders[b];
    const auto of_cells = [&](const std::vector<double>& all) {
      return std::span(all).subspan(range.first_cell, range.cell_count);
    };
    const auto of_nodes = [&](const auto& all) {
      return std::span(all).subspan(range.first_node, range.node_count);
    };
    const std::array<Quantity, 3> quantities{
        {{"J", "", of_cells(cells.J), of_nodes(nodal_j)},
         {"pressure", "Pa", of_cells(cells.pressure), of_nodes(nodal_pressure)},
         {"von_mises", "Pa", of_cells(cells.von_mises), of_nodes(nodal_von_mises)}}};
    result.bodies.push_back(
        make_body_frame(topology, of_nodes(positions), rider.surface, quantities, rider.painted));
    volume += std::abs(geometry::enclosed_volume(result.bodies.back().vertices, rider.triangles));
    rest_volume += std::abs(geometry::enclosed_volume(topology.surface.positions, rider.triangles));
  }
  m.volume_error = volume / rest_volume - 1;
  if (contact_) {
    LatticeContact::Picture picture = contact_->picture(positions, time_ / timing_.frame_rate);
    m.contact = picture.measures;
    m.reactions.insert(m.reactions.end(), picture.reactions.begin(), picture.reactions.end());
    for (std::size_t b = 0; b < result.bodies.size(); ++b) {
      std::ranges::move(picture.fields[b], std::back_inserter(result.bodies[b].fields));
    }
  }
  return result;
}

void LatticeMethod::save(files::ByteWriter& writer) const {
  writer.put(time_);
  save_nodes(state_, writer);
  sim::save(ledger_, writer);
  writer.put(state_.pressure);
  sim::save(guides_, writer);
  loads_.save(writer);
  if (contact_) contact_->save(writer);
}

void LatticeMethod::load(files::ByteReader& reader) {
  const double time = reader.get<double>();
  lattice::mixed::State state;
  load_nodes<lattice::State>(state, state_, reader);
  const Ledger ledger = load_ledger(reader);
  state.pressure = reader.get_vector<double>();
  if (state.pressure.size() != state_.pressure.size()) {
    reader.fail("it holds another number of pressures than the scene");
  }
  Guides guides = load_guides(reader, guides_.size());
  loads_ = NodalLoads::load(reader, model_.node_count());
  if (contact_) contact_->load(reader);
  guides_ = std::move(guides);
  ledger_ = ledger;
  time_ = time;
  state_ = std::move(state);
}

}  // namespace isochor::sim
