#pragma once

#include <optional>
#include <string_view>

#include "isochor/base/context.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/grid/sliver_cells.h"
#include "isochor/lattice/model.h"

namespace isochor::reproduce {

/// How cells at the surface of a body count, as the scene key `boundary` names them.
enum class Boundary {
  Cut,       ///< by four points of the part inside: second order
  Weighted,  ///< by how large that part is
  Whole,     ///< as whole ones: voxels
};
inline constexpr std::string_view kBoundaryNames[] = {"cut", "weighted", "whole"};

/// A homogeneous body in cells of edge h, not held by anything. Poisson's ratio up to 0.5, where
/// lambda is infinite. The corner of a cell lies at `anchor`; without one, cells lie evenly about
/// the body, wherever it is shifted. Of cut cells those filled by less than `least_cut` are left
/// out.
lattice::BodySpec make_embedded(const geometry::SurfaceMesh& surface, double h, Boundary boundary,
                                std::string_view law, double mu, double poisson, Context& context,
                                const std::optional<Vec3d>& anchor = std::nullopt,
                                double least_cut = grid::kLeastFraction);

/// A surface turned by 0.7 rad about (1, 2, 3) and shifted by (0.137, 0.291, 0.053) h: what a
/// lattice knows nothing of.
geometry::SurfaceMesh turned_and_shifted(geometry::SurfaceMesh surface, double h);
/// The same of points, and of directions.
Vec3d turned_and_shifted(const Vec3d& point, double h);
Vec3d turned(const Vec3d& direction);

}  // namespace isochor::reproduce
