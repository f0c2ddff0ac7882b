/// How many Krylov iterations the mixed lattice takes (Patterson 2012, sections 4 and 7).
///
/// A cube of neo-Hookean material between two held faces, volume measured by J - 1, below Poisson's
/// ratio 0.45 by ln J: at rest, and with one face turned by 90 degrees, pulled to twice the length,
/// pushed to half of it. At the equilibrium of each a body force is solved for, to a residual of
/// 1e-6, recomputed in double. Pushed far enough, free faces fold through the planes of the held
/// ones next to them, where nothing is in their way, and on fine lattices no equilibrium is left:
/// what a solve takes there is counted all the same, and said so. A quarter of a block is pushed as
/// well between faces that slide. The paper has no such numbers; it stops symmetric QMR, without a
/// preconditioner, after 50 or 100 iterations. That is the variant "paper" here, on the published
/// matrix without pressure jumps.
#include <cmath>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <set>

#include "reproduce/embedded_iterations.h"
#include "reproduce/experiment.h"
#include "reproduce/mixed_block.h"
#include "reproduce/mixed_count.h"

namespace isochor::reproduce {
namespace {

namespace mixed = lattice::mixed;

/// Where the far face goes, t from 0 to 1.
struct Motion {
  const char* name;
  int bound;  ///< of iterations
  std::function<Vec3d(const Vec3d&, double t)> far_face;
  bool slides = false;  ///< both faces, and the planes of symmetry y = 0 and z = 0
};
std::vector<Motion> motions() {
  const auto turned = [](const Vec3d& p, double t) {
    const Vec3d middle{1, 0.5, 0.5};
    return middle + rotation_from_vector({t * std::acos(0.0), 0, 0}) * (p - middle);
  };
  const auto along = [](double way) {
    return [way](const Vec3d& p, double t) { return p + Vec3d{way * t, 0, 0}; };
  };
  return {{"twisted", 25, turned},
          {"stretched", 20, along(1)},
          {"compressed", 40, along(-0.5)},
          {"compressed, sliding", 40, along(-0.5), true}};
}

lattice::BodySpec make_cube(int n, double poisson, bool slides, Context& context) {
  lattice::BodySpec body = make_block({n, n, n}, "neo_hookean", poisson, context);
  if (!slides) return body;
  body.holds[0].slide = lattice::Slide::InPlane;
  for (const int axis : {1, 2}) {
    lattice::HoldSpec symmetry{.name = axis == 1 ? "y" : "z", .slide = lattice::Slide::InPlane};
    for (std::size_t i = 0; i < body.lattice.rest_positions.size(); ++i) {
      if (body.lattice.rest_positions[i][axis] > 0.5 / n) continue;
      symmetry.nodes.push_back(static_cast<std::int32_t>(i));
    }
    body.holds.push_back(std::move(symmetry));
  }
  return body;
}

/// How long an equilibrium is looked for. Steps that find one take up to 17 linear systems; where
/// there is none, energies fall for hundreds of them, of half a minute each on 64^3 cells.
constexpr int kMostSystems = 25;  // per step
/// Where coarser cells have found none, steps are not halved.
constexpr double kFirstStep = 1.0 / 4;
double shortest_step(bool lost) { return lost ? kFirstStep : kFirstStep / 2; }

class Case {
 public:
  Case(int n, double poisson, double jumps, Context& context, bool slides = false)
      : model_(mixed::build_model(
            {make_cube(n, poisson, slides, context)}, {},
            {.jumps = jumps, .tolerance = 1e-5, .max_iterations = kMostSystems})),
        scratch_(model_),
        state_(mixed::make_state(model_)),
        context_(context) {}

  FollowedMotion follow(const Motion& motion, double shortest_step) {
    const auto holding = [&](double t) { return held(motion, t); };
    return reproduce::follow(model_, holding, kFirstStep, state_, scratch_, context_,
                             shortest_step);
  }

  /// To the end of a motion, and there as close to an equilibrium as one more step comes. Returns
  /// the residual of its forces.
  double press_on(const Motion& motion) {
    const Holding at = held(motion, 1);
    const mixed::StepReport report =
        advance(model_, state_, {.held_positions = at.positions, .slide_directions = at.directions},
                scratch_, context_);
    if (!report.converged()) {
      state_.positions = scratch_.positions;
      state_.pressure = scratch_.pressure;
    }
    return report.residual;
  }

