#include "reproduce/mapped_box.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace isochor::reproduce {
namespace {

/// Vertices of a mesh that is put together of sides.
class Weld {
 public:
  explicit Weld(geometry::SurfaceMesh& mesh) : mesh_(mesh) {}

  std::int32_t vertex(const Vec3d& p) {
    constexpr double kNear = 1e-7;
    const std::array<long long, 3> key{std::llround(p[0] / kNear), std::llround(p[1] / kNear),
                                       std::llround(p[2] / kNear)};
    const auto [at, is_new] = known_.try_emplace(key, std::int32_t(mesh_.positions.size()));
    if (is_new) mesh_.positions.push_back(p);
    return at->second;
  }

 private:
  geometry::SurfaceMesh& mesh_;
  std::map<std::array<long long, 3>, std::int32_t> known_;
};

}  // namespace

MappedBox make_mapped_box(const std::array<int, 3>& divisions,
                          const std::function<Vec3d(const Vec3d&)>& map) {
  MappedBox out;
  Weld weld(out.mesh);
  for (int side = 0; side < 6; ++side) {
    const int axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    const auto vertex = [&](int i, int j) {
      Vec3d at;
      at[axis] = side % 2;
      at[u] = double(i) / divisions[u];
      at[v] = double(j) / divisions[v];
      return weld.vertex(map(at));
    };
    const auto add = [&](std::int32_t a, std::int32_t b, std::int32_t c) {
      if (a == b || b == c || c == a) return;
      const geometry::Triangle t =
          side % 2 ? geometry::Triangle{a, b, c} : geometry::Triangle{a, c, b};
      out.sides[side].push_back(t);
      out.mesh.add_face(t);
    };
    for (int i = 0; i < divisions[u]; ++i) {
      for (int j = 0; j < divisions[v]; ++j) {
        add(vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1));
        add(vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1));
      }
    }
  }
  return out;
}

std::array<Placement, 2> placements() {
  const Mat3d turn{{turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})}};
  return {{{"aligned", Mat3d::identity()}, {"turned", turn}}};
}

void PlacedBody::hold(int side) {
  spec.held_surfaces.push_back({.name = std::to_string(side), .facets = sides[side]});
  motions.push_back({});
}

void PlacedBody::hold(int side, const Vec3d& direction) {
  hold(side);
  spec.held_surfaces.back().slide = lattice::Slide::InPlane;
  spec.held_surfaces.back().direction = motions.back().direction = rotation * direction;
}

PlacedBody place(const MappedBox& box, const Placement& placement, double cell_size,
                 std::string_view law, double mu, double poisson, Boundary boundary,
                 Context& context) {
  geometry::SurfaceMesh mesh = box.mesh;
  for (Vec3d& p : mesh.positions) p = placement.rotation * p;
  PlacedBody body{.spec = make_embedded(mesh, cell_size, boundary, law, mu, poisson, context),
                  .sides = {},
                  .rotation = placement.rotation,
                  .motions = {}};
  for (int side = 0; side < 6; ++side) {
    body.sides[side] =
        grid::surface_facets(body.spec.lattice, mesh.positions, box.sides[side], context.arena);
  }
  return body;
}

Raised raise_loads(int first, const std::function<solve::NewtonReport(double)>& advance,
                   const Context& context) {
  constexpr double kShortest = 1.0 / 512;
  Raised out;
  double part = 0, step = 1.0 / first;
  while (part < 1 && step >= kShortest && !context.cancelled) {
    const double next = part + step > 1 - 1e-9 ? 1 : part + step;
    const solve::NewtonReport report = advance(next);
    out.systems += report.iterations;
    out.iterations += report.krylov_iterations;
    if (report.converged()) {
      part = next;
      ++out.steps;
    } else {
      step *= 0.5;
      ++out.cuts;
    }
  }
  out.arrived = part == 1;
  return out;
}

}  // namespace isochor::reproduce
