#include "reproduce/zhu_flesh.h"

#include <chrono>
#include <cmath>
#include <map>

#include "isochor/staggered/body.h"
#include "isochor/staggered/loads.h"
#include "isochor/staggered/pressure_search.h"

namespace isochor::reproduce {

using staggered::Cell;
using staggered::Index;

namespace {
constexpr float kLeastFilled = 0.125f;
}

Flesh::Flesh(const FleshSpec& spec, Context& context) : spec_(spec), context_(context) {
  lattice_ = grid::build_lattice(
      *spec.surface, {.spacing = spec.spacing, .padding = spec.padding, .separate = false},
      "surface", context.arena);
  embedding_ = grid::embed(lattice_, spec.surface->positions, lattice_.vertex_cells,
                           grid::Interpolation::Tricubic);
  domain_ = staggered::make_domain(lattice_, {}, !spec.published, "flesh");
  // Cells with next to nothing in them count little in the residual that ends a solve.
  for (float& fraction : domain_.fraction) fraction = std::max(fraction, kLeastFilled);
  piece_of_.assign(domain_.cells.size(), -1);
  lattice_.for_each_cell([&](std::size_t block, int lane) {
    const grid::Index3 at = grid::cell_coordinate(lattice_.blocks[block], lane);
    cells_.push_back({at[0], at[1], at[2]});
    const Vec3d middle =
        lattice_.origin + lattice_.spacing * Vec3d{at[0] + 0.5, at[1] + 0.5, at[2] + 0.5};
    const std::size_t n = domain_.index(cells_.back());
    piece_of_[n] = spec.piece(middle);
    if (piece_of_[n] >= 0) domain_.cells[n] = Cell::Dirichlet;
  });
  for (const Vec3d& p : lattice_.rest_positions) {
    const Vec3d at = (1 / lattice_.spacing) * (p - lattice_.origin);
    corners_.push_back({std::int32_t(std::lround(at[0])), std::int32_t(std::lround(at[1])),
                        std::int32_t(std::lround(at[2]))});
  }
  build();
}

/// Anew where cells have been caught or released; the motion is that of before.
void Flesh::build() {
  using namespace staggered;
  Material material = Material::from_poisson(spec_.young, spec_.poisson);
  if (spec_.dt > 0) material.inertia = TimeStep{spec_.dt, spec_.density, 0}.inertia();
  Params params = spec_.published ? Params::published() : Params{};
  if (spec_.law == Law::Corotated) params = params.corotated();
  Domain<3> domain = domain_;
  for (const std::size_t n : caught_) domain.cells[n] = Cell::Dirichlet;
  // By cells and not by places, which change with the labels.
  std::vector<std::array<double, 8>> kept;
  if (model_) {
    kept.resize(domain.cells.size());
    const auto keep = [&](const Index<3>& cell, int k, std::size_t place) {
      if (!domain.contains(cell)) return;
      kept[domain.index(cell)][k] = motion_->u[place];
      kept[domain.index(cell)][4 + k] = motion_->v[place];
    };
    for_each_unknown<3>(*model_, keep);
    for_each_given<3>(*model_, keep);
  }
  model_ = build_model<3>(domain, material, params, "flesh");
  motion_.emplace(*model_);
  if (!kept.empty()) {
    const auto give = [&](const Index<3>& cell, int k, std::size_t place) {
      if (!domain.contains(cell)) return;
      motion_->u[place] = kept[domain.index(cell)][k];
      motion_->v[place] = kept[domain.index(cell)][4 + k];
    };
    for_each_unknown<3>(*model_, give);
    for_each_given<3>(*model_, give);
  }
  map_.emplace(*model_, corners_);
  if (spec_.law == Law::Corotated) {
    corotated_.emplace(*model_, spec_.published ? CorotatedParams::published() : CorotatedParams{});
  } else {
    linear_.emplace(*model_, spec_.published ? 0 : 15);
  }
}

void Flesh::capture(const std::function<bool(const Vec3d&)>& catches) {
  const std::vector<Vec3d> now = nodes();
  const auto corners = lattice_.cell_nodes();
  std::vector<std::size_t> caught;
  for (std::size_t n = 0; n < cells_.size(); ++n) {
    Vec3d middle{0, 0, 0};
    for (const std::int32_t c : corners[n]) middle += 0.125 * now[c];
    const std::size_t at = domain_.index(cells_[n]);
    if (domain_.cells[at] == Cell::Interior && catches(middle)) caught.push_back(at);
  }
  // What is caught stays so while anything is.
  if (!caught.empty()) {
    caught.insert(caught.end(), caught_.begin(), caught_.end());
    std::ranges::sort(caught);
    caught.erase(std::unique(caught.begin(), caught.end()), caught.end());
  }
  if (caught == caught_) return;
  if (anchor_.empty()) anchor_.assign(3 * domain_.cells.size(), std::nan(""));
  if (caught.empty()) anchor_.assign(anchor_.size(), std::nan(""));
  caught_ = std::move(caught);
  const Vec3d way = carried_;
  build();
  // Faces that are caught now remember where.
  staggered::for_each_given<3>(*model_, [&](const Index<3>& cell, int k, std::size_t place) {
    if (!domain_.contains(cell)) return;
    double& anchor = anchor_[3 * domain_.index(cell) + k];
    if (std::isnan(anchor)) anchor = motion_->u[place] - way[k];
  });
}

std::vector<Vec3d> Flesh::nodes() const {
  std::vector<Vec3d> out(lattice_.rest_positions.size());
  map_->to_nodes(motion_->u, out, context_.arena);
  for (std::size_t n = 0; n < out.size(); ++n) out[n] += lattice_.rest_positions[n];
  return out;
}

std::vector<Vec3d> Flesh::surface() const {
  std::vector<Vec3d> out(spec_.surface->positions.size());
  embedding_.interpolate(nodes(), out);
  return out;
}

FleshFrame Flesh::cycle(std::span<const double> b, std::span<double> u, double tolerance,
                        int most) {
  using namespace staggered;
  FleshFrame frame;
  const SolveReport report =
      corotated_
          ? solve_corotated<3>(*model_, b, motion_->u, u, tolerance, 0, most, *corotated_, context_)
          : solve<3>(*model_, b, u, tolerance, most, *linear_, context_);
  frame.cycles = report.iterations;
  frame.residual = report.relative_residual;
  frame.converged = report.converged;
  if (frame.cycles > 0) frame.factor = std::pow(frame.residual, 1.0 / frame.cycles);
  return frame;
}

FleshFrame Flesh::move(std::span<const RigidMotion> pieces, double tolerance, int most) {
  using namespace staggered;
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> u = motion_->u, b(u.size());
  for_each_given<3>(*model_, [&](const Index<3>& cell, int k, std::size_t place) {
    int piece = -1;
    for (const int by : {0, -1}) {
      const Index<3> at = moved<3>(cell, k, by);
      if (piece < 0 && domain_.contains(at)) piece = piece_of_[domain_.index(at)];
    }
    if (piece >= 0) {
      const auto p = position(*model_, cell, k);
      const Vec3d x = lattice_.origin + Vec3d{p[0], p[1], p[2]};
      u[place] = (pieces[std::size_t(piece)](x) - x)[k];
    } else if (!anchor_.empty() && domain_.contains(cell)) {
      u[place] = anchor_[3 * domain_.index(cell) + k] + carried_[k];
    }
  });
  const double c = model_->material.inertia / model_->material.mu;
  for_each_unknown<3>(*model_, [&](const Index<3>& cell, int k, std::size_t place) {
    if (k == 3 || spec_.dt == 0) return;
    const double flies = motion_->u[place] + spec_.dt * motion_->v[place];
    b[place] = -c * mass_fraction(*model_, cell, k) * flies;
    u[place] = flies;
  });
  FleshFrame frame = cycle(b, u, tolerance, most);
  for (std::size_t i = 0; i < u.size() && spec_.dt > 0; ++i) {
    motion_->v[i] = (u[i] - motion_->u[i]) / spec_.dt;
  }
  motion_->u = std::move(u);
  frame.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return frame;
}

Pressed Flesh::press(const std::function<double(const Vec3d&, Vec3d&)>& depth, double tolerance,
                     int most) {
  using namespace staggered;
  const std::vector<Vec3d>& rest = spec_.surface->positions;
  std::vector<Vec3d> areas(rest.size(), Vec3d{0, 0, 0});  // a third of each triangle around
  for (const auto& [a, b, c] : geometry::triangulate(*spec_.surface)) {
    const Vec3d area = (1.0 / 6) * cross(rest[b] - rest[a], rest[c] - rest[a]);
    for (const std::int32_t v : {a, b, c}) areas[v] += area;
  }
  std::vector<double> sizes;
  for (const Vec3d& area : areas) sizes.push_back(norm(area));
  std::vector<double> pressure(rest.size()), now(rest.size());
  std::vector<Vec3d> push(rest.size());
  PressureSearch search(sizes, 0.1 * spec_.young / spec_.spacing);
  Pressed out;
  for (;; ++out.solves) {
    const std::vector<Vec3d> x = surface();
    out.force = {0, 0, 0};
    out.area = 0;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      now[v] = depth(x[v], push[v]);
      out.force += pressure[v] * sizes[v] * push[v];
      if (pressure[v] > 0) out.area += sizes[v];
    }
    out.deepest = search.off(now, pressure);
    if (out.deepest <= tolerance || out.solves == most) return out;
    search.update(now, pressure);
    std::vector<double> b(motion_->u.size());
    for (std::size_t v = 0; v < rest.size(); ++v) {
      if (pressure[v] == 0) continue;
      Point<3> at, normal, traction;
      for (int k = 0; k < 3; ++k) {
        at[k] = rest[v][k] - lattice_.origin[k];
        normal[k] = areas[v][k] / sizes[v];
        traction[k] = pressure[v] * push[v][k];
      }
      add_embedded_traction<3>(*model_, at, normal, traction, sizes[v], b);
    }
    out.cycles += cycle(b, motion_->u, 1e-3, 30).cycles;
  }
}

geometry::SurfaceMesh subdivided(const geometry::SurfaceMesh& surface, int times) {
  geometry::SurfaceMesh out;
  out.positions = surface.positions;
  std::vector<geometry::Triangle> triangles = geometry::triangulate(surface);
  for (; times > 0; --times) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    std::vector<geometry::Triangle> finer;
    finer.reserve(4 * triangles.size());
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [found, made] =
          middles.try_emplace(std::minmax(a, b), std::int32_t(out.positions.size()));
      if (made) out.positions.push_back(0.5 * (out.positions[a] + out.positions[b]));
      return found->second;
    };
    for (const auto& [a, b, c] : triangles) {
      const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const geometry::Triangle& t :
           {geometry::Triangle{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}) {
        finer.push_back(t);
      }
    }
    triangles = std::move(finer);
  }
  for (const geometry::Triangle& t : triangles) out.add_face(t);
  return out;
}

}  // namespace isochor::reproduce
