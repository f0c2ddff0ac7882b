#include "isochor/lattice/braces.h"

#include <algorithm>
#include <array>

namespace isochor::lattice {
namespace {

/// Nodes with less than this part of the mass of a node inside are braced.
constexpr double kWeak = 0.1;

/// What is around a node.
struct Around {
  /// The next node along each axis, both ways, -1 where there is none; where cells of one place are
  /// apart, the one with more material.
  std::array<std::int32_t, 6> next{-1, -1, -1, -1, -1, -1};
  double mu = 0;  ///< sum over cells, Pa
  int cells = 0;
};

/// Per node of the body.
std::vector<Around> look_around(const Model& model, const BodyRange& body) {
  std::vector<Around> all(body.node_count);
  for (std::int32_t i = body.first_cell; i < body.first_cell + body.cell_count; ++i) {
    const std::int32_t cell = model.cells[i];
    for (int c = 0; c < 8; ++c) {
      Around& around = all[model.corner(cell, c) - body.first_node];
      around.mu += model.mu(cell);
      ++around.cells;
      for (int a = 0; a < 3; ++a) {
        const std::int32_t other = model.corner(cell, c ^ 1 << a);
        std::int32_t& to = around.next[2 * a + (c >> a & 1)];
        if (to < 0 || model.mass[other] > model.mass[to]) to = other;
      }
    }
  }
  return all;
}

}  // namespace

std::vector<solve::Spring> find_braces(const Model& model, const BodyRange& body,
                                       double stiffness) {
  const std::vector<Around> all = look_around(model, body);
  const auto first = model.mass.begin() + body.first_node;
  const double full = *std::max_element(first, first + body.node_count);
  const double h = model.blocks[model.cells[body.first_cell] / 8].h;
  std::vector<solve::Spring> braces;
  for (std::int32_t n = body.first_node; n < body.first_node + body.node_count; ++n) {
    if (model.mass[n] >= kWeak * full) continue;
    const Around& around = all[n - body.first_node];
    solve::Spring brace{
        .terms = {}, .stiffness = Mat3d::identity() * (stiffness * h * around.mu / around.cells)};
    double most = model.mass[n];
    for (int way = 0; way < 6; ++way) {
      const std::int32_t m = around.next[way];
      const std::int32_t k = m < 0 ? -1 : all[m - body.first_node].next[way];
      if (k < 0 || !(model.mass[m] > most)) continue;
      most = model.mass[m];
      brace.terms = {{n, 1}, {m, -2}, {k, 1}};
    }
    if (!brace.terms.empty()) braces.push_back(std::move(brace));
  }
  return braces;
}

}  // namespace isochor::lattice
