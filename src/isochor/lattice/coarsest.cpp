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

/// Two halves that do not touch, each from its far end towards the joint between them.
struct Split {
  std::array<std::vector<std::int32_t>, 2> halves;
  std::vector<std::int32_t> joint;
};

/// Where the longer way to the middle, and through the joint, is the shortest.
std::size_t find_middle(const Lists& lists, std::span<const std::int32_t> order,
                        std::span<const std::int32_t> last) {
  std::vector<std::ptrdiff_t> change(order.size() + 1, 0);
  double width = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    ++change[k + 1];
    --change[std::size_t(last[k]) + 1];
    width += double(last[k]) - double(k) + 1;
  }
  width /= std::max(1.0, double(lists.size()));
  std::size_t middle = 0;
  double least = std::numeric_limits<double>::max();
  std::ptrdiff_t joint = 0;
  for (std::size_t cut = 0; cut <= order.size(); ++cut) {
    joint += change[cut];
    const double longer = std::max(double(cut) - double(joint), double(order.size() - cut));
    const double cost = (longer + double(joint)) * width + 0.5 * double(joint) * double(joint);
    if (cost < least) least = cost, middle = cut;
  }
  return middle;
}

Split split_in_two(const Lists& lists, std::span<const std::int32_t> order) {
  std::vector<std::int32_t> at(lists.size()), last(lists.size(), 0);
  for (std::size_t k = 0; k < order.size(); ++k) at[order[k]] = static_cast<std::int32_t>(k);
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const std::int32_t near : lists[order[k]]) last[k] = std::max(last[k], at[near]);
  }
  const std::size_t middle = find_middle(lists, order, last);
  Split split;
  for (std::size_t k = 0; k < middle; ++k) {
    (std::size_t(last[k]) < middle ? split.halves[0] : split.joint).push_back(order[k]);
  }
  split.halves[1].assign(order.rbegin(), order.rend() - std::ptrdiff_t(middle));
  return split;
}

/// Per node.
std::vector<std::int32_t> places_of(const Split& split) {
  std::vector<std::int32_t> place(split.halves[0].size() + split.halves[1].size() +
                                  split.joint.size());
  std::int32_t next = 0;
  for (const auto* nodes : {&split.halves[0], &split.halves[1], &split.joint}) {
    for (const std::int32_t n : *nodes) place[n] = next++;
  }
  return place;
}

solve::SplitEnvelope envelope_of(const Lists& lists, const Split& split,
                                 std::span<const std::int32_t> place) {
  solve::SplitEnvelope envelope{.joint = 3 * split.joint.size()};
  std::int32_t begin = 0;
  for (int h = 0; h < 2; ++h) {
    const auto own = static_cast<std::int32_t>(split.halves[h].size());
    const auto add_row = [&](std::int32_t node, std::int32_t row) {
      std::int32_t first = row;
      for (const std::int32_t near : lists[node]) {
        const std::int32_t column = place[near] - begin;
        if (column >= 0 && column < own) first = std::min(first, column);
      }
      for (int a = 0; a < 3; ++a) envelope.halves[h].push_back(first < row ? 3 * first : 3 * row);
    };
    for (std::int32_t k = 0; k < own; ++k) add_row(split.halves[h][k], k);
    for (std::size_t k = 0; k < split.joint.size(); ++k) {
      add_row(split.joint[k], own + static_cast<std::int32_t>(k));
    }
    begin += own;
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

std::size_t DirectPlan::bytes() const {
  std::size_t bytes = envelope.bytes();
  for (const auto* v : {&first_neighbour, &neighbours, &place}) {
    bytes += v->capacity() * sizeof(std::int32_t);
  }
  for (const auto& nodes : colours) bytes += nodes.capacity() * sizeof(std::int32_t);
  return bytes;
}

DirectPlan plan_direct(const Model& model, const BlockMatrix& springs) {
  const Lists lists = find_neighbours(model, springs);
  DirectPlan plan;
  const auto consider = [&](std::span<const std::int32_t> order) {
    const Split split = split_in_two(lists, order);
    std::vector<std::int32_t> place = places_of(split);
    solve::SplitEnvelope envelope = envelope_of(lists, split, place);
    if (!plan.empty() && envelope.cost() >= plan.envelope.cost()) return;
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
