#pragma once

#include "isochor/files/frame.h"
#include "isochor/files/streamed_file.h"

namespace isochor::files {

/// Writes a short clip as binary glTF 2.0 (.glb), in metres: a mesh per body whose morph
/// targets are the frames, and one animation that leads through them, linear in between. It starts
/// at time 0. Faces with more than three corners are cut into fans of triangles; normals are
/// smooth. Vertices with several texture coordinates come again after all others, once for each;
/// faces of one material, or of one group where there are no materials, are a primitive with a
/// material of that name. Bodies without a face are left out.
///
/// Whoever opens such a file holds every frame in memory, so it must stay small: above kMostFrames
/// or kMostBytes it is refused with an Error that names other formats.
class GltfWriter {
 public:
  static constexpr int kMostFrames = 2000;
  static constexpr std::uint64_t kMostBytes = 300'000'000;

  /// `name` is that of the scene. In glTF y is up: where `up` is another axis of the bodies, nodes
  /// turn it there, vertices stay as they are.
  GltfWriter(std::filesystem::path path, const Topology& topology, std::string_view name,
             int frames, const Vec3d& up = {0, 1, 0});

  /// The next frame, with the bodies of the topology.
  void add(const Frame& frame);
  /// Puts the file in its place, once all frames are there.
  void finish();

 private:
  /// Triangles that look the same.
  struct Part {
    std::string material;  ///< its name, or none
    std::vector<geometry::Triangle> triangles;
  };
  struct Body {
    std::string name;
    std::size_t index;  ///< in the topology
    std::size_t user_vertices = 0;
    std::vector<geometry::Triangle> triangles;              ///< of the user's vertices
    std::vector<std::int32_t> vertices;                     ///< per vertex written, the user's
    std::vector<std::array<float, 2>> texture_coordinates;  ///< the same; none: it has none
    std::vector<Part> parts;                                ///< of vertices written
    std::vector<float> positions, normals;  ///< of the rest shape, in single precision
  };
  static Body make_body(const BodyTopology& topology, std::size_t index);
  void add_vertices(std::span<const float> positions, std::span<const float> normals);
  std::string mesh_json(std::size_t body, std::size_t& next_accessor,
                        std::vector<std::string>& materials) const;
  std::string document_json(std::size_t first_scalar_accessor) const;

  std::filesystem::path path_;
  StreamedFile binary_;
  std::string name_;
  std::size_t frames_;
  Vec3d up_;
  std::vector<Body> bodies_;
  std::vector<std::string> accessors_, views_;  ///< as JSON
  std::vector<int> frame_numbers_;
  std::vector<float> times_;
  double first_time_ = 0;
};

}  // namespace isochor::files