  const mixed::State& state() const { return state_; }
  void set_state(const mixed::State& state) { state_ = state; }
  std::size_t cells() const { return model_.base.cells.size(); }

  Count best(mixed::Fix fix) { return count_gmres(model_, state_, fix, scratch_, context_); }
  Count published() { return count_qmr(model_, state_, scratch_, context_); }

 private:
  Holding held(const Motion& motion, double t) const {
    Holding at;
    for (const lattice::Hold& hold : model_.base.holds) {
      for (const std::int32_t n : hold.nodes) {
        const Vec3d& p = model_.base.rest_positions[n];
        at.positions.push_back(p[0] > 0.5 ? motion.far_face(p, t) : p);
      }
    }
    if (motion.slides) at.directions = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return at;
  }

  mixed::Model model_;
  mixed::Scratch scratch_;
  mixed::State state_;
  Context& context_;
};

class Report {
 public:
  void add(const std::string& quantity, const char* variant, double ours, Relation relation,
           std::optional<double> bound, std::string note) {
    rows.push_back({.id = "patterson/iterations",
                    .quantity = quantity,
                    .variant = variant,
                    .source = "ours",
                    .ours = ours,
                    .relation = relation,
                    .bound = bound,
                    .note = std::move(note)});
  }
  void add_count(const std::string& quantity, const char* variant, const Count& count,
                 Relation relation, std::optional<double> bound, std::string note = {}) {
    add(quantity, variant, count.iterations, relation, bound,
        fmt::format("true residual {:.1e}{}", count.residual, note));
    if (!count.solved()) rows.back().ours.reset();
  }
  std::vector<Row> rows;
};

std::string named(std::string_view what, double poisson, int n) {
  return fmt::format("{}/nu={}/N={}", what, poisson, n);
}

/// What is asked for: a motion of a cube of so many cells.
struct Question {
  const Motion& motion;
  double poisson;
  int n;
  bool published;  ///< the paper's solver, too
  bool lost;       ///< on coarser cells no equilibrium was found at its end

