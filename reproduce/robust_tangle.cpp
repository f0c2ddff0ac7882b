/// Bodies that start inside each other, and one that starts inside itself, under contact: springs
/// pull out what is inside until no pair of triangles crosses, then barriers keep it so.
#include <cmath>
#include <fmt/core.h>

#include "isochor/geometry/shapes.h"
#include "isochor/lattice/contacts.h"
#include "isochor/lattice/solver.h"
#include "isochor/math/mat3.h"
#include "reproduce/embedded_body.h"
#include "reproduce/experiment.h"
#include "reproduce/figure.h"

namespace isochor::reproduce {
namespace {

/// Equilibria one after another that a tangle may take.
constexpr int kMostSteps = 6;

struct TangledBody {
  geometry::SurfaceMesh surface;
  lattice::BodySpec spec;
};

TangledBody make_tangled(geometry::SurfaceMesh surface, double h, auto&& held, Context& context) {
  TangledBody body{.surface = std::move(surface)};
  body.spec = make_embedded(body.surface, h, Boundary::Cut, "corotated", 5e3, 0.4, context);
  lattice::HoldSpec hold{.name = "held", .nodes = {}, .place = "held"};
  const std::vector<Vec3d>& nodes = body.spec.lattice.rest_positions;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (held(nodes[n])) hold.nodes.push_back(static_cast<std::int32_t>(n));
  }
  body.spec.holds = {hold};
  return body;
}

/// A model of bodies with what touches, and where they are.
class Tangle {
 public:
  Tangle(std::vector<TangledBody> bodies, Context& context)
      : bodies_(std::move(bodies)), context_(context) {
    std::vector<lattice::BodySpec> specs;
    for (const TangledBody& body : bodies_) specs.push_back(body.spec);
    model_ = lattice::build_model(specs, {.preconditioner = lattice::Preconditioner::Multigrid});
    std::int32_t first_node = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      embeddings_.push_back(grid::embed(bodies_[b].spec.lattice, bodies_[b].surface.positions,
                                        bodies_[b].spec.lattice.vertex_cells));
      add_surface({.rest = bodies_[b].surface.positions,
                   .triangles = geometry::triangulate(bodies_[b].surface),
                   .embedding = embeddings_[b],
                   .body = static_cast<std::int32_t>(b),
                   .first_node = first_node},
                  surface_);
      first_node += model_.bodies[b].node_count;
    }
    state_ = lattice::make_state(model_);
  }

  const lattice::Model& model() const { return model_; }

  /// To an equilibrium with held nodes where `place` takes them.
  bool advance(auto&& place, lattice::Contacts* contacts) {
    std::vector<Vec3d> held;
    for (const lattice::Hold& hold : model_.holds) {
      for (const std::int32_t n : hold.nodes) held.push_back(place(model_.rest_positions[n]));
    }
    lattice::Scratch scratch(model_);
    const auto report = lattice::advance(
        model_, state_, {.held_positions = held, .contacts = contacts}, scratch, context_);
    newton_ += report.iterations;
    return report.converged();
  }

  /// Without asking for an equilibrium.
  void place(auto&& at) {
    for (std::size_t n = 0; n < model_.node_count(); ++n) {
      state_.positions[n] = at(model_.rest_positions[n]);
    }
  }

  lattice::Contacts contacts() {
    return {model_, surface_, {}, {.self_contact = true}, context_.arena};
  }
  std::int64_t crossings(lattice::Contacts& contacts) {
    return contacts.report(state_.positions, 0, contacts.reach()).crossings.count();
  }
  int take_newton() { return std::exchange(newton_, 0); }

  void add_to(Figure& figure, const std::string& name, const Vec3d& offset) const {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      std::vector<Vec3d> vertices(bodies_[b].surface.positions.size());
      const lattice::BodyRange& range = model_.bodies[b];
      embeddings_[b].interpolate(
          std::span(state_.positions).subspan(range.first_node, range.node_count), vertices);
      figure.add(name, bodies_[b].surface, vertices, offset);
    }
  }

 private:
  std::vector<TangledBody> bodies_;
  Context& context_;
  lattice::Model model_;
  lattice::ContactSurface surface_;
  std::vector<grid::Embedding> embeddings_;
  lattice::State state_;
  int newton_ = 0;
};

