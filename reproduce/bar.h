#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>

#include "isochor/base/context.h"
#include "isochor/lattice/model.h"

/// The body of many experiments: a bar of cubic cells along x, held at one end or at both.
namespace isochor::reproduce {

struct BarSpec {
  std::array<int, 3> cells{8, 2, 2};
  double height = 1;  ///< along z, m; cells are cubes
  int law = 0;        ///< index in materials::Laws
  std::array<double, materials::kMaxShape> shape{};
  double young = 1e5, poisson = 0.3;  ///< Pa
  bool near_end = true;               ///< whether the one at x = 0 is held
  bool both_ends = true;              ///< whether the far one is too
  double density = 1000;              ///< kg/m^3
  double mass_damping = 0;            ///< 1/s
  double stiffness_damping = 0;       ///< s
  lattice::Params params{};
};

struct Bar {
  Vec3d size;  ///< m; one corner is the origin
  grid::Lattice lattice;
  lattice::Model model;  ///< hold 0 at x = 0, hold 1 at the far end

  /// What StepInput asks for: the far end is moved, the near one stays.
  std::vector<Vec3d> held_positions(const std::function<Vec3d(const Vec3d&)>& far_end) const;
  /// The same with both at rest.
  std::vector<Vec3d> held_at_rest() const;
};

Bar make_bar(const BarSpec& spec, Context& context);

/// A law's further numbers as laws see them: its defaults, but so that every term is at work.
std::array<double, materials::kMaxShape> lively_shape(int law);

/// Largest distance between two shapes.
double distance(std::span<const Vec3d> a, std::span<const Vec3d> b);

/// A picture of the deformed cells, seen from above the long side, coloured by the stress where
/// every cell has one.
void draw_bar(const Bar& bar, std::span<const Vec3d> positions, const std::string& caption,
              const std::filesystem::path& file, Context& context);

}  // namespace isochor::reproduce
