#pragma once

#include <memory>

#include "isochor/lattice/contacts.h"
#include "isochor/sim/lattice_scene.h"
#include "isochor/sim/method.h"

/// Scenes of lattice bodies that touch something.
namespace isochor::sim {

class LatticeContact {
 public:
  /// The scene must outlive it.
  LatticeContact(const SceneSpec& spec, const LatticeScene& scene, Context& context);

  lattice::Contacts& contacts() { return contacts_; }

  /// What the step just made pushed with. Part of the state.
  void keep_forces();
  void save(files::ByteWriter& writer) const;
  void load(files::ByteReader& reader);

  void add_to_nodes(std::span<const Vec3d> nodes, std::span<Vec3d> force) const {
    contacts_.add_to_nodes(forces_, force);
    contacts_.add_braces(nodes, force);
  }

  /// What it all looks like at a time, s.
  struct Picture {
    ContactMeasures measures;
    std::vector<NamedReaction> reactions;           ///< of colliders and bones, on bodies
    std::vector<std::vector<files::Field>> fields;  ///< per body, on vertices
  };
  Picture picture(std::span<const Vec3d> nodes, double time);

 private:
  std::vector<std::vector<std::int32_t>> points_;  ///< per body and vertex; -1: of no triangle
  lattice::Contacts contacts_;
  std::vector<Vec3d> forces_;                 ///< per point, N
  std::vector<contact::ColliderLoad> loads_;  ///< per collider
};

/// Null where nothing touches anything.
std::unique_ptr<LatticeContact> make_lattice_contact(const SceneSpec& spec,
                                                     const LatticeScene& scene, Context& context);

}  // namespace isochor::sim
