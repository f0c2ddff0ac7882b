#pragma once

#include <memory>

#include "isochor/contact/contact_energy.h"
#include "isochor/contact/contact_report.h"
#include "isochor/sim/method.h"
#include "isochor/sim/scene_spec.h"
#include "isochor/tets/solver.h"
#include "isochor/tets/touching.h"

namespace isochor::sim {

/// What bodies of tets touch, as a part of the energy of a step, so that nothing has to be moved
/// after it: bands that they wear, bones that they slide over; where zones keep their volumes,
/// colliders and each other too.
class TetContact {
 public:
  /// The model must outlive this.
  TetContact(const SceneSpec& scene, const tets::Model& model,
             const std::vector<contact::Collider>& colliders, Context& context);

  /// Lets a step from one time to another, in frames, know of it. The input refers to this until it
  /// ends.
  void enter(tets::StepInput& input, double from, double time, ThreadArena& arena);
  /// Where such a step has ended: what it pushed with.
  contact::ContactForces forces(std::span<const Vec3d> positions) const;
  const contact::Colliders& colliders() const { return colliders_; }

  /// As in StepInput; until the next call.
  std::span<const double> tightening_at(double time);

  /// Of contact at every node of the model, at a time in frames, Pa.
  std::vector<double> pressures(std::span<const Vec3d> positions, double time, ThreadArena& arena);

  /// How bands fit at a time, in frames, with those pressures.
  std::vector<NamedBand> measure_bands(std::span<const Vec3d> positions,
                                       std::span<const double> pressures, double time);

  /// How bodies are placed at a time in frames.
  contact::ContactReport report(std::span<const Vec3d> positions, double time, ThreadArena& arena);
  double reach() const { return reach_; }
  bool self_contact() const { return self_contact_; }
  /// False where bands and bones are all there is.
  bool touches() const { return touches_; }
  /// False where bones are.
  bool pushes_surfaces() const { return touches_ || !worn_.empty(); }

 private:
  struct Worn {
    std::string name;
    std::size_t band, wearer;  ///< bodies of the model
    double rest_girth = 0;     ///< of the wearer, m
  };
  std::vector<geometry::Triangle> triangles_of(std::size_t body);

  const tets::Model& model_;
  double frame_rate_;
  double reach_ = 0;  ///< of contact, m
  bool touches_, self_contact_;
  std::vector<Worn> worn_;
  std::vector<double> tight_at_;  ///< per sheet
  std::vector<double> tightening_;
  std::vector<Vec3d> obstacles_;  ///< where a step ends
  contact::Colliders colliders_;
  contact::ContactEnergy contact_;
  tets::SurfaceScale scale_;
};

/// Null where a scene has none of this.
std::unique_ptr<TetContact> make_tet_contact(const SceneSpec& scene, const tets::Model& model,
                                             const std::vector<contact::Collider>& colliders,
                                             Context& context);

}  // namespace isochor::sim
