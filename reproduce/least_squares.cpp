#include "reproduce/least_squares.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace isochor::reproduce {
namespace {

/// Maps a range of numbers to that from 0 to 1.
class Scale {
 public:
  explicit Scale(const Unknown& u)
      : logarithmic_(u.low > 0), low_(inner(u.low)), range_(inner(u.high) - low_) {}

  double part_of(double value) const {
    return std::clamp((inner(value) - low_) / range_, 0.0, 1.0);
  }
  double value_of(double part) const {
    const double value = low_ + range_ * part;
    return logarithmic_ ? std::exp(value) : value;
  }

 private:
  double inner(double value) const { return logarithmic_ ? std::log(value) : value; }

  bool logarithmic_;
  double low_, range_;
};

class Search {
 public:
  Search(const Residuals& residuals, std::size_t count, std::span<const Unknown> unknowns)
      : residuals_(residuals), count_(static_cast<Index>(count)) {
    for (const Unknown& u : unknowns) scales_.emplace_back(u);
    parts_.resize(static_cast<Index>(unknowns.size()));
    for (Index i = 0; i < parts_.size(); ++i) parts_[i] = scales_[i].part_of(unknowns[i].start);
  }

  Fit run() {
    Fit fit;
    VectorXd r = at(parts_);
    double damping = 1e-2;
    while (fit.iterations < 300 && !fit.converged) {
      ++fit.iterations;
      const MatrixXd J = slopes(r);
      bool better = false;
      while (!better && damping < 1e12) {
        const VectorXd trial = (parts_ + step(J, r, damping)).cwiseMax(0).cwiseMin(1);
        const VectorXd at_trial = at(trial);
        better = at_trial.squaredNorm() < r.squaredNorm();
        if (better) {
          fit.converged = damping < 1 && at_trial.norm() > (1 - 1e-6) * r.norm();
          parts_ = trial;
          r = at_trial;
        }
        damping = better ? std::max(damping / 5, 1e-12) : damping * 4;
      }
      fit.converged = fit.converged || !better;
    }
    fit.values = values(parts_);
    fit.rms = r.norm() / std::sqrt(static_cast<double>(count_));
    return fit;
  }

 private:
  using Index = Eigen::Index;
  using MatrixXd = Eigen::MatrixXd;
  using VectorXd = Eigen::VectorXd;

  std::vector<double> values(const VectorXd& parts) const {
    std::vector<double> result;
    for (Index i = 0; i < parts.size(); ++i) result.push_back(scales_[i].value_of(parts[i]));
    return result;
  }

  VectorXd at(const VectorXd& parts) const {
    VectorXd r(count_);
    residuals_(values(parts), {r.data(), static_cast<std::size_t>(count_)});
    return r;
  }

  /// Differences into the range.
  MatrixXd slopes(const VectorXd& r) const {
    MatrixXd J(count_, parts_.size());
    for (Index i = 0; i < parts_.size(); ++i) {
      const double difference = parts_[i] < 0.5 ? 1e-6 : -1e-6;
      VectorXd moved = parts_;
      moved[i] += difference;
      J.col(i) = (at(moved) - r) / difference;
    }
    return J;
  }

  /// The least squares of J d + r together with a damped d, by a QR factorisation: J^T J would lose
  /// half the digits of a badly conditioned fit. Unknowns that would leave their range stay.
  VectorXd step(const MatrixXd& J, const VectorXd& r, double damping) const {
    const VectorXd slope = J.transpose() * r;
    std::vector<Index> free;
    for (Index i = 0; i < parts_.size(); ++i) {
      const bool held = (parts_[i] <= 0 && slope[i] > 0) || (parts_[i] >= 1 && slope[i] < 0);
      if (!held) free.push_back(i);
    }
    VectorXd all = VectorXd::Zero(parts_.size());
    if (free.empty()) return all;
    const Index m = J.rows(), n = static_cast<Index>(free.size());
    MatrixXd A = MatrixXd::Zero(m + n, n);
    A.topRows(m) = J(Eigen::all, free);
    const double largest = A.colwise().norm().maxCoeff();
    for (Index i = 0; i < n; ++i) {
      A(m + i, i) = std::sqrt(damping) * std::max(A.col(i).norm(), 1e-6 * largest);
    }
    VectorXd b = VectorXd::Zero(m + n);
    b.head(m) = -r;
    all(free) = A.colPivHouseholderQr().solve(b);
    return all;
  }

  const Residuals& residuals_;
  Index count_;
  std::vector<Scale> scales_;
  VectorXd parts_;
};

}  // namespace

Fit least_squares(const Residuals& residuals, std::size_t count,
                  std::span<const Unknown> unknowns) {
  return Search(residuals, count, unknowns).run();
}

}  // namespace isochor::reproduce
