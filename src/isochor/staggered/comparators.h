#pragma once

#include <vector>

#include "isochor/staggered/stencil.h"

namespace isochor::staggered {

struct Material;
template <int D>
struct Level;

/// What smooths near the boundary.
enum class Boundary {
  Own,       ///< what belongs to the smoother
  Boxes,     ///< two cells wide, about all corners of the outermost cells [Zhu10 sec 5.2]
  Kaczmarz,  ///< projection on one equation after the other [Zhu10 sec 5.3]
};

/// The smoothers that the paper compares its own with, to measure them: on one thread, with the
/// matrix assembled. Given displacements count as zero, which they are in corrections.
template <int D>
class Comparator {
 public:
  Comparator() = default;
  Comparator(const Level<D>& level, const Material& material, Boundary kind);

  /// Once over all of the boundary.
  void sweep(const float* b, float* u) const;
  std::size_t bytes() const;

 private:
  struct Entry {
    std::uint32_t place;
    float value;
  };
  struct Box {
    std::uint32_t first, inverse;  ///< among members_, and inverses_
    std::uint32_t count;
  };
  void make_boxes(const Level<D>& level);
  float residual(std::uint32_t place, const float* b, const float* u) const;
  void project(std::uint32_t place, const float* b, float* u) const;

  std::vector<std::uint32_t> first_;  ///< per place among the fields, and an end
  std::vector<Entry> entries_;        ///< of rows
  std::vector<Box> boxes_;
  std::vector<std::uint32_t> members_;  ///< places of unknowns: of boxes, or all to project on
  std::vector<float> inverses_;         ///< of the matrices of boxes, each distinct one once
  float pressure_ = 1;  ///< the square of what a pressure is worth as a displacement
  std::size_t length_ = 0;
};

}  // namespace isochor::staggered
