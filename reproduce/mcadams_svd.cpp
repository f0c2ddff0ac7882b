/// [McAdams11 sec 9.2]: how exact the branch-free SVD is, on a million matrices of every kind that
/// breaks such algorithms, beside the published one and beside the rotation by F S^-1.
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <random>
#include <vector>

#include "isochor/math/svd.h"
#include "isochor/math/svd_batch.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

class Matrices {
 public:
  /// `scale` is the largest power of ten that entries are scaled by.
  Matrices(std::size_t count, double scale) : scale_(scale) {
    all_.reserve(count);
    while (all_.size() < count) add(static_cast<int>(all_.size() % kKinds));
  }
  const std::vector<Mat3d>& all() const { return all_; }

 private:
  static constexpr int kKinds = 6;

  void add(int kind) {
    const auto graded = [&](double a, double b, double c) {
      return times_transpose(rotation() * Mat3d::diagonal({a, b, c}), rotation());
    };
    const double sign = uniform_(random_) < 0.5 ? -1 : 1;
    switch (kind) {
      case 0:
        return all_.push_back(random_matrix());
      case 1: {  // rank 0 to 2
        const int rank = static_cast<int>(3 * uniform_(random_));
        return all_.push_back(graded(rank > 0, rank > 1, 0));
      }
      case 2:
        return all_.push_back(graded(1, uniform_(random_), -uniform_(random_)));
      case 3: {  // repeated, exactly and nearly
        const double near = std::pow(10.0, -16 * uniform_(random_));
        return all_.push_back(graded(1, 1 + near, sign * (1 - near)));
      }
      case 4: {
        const auto power = [&] { return std::pow(10.0, -std::floor(13 * uniform_(random_))); };
        return all_.push_back(graded(1, power(), sign * power()));
      }
      default:
        return all_.push_back(random_matrix() *
                              std::pow(10.0, scale_ * (2 * uniform_(random_) - 1)));
    }
  }
  Mat3d random_matrix() {
    Mat3d m;
    for (int e = 0; e < 9; ++e) m(e % 3, e / 3) = normal_(random_);
    return m;
  }
  Mat3d rotation() {
    return rotation_from_vector({normal_(random_), normal_(random_), normal_(random_)});
  }

  double scale_;
  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::vector<Mat3d> all_;
};

double frobenius(const Mat3d& m) {
  double largest = 0;
  for (int e = 0; e < 9; ++e) largest = std::max(largest, std::abs(m(e % 3, e / 3)));
  if (largest == 0) return 0;
  const Mat3d scaled = m * (1 / largest);
  return largest * std::sqrt(contract(scaled, scaled));
}

template <class S>
Mat3d widened(const Mat3<S>& m) {
  Mat3d d;
  for (int e = 0; e < 9; ++e) d(e % 3, e / 3) = m(e % 3, e / 3);
  return d;
}

template <class S>
Mat3<S> narrowed(const Mat3d& m) {
  Mat3<S> s;
  for (int e = 0; e < 9; ++e) s(e % 3, e / 3) = static_cast<S>(m(e % 3, e / 3));
  return s;
}

/// Worst errors so far, computed in double.
struct Errors {
  double reconstruction = 0;  ///< |U S V^T - A| / |A|
  double orthogonality = 0;   ///< |Q^T Q - I| of U and V
  int not_rotations = 0;      ///< determinant of U or V not 1, or singular values out of order

  template <class S>
  void add(const Mat3<S>& matrix, const Svd<S>& f) {
    const Mat3d A = widened(matrix), U = widened(f.U), V = widened(f.V);
    const Vec3d sigma{double(f.sigma[0]), double(f.sigma[1]), double(f.sigma[2])};
    const Mat3d back = times_transpose(U * Mat3d::diagonal(sigma), V);
    if (const double size = frobenius(A); size > 0) {
      reconstruction = std::max(reconstruction, frobenius(back - A) / size);
    }
    for (const Mat3d& Q : {U, V}) {
      orthogonality = std::max(orthogonality, frobenius(transpose_times(Q, Q) - Mat3d::identity()));
    }
    const double slack = 1e-5 * sigma[0];
    not_rotations += !(determinant(U) > 0.5 && determinant(V) > 0.5 &&
                       sigma[0] >= sigma[1] - slack && sigma[1] >= std::abs(sigma[2]) - slack);
  }
};

