#include "isochor/sim/sag_free.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/files/surface_file.h"
#include "isochor/grid/embedding.h"
#include "isochor/sim/body_builder.h"
#include "isochor/sim/simulation.h"

namespace isochor::sim {
namespace {

constexpr int kMostRounds = 30;
/// Of an edge of a cell: where the search ends, and what it must reach. What is left is how far the
/// surface that fills the cells is from the one that rides on them.
constexpr double kEnough = 1e-4, kLeast = 0.1;
/// Of a step, before the search gives up.
constexpr double kShortest = 1.0 / 64;

/// A surface of a body that is looked for at rest: its own, or that of a muscle.
struct Looked {
  ShapeSpec BodySpec::*own = nullptr;
  std::size_t muscle = 0;  ///< where it is not the body's own
  files::SurfaceFile file;
  std::vector<Vec3d> given, rest;
  std::vector<Vec3d> step;  ///< to the next guess

  ShapeSpec& shape(BodySpec& body) const { return own ? body.*own : body.muscles[muscle].shape; }
  /// Puts the guess into a body.
  void hand_over(BodySpec& body) {
    file.mesh.positions = rest;
    ShapeSpec& to = shape(body);
    to.kind = "mesh";
    to.scale = 1;
    to.given = std::make_shared<files::SurfaceFile>(file);
  }
};

/// F^-1 v.
Vec3d solved(const Mat3d& F, const Vec3d& v) {
  const Vec3d &a = F.column[0], &b = F.column[1], &c = F.column[2];
  return (1 / determinant(F)) *
         Vec3d{dot(cross(b, c), v), dot(cross(c, a), v), dot(cross(a, b), v)};
}

/// Points of a body at rest, and where the body takes them.
class Riding {
 public:
  Riding(const grid::Lattice& lattice, std::vector<std::int32_t> cells, grid::Interpolation kind,
         std::span<const Vec3d> nodes)
      : lattice_(lattice), cells_(std::move(cells)), kind_(kind), nodes_(nodes) {}

  std::vector<Vec3d> places(std::span<const Vec3d> rest) const {
    std::vector<Vec3d> out(rest.size());
    grid::embed(lattice_, rest, cells_, kind_).interpolate(nodes_, out);
    return out;
  }

  /// F^-1 (given - places): the step of Newton's method to what is at `given`, if the map stayed as
  /// it is. Returns the largest distance, m.
  double step_to(std::span<const Vec3d> given, std::span<const Vec3d> rest,
                 std::vector<Vec3d>& step) const {
    const std::vector<Vec3d> now = places(rest);
    const double offset = 1e-4 * lattice_.spacing;
    std::array<std::vector<Vec3d>, 3> beside;
    for (int a = 0; a < 3; ++a) {
      std::vector<Vec3d> moved(rest.begin(), rest.end());
      for (Vec3d& p : moved) p[a] += offset;
      beside[a] = places(moved);
    }
    double largest = 0;
    step.resize(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      Mat3d F;
      for (int a = 0; a < 3; ++a) F.column[a] = (1 / offset) * (beside[a][i] - now[i]);
      const Vec3d away = given[i] - now[i];
      largest = std::max(largest, norm(away));
      // A map that is nearly flat says nothing about where to go.
      constexpr double kFlat = 0.05;
      step[i] = determinant(F) > kFlat ? solved(F, away) : away;
    }
    return largest;
  }

