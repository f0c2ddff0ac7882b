#include "isochor/staggered/loads.h"

namespace isochor::staggered {
namespace {

template <int D>
bool flag(const Level<D>& level, const Index<D>& at, int bit) {
  return level.weights.flags[level.layout.place(at)] >> bit & 1;
}

template <int D>
Index<D> in_domain(Index<D> at) {
  for (std::int32_t& a : at) a -= Layout<D>::kMargin;
  return at;
}

}  // namespace

template <int D>
Point<D> position(const Model<D>& model, const Index<D>& cell, int component) {
  Point<D> point;
  for (int k = 0; k < D; ++k) {
    point[k] = model.levels[0].spacing[k] * (cell[k] + (k == component ? 0.0 : 0.5));
  }
  return point;
}

template <int D>
void for_each_unknown(const Model<D>& model,
                      const std::function<void(const Index<D>&, int, std::size_t)>& f) {
  const Level<D>& level = model.levels[0];
  for (const auto& row : level.layout.rows) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const Index<D> at = level.layout.coordinate(row, x);
      for (int k = 0; k <= D; ++k) {
        if (!flag(level, at, kActive + k)) continue;
        f(in_domain(at), k, k * level.layout.length + level.layout.place(at));
      }
    }
  }
}

template <int D>
void add_body_force(const Model<D>& model,
                    const std::function<double(const Point<D>&, int axis)>& force,
                    std::span<double> b) {
  for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
    if (k < D) b[place] -= force(position(model, cell, k), k) / model.material.mu;
  });
}

template <int D>
void add_traction(const Model<D>& model, const Index<D>& cell, int axis, bool above,
                  const Point<D>& traction, std::span<double> b) {
  const Level<D>& level = model.levels[0];
  const Layout<D>& layout = level.layout;
  const Index<D> at = layout.inside(cell);
  const double sign = above ? 1 : -1, per_h = 1 / level.spacing[axis];
  const auto add = [&](const Index<D>& to, int component, double value) {
    if (flag(level, to, kActive + component)) {
      b[component * layout.length + layout.place(to)] += value / model.material.mu;
    }
  };
  // The normal stress of the cell acts on its other face, and takes the place of its stretch.
  add(above ? at : moved<D>(at, axis, 1), axis, -traction[axis] * per_h);
  add(at, D, -0.5 * sign * traction[axis]);
  // The shear stresses at the edges of the free face act on the faces of the cell along it. An edge
  // between two free faces of a plane has half of each.
  for (int i = 0; i < D; ++i) {
    if (i == axis) continue;
    for (int side = 0; side < 2; ++side) {
      const Index<D> beside = moved<D>(at, i, side == 0 ? -1 : 1);
      const bool plane = !flag(level, moved<D>(beside, axis, above ? 1 : -1), kActive + D);
      add(moved<D>(at, i, side), i, -(plane ? 0.5 : 1) * traction[i] * per_h);
    }
  }
}

template <int D>
void set_given(const Model<D>& model,
               const std::function<double(const Point<D>&, int axis)>& displacement,
               std::span<double> u) {
  const Level<D>& level = model.levels[0];
  for (const auto& row : level.layout.stored) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const Index<D> at = level.layout.coordinate(row, x);
      for (int k = 0; k < D; ++k) {
        if (!flag(level, at, kKnown + k) || flag(level, at, kActive + k)) continue;
        u[k * level.layout.length + level.layout.place(at)] =
            displacement(position(model, in_domain(at), k), k);
      }
    }
  }
}

template Point<2> position<2>(const Model<2>&, const Index<2>&, int);
template void for_each_unknown<2>(const Model<2>&,
                                  const std::function<void(const Index<2>&, int, std::size_t)>&);
template void add_body_force<2>(const Model<2>&, const std::function<double(const Point<2>&, int)>&,
                                std::span<double>);
template void add_traction<2>(const Model<2>&, const Index<2>&, int, bool, const Point<2>&,
                              std::span<double>);
template void set_given<2>(const Model<2>&, const std::function<double(const Point<2>&, int)>&,
                           std::span<double>);
template Point<3> position<3>(const Model<3>&, const Index<3>&, int);
template void for_each_unknown<3>(const Model<3>&,
                                  const std::function<void(const Index<3>&, int, std::size_t)>&);
template void add_body_force<3>(const Model<3>&, const std::function<double(const Point<3>&, int)>&,
                                std::span<double>);
template void add_traction<3>(const Model<3>&, const Index<3>&, int, bool, const Point<3>&,
                              std::span<double>);
template void set_given<3>(const Model<3>&, const std::function<double(const Point<3>&, int)>&,
                           std::span<double>);

}  // namespace isochor::staggered
