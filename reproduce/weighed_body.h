#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "isochor/base/context.h"
#include "isochor/geometry/surface_mesh.h"
#include "isochor/lattice/multigrid.h"
#include "isochor/lattice/solver.h"
#include "isochor/solve/stationary.h"

/// Bodies of many kinds for experiments with linear systems: K u = weight, at rest and deformed.
namespace isochor::reproduce {

/// A surface by name: cube, sphere, torus, arm, hand, figure, sheet, bow_tie are the program's own,
/// armadillo, dragon and man are read from `data`. Nothing where that is not there.
std::optional<geometry::SurfaceMesh> named_surface(std::string_view name,
                                                   const std::filesystem::path& data);

/// The axis along which a surface is longest.
int longest_axis(const geometry::SurfaceMesh& surface);

/// A corotated body of one material, E = 1e5 Pa, with `cells` along its longest axis and nothing
/// that holds it.
lattice::BodySpec make_body(const geometry::SurfaceMesh& surface, int cells, double poisson,
                            Context& context);

/// Nodes in a slab at the low or high end of an axis, `depth` of the body's length thick; one layer
/// of nodes at least.
lattice::HoldSpec hold_end(const lattice::BodySpec& body, int axis, bool high, double depth = 0.05);

/// A straight bone, m.
struct Bone {
  Vec3d from, to;
};
std::vector<Bone> arm_bones();
std::vector<Bone> figure_bones();
/// Nodes within 12 mm of a bone, or the layer next to it where cells are larger.
lattice::HoldSpec hold_along(const lattice::BodySpec& body, std::span<const Bone> bones);

/// A spring for every node of a hold in its place: soft points, as stiff as a cell each.
lattice::SpringGroupSpec soften(const lattice::BodySpec& body, const lattice::HoldSpec& hold);

/// A model whose hold "high" is moved away by a fifth of the length, aside by as much, and turned,
/// while all others stay: its equilibrium. Nothing where the solver finds none.
std::optional<std::vector<Vec3d>> pulled(const lattice::Model& model, int axis, Context& context);

/// The linear system of a model about positions, ready to be solved with one cycle of multigrid.
class WeighedBody {
 public:
  /// Where the exact tangent is wanted, no fix.
  WeighedBody(const lattice::Model& model, std::span<const Vec3d> positions,
              materials::Definiteness fix, Context& context);

  struct Solve {
    std::vector<double> residuals;  ///< |b - K u| / |b| before each iteration and at the end
    double true_residual = 1;       ///< recomputed from the solution, in double
    bool indefinite = false;
    int iterations() const { return static_cast<int>(residuals.size()) - 1; }
  };
  /// Operator applications on the finest level in one iteration, that of the solver included.
  int applications() const { return multigrid_.applications() + 1; }

  /// Conjugate gradients to a residual, with a cycle or with the diagonal.
  Solve conjugate_gradients(double tolerance, int most, bool with_cycle);
  /// u += cycle(b - K u), the residual recomputed in double.
  solve::StationaryReport cycles(double tolerance, int most);

  /// After `rounds` of u <- u - cycle(K u) from a random u: what the cycle reduces least, and the
  /// factor by which it does, in energy.
  struct Mode {
    std::vector<Vec3d> shape;
    double factor = 0;
  };
  Mode slowest(int rounds);

 private:
  void apply(std::span<const Vec3d> v, std::span<Vec3d> out);
  void residual_of(std::span<const Vec3d> u, std::span<Vec3d> r);

  const lattice::Model& model_;
  Context& context_;
  lattice::Scratch scratch_;
  lattice::Multigrid multigrid_;
  std::vector<Vec3d> load_, u_;
};

}  // namespace isochor::reproduce
