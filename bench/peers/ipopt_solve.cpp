/// Solves the frames of `isochor bench zones` with Ipopt and prints: its name, seconds of set-up
/// and of solving a frame on one core, iterations a frame, and how far the worst frame is from a
/// solution. A program of its own, so that ours does not depend on it.
///
/// The objective is in units of the energy that shears the body by one, positions in units of its
/// size; the Hessian of the Lagrangian is exact, that of the elastic law in single precision.
#include <coin/IpIpoptApplication.hpp>
#include <coin/IpSolveStatistics.hpp>
#include <coin/IpTNLP.hpp>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "bench/zonal_case.h"

namespace {

using namespace isochor;
using Ipopt::Index;
using Ipopt::Number;

class Frame final : public Ipopt::TNLP {
 public:
  Frame(const bench::ZonalCase& c, const tets::State& before, std::span<const Vec3d> held,
        ThreadArena& arena)
      : case_(c),
        model_(c.model),
        before_(before),
        arena_(arena),
        x_(before.positions),
        elastic_(model_),
        slopes_(model_),
        force_(model_.node_count()),
        stiffnesses_(model_.tets.size()),
        matrix_(model_.pattern.columns.size()),
        volume_(1),
        number_(model_.node_count(), -1) {
    std::size_t next = 0;
    for (const tets::Hold& hold : model_.holds) {
      for (const std::int32_t n : hold.nodes) x_[n] = held[next++];
    }
    for (std::size_t i = 0; i < number_.size(); ++i) {
      if (model_.held[i]) continue;
      number_[i] = std::int32_t(free_.size());
      free_.push_back(std::int32_t(i));
    }
    const double whole = model_.zones.volume[0];
    length_ = std::cbrt(whole);
    energy_ = model_.mu[0] * whole;
    state = before;
  }

  tets::State state;  ///< the solution
  int iterations = 0;

  bool get_nlp_info(Index& n, Index& m, Index& jacobian, Index& hessian,
                    IndexStyleEnum& style) override {
    n = Index(3 * free_.size());
    m = 1;
    jacobian = n;
    hessian = 0;
    visit_lower([&](std::size_t, Index, Index, int, int) { ++hessian; });
    style = C_STYLE;
    return true;
  }
  bool get_bounds_info(Index n, Number* low, Number* high, Index, Number* c_low,
                       Number* c_high) override {
    std::fill_n(low, n, -2e19);
    std::fill_n(high, n, 2e19);
    c_low[0] = c_high[0] = 0;
    return true;
  }
  bool get_starting_point(Index, bool, Number* x, bool, Number*, Number*, Index, bool,
                          Number* lambda) override {
    for (std::size_t k = 0; k < free_.size(); ++k) {
      // Where ours begins: in free flight.
      const Vec3d v = case_.dt > 0 ? before_.velocities[free_[k]] : Vec3d{0, 0, 0};
      const Vec3d from = before_.positions[free_[k]] + case_.dt * (v + case_.dt * case_.gravity);
      for (int a = 0; a < 3; ++a) x[3 * k + a] = from[a] / length_;
    }
    if (lambda) lambda[0] = -before_.pressures[0] * model_.zones.volume[0] / energy_;
    return true;
  }
  bool eval_f(Index, const Number* x, bool, Number& value) override {
    place(x);
    value = tets::elastic_energy(model_, {x_}, elastic_, arena_);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      value -= model_.mass[i] * dot(case_.gravity, x_[i] - before_.positions[i]);
      if (case_.dt > 0) value += 0.5 * inertia() * model_.mass[i] * dot(away(i), away(i));
    }
    value /= energy_;
    return true;
  }
  bool eval_grad_f(Index, const Number* x, bool, Number* gradient) override {
    place(x);
    tets::elastic_force(model_, {x_}, force_, elastic_, arena_);
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const std::int32_t i = free_[k];
      Vec3d f = force_[i] + model_.mass[i] * case_.gravity;
      if (case_.dt > 0) f -= inertia() * model_.mass[i] * away(i);
      for (int a = 0; a < 3; ++a) gradient[3 * k + a] = -f[a] * length_ / energy_;
    }
    return true;
  }
  bool eval_g(Index, const Number* x, bool, Index, Number* c) override {
    place(x);
    tets::measure_zones(model_, x_, slopes_, volume_, arena_);
    c[0] = volume_[0] / model_.zones.volume[0] - 1;
    return true;
  }
  bool eval_jac_g(Index n, const Number* x, bool, Index, Index, Index* rows, Index* columns,
                  Number* values) override {
    if (!values) {
      for (Index k = 0; k < n; ++k) rows[k] = 0, columns[k] = k;
      return true;
    }
    place(x);
    tets::measure_zones(model_, x_, slopes_, volume_, arena_);
    std::fill(force_.begin(), force_.end(), Vec3d{0, 0, 0});
    const double one[] = {1};
    tets::add_zone_force(model_, slopes_, one, force_, arena_);
    for (std::size_t k = 0; k < free_.size(); ++k) {
      for (int a = 0; a < 3; ++a) {
        values[3 * k + a] = force_[free_[k]][a] * length_ / model_.zones.volume[0];
      }
    }
    return true;
  }
  bool eval_h(Index, const Number* x, bool, Number factor, Index, const Number* lambda, bool, Index,
              Index* rows, Index* columns, Number* values) override {
    std::size_t next = 0;
    if (!values) {
      visit_lower([&](std::size_t, Index row, Index column, int, int) {
        rows[next] = row;
        columns[next++] = column;
      });
      return true;
    }
    place(x);
    // A small factor (while Ipopt restores feasibility) leaves the constraint alone.
    constexpr double kLeast = 1e-8;
    const double of_energy = std::max(factor, kLeast);
    const std::vector<double> pressures(
        model_.tets.size(), -lambda[0] * energy_ / (of_energy * model_.zones.volume[0]));
    tets::linearise(model_, {.positions = x_, .pressures = pressures},
                    materials::Definiteness::None, stiffnesses_, arena_);
    tets::assemble(model_, stiffnesses_, matrix_, arena_);
    const double scale = of_energy * length_ * length_ / energy_;
    visit_lower([&](std::size_t k, Index row, Index column, int a, int b) {
      values[next] = scale * matrix_[k](a, b);
      if (case_.dt > 0 && row == column) {
        values[next] += scale * inertia() * model_.mass[free_[row / 3]];
      }
      ++next;
    });
    return true;
  }
  void finalize_solution(Ipopt::SolverReturn, Index, const Number* x, const Number*, const Number*,
                         Index, const Number*, const Number* lambda, Number,
                         const Ipopt::IpoptData*, Ipopt::IpoptCalculatedQuantities*) override {
    place(x);
    state.positions = x_;
    state.pressures[0] = -lambda[0] * energy_ / model_.zones.volume[0];
    for (std::size_t i = 0; i < x_.size() && case_.dt > 0; ++i) {
      state.velocities[i] = (1 / case_.dt) * (x_[i] - before_.positions[i]);
    }
  }

 private:
  double inertia() const { return 1 / (case_.dt * case_.dt); }
  Vec3d away(std::size_t i) const {
    return x_[i] - before_.positions[i] - case_.dt * before_.velocities[i];
  }
  void place(const Number* x) {
    for (std::size_t k = 0; k < free_.size(); ++k) {
      for (int a = 0; a < 3; ++a) x_[free_[k]][a] = length_ * x[3 * k + a];
    }
  }
  /// f(place among the blocks, row, column, row and column within the block).
  template <class F>
  void visit_lower(F&& f) const {
    for (const std::int32_t i : free_) {
      for (std::int32_t k = model_.pattern.first[i]; k < model_.pattern.first[i + 1]; ++k) {
        const std::int32_t j = number_[model_.pattern.columns[k]];
        if (j < 0 || j > number_[i]) continue;
        for (int a = 0; a < 3; ++a) {
          for (int b = 0; b < 3; ++b) {
            const Index row = 3 * number_[i] + a, column = 3 * j + b;
            if (column <= row) f(std::size_t(k), row, column, a, b);
          }
        }
      }
    }
  }

  const bench::ZonalCase& case_;
  const tets::Model& model_;
  const tets::State& before_;
  ThreadArena& arena_;
  std::vector<Vec3d> x_;
  tets::ElasticMemory elastic_;
  tets::ZoneSlopes slopes_;
  std::vector<Vec3d> force_;
  tets::Stiffnesses stiffnesses_;
  solve::Blocks<double> matrix_;
  std::vector<double> volume_;
  std::vector<std::int32_t> number_, free_;
  double length_ = 1, energy_ = 1;
};

