#pragma once

#include "isochor/grid/cell_lines.h"
#include "isochor/grid/surface_cells.h"

namespace isochor::grid {

/// What lines through a cell see of the material in it. Elements are the samples in which lines
/// meet, then the triangles that touch the cell; sets of them are known to belong to the same
/// piece of material. Looks at one cell after another and keeps its memory; one per thread.
class CellContents {
 public:
  using Element = std::int32_t;
  static constexpr Element kNone = -1;
  /// A part of a line that lies in material.
  struct Stretch {
    Element element;
    int line;
    double from, to;  ///< along the line
  };
  /// Where a line in material reaches a face.
  struct Arrival {
    int slot;  ///< CellLines::face_slot
    Element element;
  };

  CellContents(const BodySurface& body, const CellBox& box, int subdivision)
      : body_(body), box_(box), lines_(subdivision) {}

  /// Finds what is inside and unites what borders the same material along a line.
  void look_at(const Index3& cell, std::span<const Touch> touches);

  const CellLines& lines() const { return lines_; }
  std::span<const Touch> touches() const { return touches_; }
  /// Of a triangle, in cells from the low corner of the cell.
  const geometry::TriangleCorners& corners(std::size_t touch) const { return corners_[touch]; }
  Element element(std::size_t touch) const {
    return lines_.sample_count() + static_cast<Element>(touch);
  }
  std::vector<Element> samples_inside() const;
  int winding(Element sample) const { return winding_[sample]; }

  /// Sets are named by their first element.
  Element name(Element element) { return sets_.find(element); }
  void unite(Element a, Element b) { sets_.unite(a, b); }
  /// Triangles are united with samples inside only.
  bool has_sample(Element element) { return name(element) < lines_.sample_count(); }

  /// Looks straight from an element, at a place with a given winding number, to a place on a
  /// triangle, and unites them if there is nothing but material between them. Returns whether they
  /// are united.
  bool probe(Element from, const Vec3d& start, int winding, Element to, const Vec3d& end);

  std::span<const Stretch> stretches() const { return stretches_; }
  /// Whether winding numbers along all lines are 0 or 1 and what triangles say agrees with what
  /// samples say: not so where surfaces overlap, are turned the wrong way or have holes.
  bool is_orderly() const;
  std::span<const Arrival> arrivals() const { return arrivals_; }
  /// The axis whose lines meet most of the surface, so that they are nearly at right angles to it.
  int steepest_axis() const;

 private:
  bool is_inside(Element sample) const { return winding_[sample] > 0; }
  void find_crossings();
  template <class F>
  void for_each_step(int line, F&& f) const;
  void ask_samples(const Vec3d& low);
  void follow_line(int line);
  template <class Iterator>
  Element follow(Element from, int winding, double at, Iterator first, Iterator last, int direction,
                 double end);
  void join_samples(Element from, double at, std::span<const Crossing> between, Element to,
                    double end);
  void arrive(int slot, Element element);

  const BodySurface& body_;
  const CellBox& box_;
  CellLines lines_;
  std::span<const Touch> touches_;
  std::vector<geometry::TriangleCorners> corners_;
  geometry::DisjointSets sets_{0};
  std::vector<Crossing> crossings_;        ///< by line, then along it
  std::vector<std::int32_t> line_starts_;  ///< in crossings_
  std::vector<Crossing> probe_crossings_;
  std::vector<int> winding_;  ///< per sample
  int line_ = 0;              ///< that is followed
  std::vector<Stretch> stretches_;
  std::vector<Arrival> arrivals_;
};

}  // namespace isochor::grid
