#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/grid/surface_patches.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/run/plot.h"
#include "reproduce/embedded_body.h"
#include "reproduce/experiment.h"

/// What experiments on solutions that are known share: schemes to compare, bodies turned against
/// their lattice, loads by integration, and errors.
namespace isochor::reproduce {

/// How a body is discretised.
struct Discretisation {
  std::string_view name;
  Boundary boundary;
  lattice::Quadrature quadrature;
  lattice::mixed::Hourglass hourglass = lattice::mixed::Hourglass::Strain;  ///< where one point is
};
/// "best": one point in cells inside, four at the surface; "paper": four everywhere; "weighted":
/// one everywhere, its weight the part of the cell that is filled. The first one first.
std::span<const Discretisation> schemes();

/// How a problem lies in its lattice, of which a corner of a cell is at the origin.
class Placement {
 public:
  /// As it is, or turned by 0.7 rad about (1, 2, 3) and shifted by (0.137, 0.291, 0.053) cells.
  Placement(bool turned, double h);
  /// Turned by 0.7 rad about x and shifted across it: walls of cells across x stay what they are.
  static Placement turned_about_x(double h);

  std::string_view name() const { return name_; }
  bool is_turned() const { return name_ != "aligned"; }
  Vec3d point(const Vec3d& of_problem) const { return rotation_ * of_problem + shift_; }
  Vec3d point_back(const Vec3d& in_lattice) const { return direction_back(in_lattice - shift_); }
  Vec3d direction(const Vec3d& of_problem) const { return rotation_ * of_problem; }
  Vec3d direction_back(const Vec3d& in_lattice) const;
  const Mat3d& rotation() const { return rotation_; }
  geometry::SurfaceMesh surface(geometry::SurfaceMesh of_problem) const;

 private:
  std::string_view name_;
  Mat3d rotation_ = Mat3d::identity();
  Vec3d shift_{0, 0, 0};
};

/// Points with volumes that integrate over the inside of a surface, at the surface as exactly as
/// anywhere.
struct BodySamples {
  std::vector<Vec3d> points;    ///< in the lattice
  std::vector<double> volumes;  ///< m^3
};
/// Four points for each cell of edge h.
BodySamples sample_body(const geometry::SurfaceMesh& surface, double h, Context& context);

/// A vector at a place of the problem.
using VectorField = std::function<Vec3d(const Vec3d&)>;
/// The same of a surface there, given its outward unit normal.
using SurfaceField = std::function<Vec3d(const Vec3d& at, const Vec3d& normal)>;

/// Adds the nodal forces of a force per volume, N/m^3.
void add_body_force(const grid::Lattice& lattice, const BodySamples& samples,
                    const Placement& placement, const VectorField& force, std::span<Vec3d> loads);
/// Adds those of a dead traction on a surface that is in place, Pa.
void add_traction(const grid::Lattice& lattice, const geometry::SurfaceMesh& surface,
                  const Placement& placement, const SurfaceField& traction, std::span<Vec3d> loads,
                  Context& context);

/// A part of a body's surface, in place and turned outward, for a pressure that follows it.
lattice::PressureSpec pressed_surface(const lattice::BodySpec& body, std::string name,
                                      const geometry::SurfaceMesh& surface, Context& context);

/// A hold of the nodes whose place in the problem satisfies a condition.
lattice::HoldSpec hold_where(const lattice::BodySpec& body, const Placement& placement,
                             std::string name, const std::function<bool(const Vec3d&)>& condition,
                             lattice::Slide slide = lattice::Slide::None);

/// A body with a pressure per cell and what it took to move it.
class StaticBody {
 public:
  StaticBody(lattice::BodySpec body, const Discretisation& scheme, Context& context,
             double tolerance = 1e-7);

  /// False, and the state as it was, where no equilibrium was found.
  bool advance(const lattice::StepInput& input);
  /// The same under a pressure on the one surface that is pressed; it rises from `from` in steps,
  /// which are cut where there is no equilibrium.
  bool advance(lattice::StepInput input, double from, double to, int steps);
  /// Held positions by the map of rest positions in the lattice.
  std::vector<Vec3d> held(const VectorField& map) const;
  /// What holds and loads push the nodes with at equilibrium, N.
  std::vector<Vec3d> pushes() const;

  const grid::Lattice& lattice() const { return body_.lattice; }
  lattice::mixed::Model model;
  lattice::mixed::State state;
  int solves = 0, iterations = 0, fallbacks = 0, cuts = 0;
  double pressure = 0;  ///< that follows, the last one under which there was an equilibrium, Pa

 private:
  lattice::BodySpec body_;
  lattice::mixed::Scratch scratch_;
  Context& context_;
};

/// Root mean square over a body of the distance from the exact place, and that of pressures where
/// a cell has a node that is free.
struct Errors {
  double position = 0;  ///< m
  double pressure = 0;  ///< Pa
};
/// The map and the pressure (positive in tension) are those of the problem.
Errors errors_of(
    const StaticBody& body, const BodySamples& samples, const Placement& placement,
    const VectorField& exact,
    const std::function<double(const Vec3d&)>& pressure = [](const Vec3d&) { return 0.0; });

/// The line of a plot against the logarithm of cells; schemes have colours, turned bodies dashes.
run::Series series_of(const Discretisation& scheme, const Placement& placement);

/// Errors on grids, coarse to fine.
struct Refinement {
  std::vector<double> h, error;

  void add(double edge, double value) {
    h.push_back(edge);
    error.push_back(value);
  }
  /// Slope through the finest three, or two where there are no more.
  double order() const;
};

}  // namespace isochor::reproduce