 private:
  const grid::Lattice& lattice_;
  std::vector<std::int32_t> cells_;
  grid::Interpolation kind_;
  std::span<const Vec3d> nodes_;
};

/// A body on its way to its rest shape.
struct Search {
  std::size_t body = 0;
  std::vector<Looked> surfaces;  ///< its own first
  double size = 0;               ///< the diagonal of its bounds, m
  std::vector<Vec3d> riding;     ///< its surface at rest as the last round has it
};

/// A side of a body is where it is in the shape that is given, wherever the rest shape goes.
template <class Part>
void fix_side(Part& part, const geometry::Bounds& bounds, double cell_size) {
  if (part.where.size() != 2 || (part.where[1] != '-' && part.where[1] != '+')) return;
  const int axis = part.where[0] - 'x';
  const double depth = part.depth > 0 ? part.depth : 0.5 * cell_size;
  const Vec3d room = (bounds.high - bounds.low) + cell_size * Vec3d{1, 1, 1};
  part.low = bounds.low - room;
  part.high = bounds.high + room;
  if (part.where[1] == '-') {
    part.high[axis] = bounds.low[axis] + depth;
  } else {
    part.low[axis] = bounds.high[axis] - depth;
  }
  part.where = "box";
}

class RestShapes {
 public:
  RestShapes(SceneSpec scene, Context& context) : scene_(std::move(scene)), context_(context) {
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      if (scene_.bodies[b].sag_free) begin(b);
    }
  }

  SceneSpec find(RestShapeReport& report) {
    double best = INFINITY, length = 1;
    for (report.rounds = 1; report.rounds <= kMostRounds; ++report.rounds) {
      hand_over();
      const double misfit = compute();
      context_.log(LogLevel::Info, fmt::format("rest shape, round {}: frame 0 is {:.2g} cells from "
                                               "the given shape",
                                               report.rounds, misfit));
      if (!std::isfinite(misfit)) break;
      if (misfit < kEnough) {
        best = misfit;
        break;
      }
      if (misfit < best) {
        best = misfit;
        length = std::min(1.0, 2 * length);
        best_ = searches_;
      } else {
        length *= 0.5;
        if (length < kShortest) break;
        searches_ = best_;
      }
      go_on(length);
    }
    if (best > kEnough) {
      // The last guess was not the best one.
      if (!best_.empty()) searches_ = best_;
      hand_over();
      if (best <= kLeast) best = compute();
    }
    if (!(best <= kLeast)) fail(best);
    return finish(report);
  }

 private:
  void begin(std::size_t b) {
    BodySpec& body = scene_.bodies[b];
    body.sag_free = false;
    Search search{.body = b};
    const auto add = [&](Looked surface, const ShapeSpec& shape) {
      surface.file = build_surface(shape, body.cell_size, scene_.file);
      surface.given = surface.rest = surface.file.mesh.positions;
      search.surfaces.push_back(std::move(surface));
    };
    add({.own = &BodySpec::shape}, body.shape);
    for (std::size_t m = 0; m < body.muscles.size(); ++m) {
      add({.muscle = m}, body.muscles[m].shape);
    }
    const geometry::Bounds bounds = geometry::bounds_of_faces(search.surfaces[0].file.mesh);
    search.size = norm(bounds.high - bounds.low);
    const grid::Lattice cells = build_cells(body, search.surfaces[0].file.mesh, context_.arena);
    body.rest = std::make_shared<RestShape>(RestShape{.anchor = cells.origin, .vertices = {}});
    for (HoldSpec& hold : body.holds) fix_side(hold, bounds, body.cell_size);
    for (LoadSpec& load : body.loads) fix_side(load, bounds, body.cell_size);
    searches_.push_back(std::move(search));
  }

  void hand_over() {
    for (Search& search : searches_) {
      BodySpec& body = scene_.bodies[search.body];
      for (Looked& surface : search.surfaces) surface.hand_over(body);
    }
  }

  /// Brings the guess to frame 0. Returns how far vertices are from where they should be, in cells,
  /// and leaves steps that would bring them there.
  double compute() {
    const files::Frame frame = first_frame();
    double worst = 0;
    for (Search& search : searches_) {
      const BodySpec& body = scene_.bodies[search.body];
      const grid::Lattice lattice = build_cells(body, search.surfaces[0].file.mesh, context_.arena);
      const auto kind = body.embedding == "tricubic" ? grid::Interpolation::Tricubic
                                                     : grid::Interpolation::Trilinear;
      const std::vector<Vec3d>& nodes = frame.bodies[search.body].nodes;
      for (Looked& surface : search.surfaces) {
        const Riding riding(
            lattice, surface.own ? lattice.vertex_cells : grid::find_cells(lattice, surface.rest),
            kind, nodes);
        const double away = riding.step_to(surface.given, surface.rest, surface.step);
        worst = std::max(worst, away / body.cell_size);
        if (surface.own) search.riding = settled(riding, surface);
      }
    }
    return worst;
  }

