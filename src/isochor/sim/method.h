#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/files/byte_stream.h"
#include "isochor/files/frame.h"
#include "isochor/sim/motion.h"
#include "isochor/sim/scene_spec.h"
#include "isochor/sim/setup.h"
#include "isochor/solve/newton.h"
#include "isochor/solve/time_integration.h"

namespace isochor::sim {

/// Size of a discretised scene.
struct Summary {
  std::string_view elements = "cells";  ///< what bodies are made of, in plural
  std::size_t cells = 0, nodes = 0, held_nodes = 0, surface_vertices = 0;
  double mass = 0;         ///< kg
  double volume = 0;       ///< enclosed by the surfaces, m^3
  std::size_t memory = 0;  ///< bytes allocated for model, state and scratch
};

struct NamedReaction {
  std::string name;  ///< "body.hold", or that of a tie
  Vec3d force;       ///< on the body, N
  Vec3d moment;      ///< about the middle of the held nodes, N m
};

/// A zone that keeps its volume.
struct NamedZone {
  std::string name;     ///< "body.zone"
  double volume = 1;    ///< over that at rest
  double pressure = 0;  ///< that keeps it so, Pa
};

/// How a band, and what is worn like one, fits.
struct NamedBand {
  std::string name;            ///< "body.band"
  double girth = 0;            ///< of the band, across its middle, m
  double body_girth = 0;       ///< of a tape around the body beneath it, m
  double rest_body_girth = 0;  ///< the same of body and band at rest, m
  double tension = 0;          ///< the mean of the larger one, N/m
  double pressure = 0;         ///< on the body, the mean over the band, Pa
  double most_pressure = 0;    ///< Pa
};

/// What the diagnostics say about a motion. Losses and work are those since frame 0.
struct MotionMeasures {
  double kinetic_energy = 0;        ///< J
  double damping_loss = 0;          ///< J
  double hold_work = 0;             ///< by what moves holds, activates muscles and pushes, J
  double integrator_loss = 0;       ///< what is missing in the balance of all energies, J
  Vec3d center_of_mass{0, 0, 0};    ///< of all bodies, m
  Vec3d momentum{0, 0, 0};          ///< kg m/s
  Vec3d angular_momentum{0, 0, 0};  ///< about the centre of mass, kg m^2/s
};

/// Where bodies touch something, and where volume is kept around nodes.
struct ContactMeasures {
  std::size_t collider_contacts = 0;  ///< nodes that touch a collider
  double deepest = 0;                 ///< inside a collider, m
  /// m, from what is nearest, no more than the reach of contact; of methods that look for it.
  std::optional<double> smallest_gap;
  /// Pairs of parts of bodies within that reach; where bodies may touch.
  std::optional<std::int64_t> pair_contacts;
  std::optional<std::int64_t> crossings;  ///< pairs of triangles of bodies; where bodies may touch
  std::optional<double> worst_ring_volume_error;  ///< relative, around a node; where that is kept
};

/// What the diagnostics say about a state.
struct Measures {
  double elastic_energy = 0;  ///< J
  double spring_energy = 0;   ///< of soft holds and ties, J
  double gravity_energy = 0;  ///< J, zero at rest
  double volume_error = 0;    ///< of all surfaces together, relative
  /// Of the zones that keep their volume, else of the parts of bodies that are painted as zones,
  /// the one that is worst; none without zones.
  std::optional<double> worst_zone_volume_error;
  double worst_cell_volume_error = 0;  ///< largest |J - 1|
  double min_j = 0;
  int inverted_cells = 0;                  ///< J <= 0
  std::optional<MotionMeasures> motion;    ///< where time passes
  std::optional<ContactMeasures> contact;  ///< of methods that know of it
  std::vector<NamedReaction> reactions;
  std::vector<NamedZone> zones;  ///< that keep their volume
  std::vector<NamedBand> bands;
};

struct Snapshot {
  std::vector<files::BodyFrame> bodies;
  Measures measures;
};

/// A discretised scene with its state: what Simulation drives. One implementation per method.
class Method {
 public:
  virtual ~Method() = default;

  virtual const files::Topology& topology() const = 0;
  virtual Summary summary() const = 0;
  /// What holds the bodies, for pictures.
  virtual Setup setup() const = 0;

  /// Moves the state to `time`, in frames. Frame 0 is reached from -1, over which gravity and the
  /// first pose come up from nothing; a motion that starts from rest begins there. Transactional:
  /// unless converged, the state is unchanged.
  virtual solve::NewtonReport advance(double time) = 0;

  /// Takes a hold or a soft hold over from the scene: it goes to `pose` within a frame, at an even
  /// pace, and stays there. `name` is that of its reaction. Part of the state.
  virtual void move_hold(const std::string& name, const Pose& pose) = 0;

  /// What pushes a body from here on, in place of what did: a force per surface vertex, or one that
  /// is spread over its mass, N. It keeps its direction. Part of the state.
  virtual void push_surface(std::size_t body, std::span<const Vec3d> forces) = 0;
  virtual void push_mass(std::size_t body, const Vec3d& force) = 0;

  virtual Snapshot snapshot() const = 0;

  /// The whole state, for checkpoints.
  virtual void save(files::ByteWriter& writer) const = 0;
  virtual void load(files::ByteReader& reader) = 0;

  /// Fills working memory with NaN: no result may depend on it. For tests.
  virtual void poison_scratch() = 0;
};

solve::Integrator integrator_of(const TimeSpec& time);

/// The context must outlive the method.
std::unique_ptr<Method> make_method(const SceneSpec& scene, Context& context);

}  // namespace isochor::sim
