/// A muscle of tets that contracts along its fibres, held at one end: what it loses in length it
/// has to gain in width. Active and anisotropic, as the flesh that the paper names as what volumes
/// are kept for.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/geometry/stuffing.h"
#include "isochor/materials/registry.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"
#include "reproduce/flight.h"
#include "reproduce/tet_motion.h"
#include "reproduce/zonal_body.h"

namespace isochor::reproduce {
namespace {

/// Half its length, height and width, m; fibres go along the first.
constexpr Vec3d kMuscleSize{0.15, 0.045, 0.035};
constexpr int kContractionFrames = 8;

geometry::TetMesh spindle(double spacing, ThreadArena& arena) {
  const auto level = [](const Vec3d& x) {
    return norm(Vec3d{x[0] / kMuscleSize[0], x[1] / kMuscleSize[1], x[2] / kMuscleSize[2]});
  };
  const auto is_inside = [&](const Vec3d& x) { return level(x) < 1; };
  const auto has_ball = [&](const Vec3d& x, double r) -> std::optional<bool> {
    // The level changes by no more than this over the ball.
    if (std::abs(level(x) - 1) <= r / kMuscleSize[2]) return std::nullopt;
    return level(x) < 1;
  };
  const auto crossing = [&](const Vec3d& a, const Vec3d& b) {
    double low = 0, high = 1;
    for (int k = 0; k < 50; ++k) {
      const double middle = (low + high) / 2;
      (is_inside(a + middle * (b - a)) ? low : high) = middle;
    }
    return low;
  };
  return geometry::stuff(
      geometry::StuffedBody{{-1.0 * kMuscleSize, kMuscleSize}, is_inside, has_ball, crossing},
      {.spacing = spacing}, arena);
}

materials::Material active_flesh(double poisson) {
  materials::Material m = elastic_flesh(3e4, poisson);
  m.law = materials::law_index("muscle");
  // Passive fibres as stiff as the rest, and an active stress of one and a half times the shear
  // modulus.
  m.shape = {1, 1, 1.5, 1, 0.65};
  return m;
}

struct Contraction {
  double worst_ring = 0, worst_volume = 0;
  double length = 1, height = 1;  ///< at the end, of those at rest
  int inverted = 0, substeps = 4;
  std::size_t tets = 0;
  std::vector<Vec3d> relaxed, contracted;
  geometry::SurfaceMesh surface;
};

struct Variant {
  std::string_view name;
  bool keep_volumes;
  double poisson;
  tets::Scheme scheme = tets::Scheme::Implicit;
};

Contraction contract(double spacing, const Variant& variant, Context& context) {
  tets::BodySpec body{.name = "muscle"};
  body.mesh = spindle(spacing, context.arena);
  body.materials = {active_flesh(variant.poisson)};
  // Tendons at both ends do not contract.
  for (const geometry::Tet& tet : body.mesh.tets) {
    double middle = 0;
    for (const std::int32_t n : tet) middle += body.mesh.positions[n][0] / 4;
    body.activation.push_back(
        std::clamp((0.85 - std::abs(middle) / kMuscleSize[0]) / 0.35, 0.0, 1.0));
  }
  body.holds = {
      hold_where(body.mesh, "origin", [](const Vec3d& x) { return x[0] < -0.9 * kMuscleSize[0]; })};
  TetMotion motion({body}, {.scheme = variant.scheme, .keep_volumes = variant.keep_volumes},
                   {.volume_tolerance = 2e-3}, {}, context);
  const tets::Model& model = motion.model();
  std::vector<Vec3d> held;
  for (const std::int32_t n : model.holds[0].nodes) held.push_back(model.rest_positions[n]);
  Contraction result{.tets = model.tets.size(), .relaxed = model.rest_positions};
  tets::OneRings& rings = motion.stepper().rings();
  if (variant.scheme == tets::Scheme::Published) {
    // Fibres that pull are stiffer than these waves know.
    constexpr double kPart = 0.25;
    const double longest = kPart * motion.stepper().stable_step(model.rest_positions);
    result.substeps = int(std::ceil(kFrame / longest));
  }
  const int substeps = result.substeps;
  const double dt = kFrame / substeps;
  for (int k = 1; k <= substeps * (kContractionFrames + 4) && !context.cancelled; ++k) {
    const double activation[] = {std::min(1.0, double(k) / (substeps * kContractionFrames))};
    const tets::ConservingReport report =
        motion.stepper().advance(motion.state(), {0, 0, 0}, (k - 1) * dt, dt, held, {}, activation);
    if (!report.converged) throw std::runtime_error("a step did not converge");
    rings.measure(motion.state().positions);
    double now = 0, rest = 0;
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      now += rings.volumes()[i];
      rest += rings.rest_volumes()[i];
    }
    result.worst_ring = std::max(result.worst_ring, rings.largest_error());
    result.worst_volume = std::max(result.worst_volume, std::abs(now / rest - 1));
  }
  result.contracted = motion.state().positions;
  const Vec3d before = geometry::bounds_of(result.relaxed).size();
  const Vec3d after = geometry::bounds_of(result.contracted).size();
  result.length = after[0] / before[0];
  result.height = after[1] / before[1];
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    result.inverted += determinant(tets::deformation_gradient(model, t, result.contracted)) <= 0;
  }
  result.surface = motion.surface();
  return result;
}

}  // namespace