/// All matrices through the batch, as simulations would.
template <class S>
Errors batch_errors(const std::vector<Mat3d>& matrices) {
  const std::size_t n = matrices.size();
  std::vector<S> in(9 * n), U(9 * n), sigma(3 * n), V(9 * n);
  for (std::size_t k = 0; k < n; ++k) {
    for (int e = 0; e < 9; ++e) in[e * n + k] = static_cast<S>(matrices[k](e % 3, e / 3));
  }
  svd_batch(SvdBatch<S>{n, in.data(), U.data(), sigma.data(), V.data()});
  Errors errors;
  for (std::size_t k = 0; k < n; ++k) {
    Mat3<S> A;
    Svd<S> f;
    for (int e = 0; e < 9; ++e) {
      A(e % 3, e / 3) = in[e * n + k];
      f.U(e % 3, e / 3) = U[e * n + k];
      f.V(e % 3, e / 3) = V[e * n + k];
    }
    for (int i = 0; i < 3; ++i) f.sigma[i] = sigma[i * n + k];
    errors.add(A, f);
  }
  return errors;
}

template <class S>
Errors published_errors(const std::vector<Mat3d>& matrices) {
  Errors errors;
  for (const Mat3d& m : matrices) {
    const Mat3<S> A = narrowed<S>(m);
    errors.add(A, svd(A, kPublishedSvdSweeps));
  }
  return errors;
}

/// How far F S^-1 is from a rotation: the short way to R, which the paper's SVD avoids.
template <class S>
double inverse_stretch_error(const std::vector<Mat3d>& matrices) {
  double worst = 0;
  for (const Mat3d& m : matrices) {
    const Mat3<S> F = narrowed<S>(m);
    const Svd<S> f = svd(F);
    const Vec3<S> inverse{S(1) / f.sigma[0], S(1) / f.sigma[1], S(1) / f.sigma[2]};
    const Mat3<S> R = F * times_transpose(f.V * Mat3<S>::diagonal(inverse), f.V);
    const double error = frobenius(transpose_times(widened(R), widened(R)) - Mat3d::identity());
    worst = std::isfinite(error) ? std::max(worst, error) : std::numeric_limits<double>::max();
  }
  return worst;
}

template <class S>
void add_rows(const char* type, double bound, double scale, std::size_t count,
              std::vector<Row>& rows) {
  const Matrices matrices(count, scale);
  const Errors ours = batch_errors<S>(matrices.all());
  const Errors published = published_errors<S>(matrices.all());
  const auto add = [&](std::string_view quantity, std::string_view variant, double value,
                       std::optional<double> limit, std::string note) {
    rows.push_back({.id = "mcadams/svd",
                    .quantity = fmt::format("{}, {}", quantity, type),
                    .variant = std::string(variant),
                    .source = "McAdams 2011, section 9.2",
                    .ours = value,
                    .relation = limit ? Relation::AtMost : Relation::Shown,
                    .bound = limit,
                    .note = std::move(note)});
  };
  const std::string what =
      fmt::format("{} matrices, entries scaled by up to 1e+-{:.0f}", count, scale);
  add("worst reconstruction error", "best", ours.reconstruction, bound, what);
  add("worst orthogonality error of U and V", "best", ours.orthogonality, bound, "");
  add("matrices whose U or V is no rotation, or out of order", "best", ours.not_rotations, 0.0, "");
  add("worst reconstruction error", "paper", published.reconstruction, std::nullopt,
      "four approximate sweeps, no second pass");
  add("worst orthogonality error of U and V", "paper", published.orthogonality, std::nullopt, "");
  add("worst orthogonality error of F S^-1", "comparator", inverse_stretch_error<S>(matrices.all()),
      std::nullopt, "the largest number stands for not finite");
}

}  // namespace

std::vector<Row> mcadams_svd(const ExperimentOptions& options, Context&) {
  const std::size_t count = options.full ? 10'000'000 : 1'000'000;
  std::vector<Row> rows;
  add_rows<float>("float", 1e-5, 18, count, rows);
  add_rows<double>("double", 1e-13, 18, count, rows);
  return rows;
}

}  // namespace isochor::reproduce
