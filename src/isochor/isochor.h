#pragma once

/// Isochor as a library: build a scene, step it, move what holds it, push it, read positions and
/// reactions. docs/guides/library.md has a whole program. All units are SI; points, forces and
/// vertices of triangles lie one after the other in flat vectors. Every function may throw
/// isochor::Failure.

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace isochor {

/// The version of the library, "0.1.0".
const char* version();

/// What went wrong, where, and what to do about it: the message of the command line.
class Failure : public std::runtime_error {
 public:
  enum class Kind {
    Input,       ///< a scene, a file or an argument
    Simulation,  ///< a step that could not be solved
    System,      ///< the machine said no: disk full, no memory
  };
  Failure(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// A scene: what docs/formats/scene.md describes, with meshes that may come from memory.
class Scene {
 public:
  /// From TOML text. Files that it names are looked for in `folder`, or where the program
  /// runs; errors call the scene `name`.
  explicit Scene(const std::string& text, const std::string& folder = "",
                 const std::string& name = "scene");
  static Scene load(const std::string& file);
  ~Scene();
  Scene(const Scene&);
  Scene& operator=(const Scene&);

  /// Overrides a key: set("body[0].material.young", "\"12 kPa\"").
  void set(const std::string& key, const std::string& value);
  /// The surface of all bodies with shape.kind = "mesh" and shape.file = `name`, which then is no
  /// file. x y z per vertex, in units of shape.scale; three vertices per triangle,
  /// counter-clockwise seen from outside. The name consists of letters, digits, '.', '-' and '_'.
  void set_mesh(const std::string& name, const std::vector<double>& vertices,
                const std::vector<int>& triangles);

  /// As TOML with every default.
  std::string text() const;
  /// Writes text(), and beside it each mesh from memory as a PLY file that the scene names. The
  /// command line runs the file to the same bits.
  void save(const std::string& file) const;

 private:
  friend class Simulation;
  friend class Run;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One Newton iteration of a step on the way to a frame.
struct Iteration {
  int frame = 0;        ///< being computed
  double fraction = 0;  ///< of the way to it that is done, 0 to 1
  int number = 0;       ///< in this step
  int krylov = 0;       ///< iterations of linear solvers in this step
  double residual = 0;  ///< relative
};

/// How a frame was reached.
struct FrameReport {
  int frame = -1;
  double time = 0;  ///< s
  int steps = 0;
  int cut_steps = 0;  ///< that did not converge, and were cut in two
  int newton_iterations = 0, krylov_iterations = 0, operator_applications = 0;
  double residual = 0;  ///< relative, at the end of the last step
  double seconds = 0;   ///< of wall time
};

/// What a hold, a soft hold or a tie pushes its (first) body with.
struct Reaction {
  std::string name;                ///< "body.hold", or that of the tie
  std::array<double, 3> force{};   ///< N
  std::array<double, 3> moment{};  ///< about the middle of what is held, N m
};

/// What the diagnostics say about a frame.
struct Measures {
  double volume_error = 0;             ///< (volume inside all surfaces) / (at rest) - 1
  double worst_cell_volume_error = 0;  ///< largest |J - 1|
  double min_j = 0;
  int inverted_cells = 0;
  double elastic_energy = 0, spring_energy = 0, gravity_energy = 0, kinetic_energy = 0;  ///< J
};

/// A quantity on a body.
struct Field {
  enum class On { Node, Cell, Vertex };
  std::string name, unit;
  On on = On::Vertex;
  int components = 1;         ///< 1 or 3
  std::vector<float> values;  ///< components fastest
};

/// What a simulation tells while it works. Called from the thread that computes.
struct Callbacks {
  std::function<void(const Iteration&)> on_iteration;
  std::function<void(const std::string& message, bool warning)> on_log;
};

/// A scene being simulated, frame by frame. Movable, not copyable; use from one thread at a time.
/// Two simulations in one process do not disturb each other.
class Simulation {
 public:
  /// `threads` <= 0 means one per processor, and changes no bit of the result.
  explicit Simulation(const Scene& scene, int threads = 0, const Callbacks& callbacks = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Computes the next frame; the first call gives frame 0. May go on past the last frame of the
  /// scene: motions then stay at their last key. False if cancelled. Then, and where it throws, the
  /// state is that of the frame before.
  bool step();
  /// Ends a step that is being computed, as soon as it can. From any thread, a callback or a signal
  /// handler.
  void cancel() noexcept;

  /// The last frame computed, -1 before the first.
  int frame() const;
  /// Frames that the scene asks for, frame 0 not counted.
  int frame_count() const;
  /// How the last frame was reached.
  const FrameReport& report() const;

  int body_count() const;
  const std::string& body_name(int body) const;
  /// The number of a body.
  int find_body(const std::string& name) const;

  // Vectors stay where they are as long as the simulation lives; what changes with frames is
  // brought up to date by the first of these functions that is called after a step.
  /// x y z per surface vertex, in the order of the user's mesh, m.
  const std::vector<double>& positions(int body = 0) const;
  const std::vector<double>& rest_positions(int body = 0) const;
  /// Three vertices per triangle, counter-clockwise seen from outside; faces of a file with more
  /// corners are cut into fans.
  const std::vector<int>& triangles(int body = 0) const;
  /// x y z per node, m, and eight nodes per cell of a lattice, x fastest, then y, then z, or four
  /// per tet: a body is made of either. Fields on cells are those on tets too.
  const std::vector<double>& node_positions(int body = 0) const;
  const std::vector<int>& cells(int body = 0) const;
  const std::vector<int>& tets(int body = 0) const;
  /// Displacement, J, pressure, von Mises stress, and what is painted.
  const std::vector<Field>& fields(int body = 0) const;
  const Measures& measures() const;
  const std::vector<Reaction>& reactions() const;
  const Reaction& reaction(const std::string& name) const;

  /// Takes a hold over from the scene: it goes to this pose, relative to rest, within the next
  /// frame and stays there. `name` is that of its reaction; `rotate` is a rotation vector about the
  /// middle of what is held, rad.
  void move_hold(const std::string& name, const std::array<double, 3>& translate,
                 const std::array<double, 3>& rotate = {});
  /// What pushes a body from the next frame on, in place of what did: a force per surface vertex,
  /// or one spread over its mass, N. In a static scene it comes up within the frame.
  void push_surface(int body, const std::vector<double>& forces);
  void push_body(int body, const std::array<double, 3>& force);

  /// The whole state, forces and moved holds included. A simulation of the same scene that restores
  /// it goes on with the same bits.
  std::vector<char> checkpoint() const;
  void restore(const std::vector<char>& checkpoint);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct RunOptions {
  int threads = 0;
  bool resume = false;   ///< go on after the last whole frame in the directory
  int last_frame = -1;   ///< stop after this one; -1: that of the scene
  bool pictures = true;  ///< in the report
  Callbacks callbacks;
  std::function<void(const FrameReport&, const Measures&)> on_frame;
};

/// A scene simulated into a run directory, with frames, checkpoints, diagnostics and a report, as
/// the command line does it.
class Run {
 public:
  Run(const Scene& scene, const std::string& directory, const RunOptions& options = {});
  ~Run();

  /// False if cancelled; where it throws a failure of kind Simulation or is cancelled, all whole
  /// frames and a report are in place. Once only.
  bool execute();
  /// Ends it as soon as it can; as Simulation::cancel.
  void cancel() noexcept;

  /// Whole frames in the directory, after execute().
  int frames() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace isochor
