#pragma once

/// Isochor as a library: build a scene, step it, read positions. All units are SI. Every function
/// may throw isochor::Failure.

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace isochor {

/// What went wrong, where, and what to do about it: the message of the command line.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A scene being simulated, frame by frame. Movable, not copyable; use from one thread at a time.
/// Two simulations in one process do not disturb each other.
class Simulation {
 public:
  /// Reads a scene file. `settings` are "key=value" pairs that override it; `threads` <= 0 means
  /// one per processor, and changes no bit of the result.
  explicit Simulation(const std::string& scene_file, const std::vector<std::string>& settings = {},
                      int threads = 0);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Computes the next frame; the first call gives frame 0. May go on past the last frame of the
  /// scene: motions then stay at their last key. On failure the state is that of the frame before.
  void step();
  /// The last frame computed, -1 before the first.
  int frame() const;
  /// Frames that the scene asks for, frame 0 not counted.
  int frame_count() const;

  int body_count() const;
  std::string body_name(int body) const;
  /// x y z per surface vertex, in the order of the user's file, m.
  std::vector<double> surface_positions(int body) const;
  /// Three vertex numbers per triangle, counter-clockwise seen from outside; faces of the file
  /// with more corners are cut into fans.
  std::vector<int> surface_triangles(int body) const;
  /// (Volume inside all surfaces) / (at rest) - 1.
  double volume_error() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace isochor