  std::string named(const std::string& more = {}) const {
    return reproduce::named(motion.name + more, poisson, n);
  }
};

/// By the exact tangent or, where that is too much for Newton's method, the one that it takes then.
struct Best {
  Count exact, count;
  bool fixed = false;
};
Best count_best(Case& body, int bound) {
  Best best;
  best.exact = best.count = body.best(mixed::Fix::None);
  best.fixed = best.exact.iterations > bound;
  if (best.fixed) best.count = body.best(mixed::Fix::Thresholded);
  return best;
}
std::string how(const Best& best) {
  return best.fixed ? "; with the definiteness fix" : "; exact tangent";
}

/// A motion without an equilibrium at its end: what a solve takes at the last one there is, and at
/// the end, as far as Newton's method comes there. States of fine and coarse cells are not the same
/// then, so that growth means nothing.
void add_lost(const Question& asked, const FollowedMotion& way, Case& body, Report& report) {
  const int bound = asked.motion.bound;
  report.rows.push_back(
      {.id = "patterson/iterations",
       .quantity = asked.named(),
       .variant = "best",
       .source = "ours",
       .note = fmt::format("no equilibrium found beyond {} of the way, in steps of no less than "
                           "{} and {} linear systems each: {} solves, {} iterations, {} cuts",
                           way.reached, shortest_step(asked.lost), kMostSystems, way.solves,
                           way.iterations, way.cuts)});
  if (way.reached > 0) {
    const Best last = count_best(body, bound);
    report.add_count(asked.named(fmt::format(", {} of the way", way.reached)), "best", last.count,
                     Relation::AtMost, bound, how(last));
  }
  const double left = body.press_on(asked.motion);
  const Best end = count_best(body, bound);
  report.add_count(asked.named(", no equilibrium"), "best", end.count, Relation::AtMost, bound,
                   how(end) + fmt::format("; at the end of the way {} linear systems leave forces "
                                          "of {:.1g} of what holds the cube",
                                          kMostSystems, left));
}

/// The equilibrium of a motion, how it was found, and what a solve takes there. Whether there was
/// one.
bool add_motion(const Question& asked, Context& context, std::map<std::string, int>& counts,
                Report& report) {
  const Motion& motion = asked.motion;
  Case body(asked.n, asked.poisson, mixed::Params{}.jumps, context, motion.slides);
  const FollowedMotion way = body.follow(motion, shortest_step(asked.lost));
  if (context.cancelled) return false;
  if (!way.arrived) {
    add_lost(asked, way, body, report);
    return false;
  }
  const std::string quantity = asked.named();
  report.add(quantity + "/newton", "best", way.solves, Relation::Shown, {},
             fmt::format("linear systems to 1e-5; {} iterations of GMRES, {} cuts, {} fallbacks",
                         way.iterations, way.cuts, way.fallbacks));
  // Where the exact matrix has negative curvature, or next to none, Newton's method may take the
  // other one.
  const Best best = count_best(body, motion.bound);
  if (best.fixed) {
    report.add_count(quantity + "/exact tangent", "best", best.exact, Relation::Shown, {},
                     "; where this is too much for Newton's method it takes the fix");
  }
  report.add_count(quantity, "best", best.count, Relation::AtMost, motion.bound, how(best));
  counts[fmt::format("{}/nu={}/{}", motion.name, asked.poisson, asked.n)] = best.count.iterations;
  if (!asked.published) return true;
  Case paper(asked.n, asked.poisson, 0, context);
  paper.set_state(body.state());
  report.add_count(quantity, "paper", paper.published(), Relation::Shown, {},
                   "; symmetric QMR, no preconditioner");
  return true;
}

void add_rest(double poisson, int n, bool published, Context& context,
              std::map<std::string, int>& counts, Report& report) {
  Case body(n, poisson, mixed::Params{}.jumps, context);
  const Count count = body.best(mixed::Fix::None);
  report.add_count(named("cube", poisson, n), "best", count, Relation::AtMost, 20,
                   fmt::format("; {} cells", body.cells()));
  counts[fmt::format("cube/nu={}/{}", poisson, n)] = count.iterations;
  if (!published) return;
  Case paper(n, poisson, 0, context);
  report.add_count(named("cube", poisson, n), "paper", paper.published(), Relation::Shown, {},
                   "; symmetric QMR, no preconditioner");
}

}  // namespace

std::vector<Row> patterson_iterations(const ExperimentOptions& options, Context& context) {
  Report report;
  std::map<std::string, int> counts;
  const std::vector<int> sizes{16, 32, 64};
  const std::vector<double> ratios{0.3, 0.45, 0.49, 0.4999, 0.5};
  std::set<std::pair<std::string, double>> lost;  // motions without an equilibrium, by ratio
  for (const int n : sizes) {
    const bool published = n == 16 || (options.full && n == 32);
    for (const double poisson : ratios) {
      if (!context.cancelled) add_rest(poisson, n, published, context, counts, report);
    }
    for (const Motion& motion : motions()) {
      for (const double poisson : ratios) {
        const bool chosen =
            options.full || (n <= 32 && poisson == 0.5) || (n == 16 && poisson == 0.3);
        if (!chosen || context.cancelled) continue;
        context.log(LogLevel::Info, fmt::format("patterson/iterations: {}, Poisson's ratio {}, {} "
                                                "cells across",
                                                motion.name, poisson, n));
        const Question asked{.motion = motion,
                             .poisson = poisson,
                             .n = n,
                             .published = published && poisson == 0.5 && !motion.slides,
                             .lost = lost.contains({motion.name, poisson})};
        if (!add_motion(asked, context, counts, report)) lost.insert({motion.name, poisson});
      }
    }
  }
  // What the last doubling of the resolution costs.
  for (const auto& [key, iterations] : counts) {
    const std::size_t slash = key.rfind('/');
    const std::string what = key.substr(0, slash);
    const int fine = std::stoi(key.substr(slash + 1)), coarse = fine / 2;
    const auto before = counts.find(fmt::format("{}/{}", what, coarse));
    if (before == counts.end() || counts.contains(fmt::format("{}/{}", what, 2 * fine))) continue;
    const bool claimed = coarse == 32;
    report.add(fmt::format("{}/growth {} to {}", what, coarse, fine), "best",
               double(iterations) / before->second, claimed ? Relation::AtMost : Relation::Shown,
               claimed ? std::optional(1.1) : std::nullopt,
               fmt::format("{} to {} iterations", before->second, iterations));
  }
  for (Row& row : embedded_iterations(context)) {
    report.rows.push_back(std::move(row));
  }
  return report.rows;
}

}  // namespace isochor::reproduce
