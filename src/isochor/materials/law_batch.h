#pragma once

#include <cstddef>

#include "isochor/materials/parameters.h"
#include "isochor/materials/tangent.h"
#include "isochor/math/isa.h"

namespace isochor::materials {

/// A law evaluated for many F at once. Structure of arrays: number e of item k is at
/// [e count + k], matrices by columns. The caller owns all memory; results that are not wanted may
/// be null.
template <class S>
struct LawBatch {
  std::size_t count = 0;
  const S* F = nullptr;                      ///< 9
  const S *mu = nullptr, *lambda = nullptr;  ///< Pa
  /// Per item; none: those of `common`.
  const S *activation = nullptr, *fibres = nullptr;
  Parameters<S> common{};  ///< activation, fibres and shape, the same for all
  Definiteness fix = Definiteness::Clamp;
  S* energy = nullptr;   ///< J/m^3
  S* stress = nullptr;   ///< 9, Pa
  S* tangent = nullptr;  ///< tangent_numbers(law)
  /// The tangent is to be a whole matrix, 45 numbers, as it is, whatever `fix` says. Of laws that
  /// has_whole_tangent names and of those that have no other.
  bool whole = false;
};

/// How many numbers a law's tangent takes: 30 (U, V, stretch as xx, yy, zz, yz, xz, xy, flip,
/// twist) or 45 (as in DenseTangent).
int tangent_numbers(int law);

/// Whether a law is isotropic and has its exact tangent as a whole matrix for less: without
/// singular values.
bool has_whole_tangent(int law);

/// Evaluates all of them with the packs of an instruction set that this processor must have. AVX2
/// and AVX-512 give equal bits.
void evaluate(int law, const LawBatch<float>& batch, Isa isa = best_isa());
void evaluate(int law, const LawBatch<double>& batch, Isa isa = best_isa());

}  // namespace isochor::materials
