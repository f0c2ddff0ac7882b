#pragma once

#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/run/colormap.h"
#include "isochor/run/shading_mesh.h"

namespace isochor::run {

/// What the samples of one pixel say on average.
struct PixelLight {
  Colour light;
  Vec3f normal;
  float depth;
};

/// Takes the sampling noise out of light and soft shadows: an edge-avoiding a-trous filter
/// [Dammertz et al. 2010] that averages only over pixels of the same surface and similar light.
void smooth_light(std::vector<PixelLight>& pixels, int width, int height, ThreadArena& arena);

}  // namespace isochor::run
