/// [McAdams11 fig 8]: an elbow bends to 140 degrees. The paper's character is not public: the arm
/// is the project's own, with three bones that hold the flesh by springs. Corotated flesh as in the
/// paper, the mixed lattice without any change of volume, and linear blend skinning with weights
/// that fall with the distance from bones. Each of the two lattices without contact, where nothing
/// keeps the crook from passing through itself, and with it.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

#include "isochor/contact/crossings.h"
#include "isochor/sim/simulation.h"
#include "reproduce/arm.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"

namespace isochor::reproduce {
namespace {

struct ElbowCase {
  const char* name;
  const char* volume;
  const char* law;
  double poisson;
  std::optional<double> largest_loss;  ///< of volume, %
  bool contact = false;                ///< of the arm with itself
};

/// What a skin is in the last frame.
struct Bent {
  std::vector<Vec3d> skin;
  double volume_error = 0;  ///< relative
  std::int64_t crossings = 0;
};

Bent measure(const geometry::SurfaceMesh& rest, std::vector<Vec3d> skin, Context& context) {
  const std::vector<geometry::Triangle> triangles = geometry::triangulate(rest);
  Bent bent{.skin = std::move(skin)};
  bent.volume_error = geometry::enclosed_volume(bent.skin, triangles) /
                          geometry::enclosed_volume(rest.positions, triangles) -
                      1;
  contact::SurfaceBvh bvh(contact::make_surface(triangles, bent.skin.size()));
  bent.crossings = contact::find_crossings(bvh, bent.skin, context.arena).count();
  return bent;
}

class Elbow {
 public:
  Elbow(const ExperimentOptions& options, Context& context)
      : options_(options), context_(context) {}

  void bend(const ElbowCase& wanted) {
    const BendingArm arm{.cell_size = options_.full ? 0.012 : 0.015,
                         .volume = wanted.volume,
                         .law = wanted.law,
                         .poisson = wanted.poisson};
    sim::SceneSpec scene = make_bending_arm(arm);
    scene.method.self_contact = wanted.contact;
    sim::Simulation simulation(std::move(scene), context_);
    const geometry::SurfaceMesh& skin = simulation.topology().bodies[0].surface;
    if (rows.empty()) add_skinned(simulation.scene(), skin);
    int newton = 0, cuts = 0;
    double seconds = 0;
    std::string trouble;
    try {
      while (simulation.frame() < arm.frames) {
        const auto report = simulation.advance();
        if (!report) return;  // cancelled
        newton += report->newton_iterations;
        cuts += report->cut_steps;
        seconds += report->solve_seconds;
      }
    } catch (const Error& error) {
      trouble = error.place() + ": " + error.problem();
    }
    const int frames = std::max(1, simulation.frame()), degrees = 140 * frames / arm.frames;
    const auto [frame, measures] = simulation.snapshot();
    const Bent bent = measure(skin, frame.bodies[0].vertices, context_);
    Row& angle = add(wanted.name, "bent to", degrees, "degrees", std::move(trouble));
    angle.relation = Relation::AtLeast;
    angle.bound = 140;
    Row& error = add(wanted.name, fmt::format("volume error at {} degrees", degrees),
                     100 * bent.volume_error, "%",
                     fmt::format("{} cells; worst cell {:.3g} %", simulation.summary().cells,
                                 100 * measures.worst_cell_volume_error));
    if (wanted.largest_loss) {
      error.quantity = "|" + error.quantity + "|";
      error.ours = std::abs(*error.ours);
      error.relation = Relation::AtMost;
      error.bound = wanted.largest_loss;
    }
    add(wanted.name, "inverted cells", double(measures.inverted_cells), "");
    Row& crossings = add(wanted.name, "pairs of triangles of the skin that cross",
                         double(bent.crossings), "", wanted.contact ? "" : "without contact");
    if (wanted.contact) {
      crossings.relation = Relation::AtMost;
      crossings.bound = 0;
    }
    add(wanted.name, "seconds per frame", seconds / frames, "s",
        fmt::format("10 degrees each, {:.1f} Newton iterations, {} cuts", double(newton) / frames,
                    cuts));
    picture_.add(wanted.name, skin, bent.skin, next_place());
  }

  void draw() const {
    if (options_.pictures.empty()) return;
    picture_.draw(
        options_.pictures / "mcadams_elbow.png",
        {.width = 1500,
         .height = 500,
         .samples = 24,
         .camera_direction = Vec3d{0.0, 0.25, 1},
         .camera_distance_factor = 0.82,
         .caption = "a bent elbow: skinning, corotated, mixed; the last two with contact"},
        context_);
  }

  std::vector<Row> rows;

 private:
  Row& add(const char* variant, std::string quantity, double ours, const char* unit,
           std::string note = {}) {
    rows.push_back({.id = "mcadams/elbow",
                    .quantity = std::move(quantity),
                    .variant = variant,
                    .source = "McAdams 2011, fig. 8",
                    .ours = ours,
                    .unit = unit,
                    .note = std::move(note)});
    return rows.back();
  }

  void add_skinned(const sim::SceneSpec& scene, const geometry::SurfaceMesh& skin) {
    const Bent bent =
        measure(skin, blend_skinned(scene, skin.positions, scene.time.frames), context_);
    add("blend skinning", "volume error at 140 degrees", 100 * bent.volume_error, "%",
        "weights 1/distance^4 from bones");
    add("blend skinning", "pairs of triangles of the skin that cross", double(bent.crossings), "");
    picture_.add("blend skinning", skin, bent.skin, next_place());
  }

  /// Arms stand side by side.
  Vec3d next_place() { return {0.5 * drawn_++, 0, 0}; }

  const ExperimentOptions& options_;
  Context& context_;
  Figure picture_;
  int drawn_ = 0;
};

}  // namespace

std::vector<Row> mcadams_elbow(const ExperimentOptions& options, Context& context) {
  Elbow elbow(options, context);
  elbow.bend({"corotated", "penalty", "corotated", 0.45, std::nullopt});
  elbow.bend({"mixed", "mixed", "mooney_rivlin", 0.498, 1});
  elbow.bend({"corotated, contact", "penalty", "corotated", 0.45, std::nullopt, true});
  elbow.bend({"mixed, contact", "mixed", "mooney_rivlin", 0.498, 1, true});
  elbow.draw();
  return std::move(elbow.rows);
}

}  // namespace isochor::reproduce
