#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isochor/geometry/surface_mesh.h"
#include "isochor/tets/conserving.h"

/// What experiments with moving bodies of tets share.
namespace isochor::reproduce {

/// A frame of film, s.
inline constexpr double kFrame = 1.0 / 24;

/// Tets may double their size `grading` times on the way inward.
geometry::TetMesh stuffed_ball(const Vec3d& centre, double radius, double spacing,
                               ThreadArena& arena, int grading = 0);

/// Isotropic, by the law that all of these experiments have.
materials::Material elastic_flesh(double young, double poisson);

/// The published scheme as its authors ran it, with as much damping as keeps it stable here; or
/// ours.
struct MotionSetup {
  tets::Scheme scheme = tets::Scheme::Implicit;
  bool keep_volumes = true;
  int substeps = 4;                 ///< per frame, of the implicit scheme
  double newton_tolerance = 1e-2;   ///< of it: volumes are corrected by more afterwards
  double stiffness_damping = 2e-3;  ///< of the published scheme, s
  /// Of the longest step that linear theory allows, in the published scheme: elements get stiffer
  /// while they deform.
  double step_part = 0.5;
  bool precondition = false;  ///< pressures of the published scheme
};

/// What a frame took and left.
struct FrameReport {
  int steps = 0;
  double seconds = 0;  ///< of work
  tets::ConservingReport sum;
  contact::ContactForces forces;  ///< mean over it
  double volume_error = 0;        ///< of all bodies together, relative, signed
  double worst_body = 0;          ///< the largest of a body, relative
  double worst_ring = 0;
  double low = 0, high = 0;  ///< along y, m
  int inverted = 0;          ///< tets
};

/// Bodies of tets in motion.
class TetMotion {
 public:
  TetMotion(const std::vector<tets::BodySpec>& bodies, const MotionSetup& setup,
            tets::ConservingParams params, std::vector<contact::Collider> colliders,
            Context& context);

  /// One frame, or a part of it; an Error where a step does not converge.
  FrameReport frame(const Vec3d& gravity, double length = kFrame);

  const tets::Model& model() const { return model_; }
  tets::State& state() { return state_; }
  tets::Conserving& stepper() { return stepper_; }
  double time() const { return time_; }
  /// Outside of all bodies, over the nodes of the model.
  const geometry::SurfaceMesh& surface() const { return surface_; }

 private:
  void measure(FrameReport& report);

  MotionSetup setup_;
  Context& context_;
  tets::Model model_;
  tets::State state_;
  tets::Conserving stepper_;
  geometry::SurfaceMesh surface_;
  double time_ = 0;
};

}  // namespace isochor::reproduce
