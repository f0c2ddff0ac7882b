#include "isochor/lattice/coarsest.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace isochor::lattice {
namespace {

using Lists = std::vector<std::vector<std::int32_t>>;

/// Per node those that it shares a cell or a spring with, ascending, itself included.
Lists find_neighbours(const Model& model, const BlockMatrix& springs) {
  Lists lists(model.node_count());
  for (const std::int32_t cell : model.cells) {
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) lists[model.corner(cell, a)].push_back(model.corner(cell, b));
    }
  }
  for (std::size_t r = 0; r < springs.nodes.size(); ++r) {
    for (std::int32_t e = springs.first[r]; e < springs.first[r + 1]; ++e) {
      lists[springs.nodes[r]].push_back(springs.entries[e].node);
    }
  }
  for (auto& list : lists) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  return lists;
}

/// Nodes by their distance from a start, those with few neighbours first; marks them as reached.
std::vector<std::int32_t> fronts_from(const Lists& lists, std::int32_t start,
                                      std::vector<char>& reached) {
  std::vector<std::int32_t> order{start}, next;
  reached[start] = 1;
  for (std::size_t k = 0; k < order.size(); ++k) {
    next.clear();
    for (const std::int32_t n : lists[order[k]]) {
      if (reached[n]) continue;
      reached[n] = 1;
      next.push_back(n);
    }
    std::ranges::stable_sort(
        next, [&](std::int32_t a, std::int32_t b) { return lists[a].size() < lists[b].size(); });
    order.insert(order.end(), next.begin(), next.end());
  }
  return order;
}

/// From an end of each part, which is what the last node reached from anywhere is.
std::vector<std::int32_t> order_by_fronts(const Lists& lists) {
  std::vector<std::int32_t> order;
  std::vector<char> reached(lists.size(), 0);
  for (std::size_t n = 0; n < lists.size(); ++n) {
    if (reached[n]) continue;
    std::vector<char> scratch = reached;
    const std::int32_t far = fronts_from(lists, static_cast<std::int32_t>(n), scratch).back();
    scratch = reached;
    const std::int32_t end = fronts_from(lists, far, scratch).back();
    const auto part = fronts_from(lists, end, reached);
    order.insert(order.end(), part.begin(), part.end());
  }
  std::ranges::reverse(order);
  return order;
}

/// Plane by plane along an axis, and so within planes.
std::vector<std::int32_t> order_by_planes(const Model& model, int axis) {
  std::vector<std::int32_t> order(model.node_count());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int32_t n) {
    const Vec3d& x = model.rest_positions[n];
    return std::array{x[axis], x[(axis + 1) % 3], x[(axis + 2) % 3]};
  });
  return order;
}

/// Per unknown, in an order of nodes, its first column.
std::vector<std::int32_t> envelope_of(const Lists& lists, std::span<const std::int32_t> place) {
  std::vector<std::int32_t> envelope(3 * lists.size());
  for (std::size_t n = 0; n < lists.size(); ++n) {
    std::int32_t first = std::numeric_limits<std::int32_t>::max();
    for (const std::int32_t near : lists[n]) first = std::min(first, place[near]);
    for (int a = 0; a < 3; ++a) envelope[3 * place[n] + a] = 3 * first;
  }
  return envelope;
}

Lists colour(const Lists& lists) {
  Lists colours;
  std::vector<std::int32_t> colour_of(lists.size(), -1);
  std::vector<std::size_t> used_by;
  for (std::size_t n = 0; n < lists.size(); ++n) {
    for (const std::int32_t near : lists[n]) {
      for (const std::int32_t other : lists[near]) {
        if (colour_of[other] >= 0) used_by[colour_of[other]] = n + 1;
      }
    }
    const auto free = std::ranges::find_if(used_by, [&](std::size_t by) { return by != n + 1; });
    const auto c = free - used_by.begin();
    if (free == used_by.end()) {
      used_by.push_back(0);
      colours.emplace_back();
    }
    colour_of[n] = static_cast<std::int32_t>(c);
    colours[c].push_back(static_cast<std::int32_t>(n));
  }
  return colours;
}

}  // namespace

double DirectPlan::cost() const { return solve::EnvelopeCholesky::cost(envelope); }
double DirectPlan::solve_cost() const { return solve::EnvelopeCholesky::solve_cost(envelope); }

std::size_t DirectPlan::bytes() const {
  std::size_t bytes = 0;
  for (const auto* v : {&first_neighbour, &neighbours, &place, &envelope}) {
    bytes += v->capacity() * sizeof(std::int32_t);
  }
  for (const auto& nodes : colours) bytes += nodes.capacity() * sizeof(std::int32_t);
  return bytes;
}

DirectPlan plan_direct(const Model& model, const BlockMatrix& springs) {
  const Lists lists = find_neighbours(model, springs);
  DirectPlan plan;
  const auto consider = [&](std::span<const std::int32_t> order) {
    std::vector<std::int32_t> place(lists.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<std::int32_t>(k);
    std::vector<std::int32_t> envelope = envelope_of(lists, place);
    if (!plan.empty() && solve::EnvelopeCholesky::cost(envelope) >= plan.cost()) return;
    plan.place = std::move(place);
    plan.envelope = std::move(envelope);
  };
  consider(order_by_fronts(lists));
  for (int axis = 0; axis < 3; ++axis) consider(order_by_planes(model, axis));
  for (const auto& list : lists) {
    plan.neighbours.insert(plan.neighbours.end(), list.begin(), list.end());
    plan.first_neighbour.push_back(static_cast<std::int32_t>(plan.neighbours.size()));
  }
  plan.colours = colour(lists);
  return plan;
}

}  // namespace isochor::lattice
