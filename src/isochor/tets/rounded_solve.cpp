#include "isochor/tets/rounded_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/math/dispatch.h"

namespace isochor::tets {

/// image = H p where nothing is held, and p H p.
ISOCHOR_DECLARE_KERNEL(void rounded_product_kernel(const RoundedIteration&, std::size_t,
                                                   std::size_t, double&))
/// x += length p, r -= length image, image = M^-1 r.
ISOCHOR_DECLARE_KERNEL(void rounded_advance_kernel(const RoundedIteration&, float length,
                                                   std::size_t, std::size_t, RoundedSums&))

namespace {

/// At least so many at a time.
constexpr std::size_t kRows = 256;

double multiply(const RoundedIteration& it, ThreadArena& arena) {
  return deterministic_sum(
      arena, it.pattern.rows(),
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        ISOCHOR_CALL_KERNEL(best_isa(), rounded_product_kernel(it, begin, end, sum));
        return sum;
      },
      kRows);
}

RoundedSums advance(const RoundedIteration& it, double length, ThreadArena& arena) {
  return deterministic_sum(
      arena, it.pattern.rows(),
      [&](std::size_t begin, std::size_t end) {
        RoundedSums sums;
        ISOCHOR_CALL_KERNEL(best_isa(),
                            rounded_advance_kernel(it, float(length), begin, end, sums));
        return sums;
      },
      kRows);
}

/// image += S^-1 C S^-1 p for the contacts C; returns what that adds to p A p.
double add_contacts(const RoundedIteration& it, const contact::ContactMatrix& contact,
                    std::span<const float> by_scale) {
  double sum = 0;
  for (std::size_t row = 0; row < contact.points().size(); ++row) {
    const std::int32_t i = contact.points()[row];
    if (it.held[i]) continue;
    const auto scaled = [&](std::int32_t point) {
      const float* const p = it.p + 4 * std::ptrdiff_t(point);
      return double(by_scale[point]) * Vec3d{p[0], p[1], p[2]};
    };
    const Vec3d push = contact.row_times(row, scaled);
    sum += dot(scaled(i), push);
    for (int a = 0; a < 3; ++a) it.image[4 * i + a] += float(by_scale[i] * push[a]);
  }
  return sum;
}

/// Takes away from a vector of four numbers a node what may not move for its slides.
void restrain(std::span<const Slide> slides, float* v) {
  for (const Slide& slide : slides) {
    float* const at = v + 4 * std::ptrdiff_t(slide.node);
    const double along = dot(slide.normal, Vec3d{at[0], at[1], at[2]});
    for (int a = 0; a < 3; ++a) at[a] = float(at[a] - along * slide.normal[a]);
  }
}

}  // namespace

RoundedSolve::RoundedSolve(std::size_t nodes)
    : x_(4 * nodes, 0),
      r_(4 * nodes, 0),
      p_(4 * nodes, 0),
      image_(4 * nodes, 0),
      inverse_(9 * nodes + 4, 0) {}

void RoundedSolve::poison() {
  for (auto* v : {&x_, &r_, &p_, &image_, &inverse_}) {
    std::ranges::fill(*v, std::numeric_limits<float>::quiet_NaN());
  }
}

std::size_t RoundedSolve::bytes() const {
  return sizeof(float) *
         (x_.capacity() + r_.capacity() + p_.capacity() + image_.capacity() + inverse_.capacity());
}

solve::KrylovReport RoundedSolve::solve(const Model& model, const RoundedRows& rows,
                                        std::span<const Mat3d> inverse_diagonal,
                                        const Restraint& restraint,
                                        const contact::ContactMatrix* contact,
                                        std::span<const Vec3d> b, std::span<Vec3d> u,
                                        const solve::Accuracy& accuracy, int max_iterations,
                                        FunctionRef<bool()> stop, ThreadArena& arena) {
  constexpr double kFlat = 1e-12;  // as of solve::conjugate_gradient
  const std::size_t nodes = b.size();
  const std::span<const float> scale = rows.scale(), by_scale = rows.by_scale();
  const RoundedIteration it{.pattern = model.pattern,
                            .entries = rows.entries(),
                            .held = model.held.data(),
                            .scale = scale.data(),
                            .inverse = inverse_.data(),
                            .x = x_.data(),
                            .r = r_.data(),
                            .p = p_.data(),
                            .image = image_.data()};
  parallel_for(arena, nodes, solve::kVectorGrain, [&](std::size_t i) {
    for (int a = 0; a < 4; ++a) {
      r_[4 * i + a] = a < 3 ? float(double(by_scale[i]) * b[i][a]) : 0;
      x_[4 * i + a] = p_[4 * i + a] = image_[4 * i + a] = 0;
    }
    const double squared = double(scale[i]) * double(scale[i]);
    for (int e = 0; e < 9; ++e) {
      inverse_[9 * i + e] = float(squared * inverse_diagonal[i](e % 3, e / 3));
    }
  });
  const auto turn = [&](double beta) {
    restrain(restraint.slides, image_.data());
    parallel_for(arena, p_.size(), 4 * solve::kVectorGrain,
                 [&](std::size_t k) { p_[k] = image_[k] + float(beta) * p_[k]; });
  };

  solve::KrylovReport report;
  RoundedSums sums = advance(it, 0, arena);  // moves nothing
  const double whole = sums.squared;
  double p_squared = sums.preconditioned;
  if (whole == 0) report = {.relative_residual = 0, .converged = true};
  turn(0);
  while (!report.converged && report.iterations < max_iterations && !stop()) {
    ++report.iterations;
    if (!(sums.preconditioned > 0)) {
      report.unfit = true;
      break;
    }
    double curvature = multiply(it, arena);
    if (contact) curvature += add_contacts(it, *contact, by_scale);
    ++report.operator_applications;
    if (!(curvature > kFlat * p_squared)) {
      if (report.iterations == 1) x_ = p_;
      report.indefinite = true;
      break;
    }
    restrain(restraint.slides, image_.data());
    const double before = sums.preconditioned;
    sums = advance(it, before / curvature, arena);
    report.relative_residual = std::sqrt(sums.squared / whole);
    report.converged = accuracy.reached(report.relative_residual, report.iterations);
    const double beta = sums.preconditioned / before;
    p_squared = sums.preconditioned + beta * beta * p_squared;
    if (!report.converged) turn(beta);
  }
  parallel_for(arena, nodes, solve::kVectorGrain, [&](std::size_t i) {
    for (int a = 0; a < 3; ++a) u[i][a] = double(by_scale[i]) * double(x_[4 * i + a]);
  });
  return report;
}

}  // namespace isochor::tets
