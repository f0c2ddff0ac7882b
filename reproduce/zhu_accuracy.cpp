/// [Zhu10 (17), fig 15]: a disc whose deformation is known, on grids that do not follow its
/// outline.
///
/// Two opposite quadrants of the outline are held, tractions pull at the other two. They come as
/// forces of a polygon's vertices, spread bilinearly to the faces around [Zhu10 sec 9.2]; what
/// falls on a face that is no unknown goes to the stress that is left out there. The error is the
/// largest at unknowns inside the disc, against the largest displacement.
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/staggered/loads.h"
#include "isochor/staggered/solver.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

using namespace staggered;
using std::numbers::pi;

constexpr double kRadius = 0.25, kMiddle = 0.5;

/// The deformation less the position, and its derivatives.
struct Exact {
  double lambda_over_mu;

  static double displacement(const Point<2>& x, int k) {
    const double s = 2 * x[0] / std::sqrt(pi), a = pi * x[1] / 2;
    return s * (k == 0 ? std::cos(a) : std::sin(a)) - x[k];
  }
  static double slope(const Point<2>& x, int k, int j) {
    const double c = 2 / std::sqrt(pi), a = pi * x[1] / 2;
    const double F[2][2] = {{c * std::cos(a), -c * x[0] * pi / 2 * std::sin(a)},
                            {c * std::sin(a), c * x[0] * pi / 2 * std::cos(a)}};
    return F[k][j] - (k == j ? 1 : 0);
  }
  /// Stress over mu.
  double stress(const Point<2>& x, int i, int j) const {
    const double trace = slope(x, 0, 0) + slope(x, 1, 1);
    return slope(x, i, j) + slope(x, j, i) + (i == j ? lambda_over_mu * trace : 0);
  }
  /// Its divergence, by differences that are exact to ten digits.
  double force(const Point<2>& x, int i) const {
    constexpr double h = 1e-4;
    double sum = 0;
    for (int j = 0; j < 2; ++j) {
      const auto at = [&](double by) {
        Point<2> y = x;
        y[j] += by * h;
        return stress(y, i, j);
      };
      sum += (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
    }
    return sum;
  }
};

double from_middle(const Point<2>& x) { return std::hypot(x[0] - kMiddle, x[1] - kMiddle); }
/// The part of a cell about x that is in the disc.
double part_inside(const Point<2>& x, double h) {
  constexpr int kSamples = 16;
  int inside = 0;
  for (int s = 0; s < kSamples * kSamples; ++s) {
    const double at[2] = {(s % kSamples + 0.5) / kSamples - 0.5,
                          (s / kSamples + 0.5) / kSamples - 0.5};
    inside += from_middle({x[0] + h * at[0], x[1] + h * at[1]}) < kRadius;
  }
  return double(inside) / (kSamples * kSamples);
}
/// The quadrants to the left and right are held.
bool in_held_quadrant(const Point<2>& x) {
  return std::abs(x[0] - kMiddle) > std::abs(x[1] - kMiddle);
}

/// Cells that the disc overlaps; those that its held outline passes through are Dirichlet.
Domain<2> make_disc(int n) {
  const double h = 1.0 / n;
  Domain<2> domain({n, n}, {h, h});
  domain.for_each([&](const Index<2>& c) {
    double nearest = 0, farthest = 0;
    for (int k = 0; k < 2; ++k) {
      const double low = c[k] * h - kMiddle, high = low + h;
      const double near = low > 0 ? low : high < 0 ? -high : 0;
      nearest += near * near;
      farthest += std::pow(std::max(std::abs(low), std::abs(high)), 2);
    }
    if (nearest >= kRadius * kRadius) return;
    const bool outline = farthest > kRadius * kRadius;
    const Point<2> centre{(c[0] + 0.5) * h, (c[1] + 0.5) * h};
    const bool held = outline && in_held_quadrant(centre);
    domain.cells[domain.index(c)] = held ? Cell::Dirichlet : Cell::Interior;
  });
  return domain;
}

class Disc {
 public:
  Disc(int n, double poisson)
      : domain_(make_disc(n)),
        model_(
            build_model<2>(domain_, Material::from_poisson(2 + 2 * poisson, poisson), {}, "disc")),
        exact_{1 / model_.material.compressibility},
        b_(model_.unknowns()),
        u_(b_.size()) {
    // The load of the disc alone, though cells that it fills in part are as stiff as full ones.
    const auto load = [&](const Point<2>& x, int k) {
      return -exact_.force(x, k) * part_inside(x, domain_.spacing[0]);
    };
    add_body_force<2>(model_, load, b_);
    set_given<2>(model_, Exact::displacement, u_);
    add_outline(16 * n);
  }

