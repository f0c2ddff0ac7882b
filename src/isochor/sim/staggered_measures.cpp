/// StaggeredMethod: what it says about a state.
#include <algorithm>
#include <cmath>

#include "isochor/math/mat3.h"
#include "isochor/sim/body_frame.h"
#include "isochor/sim/staggered_method.h"
#include "isochor/sim/zones.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/stresses.h"

namespace isochor::sim {
namespace {

using staggered::Index;

/// Rotations of a state where the law has them.
class Measured {
 public:
  Measured(const StaggeredBody& body, std::span<const double> u, ThreadArena& arena) {
    if (body.corotated()) {
      turns_.emplace(body.model);
      staggered::find_turns<3>(body.model, u, *turns_, arena);
    }
    stresses_.emplace(body.model, u, turns_ ? &*turns_ : nullptr);
  }
  const staggered::Stresses<3>* operator->() const { return &*stresses_; }

 private:
  std::optional<staggered::Turns<3>> turns_;
  std::optional<staggered::Stresses<3>> stresses_;
};

double cell_volume(const StaggeredBody& body) {
  const auto& h = body.model.levels[0].spacing;
  return h[0] * h[1] * h[2];
}

/// How much of a cell is material that moves.
double filled(const StaggeredBody& body, std::size_t cell) {
  const std::size_t at = body.domain.index(body.cells[cell]);
  if (body.domain.cells[at] != staggered::Cell::Interior) return 0;
  return body.domain.fraction.empty() ? 1 : double(body.domain.fraction[at]);
}

struct Cells {
  std::vector<double> J, pressure, von_mises;
  double energy = 0;  ///< J
};

Cells cells_of(const StaggeredBody& body, std::span<const double> u, ThreadArena& arena) {
  const Measured stresses(body, u, arena);
  const std::size_t count = body.cells.size();
  Cells out{.J = std::vector<double>(count, 1),
            .pressure = std::vector<double>(count),
            .von_mises = std::vector<double>(count)};
  std::vector<double> energies(count);
  const double mu = body.model.material.mu, volume = cell_volume(body);
  parallel_for(arena, count, 256, [&](std::size_t n) {
    const double fill = filled(body, n);
    if (fill == 0) return;
    const staggered::CellState<3> state = stresses->cell(body.cells[n]);
    Mat3d F, P;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        F(i, j) = state.F[3 * i + j];
        P(i, j) = mu * state.stress[3 * i + j];
      }
    }
    out.J[n] = determinant(F);
    // Cauchy's stress; where strains are small it is the same as that of the reference shape.
    const Mat3d sigma =
        body.corotated() ? (1 / std::max(out.J[n], 0.1)) * times_transpose(P, F) : P;
    out.pressure[n] = -trace(sigma) / 3;
    double squares = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const double s = sigma(i, j) + (i == j ? out.pressure[n] : 0);
        squares += s * s;
      }
    }
    out.von_mises[n] = std::sqrt(1.5 * squares);
    energies[n] = fill * volume * mu * state.energy;
  });
  for (const double e : energies) out.energy += e;
  return out;
}

/// Means over the cells around nodes, by how full they are; that of a neighbour where all are
/// empty.
std::vector<double> to_nodes(const StaggeredBody& body, const files::BodyTopology& topology,
                             std::span<const double> per_cell, double otherwise) {
  std::vector<double> sum(topology.rest_nodes.size()), weight(sum.size());
  for (std::size_t n = 0; n < per_cell.size(); ++n) {
    const double fill = filled(body, n);
    for (const std::int32_t corner : topology.cells[n]) {
      sum[corner] += fill * per_cell[n];
      weight[corner] += fill;
    }
  }
  for (std::size_t n = 0; n < sum.size(); ++n) {
    sum[n] = weight[n] > 0 ? sum[n] / weight[n] : otherwise;
  }
  return sum;
}

}  // namespace

std::vector<double> StaggeredMethod::pushes(std::size_t b, const Motion& motion) const {
  const StaggeredBody& body = scene_.bodies[b];
  const Measured stresses(body, motion.u, context_.arena);
  std::vector<double> out(body.given.size());
  const double scale = -body.model.material.mu * cell_volume(body);
  parallel_for(context_.arena, out.size(), 256, [&](std::size_t g) {
    out[g] = scale * stresses->force(body.given[g].cell, body.given[g].axis);
  });
  return out;
}

double StaggeredMethod::elastic_energy(std::size_t b, const Motion& motion) const {
  return cells_of(scene_.bodies[b], motion.u, context_.arena).energy;
}

