#pragma once

#include <filesystem>

#include "isochor/base/context.h"
#include "isochor/geometry/tet_mesh.h"

namespace isochor::reproduce {

/// A picture of the tets whose centres are not beyond the plane through the middle of the solid
/// with this normal, each a little smaller than it is. `camera` is the direction towards the
/// camera. A cut that leaves nothing is an input error.
void draw_cut_tets(const std::filesystem::path& file, const geometry::TetMesh& mesh,
                   const Vec3d& normal, const Vec3d& camera, Context& context);

}  // namespace isochor::reproduce
