/// Linear triangles and the squares of the lattice in plane strain, for comparison with the
/// staggered grid.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "isochor/solve/conjugate_gradient.h"
#include "reproduce/zhu_disc.h"

namespace isochor::reproduce {
namespace {

using std::numbers::pi;

/// Corners are numbered x fastest.
struct Square {
  std::array<int, 4> corners;
  double filled;  ///< the part of it in the disc
};

struct Mesh {
  std::vector<PlanePoint> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<Square> squares;
  std::vector<bool> given;    ///< per point
  std::vector<double> loads;  ///< two per point: tractions, over mu
};

/// The system of a mesh, by rows, and its solution.
class Elements {
 public:
  Elements(Mesh mesh, double poisson)
      : mesh_(std::move(mesh)),
        exact_{2 * poisson / (1 - 2 * poisson)},
        rows_(2 * mesh_.points.size()),
        b_(mesh_.loads) {
    for (const auto& corners : mesh_.triangles) add(corners);
    for (const Square& square : mesh_.squares) add(square);
    for (const auto& row : rows_) {
      entries_.insert(entries_.end(), row.begin(), row.end());
      ends_.push_back(entries_.size());
    }
  }

  DiscErrors errors(Context& context) {
    const std::size_t size = rows_.size();
    std::vector<double> u(size), change(size), r(size), diagonal(size, 1);
    for (std::size_t i = 0; i < size; ++i) {
      if (given(i)) u[i] = exact_.displacement(mesh_.points[i / 2], int(i % 2));
      if (const auto found = rows_[i].find(int(i)); found != rows_[i].end()) {
        diagonal[i] = found->second;
      }
    }
    apply(u, r);
    for (std::size_t i = 0; i < size; ++i) r[i] = given(i) ? 0 : b_[i] - r[i];
    const std::vector<double> load = r;
    solve::KrylovScratch scratch(size);
    const solve::KrylovReport report = solve::conjugate_gradient(
        context.arena,
        [&](std::span<const double> p, std::span<double> q) {
          apply(p, q);
          for (std::size_t i = 0; i < size; ++i) q[i] = given(i) ? 0 : q[i];
        },
        [&](std::span<const double> p, std::span<double> q) {
          for (std::size_t i = 0; i < size; ++i) q[i] = p[i] / diagonal[i];
        },
        [&] { return bool(context.cancelled); }, load, change, 1e-10, 20000, scratch);
    DiscErrors errors{.iterations = report.iterations, .residual = report.relative_residual};
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const PlanePoint& x = mesh_.points[i / 2];
      if (given(i) || exact_.from_middle(x) > (1 + 1e-9) * DiscProblem::kRadius) continue;
      const double right = exact_.displacement(x, int(i % 2));
      const double error = std::abs(u[i] + change[i] - right);
      errors.largest = std::max(errors.largest, error);
      errors.mean += error * error;
      ++errors.unknowns;
      largest = std::max(largest, std::abs(right));
    }
    errors.largest /= largest;
    errors.mean = std::sqrt(errors.mean / errors.unknowns) / largest;
    return errors;
  }

