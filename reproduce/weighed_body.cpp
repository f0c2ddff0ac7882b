#include "reproduce/weighed_body.h"

#include <algorithm>
#include <cmath>

#include "isochor/files/surface_file.h"
#include "isochor/geometry/organic_shapes.h"
#include "isochor/geometry/shapes.h"
#include "isochor/materials/registry.h"

namespace isochor::reproduce {
namespace {

constexpr double kYoung = 1e5;

std::span<double> flat(std::vector<Vec3d>& v) { return {&v.data()->e[0], 3 * v.size()}; }
std::span<const Vec3d> vectors(std::span<const double> v) {
  return {reinterpret_cast<const Vec3d*>(v.data()), v.size() / 3};
}
std::span<Vec3d> vectors(std::span<double> v) {
  return {reinterpret_cast<Vec3d*>(v.data()), v.size() / 3};
}

std::vector<std::int32_t> nodes_at_end(const lattice::BodySpec& body, int axis, bool high,
                                       double depth) {
  double low = INFINITY, top = -INFINITY;
  for (const Vec3d& p : body.lattice.rest_positions) {
    low = std::min(low, p[axis]);
    top = std::max(top, p[axis]);
  }
  const double reach = std::max(depth * (top - low), 0.1 * body.lattice.spacing);
  std::vector<std::int32_t> nodes;
  for (std::size_t n = 0; n < body.lattice.rest_positions.size(); ++n) {
    const double x = body.lattice.rest_positions[n][axis];
    if (high ? x > top - reach : x < low + reach) nodes.push_back(static_cast<std::int32_t>(n));
  }
  return nodes;
}

}  // namespace

std::optional<geometry::SurfaceMesh> named_surface(std::string_view name,
                                                   const std::filesystem::path& data) {
  if (name == "cube") return geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.25);
  if (name == "sphere") return geometry::make_sphere({0, 0, 0}, 0.5, 0.03);
  if (name == "torus") return geometry::make_torus({0, 0, 0}, {0, 0, 1}, 0.35, 0.15, 0.03);
  if (name == "sheet") return geometry::make_box({0.5, 0.5, 0.02}, {1, 1, 0.04}, 0.04);
  if (name == "bow_tie") return geometry::make_bow_tie({0, 0, 0}, {1, 0.5, 0.2}, 0.03, 0.02);
  if (name == "arm") return geometry::make_arm(0.01).skin;
  if (name == "hand") return geometry::make_hand(0.002);
  if (name == "figure") return geometry::make_figure(0.02).skin;
  const std::filesystem::path file = data / "classic" /
                                     (name == "armadillo" ? "armadillo.obj"
                                      : name == "dragon"  ? "chinese_dragon_10kv.off"
                                                          : "human_man.obj");
  if (data.empty() || !std::filesystem::exists(file)) return std::nullopt;
  return files::read_surface(file).mesh;
}

int longest_axis(const geometry::SurfaceMesh& surface) {
  const Vec3d size = geometry::bounds_of_faces(surface).size();
  int axis = 0;
  for (int a = 1; a < 3; ++a) axis = size[a] > size[axis] ? a : axis;
  return axis;
}

lattice::BodySpec make_body(const geometry::SurfaceMesh& surface, int cells, double poisson,
                            Context& context) {
  const double length = geometry::bounds_of_faces(surface).size()[longest_axis(surface)];
  lattice::BodySpec body{.name = "body", .law = materials::law_index("corotated")};
  body.lattice = grid::build_lattice(surface, length / cells, "body", context.arena);
  const std::size_t count = body.lattice.cell_count();
  body.mu.assign(count, kYoung / (2 * (1 + poisson)));
  body.lambda.assign(count, kYoung * poisson / ((1 + poisson) * (1 - 2 * poisson)));
  for (const float fraction : body.lattice.fractions) {
    body.fill.push_back(std::max(0.05, double(fraction)));
  }
  return body;
}

lattice::HoldSpec hold_end(const lattice::BodySpec& body, int axis, bool high, double depth) {
  return {.name = high ? "high" : "low", .nodes = nodes_at_end(body, axis, high, depth)};
}

