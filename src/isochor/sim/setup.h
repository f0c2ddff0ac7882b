#pragma once

#include <string>
#include <vector>

#include "isochor/math/vec3.h"
#include "isochor/sim/painting.h"
#include "isochor/sim/part_volume.h"
#include "isochor/sim/scene_spec.h"
#include "isochor/sim/scenery.h"

namespace isochor::sim {

struct LatticeScene;

/// Where something outside takes hold of bodies, or one body of another.
struct Attachment {
  enum class Kind { Hold, Slide, SoftHold, Tie, Load };

  std::string name;  ///< "body.hold", "body.load", or that of a tie
  Kind kind = Kind::Hold;
  std::vector<Vec3d> points;  ///< at rest, m
  std::vector<KeySpec> keys;  ///< how it moves about the middle of its points; none: it does not
};

struct BodySetup {
  std::vector<Vec3d> fibres;       ///< per cell, unit, zero where it has none; or no cell has one
  std::vector<CellField> painted;  ///< per cell
  std::vector<PartVolume> parts;   ///< bones, then muscles
};

/// What a scene does to its bodies before anything moves, for pictures of it.
struct Setup {
  std::vector<Attachment> attachments;
  std::vector<BodySetup> bodies;
  std::vector<SceneryPart> scenery;
};
Setup setup_of(const LatticeScene& scene);

}  // namespace isochor::sim