solve::Momenta StaggeredMethod::momenta() const {
  std::vector<double> mass;
  std::vector<Vec3d> positions, velocities;
  double kinetic = 0;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const StaggeredBody& body = scene_.bodies[b];
    mass.insert(mass.end(), body.node_mass.begin(), body.node_mass.end());
    for (const Vec3d& p : positions_of(b)) positions.push_back(p);
    for (const Vec3d& v : nodes_of(b, motions_[b].v)) velocities.push_back(v);
    const double whole = body.density * cell_volume(body);
    staggered::for_each_unknown<3>(body.model, [&](const Index<3>& cell, int k, std::size_t place) {
      if (k == 3) return;
      const double v = motions_[b].v[place];
      kinetic += 0.5 * whole * staggered::mass_fraction(body.model, cell, k) * v * v;
    });
  }
  solve::Momenta momenta = solve::momenta(mass, positions, velocities, context_.arena);
  momenta.kinetic_energy = kinetic;
  return momenta;
}

double StaggeredMethod::total_energy() const {
  double energy = momenta().kinetic_energy;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const StaggeredBody& body = scene_.bodies[b];
    energy += elastic_energy(b, motions_[b]);
    const double whole = body.density * cell_volume(body);
    staggered::for_each_unknown<3>(body.model, [&](const Index<3>& cell, int k, std::size_t place) {
      if (k == 3) return;
      energy -= gravity_[k] * whole * staggered::mass_fraction(body.model, cell, k) *
                motions_[b].u[place];
    });
  }
  return energy;
}

Snapshot StaggeredMethod::snapshot() const {
  Snapshot result;
  Measures& m = result.measures;
  m.min_j = 1;
  std::vector<solve::Resultant> reactions;
  std::vector<std::vector<solve::Push>> by_hold(scene_.holds.size());
  std::vector<double> all_j;
  double volume = 0, rest_volume = 0;
  const Vec3d gravity = gravity_ * std::clamp(1 + time_, 0.0, 1.0);
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const StaggeredBody& body = scene_.bodies[b];
    const files::BodyTopology& topology = scene_.topology.bodies[b];
    const Cells cells = cells_of(body, motions_[b].u, context_.arena);
    m.elastic_energy += cells.energy;
    for (std::size_t n = 0; n < cells.J.size(); ++n) {
      // Padding has next to nothing in it.
      if (filled(body, n) > 0.25) all_j.push_back(cells.J[n]);
    }
    const std::vector<double> push = pushes(b, motions_[b]);
    for (std::size_t g = 0; g < push.size(); ++g) {
      Vec3d force{0, 0, 0};
      // What fills the halves of cells at held faces weighs on them.
      const auto& [place, cell, axis, hold, at] = body.given[g];
      force[axis] = push[g] - body.density * cell_volume(body) * gravity[axis] *
                                  staggered::mass_fraction(body.model, cell, axis);
      by_hold[hold].push_back({at, force});
    }
    const std::vector<Vec3d> nodes = positions_of(b);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      m.gravity_energy -= body.node_mass[n] * dot(gravity, nodes[n] - topology.rest_nodes[n]);
    }
    const std::vector<double> j = to_nodes(body, topology, cells.J, 1),
                              pressure = to_nodes(body, topology, cells.pressure, 0),
                              von_mises = to_nodes(body, topology, cells.von_mises, 0);
    const std::array<Quantity, 3> quantities{{{"J", "", cells.J, j},
                                              {"pressure", "Pa", cells.pressure, pressure},
                                              {"von_mises", "Pa", cells.von_mises, von_mises}}};
    result.bodies.push_back(
        make_body_frame(topology, nodes, body.surface, quantities, body.painted));
    volume += std::abs(geometry::enclosed_volume(result.bodies.back().vertices, body.triangles));
    rest_volume += std::abs(geometry::enclosed_volume(topology.surface.positions, body.triangles));
    m.worst_zone_volume_error =
        worse(m.worst_zone_volume_error,
              worst_zone_volume_error(body.painted, cells.J,
                                      [&](std::size_t n) { return filled(body, n); }));
  }
  m.volume_error = volume / rest_volume - 1;
  add_volume_ratios(all_j, m);
  for (std::size_t h = 0; h < by_hold.size(); ++h) {
    const solve::Resultant sum = solve::resultant(by_hold[h]);
    m.reactions.push_back({scene_.hold_names[h], sum.force, sum.moment});
  }
  if (contact_) {
    std::vector<std::vector<Vec3d>> vertices;
    for (const files::BodyFrame& body : result.bodies) vertices.push_back(body.vertices);
    StaggeredContact::Picture picture =
        contact_->picture(vertices, pressures_, time_ / timing_.frame_rate);
    m.contact = picture.measures;
    for (NamedReaction& reaction : picture.reactions) m.reactions.push_back(std::move(reaction));
    for (std::size_t b = 0; b < result.bodies.size(); ++b) {
      for (files::Field& field : picture.fields[b]) {
        result.bodies[b].fields.push_back(std::move(field));
      }
    }
  }
  if (timing_.moves()) m.motion = motion_measures(ledger_, momenta(), total_energy());
  return result;
}

}  // namespace isochor::sim
