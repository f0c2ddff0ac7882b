/// [Zhu10 fig 11]: residuals of conjugate gradients, on staggered differences without pressures and
/// on hexahedra, beside cycles of multigrid. A cube under its weight, two opposite faces held.
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/run/plot.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/solver.h"
#include "reproduce/experiment.h"
#include "reproduce/weighed_body.h"
#include "reproduce/zhu_bodies.h"

namespace isochor::reproduce {
namespace {

using namespace staggered;

constexpr double kTolerance = 1e-6;
constexpr int kMost = 3000;

/// Relative residuals, from 1 on.
using History = std::vector<double>;

Model<3> make_model(int n, double poisson, const Params& params = {}) {
  return build_model<3>(elastic_box<3>(n, true), Material::from_poisson(1, poisson), params, "box");
}

std::vector<double> weight_of(const Model<3>& model) {
  std::vector<double> b(model.unknowns());
  add_body_force<3>(
      model, [](const Point<3>&, int k) { return k == 2 ? -1.0 : 0.0; }, b);
  return b;
}

/// -(L - G D^-1 G^T), of the displacements alone [Zhu10 (12)]: pressures follow from them.
class Eliminated {
 public:
  Eliminated(const Model<3>& model, ThreadArena& arena)
      : model_(model), arena_(arena), zero_(model.unknowns()), u_(zero_), image_(zero_) {
    // Rows of pressures have a diagonal, and nothing else among themselves.
    for (std::size_t i = pressures(); i < u_.size(); ++i) u_[i] = 1;
    find_residual<3>(model_, u_, zero_, image_, arena_);
    diagonal_.assign(image_.begin() + std::ptrdiff_t(pressures()), image_.end());
  }
  void apply(std::span<const double> p, std::span<double> q) {
    std::copy(p.begin(), p.end(), u_.begin());
    std::fill(u_.begin() + std::ptrdiff_t(pressures()), u_.end(), 0.0);
    find_residual<3>(model_, u_, zero_, image_, arena_);
    // The residual is turned, as is the diagonal found by it.
    for (std::size_t i = 0; i < diagonal_.size(); ++i) {
      if (diagonal_[i] != 0) u_[pressures() + i] = -image_[pressures() + i] / diagonal_[i];
    }
    find_residual<3>(model_, u_, zero_, image_, arena_);
    std::copy_n(image_.begin(), q.size(), q.begin());
  }
  std::size_t pressures() const { return 3 * model_.length(); }

 private:
  const Model<3>& model_;
  ThreadArena& arena_;
  std::vector<double> zero_, u_, image_, diagonal_;
};

History staggered_gradients(int n, double poisson, Context& context) {
  const Model<3> model = make_model(n, poisson);
  Eliminated matrix(model, context.arena);
  std::vector<double> b = weight_of(model);
  b.resize(matrix.pressures());
  for (double& x : b) x = -x;
  std::vector<double> u(b.size());
  const double size = std::sqrt(solve::dot(context.arena, b, b));
  solve::KrylovScratch scratch(b.size());
  History history;
  solve::conjugate_gradient(
      context.arena, [&](std::span<const double> p, std::span<double> q) { matrix.apply(p, q); },
      [&](std::span<const double> r, std::span<double> z) {
        history.push_back(std::sqrt(solve::dot(context.arena, r, r)) / size);
        solve::copy(context.arena, r, z);
      },
      [&] { return bool(context.cancelled); }, b, u, kTolerance, kMost, scratch);
  return history;
}

History element_gradients(int n, double poisson, Context& context) {
  lattice::BodySpec body = reproduce::make_body(*named_surface("cube", {}), n, poisson, context);
  body.holds = {hold_end(body, 0, false, 0), hold_end(body, 0, true, 0)};
  const lattice::Model model =
      lattice::build_model({body}, {.preconditioner = lattice::Preconditioner::Multigrid}, {});
  WeighedBody weighed(model, model.rest_positions, materials::Definiteness::Clamp, context);
  return weighed.conjugate_gradients(kTolerance, kMost, false).residuals;
}

History cycles_of(const Model<3>& model, Context& context) {
  const std::vector<double> b = weight_of(model);
  std::vector<double> u(b.size());
  SolverMemory<3> memory(model, 0);
  History history{1};
  // One at a time; the residual of each is against that of its start.
  while (history.back() > 1e-11 && history.size() < 60 && !context.cancelled) {
    const SolveReport report = staggered::solve<3>(model, b, u, 1e-15, 1, memory, context);
    history.push_back(history.back() * report.relative_residual);
  }
  return history;
}

History cycles(int n, double poisson, Context& context) {
  return cycles_of(make_model(n, poisson), context);
}
History published_cycles(int n, double poisson, Context& context) {
  return cycles_of(make_model(n, poisson, Params::published()), context);
}

struct Method {
  const char *name, *variant, *file, *unit;
  History (*run)(int n, double poisson, Context&);
};
constexpr Method kMethods[] = {
    {"CG, staggered differences", "reference", "zhu_cg_differences.svg", "iteration",
     staggered_gradients},
    {"CG, hexahedra", "reference", "zhu_cg_elements.svg", "iteration", element_gradients},
    {"multigrid cycles", "paper", "zhu_cg_published.svg", "cycle", published_cycles},
    {"multigrid cycles", "best", "zhu_cg_multigrid.svg", "cycle", cycles}};

int steps_to(const History& history, double residual) {
  for (std::size_t k = 0; k < history.size(); ++k) {
    if (history[k] <= residual) return int(k);
  }
  return int(history.size());
}

}  // namespace

std::vector<Row> zhu_cg(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  for (const Method& method : kMethods) {
    std::vector<run::Series> series;
    for (const int n : options.full ? std::vector{32, 64} : std::vector{16, 32}) {
      for (const double poisson : {0.2, 0.49}) {
        const History history = method.run(n, poisson, context);
        if (context.cancelled) return rows;
        const bool ours = method.variant == std::string_view("best");
        rows.push_back({.id = "zhu/cg",
                        .quantity = fmt::format("{}s to 1e-6/{}/nu={}/N={}", method.unit,
                                                method.name, poisson, n),
                        .variant = method.variant,
                        .source = "fig 11",
                        .ours = steps_to(history, kTolerance),
                        .relation = ours ? Relation::AtMost : Relation::Shown,
                        .bound = ours ? std::optional(10.0) : std::nullopt,
                        .note = fmt::format("residual {:.0e} after 10{}",
                                            history[std::min<std::size_t>(10, history.size() - 1)],
                                            history.back() > kTolerance ? "; NOT REACHED" : "")});
        run::Series line{.name = fmt::format("nu {}, {} cells", poisson, n),
                         .dashed = poisson < 0.3,
                         .colour = int(series.size()) / 2};
        for (std::size_t k = 0; k < history.size(); ++k) {
          line.x.push_back(double(k));
          line.y.push_back(history[k]);
        }
        series.push_back(std::move(line));
      }
    }
    if (options.pictures.empty()) continue;
    make_directory(options.pictures);
    write_file_atomic(options.pictures / method.file,
                      run::plot_svg(series, {.title = method.name,
                                             .x_label = method.unit,
                                             .y_label = "residual / first residual",
                                             .log_y = true}));
  }
  return rows;
}

}  // namespace isochor::reproduce