  /// The log has heard all about the scene when the first one was made.
  files::Frame first_frame() {
    auto log = std::move(context_.log);
    context_.log = [&, first = std::exchange(first_, false)](LogLevel level,
                                                             std::string_view text) {
      if (first) log(level, text);
    };
    const auto restore = [&] { context_.log = std::move(log); };
    try {
      Simulation simulation(scene_, context_);
      if (!simulation.advance()) {
        throw Error(Fault::Simulation, "sag_free", "the search for a rest shape was interrupted",
                    "run the scene again");
      }
      files::Frame frame = simulation.snapshot().first;
      restore();
      return frame;
    } catch (...) {
      restore();
      throw;
    }
  }

  /// Where in the body at rest the given surface is: what the body takes to it, to rounding.
  static std::vector<Vec3d> settled(const Riding& riding, const Looked& surface) {
    constexpr int kMostSteps = 20;
    std::vector<Vec3d> rest = surface.rest, step = surface.step, best = rest;
    double least = INFINITY;
    for (int i = 0; i < kMostSteps; ++i) {
      for (std::size_t v = 0; v < rest.size(); ++v) rest[v] += step[v];
      const double away = riding.step_to(surface.given, rest, step);
      if (away >= least) break;
      least = away;
      best = rest;
    }
    return best;
  }

  void go_on(double length) {
    for (Search& search : searches_) {
      for (Looked& surface : search.surfaces) {
        for (std::size_t v = 0; v < surface.rest.size(); ++v) {
          surface.rest[v] += length * surface.step[v];
        }
      }
    }
  }

  SceneSpec finish(RestShapeReport& report) {
    for (const Search& search : searches_) {
      BodySpec& body = scene_.bodies[search.body];
      const Looked& surface = search.surfaces[0];
      body.rest = std::make_shared<RestShape>(RestShape{body.rest->anchor, search.riding});
      for (std::size_t v = 0; v < surface.rest.size(); ++v) {
        const auto largest = [&](double& to, double distance) {
          to = std::max(to, distance / search.size);
        };
        largest(report.misfit, norm(surface.rest[v] - search.riding[v]));
        largest(report.moved, norm(surface.given[v] - search.riding[v]));
      }
    }
    context_.log(LogLevel::Info,
                 fmt::format("rest shapes found in {} rounds: vertices move by up to {:.2g} % of "
                             "their body, cells are filled to {:.1g} % of it",
                             report.rounds, 100 * report.moved, 100 * report.misfit));
    return scene_;
  }

  [[noreturn]] void fail(double misfit) const {
    throw Error(Fault::Simulation, scene_.bodies[searches_.front().body].place.text("sag_free"),
                fmt::format("no rest shape found: at frame 0 the body is {:.2g} cells from the "
                            "given one",
                            misfit),
                "the body may be too soft to stand as given: make it stiffer, hold more of it, or "
                "leave sag_free out");
  }

  SceneSpec scene_;
  Context& context_;
  std::vector<Search> searches_, best_;
  bool first_ = true;
};

}  // namespace

bool asks_for_rest_shapes(const SceneSpec& scene) {
  return std::ranges::any_of(scene.bodies, &BodySpec::sag_free);
}

SceneSpec with_rest_shapes(SceneSpec scene, Context& context, RestShapeReport* report) {
  RestShapeReport own;
  return RestShapes(std::move(scene), context).find(report ? *report : own);
}

void check_sag_free(const SceneSpec& scene) {
  if (scene.time.starts_in_equilibrium()) return;
  for (const BodySpec& body : scene.bodies) {
    if (!body.sag_free) continue;
    throw Error(Fault::Input, body.place.text("sag_free"),
                "a scene that starts from the shape at rest has it at frame 0, not the given one",
                "set time.start = \"equilibrium\", or leave sag_free out");
  }
}

}  // namespace isochor::sim
