#include "reproduce/zhu_disc.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isochor/staggered/loads.h"
#include "isochor/staggered/solver.h"
#include "isochor/staggered/stresses.h"

namespace isochor::reproduce {

using std::numbers::pi;
using namespace staggered;

double DiscProblem::displacement(const PlanePoint& x, int k) {
  const double s = 2 * x[0] / std::sqrt(pi), a = pi * x[1] / 2;
  return s * (k == 0 ? std::cos(a) : std::sin(a)) - x[k];
}

double DiscProblem::slope(const PlanePoint& x, int k, int j) {
  const double c = 2 / std::sqrt(pi), a = pi * x[1] / 2;
  const double F[2][2] = {{c * std::cos(a), -c * x[0] * pi / 2 * std::sin(a)},
                          {c * std::sin(a), c * x[0] * pi / 2 * std::cos(a)}};
  return F[k][j] - (k == j ? 1 : 0);
}

double DiscProblem::stress(const PlanePoint& x, int i, int j) const {
  const double trace = slope(x, 0, 0) + slope(x, 1, 1);
  return slope(x, i, j) + slope(x, j, i) + (i == j ? lambda_over_mu * trace : 0);
}

double DiscProblem::force(const PlanePoint& x, int i) const {
  // By differences that are exact to ten digits.
  constexpr double h = 1e-4;
  double sum = 0;
  for (int j = 0; j < 2; ++j) {
    const auto at = [&](double by) {
      PlanePoint y = x;
      y[j] += by * h;
      return stress(y, i, j);
    };
    sum += (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
  }
  return sum;
}

double DiscProblem::from_middle(const PlanePoint& x) {
  return std::hypot(x[0] - kMiddle, x[1] - kMiddle);
}

bool DiscProblem::held(const PlanePoint& x) {
  return std::abs(x[0] - kMiddle) > std::abs(x[1] - kMiddle);
}

DiscGrid::Overlap DiscGrid::overlap(int x, int y) const {
  const PlanePoint low = point(x, y);
  double nearest = 0, farthest = 0;
  for (int k = 0; k < 2; ++k) {
    const double a = low[k] - DiscProblem::kMiddle, b = a + h();
    nearest += std::pow(a > 0 ? a : b < 0 ? b : 0, 2);
    farthest += std::pow(std::max(std::abs(a), std::abs(b)), 2);
  }
  constexpr double kSquare = DiscProblem::kRadius * DiscProblem::kRadius;
  if (nearest >= kSquare) return Overlap::None;
  return farthest > kSquare ? Overlap::Outline : Overlap::Full;
}

namespace {

/// A stiffness that is nothing to the disc, so that cells around it have one.
constexpr float kAlmostEmpty = 1.0f / 64;

/// The disc on the staggered grid. Its region is the disc and all of the held cells, on whose sides
/// outside of the disc the tractions of the known deformation act too.
class Staggered {
 public:
  Staggered(const DiscGrid& grid, double poisson, bool fractions)
      : grid_(grid),
        fractions_(fractions),
        domain_(make_domain()),
        model_(
            build_model<2>(domain_, Material::from_poisson(2 + 2 * poisson, poisson), {}, "disc")),
        exact_{1 / model_.material.compressibility},
        b_(model_.unknowns()),
        u_(b_.size()) {
    for_each_unknown<2>(model_, [&](const Index<2>& c, int k, std::size_t place) {
      if (k < 2) b_[place] += exact_.force(at(c, k), k) * part_inside(at(c, k));
    });
    set_given<2>(
        model_, [&](const Point<2>& x, int k) { return exact_.displacement(moved_back(x), k); },
        u_);
    add_outline();
    if (fractions) add_sides();
  }

  DiscErrors errors(Context& context) {
    SolverMemory<2> memory(model_, 30);
    SolveReport report = staggered::solve<2>(model_, b_, u_, 1e-9, 150, memory, context);
    DiscErrors errors{.iterations = report.iterations};
    for (int turn = 0; turn < kCorrections && fractions_; ++turn) {
      add_along();
      report = staggered::solve<2>(model_, b_, u_, 1e-9, 150, memory, context);
      errors.iterations += report.iterations;
    }
    errors.residual = report.relative_residual;
    double largest = 0;
    for_each_unknown<2>(model_, [&](const Index<2>& c, int k, std::size_t place) {
      const PlanePoint x = at(c, k);
      if (k == 2 || !exact_.inside(x)) return;
      const double error = std::abs(u_[place] - exact_.displacement(x, k));
      errors.largest = std::max(errors.largest, error);
      errors.mean += error * error;
      ++errors.unknowns;
      largest = std::max(largest, std::abs(exact_.displacement(x, k)));
    });
    errors.largest /= largest;
    errors.mean = std::sqrt(errors.mean / errors.unknowns) / largest;
    return errors;
  }

 private:
  /// Strips that areas of a square are made of, and pieces of the outline per square. Tractions are
  /// the stress times changes of area from cell to cell: an error of 1 % in the one or the other is
  /// one of 1 % of the stress in all cells at the outline, of which lambda is 50 mu.
  static constexpr int kSamples = 512;
  /// Solves after the first one.
  static constexpr int kCorrections = 1;

  Domain<2> make_domain() const {
    const int n = grid_.n + 1;
    Domain<2> domain({n, n}, {grid_.h(), grid_.h()});
    domain.for_each([&](const Index<2>& c) {
      if (grid_.overlap(c[0], c[1]) == DiscGrid::Overlap::None) return;
      domain.cells[domain.index(c)] = grid_.held(c[0], c[1]) ? Cell::Dirichlet : Cell::Interior;
    });
    if (!fractions_) return domain;
    const Domain<2> bare = domain;
    domain.fraction.resize(domain.cells.size());
    domain.for_each([&](const Index<2>& c) {
      bool near = false;
      for (int k = 0; k < 9; ++k) {
        near = near || bare.at({c[0] + k % 3 - 1, c[1] + k / 3 - 1}) == Cell::Interior;
      }
      if (bare.at(c) == Cell::Dirichlet || !near) return;
      domain.cells[domain.index(c)] = Cell::Interior;
      const double part = part_of(c[0], c[1], [](const Index<2>&) { return false; });
      domain.fraction[domain.index(c)] = std::max(float(part), kAlmostEmpty);
    });
    return domain;
  }
  /// Of the square from (x, y) on, in the disc or in cells that are counted as whole.
  template <class Whole>
  double part_of(double x, double y, Whole&& whole) const {
    double sum = 0;
    for (int s = 0; s < kSamples; ++s) {
      // The disc within a strip, in units of the grid.
      const double at = x + (s + 0.5) / kSamples;
      const PlanePoint middle = grid_.point(at, 0);
      const double across = middle[0] - DiscProblem::kMiddle;
      const double square = DiscProblem::kRadius * DiscProblem::kRadius - across * across;
      const double half = square > 0 ? grid_.n * std::sqrt(square) : 0;
      const double centre = grid_.n * DiscProblem::kMiddle + grid_.shift[1];
      for (double low = y; low < y + 1;) {
        const std::int32_t cell = std::int32_t(std::floor(low));
        const double high = std::min(y + 1, cell + 1.0);
        sum += whole(Index<2>{std::int32_t(std::floor(at)), cell})
                   ? high - low
                   : std::max(0.0, std::min(high, centre + half) - std::max(low, centre - half));
        low = high;
      }
    }
    return sum / kSamples;
  }
  Cell label_at(const PlanePoint& x) const {
    return domain_.at(
        {std::int32_t(std::floor(grid_.along(x, 0))), std::int32_t(std::floor(grid_.along(x, 1)))});
  }
  double part_inside(const PlanePoint& x) const {
    return part_of(grid_.along(x, 0) - 0.5, grid_.along(x, 1) - 0.5, [&](const Index<2>& c) {
      return fractions_ && domain_.at(c) == Cell::Dirichlet;
    });
  }
  PlanePoint moved_back(const Point<2>& x) const {
    return grid_.point(x[0] * grid_.n, x[1] * grid_.n);
  }
  PlanePoint at(const Index<2>& c, int component) const {
    return moved_back(position(model_, c, component));
  }

  void add_outline() {
    const int segments = kSamples * grid_.n;
    const double length = 2 * DiscProblem::kRadius * std::sin(pi / segments);
    for (int s = 0; s < segments; ++s) {
      const double angle = 2 * pi * (s + 0.5) / segments;
      const PlanePoint normal{std::cos(angle), std::sin(angle)};
      const PlanePoint x{DiscProblem::kMiddle + DiscProblem::kRadius * normal[0],
                         DiscProblem::kMiddle + DiscProblem::kRadius * normal[1]};
      if (label_at(x) != Cell::Dirichlet) spread(x, normal, length);
    }
  }
  void add_sides() {
    const double length = grid_.h() / kSamples;
    domain_.for_each([&](const Index<2>& c) {
      if (domain_.at(c) != Cell::Dirichlet) return;
      for (int side = 0; side < 4; ++side) {
        const int k = side / 2, up = side % 2;
        if (domain_.at(moved<2>(c, k, up ? 1 : -1)) == Cell::Dirichlet) continue;
        PlanePoint normal{0, 0};
        normal[k] = up ? 1 : -1;
        for (int s = 0; s < kSamples; ++s) {
          double place[2];
          place[k] = c[k] + up;
          place[1 - k] = c[1 - k] + (s + 0.5) / kSamples;
          const PlanePoint x = grid_.point(place[0], place[1]);
          if (!DiscProblem::inside(x)) spread(x, normal, length);
        }
      }
    });
  }
  /// Bilinearly to the four faces around [Zhu10 sec 9.2].
  void spread(const PlanePoint& x, const PlanePoint& normal, double length) {
    if (fractions_) {
      const Point<2> traction{exact_.traction(x, normal, 0), exact_.traction(x, normal, 1)};
      const double h = grid_.h();
      pieces_.push_back({{h * grid_.along(x, 0), h * grid_.along(x, 1)}, normal, length, {}});
      return add_embedded_traction<2>(model_, pieces_.back().at, normal, traction, length, b_);
    }
    for (int i = 0; i < 2; ++i) {
      const double force = length * exact_.traction(x, normal, i);
      Index<2> low;
      double part[2];
      for (int k = 0; k < 2; ++k) {
        const double place = grid_.along(x, k) - (k == i ? 0 : 0.5);
        low[k] = std::int32_t(std::floor(place));
        part[k] = place - low[k];
      }
      for (int c = 0; c < 4; ++c) {
        const Index<2> to{low[0] + (c & 1), low[1] + (c >> 1)};
        push(to, i, force * (c & 1 ? part[0] : 1 - part[0]) * (c >> 1 ? part[1] : 1 - part[1]));
      }
    }
  }
  /// What of the stress runs along the outline is known from a solution, a cell inside: adds it in
  /// place of what was there.
  void add_along() {
    const Stresses<2> stresses(model_, u_, nullptr);
    for (Piece& piece : pieces_) {
      Index<2> cell;
      for (int k = 0; k < 2; ++k) {
        cell[k] = std::int32_t(std::floor(piece.at[k] / grid_.h() - piece.normal[k]));
      }
      if (!interior(cell)) continue;
      Stress<2> along = stresses.cell(cell).stress;
      Point<2> traction{};
      for (int k = 0; k < 4; ++k) traction[k / 2] += along[k] * piece.normal[k % 2];
      const Stress<2> across = embedded_stress<2>(piece.normal, traction);
      Stress<2> change;
      for (int k = 0; k < 4; ++k) {
        along[k] -= across[k];
        change[k] = along[k] - piece.along[k];
      }
      add_embedded_stress<2>(model_, piece.at, piece.normal, change, piece.length, b_);
      piece.along = along;
    }
  }
  bool interior(const Index<2>& c) const { return domain_.at(c) == Cell::Interior; }
  bool unknown(const Index<2>& c, int i) const {
    return interior(c) && interior(moved<2>(c, i, -1));
  }
  void add(const Index<2>& c, int k, double value) {
    const Layout<2>& layout = model_.levels[0].layout;
    b_[k * layout.length + layout.place(layout.inside(c))] += value;
  }
  /// A force at a face. As published: at a free face on the stress of the cell behind it; else on
  /// the nearest unknowns, so that none gets lost.
  void push(const Index<2>& c, int i, double force) {
    const double h = grid_.h(), density = -force / (h * h);
    const Index<2> below = moved<2>(c, i, -1);
    if (unknown(c, i)) return add(c, i, density);
    if (domain_.at(c) == Cell::Dirichlet || domain_.at(below) == Cell::Dirichlet) return;
    if (interior(c) != interior(below)) {
      const bool above = interior(below);  // the body is below the face
      const Index<2> cell = above ? below : c, opposite = above ? below : moved<2>(c, i, 1);
      if (unknown(opposite, i)) {
        add(opposite, i, density);
        return add(cell, 2, 0.5 * (above ? 1 : -1) * density * h);
      }
    }
    for (int reach = 1; reach <= 3; ++reach) {
      std::vector<Index<2>> takers;
      for (int dy = -reach; dy <= reach; ++dy) {
        for (int dx = -reach; dx <= reach; ++dx) {
          const Index<2> near{c[0] + dx, c[1] + dy};
          if (std::abs(dx) + std::abs(dy) == reach && unknown(near, i)) takers.push_back(near);
        }
      }
      for (const Index<2>& taker : takers) add(taker, i, density / double(takers.size()));
      if (!takers.empty()) return;
    }
  }

  struct Piece {
    Point<2> at, normal;
    double length;
    Stress<2> along;
  };

  DiscGrid grid_;
  bool fractions_;
  Domain<2> domain_;
  Model<2> model_;
  DiscProblem exact_;
  std::vector<double> b_, u_;
  std::vector<Piece> pieces_;  ///< of the outline, where fractions count
};

}  // namespace

DiscErrors staggered_disc(const DiscGrid& grid, double poisson, bool fractions, Context& context) {
  return Staggered(grid, poisson, fractions).errors(context);
}

}  // namespace isochor::reproduce
