#pragma once

#include <memory>
#include <span>

#include "isochor/grid/lattice.h"
#include "isochor/grid/nodal_jets.h"

namespace isochor::grid {

enum class Interpolation {
  Trilinear,  ///< the lattice's own: continuous, with creases at the walls of cells
  /// Cubic in each cell with continuous first derivatives (Lekien and Marsden 2005), from
  /// derivatives that connected nodes give. Exact for quadratic maps where the lattice is at least
  /// two cells thick; its error is of third order.
  Tricubic,
};

/// Points that ride on a lattice.
class Embedding {
 public:
  struct Point {
    std::array<std::int32_t, 8> nodes;  ///< the corners of its cell
    Vec3d local;                        ///< within its cell, 0 to 1 per axis
  };
  struct Weight {
    std::int32_t node;
    double weight;
  };

  std::vector<Point> points;

  /// The value of a nodal quantity at each point. A point outside its cell takes the map of the
  /// cell continued, trilinear or (from the nearest place in the cell) linear.
  void interpolate(std::span<const Vec3d> nodal, std::span<Vec3d> at_points) const;
  void interpolate(std::span<const double> nodal, std::span<double> at_points) const;

  /// What each node contributes to a point: nodes ascending, weights that sum to one.
  std::vector<Weight> weights(std::size_t point) const;

  Interpolation interpolation() const {
    return jets_ ? Interpolation::Tricubic : Interpolation::Trilinear;
  }
  std::size_t memory() const;  ///< bytes

 private:
  friend Embedding embed(const Lattice& lattice, std::span<const Vec3d> points,
                         std::span<const std::int32_t> cells, Interpolation interpolation);
  template <class T>
  void interpolate_any(std::span<const T> nodal, std::span<T> at_points) const;

  std::shared_ptr<const NodalJets> jets_;  ///< of a tricubic embedding
};

/// The number of the cell that holds each point. In a place that several cells share it is the one
/// with the nearest piece of surface; for a point outside all cells it is the nearest cell.
std::vector<std::int32_t> find_cells(const Lattice& lattice, std::span<const Vec3d> points);

/// Ties points to given cells: those of find_cells, Lattice::vertex_cells for the vertices of the
/// surface, or parents of these on a coarser lattice.
Embedding embed(const Lattice& lattice, std::span<const Vec3d> points,
                std::span<const std::int32_t> cells,
                Interpolation interpolation = Interpolation::Trilinear);

/// Ties points to the cells of find_cells.
inline Embedding embed(const Lattice& lattice, std::span<const Vec3d> points,
                       Interpolation interpolation = Interpolation::Trilinear) {
  return embed(lattice, points, find_cells(lattice, points), interpolation);
}

}  // namespace isochor::grid