class TangleStudy {
 public:
  TangleStudy(const ExperimentOptions& options, Context& context)
      : options_(options), context_(context) {}

  /// From where the bodies are, with held nodes there too.
  void untangle(const std::string& name, Tangle& tangle, auto&& place) {
    tangle.add_to(before_, name, next_place());
    lattice::Contacts contacts = tangle.contacts();
    Row& start =
        add("best", name + ": crossing pairs at the start", double(tangle.crossings(contacts)));
    start.relation = Relation::Above;
    start.bound = 0;
    bool converged = true;
    int steps = 0;
    tangle.take_newton();
    while (converged && tangle.crossings(contacts) > 0 && steps < kMostSteps) {
      converged = tangle.advance(place, &contacts);
      ++steps;
    }
    Row& row =
        add("best", name + ": crossing pairs at the end", double(tangle.crossings(contacts)));
    row.note = fmt::format("{} equilibria, {} Newton iterations{}", steps, tangle.take_newton(),
                           converged ? "" : ", the last of which was not found");
    row.relation = Relation::AtMost;
    row.bound = 0;
    tangle.add_to(after_, name, last_place_);
  }

  void draw() const {
    if (options_.pictures.empty()) return;
    const auto picture = [&](const Figure& figure, const char* file, const char* caption) {
      figure.draw(options_.pictures / file,
                  {.width = 1400,
                   .height = 480,
                   .samples = 24,
                   .camera_direction = Vec3d{0.15, 0.35, 1},
                   .caption = caption},
                  context_);
    };
    picture(before_, "robust_tangle_start.png", "three tangles");
    picture(after_, "robust_tangle_end.png", "the same without any crossing pair");
  }

  std::vector<Row> rows;

 private:
  Row& add(const char* variant, std::string quantity, double ours) {
    rows.push_back({.id = "robust/tangle",
                    .quantity = std::move(quantity),
                    .variant = variant,
                    .source = "McAdams 2011, sec. 7",
                    .ours = ours});
    return rows.back();
  }
  Vec3d next_place() {
    last_place_[0] += 0.5;
    return last_place_;
  }

  const ExperimentOptions& options_;
  Context& context_;
  Figure before_, after_;
  Vec3d last_place_{0, 0, 0};
};

}  // namespace

std::vector<Row> robust_tangle(const ExperimentOptions& options, Context& context) {
  TangleStudy study(options, context);
  const double h = options.full ? 0.015 : 0.03;
  const auto stay = [](const Vec3d& x) { return x; };
  {
    constexpr double kRadius = 0.1;
    const auto ball = [&](double side) {
      return make_tangled(
          geometry::make_sphere({0.07 * side, 0.01 * side, 0}, kRadius, 0.75 * h), h,
          [&](const Vec3d& x) { return side * x[0] > 0.13; }, context);
    };
    Tangle balls({ball(-1), ball(1)}, context);
    study.untangle("balls", balls, stay);
  }
  {
    const auto bar = [&](const Vec3d& middle, const Vec3d& size, int axis) {
      return make_tangled(
          geometry::make_box(middle, size, 0.75 * h), h,
          [&](const Vec3d& x) { return std::abs(x[axis]) > 0.16; }, context);
    };
    Tangle bars(
        {bar({0, 0, 0.02}, {0.36, 0.08, 0.08}, 0), bar({0, 0, -0.02}, {0.08, 0.36, 0.08}, 1)},
        context);
    study.untangle("bars", bars, stay);
  }
  {
    Tangle fold({make_tangled(
                    geometry::make_box({0, 0, 0}, {0.5, 0.12, 0.12}, 0.75 * h), h,
                    [](const Vec3d& x) { return std::abs(x[0]) > 0.215; }, context)},
                context);
    const auto folded = [](double angle) {
      return [=](const Vec3d& x) {
        return rotation_from_vector({0, 0, x[0] < 0 ? -angle : angle}) * x;
      };
    };
    constexpr double kAngle = 1.27;  // of each half: 146 degrees in all
    fold.place(folded(kAngle));
    study.untangle("fold", fold, folded(kAngle));
  }
  study.draw();
  return std::move(study.rows);
}

}  // namespace isochor::reproduce
