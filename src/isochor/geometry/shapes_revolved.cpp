// Shapes of revolution.
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/error.h"
#include "isochor/geometry/shapes.h"
#include "isochor/geometry/shapes_box_surface.h"

namespace isochor::geometry {
namespace {

constexpr double kPi = std::numbers::pi;

/// A point of the half plane that is turned about the axis.
struct ProfilePoint {
  double radius, height;
};

/// Right-handed axes, the third along the axis of revolution.
struct AxisFrame {
  Vec3d center, u, v, axis;

  AxisFrame(const Vec3d& at, const Vec3d& direction) : center(at) {
    const double length = norm(direction);
    if (!(length > 0)) {
      throw Error(Fault::Input, "axis", "is zero", "give a direction, such as 0 1 0");
    }
    axis = direction * (1 / length);
    // The coordinate axis farthest from it; along a coordinate axis nothing is rounded.
    const int least = std::abs(axis[0]) < std::abs(axis[1])
                          ? (std::abs(axis[0]) < std::abs(axis[2]) ? 0 : 2)
                          : (std::abs(axis[1]) < std::abs(axis[2]) ? 1 : 2);
    Vec3d helper{0, 0, 0};
    helper[least] = 1;
    u = cross(helper, axis);
    u *= 1 / norm(u);
    v = cross(axis, u);
  }
  Vec3d place(const ProfilePoint& p, double angle) const {
    return center + (p.radius * std::cos(angle)) * u + (p.radius * std::sin(angle)) * v +
           p.height * axis;
  }
};

/// Appends the straight line from the last point to `end`.
void add_line(std::vector<ProfilePoint>& profile, const ProfilePoint& end, double edge) {
  const ProfilePoint start = profile.back();
  const int n = pieces(std::hypot(end.radius - start.radius, end.height - start.height), edge);
  for (int i = 1; i < n; ++i) {
    const double t = double(i) / n;
    profile.push_back({start.radius + t * (end.radius - start.radius),
                       start.height + t * (end.height - start.height)});
  }
  profile.push_back(end);
}

/// Appends an arc from the last point, which lies on it, over [from, to]; angles count from the
/// direction away from the axis.
void add_arc(std::vector<ProfilePoint>& profile, const ProfilePoint& center, double radius,
             double from, double to, double edge) {
  const int n = std::max(2, pieces(std::abs(to - from) * radius, edge));
  for (int i = 1; i <= n; ++i) {
    const double angle = from + (to - from) * i / n;
    profile.push_back(
        {center.radius + radius * std::cos(angle), center.height + radius * std::sin(angle)});
  }
}

/// Turns a profile that begins and ends on the axis, from low to high. The faces are those of a
/// box, wrapped around: near the axis there are squares too, not a fan of needles.
SurfaceMesh revolve(const AxisFrame& frame, const std::vector<ProfilePoint>& profile, double edge) {
  double widest = 0;
  for (const ProfilePoint& p : profile) widest = std::max(widest, p.radius);
  const int rings = static_cast<int>(profile.size()) - 1;
  // The sides have 4 n faces around; top and bottom are n x n squares, n / 2 rings each.
  const int wanted = 2 * pieces(widest * kPi / 4, edge);
  const int n = std::clamp(wanted, 2, std::max(2, (rings - 1) / 2 * 2));
  return box_surface({n, n, rings - n}, [&](const Index3& at) {
    const int x = 2 * at[0] - n, y = 2 * at[1] - n;
    const int from_middle = std::max(std::abs(x), std::abs(y));  // even; n at the sides
    const int ring = at[2] == 0           ? from_middle / 2
                     : at[2] == rings - n ? rings - from_middle / 2
                                          : n / 2 + at[2];
    if (from_middle == 0) return frame.center + profile[ring].height * frame.axis;
    // Squares around the middle become circles, their corners at odd multiples of 45 degrees.
    double angle = 0;
    if (std::abs(x) >= std::abs(y)) {
      angle = kPi / 4 * y / x + (x > 0 ? 0 : kPi);
    } else {
      angle = kPi / 2 - kPi / 4 * x / y + (y > 0 ? 0 : kPi);
    }
    return frame.place(profile[ring], angle);
  });
}

/// Turns a closed profile that stays clear of the axis, counter-clockwise with the radius to the
/// right and the height upward.
SurfaceMesh revolve_ring(const AxisFrame& frame, const std::vector<ProfilePoint>& profile,
                         int segments) {
  SurfaceMesh mesh;
  const int rows = static_cast<int>(profile.size());
  for (int s = 0; s < segments; ++s) {
    for (const ProfilePoint& p : profile) {
      mesh.positions.push_back(frame.place(p, 2 * kPi * s / segments));
    }
  }
  const auto vertex = [&](int s, int r) { return s % segments * rows + r % rows; };
  for (int s = 0; s < segments; ++s) {
    for (int r = 0; r < rows; ++r) {
      mesh.add_face(std::array<std::int32_t, 4>{vertex(s, r), vertex(s + 1, r),
                                                vertex(s + 1, r + 1), vertex(s, r + 1)});
    }
  }
  return mesh;
}

void require(bool holds, const char* shape, const std::string& problem, const char* remedy) {
  if (!holds) throw Error(Fault::Input, shape, problem, remedy);
}

}  // namespace

SurfaceMesh make_cylinder(const Vec3d& center, const Vec3d& axis, double radius, double length,
                          double edge, double rounding) {
  require(rounding >= 0 && rounding <= radius && rounding <= length / 2, "cylinder",
          fmt::format("rims rounded by {} m, with radius {} m and length {} m", rounding, radius,
                      length),
          "round by at most the radius and half of the length");
  const double flat = radius - rounding, end = length / 2, straight = length / 2 - rounding;
  std::vector<ProfilePoint> profile{{0, -end}};
  if (flat > 0) add_line(profile, {flat, -end}, edge);
  if (rounding > 0) add_arc(profile, {flat, -straight}, rounding, -kPi / 2, 0, edge);
  if (straight > 0) add_line(profile, {radius, straight}, edge);
  if (rounding > 0) add_arc(profile, {flat, straight}, rounding, 0, kPi / 2, edge);
  if (flat > 0) {
    profile.back() = {flat, end};
    add_line(profile, {0, end}, edge);
  }
  return revolve(AxisFrame(center, axis), profile, edge);
}

SurfaceMesh make_puck(const Vec3d& center, const Vec3d& axis, double radius, double thickness,
                      double edge) {
  require(thickness < 2 * radius, "puck",
          fmt::format("{} m thick with radius {} m", thickness, radius),
          "choose a thickness below twice the radius");
  return make_cylinder(center, axis, radius, thickness, edge, thickness / 2);
}

SurfaceMesh make_capsule(const Vec3d& a, const Vec3d& b, double radius, double edge) {
  return make_cylinder(0.5 * (a + b), b - a, radius, norm(b - a) + 2 * radius, edge, radius);
}

SurfaceMesh make_tube(const Vec3d& center, const Vec3d& axis, double inner_radius,
                      double outer_radius, double length, double edge) {
  require(inner_radius > 0 && inner_radius < outer_radius, "tube",
          fmt::format("inner radius {} m, outer radius {} m", inner_radius, outer_radius),
          "choose an inner radius above 0 and below the outer one");
  const double end = length / 2;
  std::vector<ProfilePoint> profile{{inner_radius, -end}};
  add_line(profile, {outer_radius, -end}, edge);
  add_line(profile, {outer_radius, end}, edge);
  add_line(profile, {inner_radius, end}, edge);
  add_line(profile, {inner_radius, -end}, edge);
  profile.pop_back();
  const int segments = std::max(3, pieces(kPi * (inner_radius + outer_radius), edge));
  return revolve_ring(AxisFrame(center, axis), profile, segments);
}

SurfaceMesh make_torus(const Vec3d& center, const Vec3d& axis, double ring_radius,
                       double tube_radius, double edge) {
  require(tube_radius < ring_radius, "torus",
          fmt::format("tube radius {} m, ring radius {} m", tube_radius, ring_radius),
          "choose a tube radius below that of the ring");
  const int around = std::max(3, pieces(2 * kPi * tube_radius, edge));
  std::vector<ProfilePoint> profile;
  for (int i = 0; i < around; ++i) {
    const double angle = 2 * kPi * i / around;
    profile.push_back({ring_radius + tube_radius * std::cos(angle), tube_radius * std::sin(angle)});
  }
  return revolve_ring(AxisFrame(center, axis), profile,
                      std::max(3, pieces(2 * kPi * ring_radius, edge)));
}

}  // namespace isochor::geometry
