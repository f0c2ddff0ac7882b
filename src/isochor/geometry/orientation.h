#pragma once

#include "isochor/base/parallel.h"
#include "isochor/geometry/surface_mesh.h"

namespace isochor::geometry {

/// What `oriented_outward` made of a surface.
struct Orientation {
  std::vector<Triangle> triangles;  ///< as given, some of them turned round
  std::int64_t turned = 0;          ///< how many
  std::int32_t patches = 0;         ///< sets of triangles that hang together by their edges
  std::int32_t one_sided = 0;       ///< patches such as a Moebius strip, which have no outside
};

enum class Cavities {
  Keep,  ///< a closed patch inside another one and turned inward all over is a cavity
  Fill,  ///< every closed patch is a solid of its own
};

/// Turns the triangles of a surface so that they face outward, for the winding number and all that
/// needs an inside. Vertices with equal coordinates count as one. First neighbours across edges
/// with two triangles are made to agree, as the majority of each patch has it. Then a closed patch
/// is turned to enclose a positive volume; an open one is turned so that more of the rays that
/// leave its front find their way out than of those that leave its back, or, if these are equally
/// many, so that it bulges to its front. Flat sheets have no outside: they stay as their majority.
Orientation oriented_outward(std::span<const Vec3d> positions, std::span<const Triangle> triangles,
                             ThreadArena& arena, Cavities cavities = Cavities::Keep);

}  // namespace isochor::geometry