std::vector<Bone> arm_bones() {
  const geometry::ArmShape arm = geometry::make_arm(0.02);
  return {{arm.shoulder, arm.elbow}, {arm.elbow, arm.wrist}};
}

std::vector<Bone> figure_bones() {
  std::vector<Bone> bones;
  const auto joints = geometry::figure_joints();
  for (const geometry::FigureJoint& joint : joints) {
    if (joint.parent >= 0) bones.push_back({joints[joint.parent].position, joint.position});
  }
  return bones;
}

lattice::HoldSpec hold_along(const lattice::BodySpec& body, std::span<const Bone> bones) {
  const double reach = std::max(0.012, 0.9 * body.lattice.spacing);
  lattice::HoldSpec hold{.name = "bones"};
  for (std::size_t n = 0; n < body.lattice.rest_positions.size(); ++n) {
    const Vec3d& p = body.lattice.rest_positions[n];
    const bool close = std::ranges::any_of(bones, [&](const Bone& bone) {
      const Vec3d along = bone.to - bone.from;
      const double t = std::clamp(dot(p - bone.from, along) / dot(along, along), 0.0, 1.0);
      return norm(p - bone.from - t * along) < reach;
    });
    if (close) hold.nodes.push_back(static_cast<std::int32_t>(n));
  }
  return hold;
}

lattice::SpringGroupSpec soften(const lattice::BodySpec& body, const lattice::HoldSpec& hold) {
  lattice::SpringGroupSpec group{.name = hold.name};
  const double k = kYoung * body.lattice.spacing;
  for (const std::int32_t n : hold.nodes) {
    group.springs.push_back({.terms = {{n, 1.0}}, .stiffness = Mat3d::diagonal({k, k, k})});
  }
  return group;
}

std::optional<std::vector<Vec3d>> pulled(const lattice::Model& model, int axis, Context& context) {
  constexpr int kSteps = 4;
  Vec3d low = model.rest_positions[0], high = low;
  for (const Vec3d& p : model.rest_positions) {
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], p[a]);
      high[a] = std::max(high[a], p[a]);
    }
  }
  const double length = high[axis] - low[axis];
  Vec3d end = 0.5 * (low + high), move{0, 0, 0}, turn{0, 0, 0};
  end[axis] = high[axis];
  move[axis] = move[(axis + 2) % 3] = 0.2 * length;
  turn[axis] = 1.2;
  turn[(axis + 1) % 3] = 0.5;
  lattice::State state{model.rest_positions};
  lattice::Scratch scratch(model);
  for (int step = 1; step <= kSteps; ++step) {
    const double part = double(step) / kSteps;
    const Mat3d Q = rotation_from_vector(part * turn);
    std::vector<Vec3d> held;
    for (const lattice::Hold& hold : model.holds) {
      for (const std::int32_t n : hold.nodes) {
        const Vec3d& p = model.rest_positions[n];
        held.push_back(hold.name == "body.high" ? end + part * move + Q * (p - end) : p);
      }
    }
    const auto report = lattice::advance(model, state, {.held_positions = held}, scratch, context);
    if (!report.converged()) return std::nullopt;
  }
  return state.positions;
}

WeighedBody::WeighedBody(const lattice::Model& model, std::span<const Vec3d> positions,
                         materials::Definiteness fix, Context& context)
    : model_(model),
      context_(context),
      scratch_(model),
      multigrid_(model, scratch_.slides, scratch_.multigrid, context.arena),
      load_(model.node_count()),
      u_(model.node_count()) {
  lattice::linearise(model, positions, fix, scratch_.tangents, context.arena);
  lattice::stiffness_diagonal(model, scratch_.tangents, std::span(scratch_.diagonal),
                              context.arena);
  solve::add_spring_diagonal(model.springs, scratch_.diagonal, context.arena);
  multigrid_.linearise(positions);
  multigrid_.prepare(scratch_.tangents, scratch_.diagonal);
  for (std::size_t n = 0; n < load_.size(); ++n) load_[n] = model.mass[n] * Vec3d{0.3, -1, 0.6};
  lattice::keep_free<double>(model, scratch_.slides, load_, context.arena);
}

