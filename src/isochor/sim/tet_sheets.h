#pragma once

#include <memory>

#include "isochor/contact/contact_energy.h"
#include "isochor/sim/method.h"
#include "isochor/sim/tet_scene.h"

/// Skin of bodies, and bands around them, in scenes of tets.
namespace isochor::sim {

/// The sheet of a body's skin; nothing where it has none.
std::vector<shells::SheetSpec> build_skin(const SkinSpec& spec, const geometry::TetMesh& mesh);

/// A band as a body of its own around tets.
tets::BodySpec build_band(const BandSpec& spec, const BodySpec& body, const geometry::TetMesh& mesh,
                          double spacing);

/// Bands of a scene while it runs.
class WornBands {
 public:
  /// The model must outlive this.
  WornBands(const SceneSpec& scene, const tets::Model& model, double friction);

  /// Lets a step to `time`, in frames, know of them. The input refers to this until it ends.
  void enter(tets::StepInput& input, double time);

  /// As in StepInput; until the next call.
  std::span<const double> tightening_at(double time);

  /// Of contact at every node of the model, Pa.
  std::vector<double> pressures(std::span<const Vec3d> positions, ThreadArena& arena);

  /// How they fit at a time, in frames, with those pressures.
  std::vector<NamedBand> measure(std::span<const Vec3d> positions,
                                 std::span<const double> pressures, double time);

 private:
  struct Worn {
    std::string name;
    std::size_t band, wearer;  ///< bodies of the model
    double rest_girth = 0;     ///< of the wearer, m
  };
  std::vector<geometry::Triangle> triangles_of(std::size_t body);

  const tets::Model& model_;
  std::vector<Worn> worn_;
  std::vector<double> tight_at_;  ///< per sheet
  std::vector<double> tightening_;
  contact::ContactEnergy contact_;
};

/// Null where the scene has no bands.
std::unique_ptr<WornBands> make_bands(const SceneSpec& scene, const tets::Model& model);

}  // namespace isochor::sim
