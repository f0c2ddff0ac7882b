#include "isochor/lattice/held_surface.h"

namespace isochor::lattice {
namespace {

/// A v^T.
Mat3d outer(const Vec3d& a, const Vec3d& v) { return {{v[0] * a, v[1] * a, v[2] * a}}; }

}  // namespace

HeldCell::HeldCell(const Surfaces& surfaces, const SurfaceCell& cell,
                   std::span<const SurfaceMotion> motions, const CellVectors& x,
                   const CellVectors& rest)
    : surfaces_(surfaces), cell_(cell), F_(Mat3d::zero()), lifted_(Mat3d::zero()) {
  for (int c = 0; c < 8; ++c) F_ += outer(x[c], cell.slopes[c]);
  for (std::int32_t k = cell.first_held; k < cell.held_end; ++k) {
    const HeldPart& part = surfaces.held_parts[k];
    const SurfaceMotion motion = motions.empty() ? SurfaceMotion{} : motions[part.hold];
    const Mat3d held = held_components(surfaces.holds[part.hold].slide, motion.direction);
    CellVectors& gap = gaps_[k - cell.first_held];
    components_[k - cell.first_held] = held;
    for (int c = 0; c < 8; ++c) {
      gap[c] = held * (x[c] - (motion.rotation * rest[c] + motion.translation));
      lifted_ += outer(gap[c], part.normals[c] * (1 / cell.volume));
    }
  }
}

std::array<CellLaw::Response, 2> HeldCell::respond(const CellLaw& law, bool linear) const {
  if (!linear) return law.respond(gradients());
  // To second order in the gap.
  std::array<CellLaw::Response, 2> r = law.respond({F_, F_});
  const CellLaw::Tangent A = law.linearise({F_, F_}, materials::Definiteness::None)[0];
  const Mat3d change = stress_differential(A, lifted_);
  r[1].energy += 0.5 * contract(change, lifted_) - contract(r[0].stress, lifted_);
  r[1].stress = r[0].stress - change;
  r[1].volume -= contract(r[0].gradient, lifted_);
  return r;
}

Mat3d HeldCell::derivative(int column, bool lifted) const {
  const int c = column / 3;
  Vec3d unit{0, 0, 0};
  unit[column % 3] = 1;
  Mat3d d = outer(unit, cell_.slopes[c]);
  for (std::int32_t k = cell_.first_held; lifted && k < cell_.held_end; ++k) {
    d += outer(components_[k - cell_.first_held] * unit,
               surfaces_.held_parts[k].normals[c] * (-1 / cell_.volume));
  }
  return d;
}

void HeldCell::add_penalty(std::int32_t k, CellVectors& force) const {
  const HeldPart& part = surfaces_.held_parts[k];
  const CellVectors& gap = gaps_[k - cell_.first_held];
  for (int c = 0; c < 8; ++c) {
    for (int d = 0; d < 8; ++d) force[c] -= (cell_.penalty * part.overlaps[c][d]) * gap[d];
  }
}

HeldCell::Energy HeldCell::add_forces(const CellLaw& law, bool linear, CellVectors& force) const {
  const auto [bare, lifted] = respond(law, linear);
  const double V = cell_.volume;
  Energy out{.energy = V * (lifted.energy - bare.energy),
             .volume = V * (lifted.volume - bare.volume)};
  for (int c = 0; c < 8; ++c) force[c] -= V * ((lifted.stress - bare.stress) * cell_.slopes[c]);
  for (std::int32_t k = cell_.first_held; k < cell_.held_end; ++k) {
    const std::int32_t own = k - cell_.first_held;
    CellVectors penalty{};
    add_penalty(k, penalty);
    for (int c = 0; c < 8; ++c) {
      force[c] +=
          components_[own] * (lifted.stress * surfaces_.held_parts[k].normals[c]) + penalty[c];
      out.energy -= 0.5 * dot(penalty[c], gaps_[own][c]);
    }
  }
  return out;
}

void HeldCell::add_push(const CellLaw& law, std::int32_t k, CellVectors& force) const {
  const Mat3d stress = law.respond(gradients())[1].stress;
  for (int c = 0; c < 8; ++c) {
    force[c] += components_[k - cell_.first_held] * (stress * surfaces_.held_parts[k].normals[c]);
  }
  add_penalty(k, force);
}

void HeldCell::add_tangent(const CellLaw& law, materials::Definiteness fix, bool linear,
                           CellMatrix& K, double (&volume)[24]) const {
  const std::array<Mat3d, 2> F = linear ? std::array{F_, F_} : gradients();
  const auto tangents = law.linearise(F, fix);
  const auto responses = law.respond(F);
  for (const bool lifted : {false, true}) {
    const double V = lifted ? cell_.volume : -cell_.volume;
    Mat3d D[24];
    for (int column = 0; column < 24; ++column) D[column] = derivative(column, lifted);
    for (int column = 0; column < 24; ++column) {
      const Mat3d dP = stress_differential(tangents[lifted], D[column]) * V;
      for (int row = 0; row < 24; ++row) K[column][row] += contract(dP, D[row]);
      volume[column] += V * contract(responses[lifted].gradient, D[column]);
    }
  }
  for (std::int32_t k = cell_.first_held; k < cell_.held_end; ++k) {
    const Mat3d& held = components_[k - cell_.first_held];
    for (int column = 0; column < 24; ++column) {
      for (int row = 0; row < 24; ++row) {
        K[column][row] += cell_.penalty * surfaces_.held_parts[k].overlaps[row / 3][column / 3] *
                          held(row % 3, column % 3);
      }
    }
  }
}

}  // namespace isochor::lattice
