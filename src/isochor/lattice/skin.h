#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/grid/surface_patches.h"
#include "isochor/materials/tangent.h"
#include "isochor/math/mat3.h"
#include "isochor/shells/sheet_law.h"

/// Skin: a thin sheet on the embedded surface that is stretched as the cells beneath it are. Its
/// energy, that of shells::SheetLaw, is a sum over points of the surface in each cell,
///     sum_q V_q W(E),   E = (F^T F - 1) / 2,   F = sum_c x_c (grad w_c . tangents)^T, 3x2,
/// and what it adds to forces and matrices are those of its cell: it has no nodes of its own.
namespace isochor::lattice {

struct BodySpec;
struct CutGroup;
struct CutMatrix;
struct Model;

/// The skin of a body; none without facets.
struct SkinSpec {
  shells::SheetLaw law;
  double thickness = 0;                    ///< m
  std::vector<grid::SurfaceFacet> facets;  ///< cells of the body's lattice
};

/// A piece of skin in one cell: facets that face about the same way, at the middle of their area.
struct SkinPoint {
  Vec3d tangents[2];    ///< unit, at right angles to each other
  double slopes[7][2];  ///< of the weights of corners 1 to 7 along them, 1/m
  double volume = 0;    ///< area times thickness, m^3
};

/// All skin of a model.
struct Skin {
  std::vector<shells::SheetLaw> laws;  ///< per body
  std::vector<SkinPoint> points;
  /// Lane l of Model::cut_groups[g] has points [first[kGroupBlocks g + l], [... + 1]); none where
  /// no body has skin.
  std::vector<std::int32_t> first;

  bool empty() const { return first.empty(); }
  std::size_t bytes() const;
};

/// Of bodies whose cells are in the model already, those with skin in cut groups. Makes the model's
/// rounding what skin asks for.
Skin build_skin(const std::vector<BodySpec>& bodies, Model& model);

/// Per cell what skin adds to its shear modulus, times its fill, Pa, where nothing knows which way
/// it faces; none where there is no skin. As stiff along the skin, too stiff across.
std::vector<double> smeared_skin(const BodySpec& body);

/// Adds energies to blocks and, unless null, forces to nodes.
void add_skin_forces(const Model& model, const CutGroup& group, std::span<const Vec3d> positions,
                     Vec3d* force, std::span<double> block_energy);

/// Adds second derivatives about positions, or about given F, at block * 8 + lane. All fixes cut
/// negative eigenvalues off.
void add_skin_tangent(const Model& model, const CutGroup& group, std::span<const Vec3d> positions,
                      bool definite, CutMatrix& matrix);
void add_skin_tangent(const Model& model, const CutGroup& group, std::span<const Mat3d> gradients,
                      bool definite, CutMatrix& matrix);

}  // namespace isochor::lattice
