#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "isochor/files/frame.h"
#include "isochor/run/render.h"
#include "isochor/tets/solver.h"

/// What experiments with zones of tets share.
namespace isochor::reproduce {

/// Shear modulus of all bodies whose paper gives no other, Pa [Sheen21 sec 8].
inline constexpr double kFleshShear = 16e3;

/// What keeps volume by its Poisson's ratio alone.
materials::Material unconstrained(double mu, double poisson,
                                  const char* law = "stable_neo_hookean");

/// The deviatoric law with a compression penalty of its own modulus [Sheen21 (12), (13)], for
/// zones.
materials::Material with_penalty(double mu, double penalty, double beta);

/// A box from the origin, its cells cut into six tets each, alternately mirrored so that no
/// direction is preferred.
geometry::TetMesh box_of_tets(const std::array<int, 3>& cells, double edge);

tets::HoldSpec hold_where(const geometry::TetMesh& mesh, std::string name,
                          const std::function<bool(const Vec3d&)>& chosen);

/// A body of tets, moved by what holds it.
class ZonalBody {
 public:
  ZonalBody(tets::BodySpec body, const tets::Params& params, Context& context);

  /// `place(hold, rest position)` says where held nodes are.
  using Placement = std::function<Vec3d(std::size_t hold, const Vec3d&)>;
  tets::StepReport step(const Placement& place, const Vec3d& gravity = {0, 0, 0}, double dt = 0);

  /// Volume now over that at rest.
  double volume() const;
  int inverted() const;
  double smallest_ratio() const;  ///< least J of a tet
  std::vector<double> tet_pressures() const;
  /// How much pressures jump between tets that share a face, rms, over their standard deviation.
  double roughness() const;

  const tets::Model& model() const { return model_; }
  tets::State& state() { return state_; }
  const tets::State& state() const { return state_; }
  double seconds = 0;  ///< of all steps
  int iterations = 0;  ///< of Newton's method, in all steps
  int krylov = 0;

 private:
  Context& context_;
  tets::Model model_;
  tets::State state_;
  tets::Scratch scratch_;
};

/// Bodies side by side, coloured by the pressure in their tets; of each the tets that are `shown`
/// where they rest.
class PressureFigure {
 public:
  void add(const std::string& name, const ZonalBody& body, const Vec3d& offset,
           const std::function<bool(const Vec3d&)>& shown = {});
  void draw(const std::filesystem::path& file, run::RenderOptions options, Context& context) const;

 private:
  files::Topology topology_;
  files::Frame frame_;
};

}  // namespace isochor::reproduce
