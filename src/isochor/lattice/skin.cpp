#include "isochor/lattice/skin.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/lattice/cell_weights.h"
#include "isochor/lattice/tangents.h"
#include "isochor/shells/membrane.h"

namespace isochor::lattice {
namespace {

/// Facets are one point where their middles are in the same box, of 4^3 in a cell, and their
/// normals differ by less than this from that of the first, as a cosine: a degree. A point per cell
/// and direction would leave modes of the cell that stretch it on both sides of the point.
constexpr int kBoxes = 4;
constexpr double kSameWay = 0.9998;

/// Facets on their way to a point; lengths in cells.
struct Piece {
  int box = 0;
  Vec3d direction;        ///< the normal of the first facet
  Vec3d normal{0, 0, 0};  ///< sum of area vectors
  Vec3d moment{0, 0, 0};  ///< of the area
  double area = 0;
};

int box_of(const Vec3d& local) {
  int box = 0;
  for (int a = 0; a < 3; ++a) {
    box = box * kBoxes + std::clamp(static_cast<int>(kBoxes * local[a]), 0, kBoxes - 1);
  }
  return box;
}

/// The pieces of every cell of a body that has some.
std::vector<std::vector<Piece>> pieces_of(const BodySpec& body) {
  std::vector<std::vector<Piece>> cells(body.lattice.cell_count());
  for (const grid::SurfaceFacet& facet : body.skin.facets) {
    const auto& [a, b, c] = facet.corners;
    const Vec3d area = 0.5 * cross(b - a, c - a);
    const double size = norm(area);
    if (!(size > 0)) continue;
    std::vector<Piece>& pieces = cells[facet.cell];
    const int box = box_of((1.0 / 3) * (a + b + c));
    auto piece = std::ranges::find_if(pieces, [&](const Piece& p) {
      return p.box == box && dot(p.direction, area) > kSameWay * size;
    });
    if (piece == pieces.end()) {
      piece = pieces.insert(piece, Piece{.box = box, .direction = area * (1 / size)});
    }
    piece->normal += area;
    piece->moment += (size / 3) * (a + b + c);
    piece->area += size;
  }
  return cells;
}

SkinPoint make_point(const Piece& piece, double h, double thickness) {
  SkinPoint point;
  const Vec3d n = piece.normal * (1 / norm(piece.normal));
  // The axis that is farthest from the normal.
  int axis = 0;
  for (int a = 1; a < 3; ++a) {
    if (std::abs(n[a]) < std::abs(n[axis])) axis = a;
  }
  Vec3d along{0, 0, 0};
  along[axis] = 1;
  along -= dot(along, n) * n;
  point.tangents[0] = along * (1 / norm(along));
  point.tangents[1] = cross(n, point.tangents[0]);
  point.volume = piece.area * h * h * thickness;
  const CellWeights w(piece.moment * (1 / piece.area));
  for (int c = 1; c < 8; ++c) {
    for (int a = 0; a < 2; ++a) {
      point.slopes[c - 1][a] = dot(w.gradient[c], point.tangents[a]) / h;
    }
  }
  return point;
}

/// Calls f(lane, point) for the skin of a group.
template <class F>
void for_each_point(const Model& model, const CutGroup& group, F&& f) {
  const Skin& skin = model.skin;
  if (skin.empty()) return;
  const std::size_t g = &group - model.cut_groups.data();
  for (int lane = 0; lane < kGroupBlocks; ++lane) {
    const std::size_t at = g * kGroupBlocks + lane;
    for (std::int32_t p = skin.first[at]; p < skin.first[at + 1]; ++p) f(lane, skin.points[p]);
  }
}

shells::SheetGradient deformation(const SkinPoint& point, const CutGroup& group, int lane,
                                  std::span<const Vec3d> positions) {
  shells::SheetGradient F{Vec3d{0, 0, 0}, {0, 0, 0}};
  const Vec3d& first = positions[group.nodes[0][lane] / 3];
  for (int c = 1; c < 8; ++c) {
    const Vec3d edge = positions[group.nodes[c][lane] / 3] - first;
    for (int a = 0; a < 2; ++a) F[a] += point.slopes[c - 1][a] * edge;
  }
  return F;
}

/// Adds the second derivatives by the differences of corners to corner 0.
void add_hessian(const SkinPoint& point, const std::array<Mat3d, 4>& hessian, int lane,
                 CutMatrix& matrix) {
  for (int d = 0; d < 7; ++d) {
    Mat3d by_corner[2];
    for (int a = 0; a < 2; ++a) {
      by_corner[a] =
          (hessian[2 * a] * point.slopes[d][0] + hessian[2 * a + 1] * point.slopes[d][1]) *
          point.volume;
    }
    for (int c = 0; c <= d; ++c) {
      const Mat3d block = by_corner[0] * point.slopes[c][0] + by_corner[1] * point.slopes[c][1];
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
          if (c == d && i > j) continue;
          float& entry = matrix.entry[CutMatrix::index(3 * c + i, 3 * d + j)][lane];
          entry = static_cast<float>(entry + block(i, j));
        }
      }
    }
  }
}

