#pragma once

#include <vector>

#include "isochor/shells/band.h"
#include "isochor/shells/fit.h"
#include "isochor/tets/solver.h"
#include "isochor/tets/touching.h"

/// What experiments with bands and garments share.
namespace isochor::reproduce {

/// A body that is nothing but a band; tight by `scale` around it.
tets::BodySpec band_body(shells::BandMesh mesh, const shells::SheetLaw& law, double thickness,
                         double scale);

/// Forces of contact to four digits: where parts slide over corners of others, more take many
/// iterations.
inline constexpr double kWornTolerance = 1e-4;

/// Bodies in static contact, and what they wear.
class Worn {
 public:
  struct Contact {
    double reach = 0;  ///< m; 0: as tets::make_contact has it
    double friction = 0;
    std::vector<contact::Collider> colliders{};
  };
  Worn(const std::vector<tets::BodySpec>& bodies, const tets::Params& params,
       const Contact& contact, Context& context);

  /// Held nodes stay where they rest, sheets become as tight as they will be in `steps`. False
  /// where a step does not converge, even where it is cut.
  bool tighten(int steps, std::span<const tets::Slide> slides = {});

  const tets::Model& model() const { return model_; }
  std::span<const Vec3d> positions() const { return state_.positions; }
  const tets::State& state() const { return state_; }
  /// At every node, Pa.
  std::vector<double> pressures();
  /// Over the triangles of a body's outside, or of a sheet, as a sensor of the size of a few
  /// triangles feels it.
  shells::PressureMeasure pressure_on(std::size_t body);
  /// Of those triangles of the surface that belong to a body.
  std::vector<geometry::Triangle> triangles_of(std::size_t body);
  /// Mean of the larger principal tension of a body's sheets, by area, N/m.
  double mean_tension(std::size_t body) const;
  /// Volume of a body's tets now over that at rest.
  double volume(std::size_t body) const;

  int steps = 0, cuts = 0, iterations = 0, krylov = 0;
  int held_back = 0;  ///< steps that ended with springs, and not in equilibrium
  double seconds = 0;

 private:
  Context& context_;
  tets::Model model_;
  tets::State state_;
  tets::Scratch scratch_;
  contact::ContactEnergy contact_;
};

}  // namespace isochor::reproduce
