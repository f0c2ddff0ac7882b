#pragma once

#include "isochor/grid/body_surface.h"
#include "isochor/grid/cell_box.h"

namespace isochor::grid {

/// A triangle that has to do with a cell.
class Touch {
 public:
  Touch(std::int32_t triangle, bool enters)
      : code_(static_cast<std::uint32_t>(2 * std::int64_t{triangle} + enters)) {}
  explicit Touch(std::uint32_t code) : code_(code) {}
  std::int32_t triangle() const { return static_cast<std::int32_t>(code_ >> 1); }
  bool enters() const { return code_ & 1; }  ///< not merely lies in a wall of the cell
  std::uint32_t code() const { return code_; }

 private:
  std::uint32_t code_;
};

/// The cells that a surface touches, with the triangles that do so.
class SurfaceCells {
 public:
  SurfaceCells(const BodySurface& body, const CellBox& box, ThreadArena& arena);

  std::size_t size() const { return cells_.size(); }
  std::int64_t cell(std::size_t record) const { return cells_[record]; }  ///< ascending
  /// By triangle.
  std::span<const Touch> touches(std::size_t record) const {
    return std::span(touches_).subspan(starts_[record], starts_[record + 1] - starts_[record]);
  }
  std::size_t first_touch(std::size_t record) const { return starts_[record]; }
  std::size_t touch_count() const { return touches_.size(); }
  /// The record of a cell, or -1.
  std::int64_t find(std::int64_t cell) const;
  /// The records of a row of cells along x.
  std::pair<std::size_t, std::size_t> row(std::int64_t row) const {
    return {row_starts_[row], row_starts_[row + 1]};
  }

 private:
  std::int64_t row_length_;
  std::vector<std::size_t> row_starts_;
  std::vector<std::int64_t> cells_;
  std::vector<std::size_t> starts_;
  std::vector<Touch> touches_;
};

enum class CellState : std::uint8_t { Outside, Inside, Cut };

/// Per cell: Cut where a triangle enters it, elsewhere on which side of the surface it lies.
std::vector<CellState> classify_cells(const BodySurface& body, const CellBox& box,
                                      const SurfaceCells& touched, ThreadArena& arena);

}  // namespace isochor::grid
