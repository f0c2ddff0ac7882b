#pragma once

#include <deque>

#include "isochor/files/frame.h"
#include "isochor/files/streamed_file.h"

namespace isochor::files {

/// Writes a run as one USD text file (.usda), in metres: a root that is the default prim,
/// and below it a Mesh per body with its faces, texture coordinates and groups of faces, and with
/// points, extents, velocities and what contact does to vertices (`contact_*`) over time. Time
/// codes are frame numbers. The default value of points is the rest shape; velocities are
/// differences of neighbouring frames, central except at both ends, in m/s. Memory holds three
/// frames; on disk the file is for a moment there twice.
class UsdWriter {
 public:
  /// `name` is that of the root, `frame_rate` in 1/s, `up_axis` Y or Z, there are no others in USD.
  /// Keeps a reference to the topology.
  UsdWriter(std::filesystem::path path, const Topology& topology, std::string_view name,
            double frame_rate, char up_axis = 'Y');

  /// The next frame, with the bodies of the topology.
  void add(const Frame& frame);
  /// Puts the file in its place; there must be a frame.
  void finish();

 private:
  /// What contact does to the vertices of a body, by name.
  struct FieldSection {
    FieldSection(const Field& field, const std::string& stem)
        : name(field.name),
          unit(field.unit),
          components(field.components),
          samples(stem + "." + field.name) {}
    std::string name, unit;
    int components;
    StreamedFile samples;
  };
  /// What of a body is known only at the end, in the order of the file.
  struct Sections {
    explicit Sections(const std::string& path)
        : stem(path), points(path + ".points"), velocities(path + ".velocities") {}
    std::string stem;
    StreamedFile points, velocities;
    std::deque<FieldSection> fields;
    std::string extents;
  };
  static void add_fields(const BodyFrame& body, int frame, Sections& sections);
  void add_velocities(const Frame& from, const Frame& to, const Frame& at);
  std::string stage_header() const;

  StreamedFile file_;
  const Topology& topology_;
  std::string root_;
  double frame_rate_;
  char up_axis_;
  std::deque<Sections> bodies_;
  std::deque<Frame> recent_;  ///< the last frame and the one before it
  int first_frame_ = 0;
};

/// The name with whatever a USD identifier must not have replaced by underscores.
std::string usd_identifier(std::string_view name);

}  // namespace isochor::files