void WeighedBody::apply(std::span<const Vec3d> v, std::span<Vec3d> out) {
  lattice::apply_stiffness(model_, scratch_.tangents, v, out, context_.arena);
  solve::add_spring_stiffness(model_.springs, v, scratch_.pull, out, context_.arena);
  lattice::keep_free<double>(model_, scratch_.slides, out, context_.arena);
}

void WeighedBody::residual_of(std::span<const Vec3d> u, std::span<Vec3d> r) {
  apply(u, r);
  for (std::size_t n = 0; n < r.size(); ++n) r[n] = load_[n] - r[n];
}

WeighedBody::Solve WeighedBody::conjugate_gradients(double tolerance, int most, bool with_cycle) {
  Solve result;
  const double size = std::sqrt(solve::dot(context_.arena, flat(load_), flat(load_)));
  const auto norm_of = [&](std::span<const double> v) {
    return std::sqrt(solve::dot(context_.arena, v, v)) / size;
  };
  const auto precondition = [&](std::span<const double> r, std::span<double> z) {
    if (with_cycle) {
      multigrid_.apply(vectors(r), vectors(z));
    } else {
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double d = scratch_.diagonal[i / 3][int(i % 3)];
        z[i] = d > 0 ? r[i] / d : 0;
      }
    }
    lattice::keep_free<double>(model_, scratch_.slides, vectors(z), context_.arena);
  };
  const solve::KrylovReport report = solve::conjugate_gradient(
      context_.arena,
      [&](std::span<const double> p, std::span<double> q) { apply(vectors(p), vectors(q)); },
      precondition,
      [&] {
        result.residuals.push_back(norm_of(scratch_.krylov.r));
        return bool(context_.cancelled);
      },
      flat(load_), flat(u_), tolerance, most, scratch_.krylov);
  result.residuals.resize(std::size_t(report.iterations));
  result.residuals.push_back(report.relative_residual);
  result.indefinite = report.indefinite;
  std::vector<Vec3d> r(u_.size());
  residual_of(u_, r);
  result.true_residual = norm_of(flat(r));
  return result;
}

solve::StationaryReport WeighedBody::cycles(double tolerance, int most) {
  return solve::stationary_iteration(
      context_.arena,
      [&](std::span<const double> p, std::span<double> q) { apply(vectors(p), vectors(q)); },
      [&](std::span<const double> r, std::span<double> z) {
        multigrid_.apply(vectors(r), vectors(z));
        lattice::keep_free<double>(model_, scratch_.slides, vectors(z), context_.arena);
      },
      [&] { return bool(context_.cancelled); }, flat(load_), flat(u_), tolerance, most,
      scratch_.krylov);
}

WeighedBody::Mode WeighedBody::slowest(int rounds) {
  std::vector<Vec3d> v(u_.size()), r(u_.size()), z(u_.size());
  std::uint32_t bits = 1;
  for (double& x : flat(v)) {
    bits = bits * 1664525u + 1013904223u;
    x = double(bits >> 8) / (1 << 23) - 1;
  }
  lattice::keep_free<double>(model_, scratch_.slides, v, context_.arena);
  Mode mode;
  double last = 0;
  for (int k = 0; k <= rounds; ++k) {
    apply(v, r);
    const double energy = solve::dot(context_.arena, flat(v), flat(r));
    if (last > 0) mode.factor = std::sqrt(energy / last);
    const double scale = 1 / std::sqrt(energy);
    for (Vec3d& x : v) x *= scale;
    for (Vec3d& x : r) x *= scale;
    last = 1;
    if (k == rounds) break;
    multigrid_.apply(r, z);
    lattice::keep_free<double>(model_, scratch_.slides, z, context_.arena);
    for (std::size_t n = 0; n < v.size(); ++n) v[n] -= z[n];
  }
  mode.shape = v;
  return mode;
}

}  // namespace isochor::reproduce
