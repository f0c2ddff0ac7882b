#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "isochor/files/frame.h"
#include "isochor/run/render.h"
#include "isochor/tets/fields.h"
#include "isochor/tets/touching.h"
#include "reproduce/row.h"

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

/// A way of keeping volume, as experiments compare them.
struct ZonalVariant {
  std::string name;
  std::string kind;  ///< Row::variant
  materials::Material material;
  bool zone = false;                          ///< the whole body is one
  std::optional<double> iterations, seconds;  ///< of the paper's table 1, per frame
  double skin = 0;                            ///< lambda_e of the whole surface, Pa
};

/// The paper gives lambda_e as a modulus and integrates it over the surface, in a unit of length
/// that is not stated. Here it is a centimetre, so that 100 kPa are 1000 N/m: as much as real skin
/// of 1 mm with a Young's modulus of 1 MPa has.
inline constexpr double kSkinUnit = 0.01;

/// Skin that keeps its area [Sheen21 (16)], gamma = 1; none where lambda_e is zero.
std::vector<shells::SheetSpec> area_skin(const geometry::TetMesh& mesh, double lambda_e);

/// Each that is "paper" is followed by the same as "best", by our way of solving it.
template <class Variant>
std::vector<Variant> with_ours(const std::vector<Variant>& variants) {
  std::vector<Variant> out;
  for (const Variant& v : variants) {
    out.push_back(v);
    if (v.kind != "paper") continue;
    out.push_back(v);
    out.back().kind = "best";
  }
  return out;
}

/// Those of kind "paper" are solved as published.
tets::Params params_of(std::string_view kind,
                       solve::Integrator integrator = solve::Integrator::Static);

/// Rows of one variant.
struct VariantRows {
  std::vector<Row>& rows;
  std::string id, source, name, kind;
  bool arrived = true;  ///< else there are no numbers, and notes say why

  void add(std::string quantity, double ours, const char* unit, std::optional<double> paper,
           Relation relation, std::optional<double> bound, std::string note) const;
  void show(std::string quantity, double ours, const char* unit, std::optional<double> paper = {},
            std::string note = {}) const {
    add(std::move(quantity), ours, unit, paper, Relation::Shown, std::nullopt, std::move(note));
  }
};

/// What a body may not enter: the distance from it, negative inside, and the way out.
struct Touch {
  double distance = 0;
  Vec3d normal{0, 1, 0};
};
using Obstacle = std::function<Touch(const Vec3d&)>;

/// A body of tets, moved by what holds it.
class ZonalBody {
 public:
  ZonalBody(tets::BodySpec body, const tets::Params& params, Context& context);

  /// `place(hold, rest position)` says where held nodes are.
  using Placement = std::function<Vec3d(std::size_t hold, const Vec3d&)>;
  tets::StepReport step(const Placement& place, const Vec3d& gravity = {0, 0, 0}, double dt = 0);

  /// A step in time that does not enter an obstacle: nodes of the surface that would are held on
  /// it, to slide along or to leave, and the step is done again until there are no more.
  tets::StepReport press(const Obstacle& obstacle, const Placement& place, const Vec3d& gravity,
                         double dt);

  /// A step in time that touches colliders, placed at its end, by the barriers of the contact core:
  /// a part of the energy, so that nothing is done again.
  tets::StepReport touch(const contact::PlacedColliders& colliders, const Placement& place,
                         const Vec3d& gravity, double dt);

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
  double potential_energy(const Vec3d& gravity) const;  ///< J; none of gravity at rest
  double seconds = 0;                                   ///< of all steps
  int iterations = 0;                                   ///< of Newton's method, in all steps
  int krylov = 0;

 private:
  Context& context_;
  tets::Model model_;
  tets::State state_;
  tets::Scratch scratch_;
  std::vector<std::int32_t> surface_;  ///< nodes
  std::vector<tets::Slide> slides_;    ///< of the last step
  std::optional<contact::ContactEnergy> contact_;
};

/// Bodies side by side, coloured by the pressure in their tets; of each the tets that are `shown`
/// where they rest.
class PressureFigure {
 public:
  void add(const std::string& name, const ZonalBody& body, const Vec3d& offset,
           const std::function<bool(const Vec3d&)>& shown = {});
  /// What has no pressure.
  void add_scenery(const std::string& name, geometry::SurfaceMesh surface, const Vec3d& offset);
  void draw(const std::filesystem::path& file, run::RenderOptions options, Context& context) const;

 private:
  files::Topology topology_;
  files::Frame frame_;
};

}  // namespace isochor::reproduce
