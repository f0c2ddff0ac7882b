#pragma once

#include <optional>
#include <span>
#include <string>

#include "isochor/base/parallel.h"
#include "isochor/files/frame.h"
#include "isochor/math/vec3.h"
#include "isochor/run/image.h"

namespace isochor::run {

/// Keeps the half space dot(normal, x) <= offset of the deformed configuration; the cut through a
/// closed surface is shown filled.
struct CutPlane {
  Vec3d normal{1, 0, 0};
  double offset = 0;  ///< m, for a unit normal
};

struct RenderOptions {
  int width = 1280, height = 800;              ///< pixels
  int samples = 16;                            ///< per pixel; half of them inside surfaces
  std::string field;                           ///< on surface vertices; empty: plain materials
  std::optional<double> field_min, field_max;  ///< colour scale; by default what the frame has
  bool show_lattice = false;                   ///< the outer edges of the lattice, as thin lines
  Vec3d up{0, 1, 0};                           ///< where the ceiling is
  std::optional<Vec3d> camera_direction;       ///< from the bodies towards the camera
  double camera_distance_factor = 1;           ///< 1: the bodies fill the picture
  bool ground = true;                          ///< catches shadows below the lowest point
  std::string caption;                         ///< one line, lower left
  std::optional<CutPlane> cut;
};

/// Camera and ground, so that all frames of a run are seen from the same place. Lengths in m.
struct View {
  Vec3d eye, right, up, back;  ///< an orthonormal frame; the camera looks along -back
  double tan_half_height = 0;  ///< of the vertical angle of view
  Vec3d ground_normal;         ///< unit
  double ground_offset = 0;    ///< the ground is dot(ground_normal, x) = ground_offset
  Vec3d centre;                ///< of all that was fitted
  double radius = 0;           ///< of a ball around `centre` that holds all of it
};

struct FieldRange {
  double low, high;
};

/// A view that shows every vertex of every frame.
View fit_view(const files::Topology& topology, std::span<const files::Frame> frames,
              const RenderOptions& options);

/// The smallest and largest value of a field (the magnitude of one with three components) over all
/// frames; set it in the options for one colour scale in all pictures of a run. A field that has no
/// finite value gives 0 to 1; one that no frame has is an input error.
FieldRange field_range(const files::Topology& topology, std::span<const files::Frame> frames,
                       const std::string& field);

/// Ray traces the deformed surfaces in a soft studio light. The same bits for any number of
/// threads. Without a view, one is fitted to this frame.
Image render(const files::Topology& topology, const files::Frame& frame,
             const RenderOptions& options, const std::optional<View>& view, ThreadArena& arena);

}  // namespace isochor::run
