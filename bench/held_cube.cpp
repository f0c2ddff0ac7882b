#include "bench/held_cube.h"

#include <cmath>

#include "bench/benchmark.h"
#include "isochor/geometry/shapes.h"
#include "isochor/lattice/hierarchy.h"
#include "isochor/materials/registry.h"

namespace isochor::bench {
namespace {

std::span<const Vec3d> vectors(std::span<const double> v) {
  return {reinterpret_cast<const Vec3d*>(v.data()), v.size() / 3};
}
std::span<Vec3d> vectors(std::span<double> v) {
  return {reinterpret_cast<Vec3d*>(v.data()), v.size() / 3};
}

lattice::BodySpec make_spec(int n, double poisson, Context& context) {
  constexpr double kYoung = 1e5;
  const auto surface = geometry::make_box({0.5, 0.5, 0.5}, {1, 1, 1}, 0.25);
  lattice::BodySpec body{.name = "cube",
                         .lattice = grid::build_lattice(surface, 1.0 / n, "cube", context.arena),
                         .law = materials::law_index("corotated")};
  body.mu.assign(body.lattice.cell_count(), kYoung / (2 * (1 + poisson)));
  body.lambda.assign(body.lattice.cell_count(),
                     kYoung * poisson / ((1 + poisson) * (1 - 2 * poisson)));
  lattice::HoldSpec ends{.name = "ends"};
  for (std::size_t i = 0; i < body.lattice.rest_positions.size(); ++i) {
    const double x = body.lattice.rest_positions[i][0];
    if (x < 0.5 / n || x > 1 - 0.5 / n) ends.nodes.push_back(static_cast<std::int32_t>(i));
  }
  body.holds.push_back(std::move(ends));
  return body;
}

}  // namespace

HeldCube::HeldCube(int n, double poisson, const lattice::Params& params, Context& context)
    : model_([&] {
        lattice::Params plain = params;
        plain.preconditioner = lattice::Preconditioner::Jacobi;
        const std::vector<lattice::BodySpec> bodies{make_spec(n, poisson, context)};
        lattice::Model model = lattice::build_model(bodies, plain);
        model.params = params;
        ThreadArena one(1);
        hierarchy_seconds_ = fastest(1, one, [&] {
          model.hierarchy =
              std::make_shared<const lattice::Hierarchy>(lattice::build_hierarchy(bodies, model));
        });
        return model;
      }()),
      scratch_(model_),
      load_(3 * model_.node_count()),
      x_(3 * model_.node_count()) {
  for (std::size_t i = 0; i < model_.node_count(); ++i) {
    if (model_.freedom[i] == lattice::Freedom::Held) continue;
    free_.push_back(static_cast<std::int32_t>(i));
    const Vec3d& p = model_.rest_positions[i];
    const Vec3d pull{0.3 + p[1], -1, 0.6 - p[0]};
    for (int a = 0; a < 3; ++a) load_[3 * i + a] = model_.mass[i] * pull[a];
  }
}

void HeldCube::set_up(ThreadArena& arena) {
  lattice::linearise(model_, model_.rest_positions, materials::Definiteness::Clamp,
                     scratch_.tangents, arena);
  lattice::stiffness_diagonal(model_, scratch_.tangents, std::span(scratch_.diagonal), arena);
  arena_ = &arena;
  multigrid_.emplace(model_, scratch_.slides, scratch_.multigrid, arena);
  multigrid_->linearise(model_.rest_positions);
  multigrid_->prepare(scratch_.tangents, scratch_.diagonal);
}

void HeldCube::apply(std::span<const double> x, std::span<double> y) {
  lattice::apply_stiffness(model_, scratch_.tangents, vectors(x), vectors(y), *arena_);
  lattice::keep_free<double>(model_, scratch_.slides, vectors(y), *arena_);
}

solve::KrylovReport HeldCube::solve(double tolerance) {
  constexpr int kMost = 1000;
  return solve::conjugate_gradient(
      *arena_, [&](std::span<const double> p, std::span<double> q) { apply(p, q); },
      [&](std::span<const double> r, std::span<double> z) {
        multigrid_->apply(vectors(r), vectors(z));
        lattice::keep_free<double>(model_, scratch_.slides, vectors(z), *arena_);
      },
      [] { return false; }, load_, x_, tolerance, kMost, scratch_.krylov);
}

void HeldCube::cycle() {
  multigrid_->apply(vectors(std::span<const double>(load_)), vectors(std::span(x_)));
}

double HeldCube::true_residual() {
  std::vector<double> image(x_.size());
  apply(x_, image);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    error += (load_[i] - image[i]) * (load_[i] - image[i]);
    size += load_[i] * load_[i];
  }
  return std::sqrt(error / size);
}

std::vector<double> HeldCube::load() const {
  std::vector<double> load;
  load.reserve(3 * free_.size());
  for (const std::int32_t n : free_) {
    for (int a = 0; a < 3; ++a) load.push_back(load_[3 * std::size_t(n) + a]);
  }
  return load;
}

}  // namespace isochor::bench
