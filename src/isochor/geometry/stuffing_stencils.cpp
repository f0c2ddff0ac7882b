#include "isochor/geometry/stuffing_stencils.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace isochor::geometry {
namespace {

bool is_long_edge(int i, int j) { return (i ^ j) == 1; }

class Stencil {
 public:
  Stencil(const std::array<StencilCorner, 4>& corners, FunctionRef<std::int32_t(int, int)> cut,
          FunctionRef<Vec3d(std::int32_t)> position, std::vector<Tet>& out)
      : corners_(corners), cut_(cut), position_(position), out_(out) {}

  void fill() {
    int inside[4], outside[4], surface = -1, insides = 0, outsides = 0;
    for (int i = 0; i < 4; ++i) {
      if (corners_[i].side == PointSide::Inside) inside[insides++] = i;
      if (corners_[i].side == PointSide::Outside) outside[outsides++] = i;
      if (corners_[i].side == PointSide::Surface) surface = i;
    }
    if (insides == 0) return;
    if (insides == 1 || outsides == 0) {
      Tet tet;
      for (int i = 0; i < 4; ++i) {
        const bool is_cut = corners_[i].side == PointSide::Outside;
        tet[i] = is_cut ? cut_(inside[0], i) : corners_[i].vertex;
      }
      out_.push_back(tet);
    } else if (insides == 3) {
      const auto [i, j, k] = std::array{inside[0], inside[1], inside[2]};
      const int m = outside[0];
      add(prism({vertex(i), vertex(j), vertex(k)}, {cut_(i, m), cut_(j, m), cut_(k, m)},
                {diagonal_leaves(i, j, m), diagonal_leaves(j, k, m), diagonal_leaves(k, i, m)}));
    } else if (outsides == 1) {
      const int m = outside[0];
      auto [i, j] = std::pair(inside[0], inside[1]);
      if (!diagonal_leaves(i, j, m)) std::swap(i, j);
      add(std::array{Tet{vertex(surface), vertex(i), vertex(j), cut_(j, m)},
                     Tet{vertex(surface), vertex(i), cut_(j, m), cut_(i, m)}});
    } else {
      add_wedge(inside[0], inside[1], outside[0], outside[1]);
    }
  }

 private:
  std::int32_t vertex(int i) const { return corners_[i].vertex; }

  /// Face i j m is cut off towards m: whether the diagonal of what is left goes from i to the cut
  /// of j. It ends at the cut of a long edge where there is one, else begins at the even corner.
  bool diagonal_leaves(int i, int j, int m) const {
    return is_long_edge(i, j) ? corners_[i].even : is_long_edge(j, m);
  }

  /// Two corners inside, two outside.
  void add_wedge(int i, int j, int m, int n) {
    const std::array a{vertex(i), cut_(i, m), cut_(i, n)}, b{vertex(j), cut_(j, m), cut_(j, n)};
    const bool to_m = diagonal_leaves(i, j, m), to_n = diagonal_leaves(i, j, n);
    // The quad on the surface is no neighbour's concern. Where the other two diagonals leave both
    // ways open, the one with the better tets is taken; else only one closes the wedge.
    bool across = to_n;
    if (to_m == to_n) {
      const auto angle = [&](bool way) { return smallest_angle(prism(a, b, {to_m, way, !to_n})); };
      across = angle(true) >= angle(false);
    }
    add(prism(a, b, {to_m, across, !to_n}));
  }

  using Corners3 = std::array<std::int32_t, 3>;
  /// The tets between triangles a and b: `forward[k]` says that the diagonal of quad k goes from
  /// a[k] to b[k + 1], not from a[k + 1] to b[k]. The three are never all equal.
  static std::array<Tet, 3> prism(const Corners3& a, const Corners3& b,
                                  const std::array<bool, 3>& forward) {
    // Two diagonals leave one corner of a, and two arrive at one of b.
    int from = 0, to = 0;
    for (int k = 0; k < 3; ++k) {
      const int before = (k + 2) % 3;
      if (forward[k] && !forward[before]) from = k;
      if (!forward[k] && forward[before]) to = k;
    }
    const int middle = 3 - from - to;
    return {Tet{a[from], a[middle], a[to], b[to]}, Tet{a[from], a[middle], b[middle], b[to]},
            Tet{a[from], b[from], b[middle], b[to]}};
  }

  std::array<Vec3d, 4> positions(const Tet& tet) const {
    return {position_(tet[0]), position_(tet[1]), position_(tet[2]), position_(tet[3])};
  }
  double smallest_angle(std::span<const Tet> tets) const {
    double smallest = std::numbers::pi;
    for (const Tet& tet : tets) {
      for (const double angle : dihedral_angles(positions(tet))) {
        smallest = std::min(smallest, angle);
      }
    }
    return smallest;
  }

  void add(std::span<const Tet> tets) {
    for (Tet tet : tets) {
      const auto [a, b, c, d] = positions(tet);
      if (signed_volume(a, b, c, d) < 0) std::swap(tet[2], tet[3]);
      out_.push_back(tet);
    }
  }

  const std::array<StencilCorner, 4>& corners_;
  FunctionRef<std::int32_t(int, int)> cut_;
  FunctionRef<Vec3d(std::int32_t)> position_;
  std::vector<Tet>& out_;
};

}  // namespace

void cut_lattice_tet(const std::array<StencilCorner, 4>& corners,
                     FunctionRef<std::int32_t(int, int)> cut,
                     FunctionRef<Vec3d(std::int32_t)> position, std::vector<Tet>& out) {
  Stencil(corners, cut, position, out).fill();
}

}  // namespace isochor::geometry