/// Adds tangents about what deform(lane, point) says.
template <class Deform>
void add_tangent(const Model& model, const CutGroup& group, bool definite, CutMatrix& matrix,
                 Deform&& deform) {
  const auto curvature = definite ? contact::Curvature::Definite : contact::Curvature::Exact;
  for_each_point(model, group, [&](int lane, const SkinPoint& point) {
    const shells::MembraneResponse r = shells::respond(
        model.skin.laws[group.body], deform(lane, point), shells::Detail::Hessian, curvature);
    add_hessian(point, r.hessian, lane, matrix);
  });
}

}  // namespace

Skin build_skin(const std::vector<BodySpec>& bodies, Model& model) {
  Skin skin;
  if (std::ranges::all_of(bodies, [](const BodySpec& b) { return b.skin.facets.empty(); })) {
    return skin;
  }
  // By place, the skin of all cells.
  std::vector<std::vector<SkinPoint>> points(8 * model.blocks.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodySpec& body = bodies[b];
    skin.laws.push_back(body.skin.law);
    if (body.skin.facets.empty()) continue;
    const auto pieces = pieces_of(body);
    for (std::size_t c = 0; c < pieces.size(); ++c) {
      for (const Piece& piece : pieces[c]) {
        points[model.cells[model.bodies[b].first_cell + c]].push_back(
            make_point(piece, body.lattice.spacing, body.skin.thickness));
      }
    }
    constexpr double kEpsilon = 16 * std::numeric_limits<double>::epsilon();
    model.rounding_stiffness =
        std::max(model.rounding_stiffness,
                 kEpsilon * shells::modulus_of(body.skin.law) * body.skin.thickness);
  }
  skin.first.push_back(0);
  for (const CutGroup& group : model.cut_groups) {
    for (const std::int32_t cell : group.cell) {
      // Lanes that fill up a group repeat a cell, whose skin is there once.
      skin.points.insert(skin.points.end(), points[cell].begin(), points[cell].end());
      points[cell].clear();
      skin.first.push_back(static_cast<std::int32_t>(skin.points.size()));
    }
  }
  return skin;
}

std::vector<double> smeared_skin(const BodySpec& body) {
  if (body.skin.facets.empty()) return {};
  std::vector<double> mu(body.lattice.cell_count(), 0);
  // A sheet that keeps its volume resists with 4 mu in its plane.
  const double per_area =
      0.25 * shells::modulus_of(body.skin.law) * body.skin.thickness / body.lattice.spacing;
  for (const grid::SurfaceFacet& facet : body.skin.facets) {
    const auto& [a, b, c] = facet.corners;
    mu[facet.cell] += per_area * 0.5 * norm(cross(b - a, c - a));
  }
  return mu;
}

void add_skin_forces(const Model& model, const CutGroup& group, std::span<const Vec3d> positions,
                     Vec3d* force, std::span<double> block_energy) {
  for_each_point(model, group, [&](int lane, const SkinPoint& point) {
    const shells::MembraneResponse r =
        shells::respond(model.skin.laws[group.body], deformation(point, group, lane, positions),
                        force ? shells::Detail::Gradient : shells::Detail::Energy);
    block_energy[group.cell[lane] / 8] += point.volume * r.energy;
    if (!force) return;
    Vec3d first{0, 0, 0};
    for (int c = 1; c < 8; ++c) {
      const Vec3d pull = point.volume * (point.slopes[c - 1][0] * r.stress[0] +
                                         point.slopes[c - 1][1] * r.stress[1]);
      force[group.nodes[c][lane] / 3] -= pull;
      first += pull;
    }
    force[group.nodes[0][lane] / 3] += first;
  });
}

void add_skin_tangent(const Model& model, const CutGroup& group, std::span<const Vec3d> positions,
                      bool definite, CutMatrix& matrix) {
  add_tangent(model, group, definite, matrix, [&](int lane, const SkinPoint& point) {
    return deformation(point, group, lane, positions);
  });
}

void add_skin_tangent(const Model& model, const CutGroup& group, std::span<const Mat3d> gradients,
                      bool definite, CutMatrix& matrix) {
  add_tangent(model, group, definite, matrix, [&](int lane, const SkinPoint& point) {
    const Mat3d& F = gradients[group.cell[lane]];
    return shells::SheetGradient{F * point.tangents[0], F * point.tangents[1]};
  });
}

std::size_t Skin::bytes() const {
  return laws.capacity() * sizeof(shells::SheetLaw) + points.capacity() * sizeof(SkinPoint) +
         first.capacity() * sizeof(std::int32_t);
}

}  // namespace isochor::lattice
