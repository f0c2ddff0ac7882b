#include "reproduce/embedded_iterations.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <optional>

#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/hierarchy.h"
#include "reproduce/embedded_body.h"
#include "reproduce/mixed_block.h"
#include "reproduce/mixed_count.h"
#include "reproduce/weighed_body.h"

namespace isochor::reproduce {
namespace {

namespace mixed = lattice::mixed;
constexpr int kMost = 30;
constexpr double kMostGrowth = 1.1;

/// A ball of radius 0.5 m, off the lattice.
geometry::SurfaceMesh make_ball() { return geometry::make_sphere({0, 0, 0}, 0.5, 0.02); }

/// The same with a hole: a wall of 8 cm.
geometry::SurfaceMesh make_shell() {
  geometry::SurfaceMesh shell = make_ball();
  const geometry::SurfaceMesh hole = geometry::make_sphere({0, 0, 0}, 0.42, 0.02);
  const auto first = static_cast<std::int32_t>(shell.positions.size());
  shell.positions.insert(shell.positions.end(), hole.positions.begin(), hole.positions.end());
  for (std::size_t f = 0; f < hole.face_count(); ++f) {
    std::vector<std::int32_t> face(hole.face(f).rbegin(), hole.face(f).rend());
    for (std::int32_t& v : face) v += first;
    shell.add_face(face);
  }
  return shell;
}

/// At rest, standing on a tenth of its height.
Posed at_rest(const geometry::SurfaceMesh& surface, int cells, double poisson, Context& context) {
  lattice::BodySpec body =
      make_embedded(surface, 1.0 / cells, Boundary::Cut, "neo_hookean", 1, poisson, context);
  body.holds.push_back(hold_end(body, 1, false, 0.1));
  Posed posed{.model = mixed::build_model({std::move(body)}, {}, {})};
  posed.state = mixed::make_state(posed.model);
  return posed;
}

}  // namespace

Posed flexed_arm(int cells, double poisson, Context& context) {
  const geometry::ArmShape arm = geometry::make_arm(0.01);
  const double h = bounds_of_faces(arm.skin).size()[0] / cells;
  lattice::BodySpec body =
      make_embedded(arm.skin, h, Boundary::Cut, "neo_hookean", 1, poisson, context);
  const auto along = [](const Vec3d& a, const Vec3d& b, double t) { return a + t * (b - a); };
  lattice::HoldSpec upper =
      hold_along(body, std::array{Bone{arm.shoulder, along(arm.shoulder, arm.elbow, 0.85)}});
  lattice::HoldSpec fore =
      hold_along(body, std::array{Bone{along(arm.elbow, arm.wrist, 0.15), arm.wrist}});
  upper.name = "upper";
  fore.name = "fore";
  std::erase_if(fore.nodes, [&](std::int32_t n) {
    return std::ranges::find(upper.nodes, n) != upper.nodes.end();
  });
  body.holds = {upper, fore};
  Posed posed{.model = mixed::build_model({std::move(body)}, {}, {.tolerance = 1e-5})};
  posed.state = mixed::make_state(posed.model);
  mixed::Scratch scratch(posed.model);
  const auto holding = [&](double t) {
    Holding out;
    const Mat3d turn = rotation_from_vector({0, 0, t});
    for (std::size_t hold = 0; hold < 2; ++hold) {
      for (const std::int32_t n : posed.model.base.holds[hold].nodes) {
        const Vec3d& p = posed.model.base.rest_positions[n];
        out.positions.push_back(hold == 0 ? p : arm.elbow + turn * (p - arm.elbow));
      }
    }
    return out;
  };
  posed.arrived = follow(posed.model, holding, 0.25, posed.state, scratch, context).arrived;
  return posed;
}

namespace {

/// Iterations, where there is an equilibrium and a solution; with the definiteness fix where the
/// exact matrix takes too many, as Newton's method does.
std::optional<int> add_count(const std::string& name, const Posed& posed, Context& context,
                             std::vector<Row>& rows) {
  Row row{.id = "patterson/iterations",
          .quantity = name,
          .variant = "best",
          .source = "ours",
          .relation = Relation::AtMost,
          .bound = kMost};
  if (!posed.arrived) {
    row.note = "no equilibrium";
    rows.push_back(std::move(row));
    return {};
  }
  mixed::Scratch scratch(posed.model);
  Count count = count_gmres(posed.model, posed.state, mixed::Fix::None, scratch, context);
  std::string how = "exact tangent";
  if (count.iterations > kMost) {
    how = fmt::format("with the definiteness fix; exact tangent: {}", count.iterations);
    count = count_gmres(posed.model, posed.state, mixed::Fix::Thresholded, scratch, context);
  }
  if (count.solved()) row.ours = count.iterations;
  const bool one_level = posed.model.base.hierarchy->levels.empty();
  row.note = fmt::format("true residual {:.1e}; {} cells{}; {}", count.residual,
                         posed.model.base.cells.size(),
                         one_level ? ", so few that the cycle solves them exactly" : "", how);
  rows.push_back(std::move(row));
  return count.solved() ? std::optional(count.iterations) : std::nullopt;
}

}  // namespace

std::vector<Row> embedded_iterations(Context& context) {
  std::vector<Row> rows;
  const geometry::SurfaceMesh ball = make_ball(), shell = make_shell();
  for (const std::string_view name : {"ball", "shell", "flexed arm"}) {
    const bool arm = name == "flexed arm";
    for (const double poisson : {0.3, 0.5}) {
      std::optional<int> before;
      // An arm is thin: it has as many cells across as others with half as many along it. The
      // coarsest one is its own coarsest level: growth from there is what a cycle costs in place
      // of an exact solve.
      const int judged = arm ? 128 : 64;
      for (const int cells : {judged / 4, judged / 2, judged}) {
        if (context.cancelled) break;
        const Posed posed = arm ? flexed_arm(cells, poisson, context)
                                : at_rest(name == "ball" ? ball : shell, cells, poisson, context);
        const std::optional<int> count =
            add_count(fmt::format("{}/nu={}/N={}", name, poisson, cells), posed, context, rows);
        if (before && count) {
          Row row{
              .id = "patterson/iterations",
              .quantity = fmt::format("{}/nu={}/growth {} to {}", name, poisson, cells / 2, cells),
              .variant = "best",
              .source = "ours",
              .ours = double(*count) / *before,
              .note = fmt::format("{} to {} iterations", *before, *count)};
          if (cells == judged) {
            row.relation = Relation::AtMost;
            row.bound = kMostGrowth;
          } else if (arm) {
            row.note += "; the first by an exact solve in place of a cycle";
          }
          rows.push_back(std::move(row));
        }
        before = count;
      }
    }
  }
  return rows;
}

}  // namespace isochor::reproduce
