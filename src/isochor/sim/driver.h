#pragma once

#include <optional>
#include <vector>

#include "isochor/files/byte_stream.h"
#include "isochor/sim/motion.h"

/// What moves the holds of a scene: its keys, or a caller.
namespace isochor::sim {

/// The motion of nodes, springs or a surface that a hold asks for.
struct Driver {
  HoldSpec spec;
  std::vector<Vec3d> points;  ///< at rest, m
  Vec3d center{0, 0, 0};      ///< what turns about: the middle of the points, or the hold's pivot
};
Driver make_driver(const HoldSpec& spec, std::vector<Vec3d> points);

/// The keys of a driver as turns about the middle of its points, as pictures have them.
std::vector<KeySpec> keys_about_middle(const Driver& driver);

/// The motion of a hold that a caller moves, in place of its keys: from one pose to another within
/// a frame.
struct Guide {
  double since = 0;  ///< frames
  Pose from, to;
};

/// Per driver of a scene; nothing where the scene's keys count.
using Guides = std::vector<std::optional<Guide>>;

/// Where a driver is.
Pose pose_at(const Driver& driver, const std::optional<Guide>& guide, double time);

/// The number of a hold among `names`. An input error where it is not, or where it cannot move yet:
/// before frame 0 of a scene that starts with the shape at rest.
std::size_t find_hold(const std::string& name, const std::vector<std::string>& names, double time,
                      const TimeSpec& timing);

void save(const Guides& guides, files::ByteWriter& writer);
Guides load_guides(files::ByteReader& reader, std::size_t count);

}  // namespace isochor::sim