 private:
  bool given(std::size_t i) const { return mesh_.given[i / 2]; }
  void apply(std::span<const double> p, std::span<double> q) const {
    std::size_t e = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      q[i] = 0;
      for (; e < ends_[i]; ++e) q[i] += entries_[e].second * p[entries_[e].first];
    }
  }
  /// One point, and edges stabilised about it [McAdams11 (15)], as the lattice has it.
  void add(const Square& square) {
    const std::array<int, 4>& corners = square.corners;
    const PlanePoint low = mesh_.points[corners[0]], high = mesh_.points[corners[3]];
    const double h = high[0] - low[0], area = square.filled * h * h;
    const PlanePoint middle{0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])};
    const auto side = [](int corner, int axis) { return corner >> axis & 1 ? 1.0 : -1.0; };
    for (int a = 0; a < 4; ++a) {
      const PlanePoint ga{side(a, 0) / (2 * h), side(a, 1) / (2 * h)};
      for (int c = 0; c < 4; ++c) {
        const PlanePoint gc{side(c, 0) / (2 * h), side(c, 1) / (2 * h)};
        // Half of the difference of the two edges along an axis is (+-1, +-1) / 2h at the corners.
        const double spread = 2 * side(a, 0) * side(a, 1) * side(c, 0) * side(c, 1) / (4 * h * h);
        const double dot = ga[0] * gc[0] + ga[1] * gc[1];
        for (int i = 0; i < 2; ++i) {
          for (int j = 0; j < 2; ++j) {
            rows_[2 * corners[a] + i][2 * corners[c] + j] +=
                area * ((i == j ? dot + 2 * spread : 0) + ga[j] * gc[i] +
                        exact_.lambda_over_mu * ga[i] * gc[j]);
          }
        }
      }
      for (int i = 0; i < 2; ++i) b_[2 * corners[a] + i] -= area / 4 * exact_.force(middle, i);
    }
  }
  void add(const std::array<int, 3>& corners) {
    PlanePoint x[3], middle{0, 0};
    for (int a = 0; a < 3; ++a) {
      x[a] = mesh_.points[corners[a]];
      for (int k = 0; k < 2; ++k) middle[k] += x[a][k] / 3;
    }
    const double twice =
        (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
    PlanePoint gradient[3];
    for (int a = 0; a < 3; ++a) {
      const PlanePoint &y = x[(a + 1) % 3], &z = x[(a + 2) % 3];
      gradient[a] = {(y[1] - z[1]) / twice, (z[0] - y[0]) / twice};
    }
    const double area = 0.5 * twice, lambda = exact_.lambda_over_mu;
    for (int a = 0; a < 3; ++a) {
      for (int i = 0; i < 2; ++i) {
        b_[2 * corners[a] + i] -= area / 3 * part_inside(x) * exact_.force(middle, i);
        for (int c = 0; c < 3; ++c) {
          const double dot = gradient[a][0] * gradient[c][0] + gradient[a][1] * gradient[c][1];
          for (int j = 0; j < 2; ++j) {
            rows_[2 * corners[a] + i][2 * corners[c] + j] +=
                area * ((i == j ? dot : 0) + gradient[a][j] * gradient[c][i] +
                        lambda * gradient[a][i] * gradient[c][j]);
          }
        }
      }
    }
  }
  /// Of the disc; a polygon's corners are on its outline and count as inside.
  static double part_inside(const PlanePoint (&x)[3]) {
    constexpr int kSamples = 12;
    int inside = 0, all = 0;
    for (int i = 0; i < kSamples; ++i) {
      for (int j = 0; i + j < kSamples; ++j) {
        const double s = (i + 1.0 / 3) / kSamples, t = (j + 1.0 / 3) / kSamples;
        PlanePoint y;
        for (int k = 0; k < 2; ++k) {
          y[k] = x[0][k] + s * (x[1][k] - x[0][k]) + t * (x[2][k] - x[0][k]);
        }
        inside += DiscProblem::inside(y);
        ++all;
      }
    }
    return double(inside) / all;
  }

  Mesh mesh_;
  DiscProblem exact_;
  std::vector<std::map<int, double>> rows_;
  std::vector<std::pair<int, double>> entries_;  ///< of all rows
  std::vector<std::size_t> ends_;                ///< of rows among them
  std::vector<double> b_;
};

DiscProblem problem(double poisson) { return {2 * poisson / (1 - 2 * poisson)}; }

/// Rings of six points more each, as far apart as the squares of a grid.
Mesh rings(int n, const DiscProblem& exact) {
  const int count = n / 4;
  Mesh mesh;
  mesh.points.push_back({DiscProblem::kMiddle, DiscProblem::kMiddle});
  const auto first = [](int ring) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1); };
  for (int ring = 1; ring <= count; ++ring) {
    for (int s = 0; s < 6 * ring; ++s) {
      const double radius = DiscProblem::kRadius * ring / count, angle = 2 * pi * s / (6 * ring);
      mesh.points.push_back({DiscProblem::kMiddle + radius * std::cos(angle),
                             DiscProblem::kMiddle + radius * std::sin(angle)});
    }
    // Six sectors of `ring` triangles with a side on this ring, and one less on the last.
    const auto at = [&](int r, int s) { return first(r) + (r == 0 ? 0 : s % (6 * r)); };
    for (int sector = 0; sector < 6; ++sector) {
      for (int s = 0; s < ring; ++s) {
        const int outer = sector * ring + s, inner = sector * (ring - 1) + s;
        mesh.triangles.push_back({at(ring, outer), at(ring, outer + 1), at(ring - 1, inner)});
        if (s + 1 < ring) {
          mesh.triangles.push_back(
              {at(ring, outer + 1), at(ring - 1, inner + 1), at(ring - 1, inner)});
        }
      }
    }
  }
  mesh.given.resize(mesh.points.size());
  mesh.loads.resize(2 * mesh.points.size());
  const int sides = 6 * count;
  for (int s = 0; s < sides; ++s) {
    const int a = first(count) + s, b = first(count) + (s + 1) % sides;
    const double angle = 2 * pi * (s + 0.5) / sides;
    const PlanePoint normal{std::cos(angle), std::sin(angle)};
    const PlanePoint x{DiscProblem::kMiddle + DiscProblem::kRadius * normal[0],
                       DiscProblem::kMiddle + DiscProblem::kRadius * normal[1]};
    if (DiscProblem::held(x)) {
      mesh.given[a] = mesh.given[b] = true;
      continue;
    }
    const double half = DiscProblem::kRadius * std::sin(pi / sides);
    for (int i = 0; i < 2; ++i) {
      mesh.loads[2 * a + i] += half * exact.traction(x, normal, i);
      mesh.loads[2 * b + i] += half * exact.traction(x, normal, i);
    }
  }
  return mesh;
}

