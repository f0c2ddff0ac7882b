#include "isochor/sim/tet_muscles.h"

#include <algorithm>

#include "isochor/geometry/tet_shares.h"
#include "isochor/materials/registry.h"
#include "isochor/sim/motion.h"
#include "isochor/sim/tissues.h"

namespace isochor::sim {
namespace {

/// Shares below this make no tet part of a muscle.
constexpr double kLeastShare = 0.01;

/// What every surface has of tets, in the order of Tissues::surfaces. Adds the parts of the body.
std::vector<geometry::SolidShares> divide_body(const BodySpec& spec, const Tissues& tissues,
                                               Context& context, TetBody& body) {
  const std::vector<std::size_t> order = tissues.precedence();
  std::vector<geometry::SignedDistance> solids;
  for (const std::size_t s : order) {
    const TissueSurface& surface = tissues.surfaces[s];
    solids.emplace_back(surface.file.mesh.positions, surface.triangles, context.arena);
  }
  std::vector<geometry::SolidShares> ordered =
      geometry::shares_in_tets(body.spec.mesh, solids, context.arena);
  std::vector<geometry::SolidShares> shares(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) shares[order[k]] = std::move(ordered[k]);
  std::vector<double> alone, left;
  for (const geometry::SolidShares& s : shares) {
    alone.push_back(s.alone);
    left.push_back(s.left);
  }
  body.parts = part_volumes(spec, tissues, alone, left,
                            {geometry::bounds_of_faces(body.surface.mesh), "tet"}, context);
  return shares;
}

/// Writes down per tet what its material says for all of them.
void spell_out(tets::BodySpec& body) {
  const std::size_t count = body.mesh.tets.size();
  if (body.tet_materials.empty()) body.tet_materials.assign(count, 0);
  for (std::size_t t = 0; t < count; ++t) {
    const materials::Material& m = body.materials[body.tet_materials[t]];
    body.mu.push_back(m.mu);
    body.lambda.push_back(m.lambda);
    body.axes.push_back(m.axes);
  }
  body.fibres.assign(count, 1);
}

/// Gives a tet to a muscle.
void set_tet(const materials::Material& muscle, const Mat3d& axes, const geometry::TetShare& part,
             tets::BodySpec& body) {
  double &mu = body.mu[part.tet], &lambda = body.lambda[part.tet];
  const double share = part.fraction;
  // Pressures of both are the same, so that what adds up is compliance.
  const double compliance = share / muscle.kappa() + (1 - share) / (lambda + 2 * mu / 3);
  mu = share * muscle.mu + (1 - share) * mu;
  lambda = 1 / compliance - 2 * mu / 3;
  body.axes[part.tet] = axes;
  // Laws take the stiffness of fibres in multiples of mu.
  body.fibres[part.tet] = share * muscle.mu / mu;
}

}  // namespace

void add_tissues(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context,
                 TetBody& body) {
  const Tissues tissues = build_tissues(spec, body.spacing, scene_file, context);
  if (tissues.surfaces.empty()) return;
  const std::vector<geometry::SolidShares> shares = divide_body(spec, tissues, context, body);
  if (spec.muscles.empty()) return;
  const std::vector<anatomy::FibreField> fibres =
      muscle_fibres(spec, tissues, body.spacing, scene_file, context);
  spell_out(body.spec);
  const std::size_t before = body.spec.materials.size(), bones = tissues.bones.size();
  // Per tet, the muscle that has most of it.
  std::vector<std::pair<int, const geometry::TetShare*>> owners(body.spec.mesh.tets.size(),
                                                                {-1, nullptr});
  for (std::size_t m = 0; m < spec.muscles.size(); ++m) {
    materials::Material material = materials::resolve(spec.muscles[m].material);
    material.density = body.spec.materials[0].density;
    body.spec.materials.push_back(material);
    for (const geometry::TetShare& part : shares[bones + m].tets) {
      auto& [owner, best] = owners[part.tet];
      if (!(part.fraction > kLeastShare) || (best && best->fraction > part.fraction)) continue;
      owner = int(m);
      best = &part;
    }
  }
  CellField field{.name = "muscle", .values = std::vector<double>(owners.size(), 0)};
  std::vector<std::size_t> count(spec.muscles.size(), 0);
  for (const auto& [owner, part] : owners) {
    if (!part) continue;
    const MuscleSpec& muscle = spec.muscles[owner];
    const Mat3d axes = materials::axes_along(fibres[owner](part->centroid), muscle.material.sheet);
    set_tet(body.spec.materials[before + owner], axes, *part, body.spec);
    body.spec.tet_materials[part->tet] = static_cast<std::uint8_t>(before + owner);
    field.values[part->tet] = owner + 1;
    ++count[owner];
  }
  for (std::size_t m = 0; m < count.size(); ++m) {
    if (count[m] == 0) throw nothing_left(spec.muscles[m], "tet");
  }
  body.fields.push_back(std::move(field));
}

std::vector<double> activations_at(std::span<const BodySpec> bodies, double time) {
  const bool any = std::ranges::any_of(bodies, [](const BodySpec& body) {
    return !body.activations.empty() ||
           std::ranges::any_of(body.muscles, [](const auto& m) { return !m.activations.empty(); });
  });
  std::vector<double> out;
  for (const BodySpec& body : bodies) {
    if (!any) break;
    out.insert(out.end(), body.regions.size(), activation_at(body.activations, time));
    add_activations_at(body, time, out);
  }
  return out;
}

std::vector<Vec3d> fibres_of(const tets::BodySpec& body) {
  std::vector<Vec3d> fibres(body.mesh.tets.size(), Vec3d{0, 0, 0});
  bool any = false;
  for (std::size_t t = 0; t < fibres.size(); ++t) {
    const materials::Material& m =
        body.materials[body.tet_materials.empty() ? 0 : body.tet_materials[t]];
    if (materials::is_isotropic(m.law)) continue;
    fibres[t] = (body.axes.empty() ? m.axes : body.axes[t]).column[0];
    any = true;
  }
  if (!any) fibres.clear();
  return fibres;
}

}  // namespace isochor::sim
