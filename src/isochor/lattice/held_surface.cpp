#include "isochor/lattice/held_surface.h"

namespace isochor::lattice {
namespace {

/// A v^T.
Mat3d outer(const Vec3d& a, const Vec3d& v) { return {{v[0] * a, v[1] * a, v[2] * a}}; }

}  // namespace

HeldCell::HeldCell(const Surfaces& surfaces, const SurfaceCell& cell,
                   std::span<const SurfaceMotion> motions, const CellVectors& x,
                   const CellVectors& rest)
    : surfaces_(surfaces), cell_(cell), lifted_(Mat3d::zero()) {
  for (int q = 0; q < cell.points; ++q) {
    F_[q] = Mat3d::zero();
    for (int c = 0; c < 8; ++c) F_[q] += outer(x[c], cell.slopes[q][c]);
  }
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

HeldCell::Gradients HeldCell::gradients(bool linear) const {
  Gradients F;
  for (int q = 0; q < cell_.points; ++q) {
    F[q] = F_[q];
    F[cell_.points + q] = linear ? F_[q] : F_[q] - lifted_;
  }
  return F;
}

HeldCell::Responses HeldCell::respond(const CellLaw& law, bool linear) const {
  const Gradients F = gradients(linear);
  Responses r;
  law.respond(std::span(F).first(evaluations()), std::span(r).first(evaluations()));
  if (!linear) return r;
  // To second order in the gap.
  CellLaw::Tangent tangents[kMostPoints];
  law.linearise(std::span(F).first(cell_.points), materials::Definiteness::None,
                std::span(tangents).first(cell_.points));
  for (int q = 0; q < cell_.points; ++q) {
    CellLaw::Response& lifted = r[cell_.points + q];
    const Mat3d change = stress_differential(tangents[q], lifted_);
    lifted.energy += 0.5 * contract(change, lifted_) - contract(r[q].stress, lifted_);
    lifted.stress = r[q].stress - change;
    lifted.volume -= contract(r[q].gradient, lifted_);
  }
  return r;
}

Mat3d HeldCell::held_stress(const Responses& responses) const {
  Mat3d sum = Mat3d::zero();
  for (int q = 0; q < cell_.points; ++q) sum += responses[cell_.points + q].stress;
  return sum * (1.0 / cell_.points);
}

Mat3d HeldCell::derivative(int point, int column, bool lifted) const {
  const int c = column / 3;
  Vec3d unit{0, 0, 0};
  unit[column % 3] = 1;
  Mat3d d = outer(unit, cell_.slopes[point][c]);
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
  const Responses r = respond(law, linear);
  const double share = cell_.volume / cell_.points;
  Energy out;
  for (int q = 0; q < cell_.points; ++q) {
    const CellLaw::Response &bare = r[q], &lifted = r[cell_.points + q];
    out.energy += share * (lifted.energy - bare.energy);
    out.volume += share * (lifted.volume - bare.volume);
    const Mat3d change = lifted.stress - bare.stress;
    for (int c = 0; c < 8; ++c) force[c] -= share * (change * cell_.slopes[q][c]);
  }
  const Mat3d stress = held_stress(r);
  for (std::int32_t k = cell_.first_held; k < cell_.held_end; ++k) {
    const std::int32_t own = k - cell_.first_held;
    CellVectors penalty{};
    add_penalty(k, penalty);
    for (int c = 0; c < 8; ++c) {
      force[c] += components_[own] * (stress * surfaces_.held_parts[k].normals[c]) + penalty[c];
      out.energy -= 0.5 * dot(penalty[c], gaps_[own][c]);
    }
  }
  return out;
}

void HeldCell::add_push(const CellLaw& law, std::int32_t k, CellVectors& force) const {
  const Responses r = respond(law, false);
  const Mat3d stress = held_stress(r);
  const double share = cell_.volume / (cell_.points * (cell_.held_end - cell_.first_held));
  for (int c = 0; c < 8; ++c) {
    force[c] += components_[k - cell_.first_held] * (stress * surfaces_.held_parts[k].normals[c]);
    for (int q = 0; q < cell_.points; ++q) {
      const Mat3d change = r[cell_.points + q].stress - r[q].stress;
      force[c] -= share * (change * cell_.slopes[q][c]);
    }
  }
  add_penalty(k, force);
}

void HeldCell::add_tangent(const CellLaw& law, materials::Definiteness fix, bool linear,
                           CellMatrix& K, double (&volume)[24]) const {
  const Gradients F = gradients(linear);
  CellLaw::Tangent tangents[2 * kMostPoints];
  Responses responses;
  law.linearise(std::span(F).first(evaluations()), fix, std::span(tangents).first(evaluations()));
  law.respond(std::span(F).first(evaluations()), std::span(responses).first(evaluations()));
  for (int k = 0; k < 2 * cell_.points; ++k) {
    const bool lifted = k >= cell_.points;
    const double share = (lifted ? 1 : -1) * cell_.volume / cell_.points;
    Mat3d D[24];
    for (int column = 0; column < 24; ++column) {
      D[column] = derivative(k % cell_.points, column, lifted);
    }
    for (int column = 0; column < 24; ++column) {
      const Mat3d dP = stress_differential(tangents[k], D[column]) * share;
      for (int row = 0; row < 24; ++row) K[column][row] += contract(dP, D[row]);
      volume[column] += share * contract(responses[k].gradient, D[column]);
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
