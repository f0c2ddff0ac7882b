/// A cube held at one face sags by 5 % under its weight. It is started from states that no
/// simulation should ever be in, and must find the same equilibrium as from rest: all free nodes at
/// random places, on a plane, mirrored, or at one point.
///
/// A law can only bring a cell back if being inverted or collapsed costs energy. That is measured
/// first, on homogeneous cells: laws with an inverted or flat state as good as rest, or better,
/// claim nothing here, and what becomes of them is shown.
#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <memory>
#include <random>

#include "isochor/base/file.h"
#include "isochor/lattice/solver.h"
#include "isochor/materials/law_batch.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/bar.h"
#include "reproduce/experiment.h"

namespace isochor::reproduce {
namespace {

constexpr double kSag = 0.05, kDensity = 1000;
constexpr int kSeeds = 20;
constexpr double kSameShape = 1e-4;  // of the cube's edge
constexpr std::array<double, 3> kScales{0.01, 1, 100};
constexpr std::array<double, 7> kYoungs{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

enum Start { kRandom, kFlattened, kInverted, kPoint, kStarts };
constexpr std::array<const char*, kStarts> kStartNames{"random", "flattened", "inverted", "point"};

/// The least energy density of a cell stretched along its axes, flat or inverted, in multiples of
/// mu; rest has zero.
double least_inverted_energy(int law, double poisson) {
  constexpr int kSteps = 21;
  constexpr std::size_t kCount = kSteps * kSteps * kSteps;
  std::vector<double> F(9 * kCount, 0.0), mu(kCount, 1.0), energy(kCount);
  const std::vector<double> lambda(kCount, 2 * poisson / (1 - 2 * poisson));
  for (std::size_t k = 0; k < kCount; ++k) {
    F[k] = 0.1 * double(k % kSteps);
    F[4 * kCount + k] = 0.1 * double(k / kSteps % kSteps);
    F[8 * kCount + k] = -0.1 * double(k / (kSteps * kSteps));
  }
  materials::LawBatch<double> batch{.count = kCount,
                                    .F = F.data(),
                                    .mu = mu.data(),
                                    .lambda = lambda.data(),
                                    .energy = energy.data()};
  const auto shape = lively_shape(law);
  std::copy(shape.begin(), shape.end(), batch.common.shape);
  materials::evaluate(law, batch);
  return *std::min_element(energy.begin(), energy.end());
}

/// A cube of one law at one scale and stiffness, with the solution that it must return to.
struct Cube {
  Bar bar;
  Vec3d gravity;
  std::vector<Vec3d> held, solution;
};

/// `weight` is density gravity edge / stiffness.
Cube make_cube(int cells, int law, double scale, double young, double weight, Context& context) {
  Cube cube{.bar = make_bar({.cells = {cells, cells, cells},
                             .height = scale,
                             .law = law,
                             .shape = lively_shape(law),
                             .young = young,
                             .both_ends = false,
                             .params = {.newton = {.max_iterations = 200}}},
                            context),
            .gravity = {0, 0, -weight * young / (kDensity * scale)}};
  cube.held = cube.bar.held_at_rest();
  return cube;
}

/// From rest. Returns the mean sag of the free end, relative to the edge; nothing if none is found.
std::optional<double> solve_from_rest(Cube& cube, Context& context) {
  lattice::State state{cube.bar.model.rest_positions};
  lattice::Scratch scratch(cube.bar.model);
  const auto report =
      lattice::advance(cube.bar.model, state,
                       {.gravity = cube.gravity, .held_positions = cube.held}, scratch, context);
  if (!report.converged()) return std::nullopt;
  double sum = 0;
  int count = 0;
  for (std::size_t n = 0; n < state.positions.size(); ++n) {
    const Vec3d& rest = cube.bar.model.rest_positions[n];
    if (rest[0] < 0.999 * cube.bar.size[0]) continue;
    sum += rest[2] - state.positions[n][2];
    ++count;
  }
  cube.solution = std::move(state.positions);
  return sum / count / cube.bar.size[2];
}

/// The weight under which a law sags as wanted: a few proportional corrections.
double weight_for_sag(int cells, int law, Context& context) {
  double weight = 0.02;
  for (int k = 0; k < 4; ++k) {
    Cube cube = make_cube(cells, law, 1, 1e5, weight, context);
    const auto sag = solve_from_rest(cube, context);
    if (!sag) break;
    weight *= kSag / *sag;
  }
  return weight;
}

std::vector<Vec3d> start_state(const Cube& cube, Start start, int seed) {
  std::mt19937 random(unsigned(7919 * seed + 13));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const double edge = cube.bar.size[0];
  const auto anywhere = [&] {
    const double x = uniform(random), y = uniform(random), z = uniform(random);
    return edge * Vec3d{x, y, z};
  };
  const double x = normal(random), y = normal(random), z = normal(random);
  const Vec3d direction = Vec3d{x, y, z} * (1 / norm(Vec3d{x, y, z}));
  const Vec3d middle = 0.5 * cube.bar.size, point = anywhere();
  std::vector<Vec3d> state = cube.bar.model.rest_positions;
  for (std::size_t n = 0; n < state.size(); ++n) {
    if (cube.bar.model.freedom[n] == lattice::Freedom::Held) continue;
    const Vec3d across = dot(state[n] - middle, direction) * direction;
    switch (start) {
      case kRandom:
        state[n] = anywhere();
        break;
      case kFlattened:
        state[n] -= across;
        break;
      case kInverted:
        state[n] -= 2.0 * across;
        break;
      default:
        state[n] = point;
    }
  }
  return state;
}

struct Trial {
  const Cube* cube = nullptr;
  Start start = kRandom;
  int seed = 0;
  // What became of it.
  bool returned = false;
  int iterations = 0;
  std::string failure;
};

void run(Trial& trial) {
  const Cube& cube = *trial.cube;
  Context context(1);
  lattice::State state{start_state(cube, trial.start, trial.seed)};
  lattice::Scratch scratch(cube.bar.model);
  const auto report =
      lattice::advance(cube.bar.model, state,
                       {.gravity = cube.gravity, .held_positions = cube.held}, scratch, context);
  trial.iterations = report.iterations;
  if (!report.converged()) {
    trial.failure = text(report.end);
    return;
  }
  const double away = distance(state.positions, cube.solution) / cube.bar.size[0];
  trial.returned = away <= kSameShape;
  if (!trial.returned) trial.failure = fmt::format("another equilibrium, {:.2g} away", away);
}

/// How many returned, by start, and why the first of the others did not.
std::string outcome(std::span<const Trial> trials) {
  std::string note;
  for (int start = 0; start < kStarts; ++start) {
    int all = 0, back = 0, most = 0;
    std::string failure;
    for (const Trial& t : trials) {
      if (t.start != start) continue;
      ++all;
      back += t.returned;
      most = std::max(most, t.iterations);
      if (!t.returned && failure.empty())
        failure = fmt::format(" (seed {}: {})", t.seed, t.failure);
    }
    if (all == 0) continue;
    note += fmt::format("{}{} {} of {}, at most {} iterations{}", note.empty() ? "" : "; ",
                        kStartNames[start], back, all, most, failure);
  }
  return note;
}

void draw(const Cube& cube, std::span<const Trial> claimed, const std::filesystem::path& folder,
          Context& context) {
  for (const Start start : {kRandom, kInverted}) {
    draw_bar(cube.bar, start_state(cube, start, 3), fmt::format("{} start", kStartNames[start]),
             folder / fmt::format("robust_recovery_{}.png", kStartNames[start]), context);
  }
  draw_bar(cube.bar, cube.solution, "where all of them end",
           folder / "robust_recovery_solution.png", context);
  std::vector<run::Series> series;
  for (int start = 0; start < kStarts; ++start) {
    std::vector<double> iterations;
    for (const Trial& t : claimed) {
      if (t.start == start) iterations.push_back(t.iterations);
    }
    std::sort(iterations.begin(), iterations.end());
    run::Series& s = series.emplace_back(run::Series{.name = kStartNames[start]});
    for (std::size_t i = 0; i < iterations.size(); ++i) {
      s.x.push_back(100 * double(i + 1) / double(iterations.size()));
      s.y.push_back(iterations[i]);
    }
  }
  write_file_atomic(folder / "robust_recovery_iterations.svg",
                    run::plot_svg(series, {.title = "How fast bodies recover, all laws",
                                           .x_label = "starts, %",
                                           .y_label = "at most so many Newton iterations",
                                           .width = 720,
                                           .height = 420}));
}

/// The cubes and trials of one law: every start and seed at every scale and stiffness. Quick: all
/// of them at scale 1, and one trial of each start at every other scale and stiffness, seeds taking
/// turns.
struct Campaign {
  std::vector<std::unique_ptr<Cube>> cubes;
  std::vector<Trial> trials;
  std::size_t at_scale_one = 0;  ///< trials
};

Campaign plan(int law, bool claims, const ExperimentOptions& options, Context& context) {
  constexpr int cells = 4;
  const double weight = weight_for_sag(cells, law, context);
  Campaign campaign;
  const auto add = [&](double scale, double young, int first_seed, int seeds) {
    auto cube = std::make_unique<Cube>(make_cube(cells, law, scale, young, weight, context));
    if (!solve_from_rest(*cube, context)) return;
    for (int start = 0; start < kStarts; ++start) {
      for (int k = 0; k < seeds; ++k) {
        const int seed = (first_seed + k + (seeds < kSeeds ? 5 * start : 0)) % kSeeds;
        campaign.trials.push_back({.cube = cube.get(), .start = Start(start), .seed = seed});
      }
    }
    campaign.cubes.push_back(std::move(cube));
  };
  const int seeds = claims || options.full ? kSeeds : 5;
  add(1, 1e5, 0, seeds);
  campaign.at_scale_one = campaign.trials.size();
  if (!claims) return campaign;
  int turn = law;
  for (const double scale : kScales) {
    for (const double young : kYoungs) {
      ++turn;
      if (scale == 1 && young == 1e5) continue;
      if (options.full) {
        add(scale, young, 0, kSeeds);
      } else if (turn % 7 == 0) {
        add(scale, young, turn, 1);
      }
    }
  }
  return campaign;
}

}  // namespace

std::vector<Row> robust_recovery(const ExperimentOptions& options, Context& context) {
  std::vector<Row> rows;
  std::vector<Trial> all_claimed;
  std::vector<std::unique_ptr<Cube>> kept;
  int claiming = 0;
  for (int law = 0; law < int(materials::kLawCount); ++law) {
    const double least = least_inverted_energy(law, 0.3);
    const bool claims = least > 1e-9;
    claiming += claims;
    Campaign campaign = plan(law, claims, options, context);
    std::vector<Trial>& trials = campaign.trials;
    context.arena.for_chunks(trials.size(), 1, [&](std::size_t begin, std::size_t) {
      if (!context.cancelled) run(trials[begin]);
    });
    const std::span<const Trial> here(trials.data(), campaign.at_scale_one);
    const std::span<const Trial> elsewhere = std::span<const Trial>(trials).subspan(here.size());
    const auto returned = [](std::span<const Trial> some) {
      return double(
          std::count_if(some.begin(), some.end(), [](const Trial& t) { return t.returned; }));
    };
    const auto add = [&](std::string quantity, std::span<const Trial> some, std::string source) {
      Row row{.id = "robust/recovery",
              .quantity = std::move(quantity),
              .variant = std::string(materials::kLawNames[law]),
              .source = std::move(source),
              .ours = some.empty() ? 0 : returned(some) / double(some.size()),
              .note = outcome(some)};
      if (claims) {
        row.relation = Relation::AtLeast;
        row.bound = 1;
      } else {
        row.note +=
            fmt::format("; an inverted cell has {:.3g} mu of energy density, rest has 0", least);
      }
      rows.push_back(std::move(row));
    };
    add("part of the starts that return to the solution", here,
        fmt::format("ours: {} starts", here.size()));
    if (claims) {
      add("the same at other scales and stiffness", elsewhere,
          fmt::format("ours: {} starts, scales 0.01 to 100, E 1e3 to 1e9 Pa", elsewhere.size()));
      all_claimed.insert(all_claimed.end(), trials.begin(), trials.end());
      for (auto& cube : campaign.cubes) kept.push_back(std::move(cube));
    }
  }
  rows.push_back({.id = "robust/recovery",
                  .quantity = "laws that claim to return",
                  .variant = "all",
                  .source = fmt::format("ours, of {} laws", materials::kLawCount),
                  .ours = claiming,
                  .relation = Relation::AtLeast,
                  .bound = 8,
                  .note =
                      "no inverted or flat cell, stretched up to twice, has as little energy as "
                      "rest; Poisson's ratio 0.3"});
  if (!options.pictures.empty() && !kept.empty()) {
    make_directory(options.pictures);
    draw(*kept.front(), all_claimed, options.pictures, context);
  }
  return rows;
}

}  // namespace isochor::reproduce
