#include "isochor/sim/body_motion.h"

namespace isochor::sim {

void save(const Ledger& ledger, files::ByteWriter& writer) {
  for (const double energy : {ledger.start, ledger.hold_work, ledger.damping_loss}) {
    writer.put(energy);
  }
}

Ledger load_ledger(files::ByteReader& reader) {
  Ledger ledger;
  for (double* energy : {&ledger.start, &ledger.hold_work, &ledger.damping_loss}) {
    *energy = reader.get<double>();
  }
  return ledger;
}

MotionMeasures motion_measures(const Ledger& ledger, const solve::Momenta& momenta,
                               double total_energy) {
  return {.kinetic_energy = momenta.kinetic_energy,
          .damping_loss = ledger.damping_loss,
          .hold_work = ledger.hold_work,
          .integrator_loss = ledger.start + ledger.hold_work - ledger.damping_loss - total_energy,
          .center_of_mass = momenta.center,
          .momentum = momenta.linear,
          .angular_momentum = momenta.angular};
}

void set_rigid_velocities(const BodySpec& body, std::span<const double> mass,
                          std::span<const Vec3d> positions, std::span<Vec3d> velocities) {
  Vec3d center{0, 0, 0};
  double total = 0;
  for (std::size_t n = 0; n < mass.size(); ++n) {
    center += mass[n] * positions[n];
    total += mass[n];
  }
  center *= 1 / total;
  for (std::size_t n = 0; n < mass.size(); ++n) {
    velocities[n] = body.velocity + cross(body.angular_velocity, positions[n] - center);
  }
}

}  // namespace isochor::sim
