#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isochor/base/parallel.h"
#include "isochor/geometry/tet_mesh.h"
#include "isochor/solve/pivoted_cholesky.h"

/// Sets of tets that keep their volume as a whole [Sheen21 sec 4]: volume may flow between the tets
/// of a zone, none is lost.
namespace isochor::tets {

struct Model;

/// What a body says of a zone. Zones may share tets.
struct ZoneSpec {
  std::string name;
  std::vector<std::int32_t> tets;  ///< numbers within the body's mesh, none twice
};

/// All tets of a mesh.
ZoneSpec whole_zone(const geometry::TetMesh& mesh, std::string name = "whole");

/// Around every node the tets that fewer than `rings` edges part from it: with one, those that it
/// is a corner of. As many zones as nodes that have tets.
std::vector<ZoneSpec> ring_zones(const geometry::TetMesh& mesh, int rings);

/// A zone as an artist gives it.
struct PaintedZone {
  std::string name;
  std::vector<double> weights;  ///< per node of the mesh, 0 to 1; those inside do not matter
};

/// Zones painted on the surface and carried inwards along the gradient of the distance from it
/// [Sheen21 sec 6]: the tets whose middle has its nearest place on the surface where the weight is
/// above a half. An input error names a zone that gets no tet.
std::vector<ZoneSpec> painted_zones(const geometry::TetMesh& mesh,
                                    std::span<const PaintedZone> zones, ThreadArena& arena);

/// How the volumes of zones are kept.
enum class ZoneMethod {
  Exact,       ///< Newton's method on the bordered system of positions and pressures
  Multiplier,  ///< augmented Lagrangian: minimise, move pressures by what is left, and again
  Linear,      ///< to first order about the begin of a step: for short steps in time
};

struct ZoneParams {
  ZoneMethod method = ZoneMethod::Exact;
  double tolerance = 1e-9;  ///< of every zone's volume, relative
  int most_direct = 24;     ///< zones up to which one linear solve each is the way, not MINRES
  int most_dense = 1024;    ///< up to which what they have in common is a dense matrix
};

/// The zones of a model. Constant.
struct Zones {
  std::vector<std::string> names;                  ///< "body.zone"
  std::vector<std::int32_t> first{0}, tets;        ///< zone z: tets [first[z], first[z + 1])
  std::vector<std::int32_t> first_of_tet, of_tet;  ///< the same by tets
  std::vector<double> volume;                      ///< at rest, m^3
  /// How much volume a zone gains per pressure, roughly, if its neighbours have the same: the sum
  /// of V / (2 mu + lambda) over its tets, of each as often as it is in a zone, m^3/Pa.
  std::vector<double> compliance;
  /// The same of all together: G = A diag(V / (2 mu + lambda)) A^T, with A one where a tet is in a
  /// zone. In its coordinates zones that share tets are as far from depending on each other as any,
  /// and those that do depend are left out. Empty where zones are too many for a dense matrix.
  solve::PivotedCholesky metric;
  /// B M^-1 B^T at rest, in coordinates of the metric, 1/s^2: how zones give way against inertia.
  /// Of models that move and whose zones are solved for by MINRES.
  solve::PivotedCholesky inertia;

  std::size_t count() const { return names.size(); }
};

/// Fills in all that follows from the tets of zones, of a model that is else complete.
void complete_zones(Model& model);

/// What zones of a model are measured with, about one set of positions. Part of Scratch.
struct ZoneSlopes {
  ZoneSlopes() = default;
  explicit ZoneSlopes(const Model& model);

  std::vector<Vec3d> positions;  ///< slopes are made of them anew: there is less to be fetched
  std::vector<double> tet;       ///< whatever is to be added up over zones
};

/// dV/dx of a corner, m^2.
inline Vec3d volume_slope(const geometry::Tet& tet, int corner, std::span<const Vec3d> x) {
  constexpr int kFaces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
  const auto& [a, b, c] = kFaces[corner];
  return (1.0 / 6) * cross(x[tet[b]] - x[tet[a]], x[tet[c]] - x[tet[a]]);
}

/// Volumes of all zones, m^3, and how they change about these positions.
void measure_zones(const Model& model, std::span<const Vec3d> x, ZoneSlopes& slopes,
                   std::span<double> volumes, ThreadArena& arena);

/// B u: the change of every zone's volume to first order, m^3.
void zone_change(const Model& model, ZoneSlopes& slopes, std::span<const Vec3d> u,
                 std::span<double> out, ThreadArena& arena);

/// The sum of the pressures of every tet's zones, Pa.
void tet_pressures(const Model& model, std::span<const double> pressures, std::span<double> out,
                   ThreadArena& arena);

/// force += B^T p: what pressures push with, N.
void add_zone_force(const Model& model, ZoneSlopes& slopes, std::span<const double> pressures,
                    std::span<Vec3d> force, ThreadArena& arena);

}  // namespace isochor::tets
