#pragma once

#include <cstddef>

/// The functions of elementary.h on arrays, by packs of every instruction set: for tests only.
namespace isochor {

enum class Elementary { Exp, Expm1, Log, Log1p };

/// Packs of every instruction set have a divisor of this many lanes.
inline constexpr std::size_t kWidestPack = 32;

/// The function `f` of `count` numbers, a multiple of kWidestPack; the caller owns both arrays.
template <class S>
struct ElementaryBatch {
  Elementary f = Elementary::Exp;
  std::size_t count = 0;
  const S* in = nullptr;
  S* out = nullptr;
};

}  // namespace isochor
