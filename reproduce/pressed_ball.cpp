#include "reproduce/pressed_ball.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace isochor::reproduce {
namespace {

using Numbers = std::vector<double>;

/// P_n at cosines, by turns for n = 1, 2, ...
class Legendre {
 public:
  explicit Legendre(Numbers x) : now(x), x_(std::move(x)), before_(x_.size(), 1), next_(x_.size()) {
    find_next();
  }
  void step() {
    ++n_;
    before_.swap(now);
    now.swap(next_);
    find_next();
  }
  int n() const { return n_; }
  /// (2 n + 1) times the integral of P_n from the last cosine to this one.
  double integral(std::size_t i) const {
    return next_[i] - before_[i] - (next_.back() - before_.back());
  }
  /// By the angle.
  double slope(std::size_t i) const {
    const double sine = std::sqrt(1 - x_[i] * x_[i]);
    return n_ * (x_[i] * now[i] - before_[i]) / sine;
  }

  Numbers now;  ///< P_n

 private:
  void find_next() {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      next_[i] = ((2 * n_ + 1) * x_[i] * now[i] - n_ * before_[i]) / (n_ + 1);
    }
  }
  int n_ = 1;
  Numbers x_, before_, next_;
};

/// How far a ring, in the middle of its width, goes towards the plate by a pressure of 1 on
/// another and on its like below.
std::vector<Numbers> responses(const Numbers& edges, const Numbers& middles, double poisson) {
  const std::size_t rings = middles.size();
  const double shear = 1 / (2 * (1 + poisson));
  std::vector<Numbers> response(rings, Numbers(rings, 0));
  // n = 0: a pressure on all of the surface.
  const double even = -(1 - 2 * poisson) / (2 * shear * (1 + poisson));
  for (std::size_t i = 0; i < rings; ++i) {
    for (std::size_t j = 0; j < rings; ++j) {
      response[i][j] = middles[i] * even * (edges[j] - edges[j + 1]);
    }
  }
  // Waves much shorter than a ring's width cancel.
  const int most = int(12 * double(rings) / std::acos(edges.back()));
  Legendre on_edges(edges), on_middles(middles);
  Numbers along(rings);
  for (; on_middles.n() < most; on_edges.step(), on_middles.step()) {
    const double n = on_middles.n();
    if (on_middles.n() % 2 != 0) continue;  // both sides alike
    // Without shear on the surface, and with a pressure P_n on it.
    const double turning = (n * n + 2 * n - 1 + 2 * poisson) / (n - 1);
    const double a =
        -1 / (2 * shear) / ((n + 1) * (n * n - n - 2 - 2 * poisson) - n * (n - 1) * turning);
    const double radial = a * ((n + 1) * (n - 2 + 4 * poisson) - n * turning);
    const double tangential = a * (n + 5 - 4 * poisson - turning);
    for (std::size_t i = 0; i < rings; ++i) {
      const double sine = std::sqrt(1 - middles[i] * middles[i]);
      along[i] = radial * on_middles.now[i] * middles[i] - tangential * on_middles.slope(i) * sine;
    }
    for (std::size_t j = 0; j < rings; ++j) {
      const double part = on_edges.integral(j) - on_edges.integral(j + 1);
      for (std::size_t i = 0; i < rings; ++i) response[i][j] += along[i] * part;
    }
  }
  return response;
}

/// Pressures on the first rings that bring them to the plate, by elimination.
Numbers pressures_of(const std::vector<Numbers>& response, const Numbers& gaps, std::size_t count) {
  std::vector<Numbers> rows(count, Numbers(count + 1));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) rows[i][j] = -response[i][j];
    rows[i][count] = gaps[i];
  }
  // Each ring gives way most to its own pressure: no rows change places.
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = k + 1; i < count; ++i) {
      const double part = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= count; ++j) rows[i][j] -= part * rows[k][j];
    }
  }
  Numbers pressures(count);
  for (std::size_t i = count; i-- > 0;) {
    double sum = rows[i][count];
    for (std::size_t j = i + 1; j < count; ++j) sum -= rows[i][j] * pressures[j];
    pressures[i] = sum / rows[i][i];
  }
  return pressures;
}

}  // namespace

double force_between_plates(double approach, double poisson, int rings) {
  // The plates would cut so much off a ball that does not bulge.
  const double widest = 1.25 * std::sqrt(approach), width = widest / rings;
  Numbers edges, middles, gaps;
  for (int i = 0; i <= rings; ++i) edges.push_back(std::cos(i * width));
  for (int i = 0; i < rings; ++i) {
    middles.push_back(std::cos((i + 0.5) * width));
    gaps.push_back(approach - (1 - middles.back()));
  }
  const std::vector<Numbers> response = responses(edges, middles, poisson);
  // From the middle outward, as long as nothing has to be pulled.
  double force = 0;
  for (std::size_t count = 1; count <= middles.size(); ++count) {
    const Numbers pressures = pressures_of(response, gaps, count);
    if (pressures.back() < 0) break;
    force = 0;
    for (std::size_t i = 0; i < count; ++i) {
      // A ring's area, as the plate sees it.
      force +=
          pressures[i] * std::numbers::pi * (edges[i] * edges[i] - edges[i + 1] * edges[i + 1]);
    }
  }
  return force;
}

}  // namespace isochor::reproduce
