#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "isochor/sim/method.h"

namespace isochor::sim {

/// How a frame was reached.
struct FrameReport {
  int frame = 0;
  double time = 0;    ///< s
  int steps = 0;      ///< that converged
  int cut_steps = 0;  ///< that did not, and were cut in two
  int newton_iterations = 0;
  int krylov_iterations = 0;
  int operator_applications = 0;
  double residual = 0;  ///< relative, of the last step, recomputed from the state
  double solve_seconds = 0;
};

/// A scene being simulated, frame by frame. Owns frames, steps, cutting and retrying; the method
/// owns the state.
class Simulation {
 public:
  /// The context must outlive the simulation.
  Simulation(SceneSpec scene, Context& context);

  const SceneSpec& scene() const { return scene_; }
  const files::Topology& topology() const { return method_->topology(); }
  Summary summary() const { return method_->summary(); }
  Setup setup() const;

  /// The last whole frame, -1 before frame 0.
  int frame() const { return frame_; }

  /// Computes the next frame. Empty if cancelled. Throws a simulation error if a step cannot be
  /// solved even when cut small. In both cases the state is that of the last whole frame.
  std::optional<FrameReport> advance();

  /// What a caller does to the bodies between two frames, as in Method.
  void move_hold(const std::string& name, const Pose& pose);
  void push_surface(std::size_t body, std::span<const Vec3d> forces);
  void push_mass(std::size_t body, const Vec3d& force);

  /// The last whole frame, and its measures.
  std::pair<files::Frame, Measures> snapshot() const;

  /// The state of the last whole frame, with what was done to it since. Restoring it continues with
  /// the same bits.
  const std::vector<std::byte>& checkpoint() const { return checkpoint_; }
  /// `path` names the file in errors: another format, damage, a scene of another size.
  void restore(const std::filesystem::path& path, std::span<const std::byte> bytes);

  /// For tests.
  void poison_scratch() { method_->poison_scratch(); }

 private:
  std::vector<std::byte> save() const;

  SceneSpec scene_;
  Context& context_;
  std::unique_ptr<Method> method_;
  int frame_ = -1;
  std::vector<std::byte> checkpoint_;
};

}  // namespace isochor::sim