/// The part of a square that is in the disc, by strips whose ends are exact: loads of the outline
/// must fit to it, see zhu_disc.cpp.
double filled(const DiscGrid& grid, int x, int y) {
  if (grid.overlap(x, y) == DiscGrid::Overlap::Full) return 1;
  constexpr int kStrips = 256;
  constexpr double kLeast = 1e-3, r = DiscProblem::kRadius;
  const double low = grid.point(x, y)[1] - DiscProblem::kMiddle, high = low + grid.h();
  double sum = 0;
  for (int s = 0; s < kStrips; ++s) {
    const double from = grid.point(x + (s + 0.5) / kStrips, y)[0] - DiscProblem::kMiddle;
    const double half = std::sqrt(std::max(0.0, r * r - from * from));
    sum += std::max(0.0, std::min(half, high) - std::max(-half, low)) / grid.h();
  }
  return std::max(kLeast, sum / kStrips);
}

/// The squares that the disc touches, whole or halved from low left to high right.
Mesh squares(const DiscGrid& grid, bool halved, const DiscProblem& exact) {
  Mesh mesh;
  std::map<std::pair<int, int>, int> numbers;
  const auto point = [&](int x, int y) {
    const auto [found, made] = numbers.try_emplace({x, y}, int(mesh.points.size()));
    if (made) mesh.points.push_back(grid.point(x, y));
    return found->second;
  };
  std::vector<int> given;
  for (int y = 0; y <= grid.n; ++y) {
    for (int x = 0; x <= grid.n; ++x) {
      if (grid.overlap(x, y) == DiscGrid::Overlap::None) continue;
      const int corners[4] = {point(x, y), point(x + 1, y), point(x, y + 1), point(x + 1, y + 1)};
      if (grid.held(x, y)) {
        given.insert(given.end(), corners, corners + 4);
        continue;
      }
      if (halved) {
        mesh.triangles.push_back({corners[0], corners[1], corners[3]});
        mesh.triangles.push_back({corners[0], corners[3], corners[2]});
      } else {
        mesh.squares.push_back(
            {{corners[0], corners[1], corners[2], corners[3]}, filled(grid, x, y)});
      }
    }
  }
  mesh.given.resize(mesh.points.size());
  for (const int p : given) mesh.given[p] = true;
  mesh.loads.resize(2 * mesh.points.size());
  const int segments = (halved ? 16 : 256) * grid.n;
  for (int s = 0; s < segments; ++s) {
    const double angle = 2 * pi * (s + 0.5) / segments;
    const double length = 2 * DiscProblem::kRadius * std::sin(pi / segments);
    const PlanePoint normal{std::cos(angle), std::sin(angle)};
    const PlanePoint at{DiscProblem::kMiddle + DiscProblem::kRadius * normal[0],
                        DiscProblem::kMiddle + DiscProblem::kRadius * normal[1]};
    const int x = int(std::floor(grid.along(at, 0))), y = int(std::floor(grid.along(at, 1)));
    if (grid.held(x, y)) continue;
    const double a = grid.along(at, 0) - x, b = grid.along(at, 1) - y;
    // Barycentric [Zhu10 fig 14], or bilinear.
    const double both = halved ? std::min(a, b) : a * b;
    const std::pair<int, double> shares[4] = {{point(x, y), 1 - a - b + both},
                                              {point(x + 1, y), a - both},
                                              {point(x, y + 1), b - both},
                                              {point(x + 1, y + 1), both}};
    for (const auto& [p, share] : shares) {
      if (std::size_t(p) >= mesh.given.size()) continue;
      for (int i = 0; i < 2; ++i) {
        mesh.loads[2 * p + i] += share * length * exact.traction(at, normal, i);
      }
    }
  }
  return mesh;
}

}  // namespace

DiscErrors conforming_disc(int n, double poisson, Context& context) {
  return Elements(rings(n, problem(poisson)), poisson).errors(context);
}

DiscErrors embedded_disc(const DiscGrid& grid, double poisson, Context& context) {
  return Elements(squares(grid, true, problem(poisson)), poisson).errors(context);
}

DiscErrors lattice_disc(const DiscGrid& grid, double poisson, Context& context) {
  return Elements(squares(grid, false, problem(poisson)), poisson).errors(context);
}

}  // namespace isochor::reproduce
