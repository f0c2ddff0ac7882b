#include "isochor/lattice/cut_cells.h"

#include <algorithm>
#include <tuple>

#include "isochor/grid/sliver_cells.h"
#include "isochor/materials/registry.h"

namespace isochor::lattice {
namespace {

/// A cell on its way into a group.
struct Member {
  std::int32_t tile;
  bool has_matrix;
  std::int32_t body, material;  ///< the latter in Model::materials
  std::int32_t place;           ///< block * 8 + lane
  std::size_t cell;             ///< in its body
  geometry::FourPoints points;
  Vec3d fibre_point;
  double volume;

  auto kind() const { return std::tie(tile, has_matrix, body, material); }
};

std::vector<std::int32_t> tiles_of_groups(const Model& model) {
  std::vector<std::int32_t> tiles(model.groups.size());
  for (std::size_t t = 0; t + 1 < model.tile_starts.size(); ++t) {
    for (std::int32_t g = model.tile_starts[t]; g < model.tile_starts[t + 1]; ++g) {
      tiles[g] = static_cast<std::int32_t>(t);
    }
  }
  return tiles;
}

std::vector<std::uint8_t> cells_with_skin(const BodySpec& body) {
  std::vector<std::uint8_t> has_skin(body.lattice.cell_count(), 0);
  for (const grid::SurfaceFacet& facet : body.skin.facets) has_skin[facet.cell] = 1;
  return has_skin;
}

/// `cut` is null in a cell that the surface does not cut. A sliver is there to carry skin: its own
/// points, close together, would leave its outer nodes loose.
geometry::FourPoints points_of(const grid::CutCell* cut, bool has_skin) {
  const bool own = cut && !(has_skin && cut->fraction < grid::kLeastFraction);
  return own ? cut->points : grid::full_cell_points();
}

Vec3d middle_of(const geometry::FourPoints& points) {
  Vec3d middle{0, 0, 0};
  for (const Vec3d& p : points) middle += (1.0 / kCutPoints) * p;
  return middle;
}

/// Whether axes turn within a cell by more than one point can stand for.
bool axes_turn(const BodySpec& body, std::size_t cell) {
  constexpr double kTurn = 0.1;  // rad, about
  if (body.point_axes.empty()) return false;
  return std::ranges::any_of(body.point_axes[cell], [&](const Mat3d& Q) {
    return norm(Q.column[0] - body.axes[cell].column[0]) > kTurn ||
           norm(Q.column[1] - body.axes[cell].column[1]) > kTurn;
  });
}

void collect(const Model& model, const BodySpec& body, std::int32_t number,
             const std::vector<std::int32_t>& tile_of_group, std::vector<Member>& members) {
  const BodyRange& range = model.bodies[number];
  const double h = body.lattice.spacing;
  const FourPointTangent tangent = model.params.four_point_tangent;
  auto cut = body.lattice.cut_cells.begin();
  const std::vector<std::uint8_t> has_skin = cells_with_skin(body);
  for (std::size_t c = 0; c < std::size_t(range.cell_count); ++c) {
    const bool at_surface = cut != body.lattice.cut_cells.end() && std::size_t(cut->cell) == c;
    if (!at_surface && !has_skin[c] && model.has_centres() && !axes_turn(body, c)) continue;
    const std::int32_t place = model.cells[std::size_t(range.first_cell) + c];
    const GroupModuli& moduli = model.moduli[place / (8 * kGroupBlocks)];
    const double fill =
        at_surface ? cut->fraction : moduli.fill[place % 8][place / 8 % kGroupBlocks];
    const geometry::FourPoints points = points_of(at_surface ? &*cut : nullptr, has_skin[c]);
    members.push_back(
        {.tile = tile_of_group[place / (8 * kGroupBlocks)],
         // A centre that counts in the energy cannot stand for points in the matrix alone.
         .has_matrix = tangent == FourPointTangent::Exact || model.has_centres() ||
                       (tangent == FourPointTangent::AtSurface && (at_surface || has_skin[c])),
         .body = number,
         .material = range.first_material + model.blocks[place / 8].material[place % 8],
         .place = place,
         .cell = c,
         .points = points,
         .fibre_point = body.fibre_points.empty() ? middle_of(points) : body.fibre_points[c],
         .volume = fill * h * h * h});
    if (at_surface) ++cut;
  }
}

void set_lane(const Model& model, const Member& m, int lane, CutGroup& group) {
  for (int c = 0; c < 8; ++c) group.nodes[c][lane] = 3 * model.corner(m.place, c);
  group.cell[lane] = m.place;
  for (int q = 0; q < kCutPoints; ++q) {
    for (int a = 0; a < 3; ++a) group.point[q][a][lane] = m.points[q][a];
  }
  group.mu[lane] = model.mu(m.place);
  group.lambda[lane] = model.lambda(m.place);
}

/// Fibres at one point of a cell have the cell's direction.
void set_lane_axes(const BodySpec& body, const Member& m, FibrePoint fibre_point, int lane,
                   GroupAxes& axes) {
  const bool by_points = fibre_point == FibrePoint::Points && !body.point_axes.empty();
  for (int q = 0; q < kCutPoints; ++q) {
    const Mat3d Q = by_points           ? body.point_axes[m.cell][q]
                    : body.axes.empty() ? Mat3d::identity()
                                        : body.axes[m.cell];
    const int item = kGroupBlocks * q + lane, c = item / 8, b = item % 8;
    for (int e = 0; e < 9; ++e) axes.Q[e][c][b] = Q(e % 3, e / 3);
    axes.activation[c][b] = body.activation.empty() ? 1 : body.activation[m.cell];
    axes.fibres[c][b] = body.fibres.empty() ? 1 : body.fibres[m.cell];
  }
}

/// Takes the fibres of a group from its points and gives them a point of their own. What a law has
/// beside fibres is proportional to its moduli and becomes nothing, exactly: powers of two.
void part_fibres(Model& model, std::span<const Member> members, CutGroup& group) {
  constexpr double kNothing = 0x1p-100;
  CutGroup fibres = group;
  fibres.axes = static_cast<std::int32_t>(model.cut_axes.size());
  model.cut_axes.push_back(model.cut_axes[group.axes]);
  for (int i = 0; i < kCutPoints * kGroupBlocks; ++i) {
    model.cut_axes[group.axes].fibres[i / 8][i % 8] = 0;
    model.cut_axes[fibres.axes].fibres[i / 8][i % 8] /= kNothing;
  }
  for (int lane = 0; lane < kGroupBlocks; ++lane) {
    const Member& m = members[std::size_t(lane) < members.size() ? lane : 0];
    for (int q = 0; q < kCutPoints; ++q) {
      for (int a = 0; a < 3; ++a) fibres.point[q][a][lane] = m.fibre_point[a];
    }
    fibres.mu[lane] *= kNothing;
    fibres.lambda[lane] *= kNothing;
  }
  group.fibres = static_cast<std::int32_t>(model.fibre_groups.size());
  model.fibre_groups.push_back(fibres);
}

/// Members of one kind, at most one per lane.
void add_group(Model& model, const std::vector<BodySpec>& bodies, std::span<const Member> members) {
  const Member& first = members.front();
  CutGroup group{};
  group.h = bodies[first.body].lattice.spacing;
  group.body = first.body;
  group.material = first.material;
  group.matrix = first.has_matrix ? model.matrix_count++ : -1;
  const bool directed = !materials::is_isotropic(model.materials[first.material].law);
  group.axes = directed ? static_cast<std::int32_t>(model.cut_axes.size()) : -1;
  if (directed) model.cut_axes.emplace_back();
  for (int lane = 0; lane < kGroupBlocks; ++lane) {
    const bool padding = std::size_t(lane) >= members.size();
    const Member& m = members[padding ? 0 : lane];
    set_lane(model, m, lane, group);
    group.volume[lane] = padding ? 0 : m.volume;
    if (directed)
      set_lane_axes(bodies[m.body], m, model.params.fibre_point, lane, model.cut_axes.back());
  }
  if (directed && model.params.fibre_point == FibrePoint::Centroid) {
    part_fibres(model, members, group);
  }
  model.cut_groups.push_back(group);
}

}  // namespace

void set_axes(BodySpec& body, const std::function<Mat3d(const Vec3d&)>& field) {
  const grid::Lattice& lattice = body.lattice;
  const std::vector<std::uint8_t> has_skin = cells_with_skin(body);
  body.axes.clear();
  body.point_axes.clear();
  auto cut = lattice.cut_cells.begin();
  lattice.for_each_cell([&](std::size_t b, int lane) {
    const std::size_t cell = body.axes.size();
    const bool at_surface = cut != lattice.cut_cells.end() && std::size_t(cut->cell) == cell;
    const geometry::FourPoints points = points_of(at_surface ? &*cut : nullptr, has_skin[cell]);
    if (at_surface) ++cut;
    const grid::Index3 at = grid::cell_coordinate(lattice.blocks[b], lane);
    const auto axes_at = [&](const Vec3d& p) {
      const Vec3d corner{double(at[0]), double(at[1]), double(at[2])};
      return field(lattice.origin + lattice.spacing * (corner + p));
    };
    body.axes.push_back(axes_at(middle_of(points)));
    for (auto& of_points = body.point_axes.emplace_back(); int q : {0, 1, 2, 3}) {
      of_points[q] = axes_at(points[q]);
    }
  });
}

void add_cut_cells(Model& model, const std::vector<BodySpec>& bodies) {
  const std::vector<std::int32_t> tile_of_group = tiles_of_groups(model);
  std::vector<Member> members;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    collect(model, bodies[b], static_cast<std::int32_t>(b), tile_of_group, members);
  }
  std::ranges::stable_sort(members, {}, &Member::kind);
  for (const Member& m : members) {
    const std::size_t g = m.place / (8 * kGroupBlocks);
    if (m.has_matrix) model.moduli[g].weight[m.place % 8][m.place / 8 % kGroupBlocks] = 0;
    if (m.has_matrix) model.groups[g].whole = false;
  }
  model.first_cut.assign(model.tile_starts.empty() ? 1 : model.tile_starts.size(), 0);
  for (std::size_t begin = 0, end; begin < members.size(); begin = end) {
    const Member& first = members[begin];
    end = begin;
    while (end < members.size() && end - begin < kGroupBlocks &&
           members[end].kind() == first.kind()) {
      ++end;
    }
    add_group(model, bodies, std::span(members).subspan(begin, end - begin));
    ++model.first_cut[first.tile + 1];
  }
  for (std::size_t t = 1; t < model.first_cut.size(); ++t) {
    model.first_cut[t] += model.first_cut[t - 1];
  }
}

}  // namespace isochor::lattice