  /// Over the largest displacement.
  struct Errors {
    double largest = 0, mean = 0;  ///< the latter of squares, its root
  };
  Errors errors(Context& context) {
    SolverMemory<2> memory(model_, 20);
    report_ = staggered::solve<2>(model_, b_, u_, 1e-10, 100, memory, context);
    double worst = 0, squares = 0, largest = 0, count = 0;
    for_each_unknown<2>(model_, [&](const Index<2>& c, int k, std::size_t place) {
      const Point<2> x = position(model_, c, k);
      if (k == 2 || from_middle(x) > kRadius) return;
      const double error = std::abs(u_[place] - Exact::displacement(x, k));
      worst = std::max(worst, error);
      squares += error * error;
      ++count;
      largest = std::max(largest, std::abs(Exact::displacement(x, k)));
    });
    return {worst / largest, std::sqrt(squares / count) / largest};
  }
  const SolveReport& report() const { return report_; }

 private:
  void add_outline(int segments) {
    const double length = 2 * kRadius * std::sin(pi / segments);
    for (int s = 0; s < segments; ++s) {
      const double angle = 2 * pi * s / segments;
      const Point<2> normal{std::cos(angle), std::sin(angle)};
      const Point<2> x{kMiddle + kRadius * normal[0], kMiddle + kRadius * normal[1]};
      if (in_held_quadrant(x)) continue;
      for (int i = 0; i < 2; ++i) {
        const double t = exact_.stress(x, i, 0) * normal[0] + exact_.stress(x, i, 1) * normal[1];
        spread(x, i, length * t);
      }
    }
  }
  /// Bilinearly to the four faces around.
  void spread(const Point<2>& x, int i, double force) {
    Index<2> low;
    double part[2];
    for (int k = 0; k < 2; ++k) {
      const double at = x[k] / domain_.spacing[k] - (k == i ? 0 : 0.5);
      low[k] = std::int32_t(std::floor(at));
      part[k] = at - low[k];
    }
    for (int c = 0; c < 4; ++c) {
      Index<2> at = low;
      double weight = force;
      for (int k = 0; k < 2; ++k) {
        at[k] += c >> k & 1;
        weight *= c >> k & 1 ? part[k] : 1 - part[k];
      }
      push(at, i, weight);
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
  /// A force at a face: on its unknown; at a free face on the stress of the cell behind it; else on
  /// the nearest unknowns, so that none gets lost.
  void push(const Index<2>& c, int i, double force) {
    const double density = -force / (domain_.spacing[0] * domain_.spacing[1]);
    const Index<2> below = moved<2>(c, i, -1);
    if (unknown(c, i)) return add(c, i, density);
    if (domain_.at(c) == Cell::Dirichlet || domain_.at(below) == Cell::Dirichlet) return;
    if (interior(c) != interior(below)) {
      const bool above = interior(below);  // the body is below the face
      const Index<2> cell = above ? below : c, opposite = above ? below : moved<2>(c, i, 1);
      if (unknown(opposite, i)) {
        add(opposite, i, density);
        return add(cell, 2, 0.5 * (above ? 1 : -1) * density * domain_.spacing[i]);
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

  Domain<2> domain_;
  Model<2> model_;
  Exact exact_;
  std::vector<double> b_, u_;
  SolveReport report_;
};

}  // namespace

std::vector<Row> zhu_accuracy(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  const int finest = options.full ? 512 : 256;
  for (const double poisson : {0.2, 0.45, 0.49}) {
    std::vector<Disc::Errors> errors;
    for (int n = 32; n <= finest && !context.cancelled; n *= 2) {
      Disc disc(n, poisson);
      errors.push_back(disc.errors(context));
      rows.push_back(
          {.id = "zhu/accuracy",
           .quantity = fmt::format("error/nu={}/N={}", poisson, n),
           .variant = "best",
           .source = "fig 15",
           .ours = errors.back().largest,
           .note = fmt::format("root of mean squares {:.1e}; {} iterations, residual {:.0e}",
                               errors.back().mean, disc.report().iterations,
                               disc.report().relative_residual)});
      if (!disc.report().converged) rows.back().ours.reset();
    }
    const auto order = [&](double Disc::Errors::*error) {
      return std::log2(errors.front().*error / errors.back().*error) / double(errors.size() - 1);
    };
    rows.push_back(
        {.id = "zhu/accuracy",
         .quantity = fmt::format("order/nu={}", poisson),
         .variant = "best",
         .source = "fig 15",
         .paper = 1.15,
         .ours = order(&Disc::Errors::largest),
         .relation = Relation::AtLeast,
         .bound = 1.0,
         .note = fmt::format("of the largest error, N = 32 to {}; the paper has 1.15 to 1.25; of "
                             "the root of mean squares {:.2f}",
                             finest, order(&Disc::Errors::mean))});
  }
  return rows;
}

}  // namespace isochor::reproduce
