#pragma once

#include <limits>

#include "isochor/math/scalar.h"

/// exp, expm1, log and log1p of any number type, from the operations of scalar.h alone: the
/// libraries of machines differ in the last bits, these do not. Packs of AVX2 and AVX-512 give
/// equal bits; scalars, which round a product before they add to it, differ from them by a unit or
/// two in the last place. No result is off by more than two such units.
///
/// Denormal numbers count as zero, given or returned, except that expm1 and log1p return them as
/// they are. NaN gives NaN.
namespace isochor {
namespace detail {

/// c + x (d + x (...)) for coefficients c, d, ...
template <class T>
ISOCHOR_KERNEL T polynomial(const T&, double c) {
  return T(c);
}
template <class T, class... Higher>
ISOCHOR_KERNEL T polynomial(const T& x, double c, Higher... higher) {
  return muladd(x, polynomial(x, higher...), T(c));
}

template <class T>
inline constexpr bool kSingle = sizeof(Lane<T>) == 4;

/// ln 2 in two parts. The first has so many zeros at its end that its product with any exponent is
/// exact.
template <class T>
inline constexpr double kLn2High = kSingle<T> ? 0x1.62e4p-1 : 0x1.62e42fefa38p-1;
template <class T>
inline constexpr double kLn2Low = kSingle<T> ? 0x1.7f7d1cf8p-20 : 0x1.ef35793c7673p-45;

/// x = k ln 2 + r, |r| <= ln(2) / 2 and k an integer; exp(r) = 1 + r + tail.
template <class T>
struct ReducedExp {
  T k, r, tail;
};

template <class T>
ISOCHOR_KERNEL ReducedExp<T> reduced_exp(const T& x) {
  constexpr double kInverseLn2 = 1.4426950408889634;
  constexpr double kRound = 1.5 * NumberFormat<Lane<T>>::kIntegers;
  ReducedExp<T> e;
  e.k = muladd(x, T(kInverseLn2), T(kRound)) - T(kRound);
  const T high = negmuladd(e.k, T(kLn2High<T>), x), low = e.k * T(kLn2Low<T>);
  e.r = high - low;
  const T lost = (high - e.r) - low;
  // (exp(r) - 1 - r) / r^2, to 2^-26 and 2^-61.
  T q;
  if constexpr (kSingle<T>) {
    q = polynomial(e.r, 0.5, 0.16666546, 0.041666407, 0.0083663082, 0.0013940432);
  } else {
    q = polynomial(e.r, 0.5, 0.16666666666666677, 0.04166666666666669, 0.008333333333322195,
                   0.0013888888888870686, 0.00019841269884866014, 2.4801587355121735e-05,
                   2.7557245361661864e-06, 2.755724634768366e-07, 2.510866559464842e-08,
                   2.092354347905318e-09);
  }
  e.tail = muladd(e.r * e.r, q, lost);
  return e;
}

/// `inside` where exp(x) is a normal number, `below` where it is smaller, infinity where greater.
template <class T>
ISOCHOR_KERNEL T exp_or_limit(const T& x, const T& inside, const T& below) {
  constexpr double kLowest = kSingle<T> ? -87.33654 : -708.3964185322641;
  constexpr double kHighest = kSingle<T> ? 88.72283 : 709.782712893384;
  constexpr auto kInfinity = std::numeric_limits<Lane<T>>::infinity();
  return select(x <= T(kHighest), select(x >= T(kLowest), inside, below), x * T(kInfinity));
}

/// e ln 2 + ln(1 + f) + rest, for a rest that hardly counts and 1 + f from sqrt(1/2) to sqrt(2).
/// With s = f / (2 + f), ln(1 + f) = ln(1 + s) - ln(1 - s) = 2 s + 2/3 s^3 + ...; as f is exact and
/// s is not, 2 s is written f - f^2/2 + s f^2/2.
template <class T>
ISOCHOR_KERNEL T log_sum(const T& e, const T& f, const T& rest) {
  const T s = f / (f + T(2)), z = s * s, half = T(0.5) * f * f;
  // Terms from s^3 on, divided by s^3, to 2^-30 and 2^-59.
  T q;
  if constexpr (kSingle<T>) {
    q = polynomial(z, 0.66666776, 0.39977562, 0.29871297);
  } else {
    q = polynomial(z, 0.6666666666666734, 0.3999999999941892, 0.285714287415989, 0.2222219864350485,
                   0.18183561072356838, 0.15314125905330203, 0.14795259068402364);
  }
  const T tail = muladd(s, muladd(z, q, half), muladd(e, T(kLn2Low<T>), rest));
  return muladd(e, T(kLn2High<T>), f - (half - tail));
}

/// `inside` where x is a normal positive number, otherwise what the logarithm tends to.
template <class T>
ISOCHOR_KERNEL T log_or_limit(const T& x, const T& inside) {
  using Limits = std::numeric_limits<Lane<T>>;
  const T finite = select(x <= T(Limits::max()), inside, x);
  const T other = select(x >= T(0), T(-Limits::infinity()), T(Limits::quiet_NaN()));
  return select(x >= T(Limits::min()), finite, other);
}

}  // namespace detail

template <Number T>
ISOCHOR_KERNEL T exp(const T& x) {
  const detail::ReducedExp<T> e = detail::reduced_exp(x);
  return detail::exp_or_limit(x, times_power_of_two(T(1) + (e.r + e.tail), e.k), T(0));
}

/// exp(x) - 1, with all digits for small x.
template <Number T>
ISOCHOR_KERNEL T expm1(const T& x) {
  const detail::ReducedExp<T> e = detail::reduced_exp(x);
  // 2^k (1 - 2^-k + r + tail); beyond 2^64 the 1 does not count.
  const T less = T(1) - times_power_of_two(T(1), -min(e.k, T(64)));
  return detail::exp_or_limit(x, times_power_of_two((less + e.r) + e.tail, e.k), T(-1));
}

/// The natural logarithm; minus infinity at zero, NaN below.
template <Number T>
ISOCHOR_KERNEL T log(const T& x) {
  const auto [e, m] = split_exponent(x);
  return detail::log_or_limit(x, detail::log_sum(e, m - T(1), T(0)));
}

/// log(1 + x), with all digits for small x; minus infinity at -1, NaN below.
template <Number T>
ISOCHOR_KERNEL T log1p(const T& x) {
  // What rounding took from the sum, exactly (Knuth), and then in units of the mantissa.
  const T sum = T(1) + x, rounded = sum - T(1);
  const T lost = (T(1) - (sum - rounded)) + (x - rounded);
  const auto [e, m] = split_exponent(sum);
  const T c = lost * times_power_of_two(T(1), -min(e, T(64))), f = m - T(1);
  // c / (1 + f), as exactly as c needs.
  return detail::log_or_limit(sum, detail::log_sum(e, f, c - c * f));
}

}  // namespace isochor
