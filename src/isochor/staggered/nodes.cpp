#include "isochor/staggered/nodes.h"

#include <algorithm>
#include <map>

namespace isochor::staggered {
namespace {

using Terms = std::map<std::uint32_t, double>;

/// Corners in a box, and what each axis of them takes of the faces.
class Corners {
 public:
  Corners(const Model<3>& model, std::span<const Index<3>> nodes) : nodes_(nodes) {
    const Layout<3>& layout = model.levels[0].layout;
    // Several nodes may share a place: cells of padding in a narrow gap have their own.
    for (std::size_t n = 0; n < nodes.size(); ++n) number_.emplace(nodes[n], n);
    for (int axis = 0; axis < 3; ++axis) {
      terms_[axis].resize(nodes.size());
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        terms_[axis][n] = around(model.levels[0], layout.inside(nodes[n]), axis, kLinearRules);
      }
      while (extend(axis, true)) {
      }
      // What no line reaches moves as something near it does.
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (!terms_[axis][n].empty()) continue;
        terms_[axis][n] =
            around(model.levels[0], layout.inside(nodes[n]), axis, int(std::size(kRules)));
      }
      while (extend(axis, true) || extend(axis, false)) {
      }
    }
  }
  const Terms& of(std::size_t node, int axis) const { return terms_[axis][node]; }

 private:
  /// How a corner between faces takes of those on a line across their axis: of both beside it, or
  /// of one side alone, continued linearly or as it is.
  struct Rule {
    int cells[2];  ///< relative to the corner; -1 is the one before
    double weights[2];
  };
  static constexpr Rule kRules[] = {{{-1, 0}, {0.5, 0.5}},
                                    {{-1, -2}, {1.5, -0.5}},
                                    {{0, 1}, {1.5, -0.5}},
                                    {{-1, -1}, {0.5, 0.5}},
                                    {{0, 0}, {0.5, 0.5}}};
  static constexpr int kLinearRules = 3;

  /// By the best of the first rules that find all of their faces, or nothing.
  static Terms around(const Level<3>& level, const Index<3>& at, int axis, int rules) {
    for (int worst = 0; worst < rules; ++worst) {
      for (int first = 0; first <= worst; ++first) {
        for (int second = 0; second <= worst; ++second) {
          if (std::max(first, second) != worst) continue;
          Terms terms = taken(level, at, axis, kRules[first], kRules[second]);
          if (!terms.empty()) return terms;
        }
      }
    }
    return {};
  }
  static Terms taken(const Level<3>& level, const Index<3>& at, int axis, const Rule& first,
                     const Rule& second) {
    Terms terms;
    for (int c = 0; c < 4; ++c) {
      Index<3> face = at;
      face[(axis + 1) % 3] += first.cells[c & 1];
      face[(axis + 2) % 3] += second.cells[c >> 1];
      if (!level.layout.stores(face)) return {};
      const std::size_t place = level.layout.place(face);
      if (!(level.weights.flags[place] >> (kKnown + axis) & 1)) return {};
      terms[std::uint32_t(axis * level.layout.length + place)] +=
          first.weights[c & 1] * second.weights[c >> 1];
    }
    return terms;
  }
  const Terms* known(const Index<3>& node, int axis) const {
    const auto found = number_.find(node);
    if (found == number_.end() || terms_[axis][found->second].empty()) return nullptr;
    return &terms_[axis][found->second];
  }
  /// Gives corners without any what lines of two say, or what neighbours have; whether any got
  /// some.
  bool extend(int axis, bool lines) {
    std::vector<std::pair<std::size_t, Terms>> found;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!terms_[axis][n].empty()) continue;
      Terms sum;
      int count = 0;
      for (int k = 0; k < 3; ++k) {
        for (const int by : {-1, 1}) {
          const Terms* near = known(moved<3>(nodes_[n], k, by), axis);
          const Terms* far = known(moved<3>(nodes_[n], k, 2 * by), axis);
          if (!near || (lines && !far)) continue;
          for (const auto& [place, weight] : *near) sum[place] += (lines ? 2 : 1) * weight;
          for (const auto& [place, weight] : lines ? *far : Terms{}) sum[place] -= weight;
          ++count;
        }
      }
      if (count == 0) continue;
      for (auto& [place, weight] : sum) weight /= count;
      found.emplace_back(n, std::move(sum));
    }
    for (auto& [n, terms] : found) terms_[axis][n] = std::move(terms);
    return !found.empty();
  }

  std::span<const Index<3>> nodes_;
  std::map<Index<3>, std::size_t> number_;
  std::vector<Terms> terms_[3];
};

}  // namespace

NodeMap::NodeMap(const Model<3>& model, std::span<const Index<3>> nodes) : first_{0} {
  const Corners corners(model, nodes);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const auto& [place, weight] : corners.of(n, axis)) {
        terms_.push_back({place, float(weight)});
      }
      first_.push_back(std::uint32_t(terms_.size()));
    }
  }
}

void NodeMap::to_nodes(std::span<const double> u, std::span<Vec3d> out, ThreadArena& arena) const {
  parallel_for(arena, out.size(), 1024, [&](std::size_t n) {
    for (int axis = 0; axis < 3; ++axis) {
      double sum = 0;
      for (std::uint32_t t = first_[3 * n + axis]; t < first_[3 * n + axis + 1]; ++t) {
        sum += double(terms_[t].weight) * u[terms_[t].place];
      }
      out[n][axis] = sum;
    }
  });
}

void NodeMap::add_forces(const Model<3>& model, std::span<const Vec3d> forces,
                         std::span<double> b) const {
  const Level<3>& level = model.levels[0];
  double volume = 1;
  for (const double h : level.spacing) volume *= h;
  for (std::size_t n = 0; n < forces.size(); ++n) {
    for (int axis = 0; axis < 3; ++axis) {
      const double force = forces[n][axis] / (volume * model.material.mu);
      if (force == 0) continue;
      for (std::uint32_t t = first_[3 * n + axis]; t < first_[3 * n + axis + 1]; ++t) {
        const std::size_t place = terms_[t].place;
        const std::uint16_t flags = level.weights.flags[place - axis * level.layout.length];
        if (flags >> (kActive + axis) & 1) b[place] -= double(terms_[t].weight) * force;
      }
    }
  }
}

}  // namespace isochor::staggered