std::vector<Row> irving_muscle(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  Figure figure;
  int place = 0;
  double published_length = 0;
  for (const Variant& c : {Variant{"paper", true, 0, tets::Scheme::Published},
                           {"best", true, 0},
                           {"no volumes kept, 0.45", false, 0.45}}) {
    const Contraction muscle = contract(options.full ? 0.006 : 0.015, c, context);
    const auto row = [&](std::string quantity, double value, std::string unit) {
      Row r = verification_row("irving/muscle", std::move(quantity), c.name, "section 1");
      r.ours = value;
      r.unit = std::move(unit);
      r.note = fmt::format(
          "{} tets, activation to 1 in {} frames, {} steps a frame; length {:.3f} "
          "and height {:.3f} of those at rest",
          muscle.tets, kContractionFrames, muscle.substeps, muscle.length, muscle.height);
      return r;
    };
    Row ring = row("largest error of a one-ring", 100 * muscle.worst_ring, "%");
    Row volume = row("largest error of the volume", 100 * muscle.worst_volume, "%");
    if (c.keep_volumes) {
      volume.relation = Relation::AtMost;
      volume.bound = 0.1;
    }
    // The published scheme promises nothing for single rings.
    if (c.keep_volumes && c.scheme == tets::Scheme::Implicit) {
      ring.relation = Relation::AtMost;
      ring.bound = 1;
    }
    rows.push_back(std::move(ring));
    rows.push_back(std::move(volume));
    rows.push_back(row("tets inside out at the end", muscle.inverted, ""));
    rows.push_back(row("length at the end, of that at rest", 100 * muscle.length, "%"));
    if (c.scheme == tets::Scheme::Published) {
      published_length = muscle.length;
      continue;
    }
    if (c.keep_volumes) {
      // Short steps leave no more than a body at rest; long ones shall not, either.
      Row length = row("length at the end, off that of short steps as published",
                       100 * std::abs(muscle.length / published_length - 1), "%");
      length.relation = Relation::AtMost;
      length.bound = 1;
      rows.push_back(std::move(length));
    }
    if (place == 0) figure.add("relaxed", muscle.surface, muscle.relaxed, {0, 0.13, 0});
    figure.add(fmt::format("contracted {}", place), muscle.surface, muscle.contracted,
               {0, -0.13 * place, 0});
    ++place;
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    figure.draw(
        options.pictures / "irving_muscle.png",
        {.width = 640,
         .height = 480,
         .camera_direction = Vec3d{0, 0.1, 1},
         .caption = "relaxed; contracted with one-rings kept; without, Poisson's ratio 0.45"},
        context);
  }
  return rows;
}

}  // namespace isochor::reproduce