double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s puck|ball SPACING\n", argv[0]);
    return 2;
  }
  ThreadArena one(1);
  const double spacing = std::atof(argv[2]);
  const bench::ZonalCase c = std::string_view(argv[1]) == "puck" ? bench::puck_case(spacing, one)
                                                                 : bench::ball_case(spacing, one);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> application = IpoptApplicationFactory();
  application->Options()->SetStringValue("linear_solver", "mumps");
  application->Options()->SetStringValue("nlp_scaling_method", "none");
  application->Options()->SetIntegerValue("print_level", 0);
  application->Options()->SetStringValue("sb", "yes");
  // In these units as strict as it has to be: what it reaches is evaluated by itself.
  application->Options()->SetNumericValue("tol", 1e-8);
  application->Options()->SetNumericValue("constr_viol_tol", 1e-9);
  application->Options()->SetIntegerValue("acceptable_iter", 0);
  if (application->Initialize() != Ipopt::Solve_Succeeded) return 1;
  tets::State state = c.start();
  double total = 0, worst = 0;
  int iterations = 0;
  for (int frame = 1; frame <= c.frames; ++frame) {
    const tets::State before = state;
    const std::vector<Vec3d> held = c.held_at(frame);
    Ipopt::SmartPtr<Frame> problem = new Frame(c, before, held, one);
    const double start = seconds();
    const Ipopt::ApplicationReturnStatus status = application->OptimizeTNLP(problem);
    total += seconds() - start;
    if (status != Ipopt::Solve_Succeeded) return 1;
    iterations += application->Statistics()->IterationCount();
    state = problem->state;
    const bench::KktError error = bench::kkt_error(c, before, state, one);
    // On the scale of stationarity, 1e-6 where volumes are to be right to 1e-9.
    worst = std::max({worst, error.stationarity, 1e3 * error.volume});
  }
  std::printf("Ipopt 0 %g %d %g\n", total / c.frames, iterations / c.frames, worst);
}
