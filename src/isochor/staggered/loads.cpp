#include "isochor/staggered/loads.h"

#include <algorithm>
#include <cmath>

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

/// How much of a force at some distance, in cells, a place takes along one axis. All are parts of
/// one: they sum up to it over places one cell apart.
enum class Share {
  Box,    ///< what lies in the place's own cell
  Wide,   ///< in a cell twice as wide
  Hat,    ///< what the parts of two cells beside the place change by
  Ramps,  ///< the same of two cells twice as wide, one apart
};
double share(Share kind, double distance) {
  const double d = std::abs(distance);
  switch (kind) {
    case Share::Box:
      return distance >= -0.5 && distance < 0.5 ? 1 : 0;
    case Share::Wide:
      return distance >= -1 && distance < 1 ? 0.5 : 0;
    case Share::Hat:
      return std::max(0.0, 1 - d);
    case Share::Ramps:
      return 0.5 * std::clamp(1.5 - d, 0.0, 1.0);
  }
  return 0;
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
double mass_fraction(const Model<D>& model, const Index<D>& cell, int axis) {
  // Half of either side, as in the operator.
  const Level<D>& level = model.levels[0];
  const Index<D> at = level.layout.inside(cell);
  const auto fraction = [&](const Index<D>& c) {
    return double(level.weights.bytes[level.layout.place(c)]) / kFullWeight;
  };
  return 0.5 * (fraction(at) + fraction(moved<D>(at, axis, -1)));
}

template <int D>
void add_body_force(const Model<D>& model,
                    const std::function<double(const Point<D>&, int axis)>& force,
                    std::span<double> b) {
  for_each_unknown<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
    if (k == D) return;
    b[place] -=
        mass_fraction(model, cell, k) * force(position(model, cell, k), k) / model.material.mu;
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
Stress<D> embedded_stress(const Point<D>& normal, const Point<D>& traction) {
  double pressure = 0;
  for (int k = 0; k < D; ++k) pressure += traction[k] * normal[k];
  Stress<D> stress;
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) {
      stress[D * i + j] = (traction[i] - pressure * normal[i]) * normal[j] +
                          (traction[j] - pressure * normal[j]) * normal[i] +
                          (i == j ? pressure : 0);
    }
  }
  return stress;
}

template <int D>
void add_embedded_stress(const Model<D>& model, const Point<D>& at, const Point<D>& normal,
                         const Stress<D>& stress, double area, std::span<double> b) {
  const Level<D>& level = model.levels[0];
  double volume = 1;
  for (int k = 0; k < D; ++k) volume *= level.spacing[k];
  constexpr int kReach = 4;  // places per axis that can have a share
  for (int i = 0; i < D; ++i) {
    Index<D> first;
    for (int k = 0; k < D; ++k) {
      const double place = at[k] / level.spacing[k] - (k == i ? 0 : 0.5);
      first[k] = std::int32_t(std::floor(place)) - 1;
    }
    for (int n = 0; n < (D == 3 ? kReach * kReach * kReach : kReach * kReach); ++n) {
      Index<D> cell = first;
      for (int k = 0, rest = n; k < D; ++k, rest /= kReach) cell[k] += rest % kReach;
      const Point<D> x = position(model, cell, i);
      double force = 0;
      for (int j = 0; j < D; ++j) {
        double part = stress[D * i + j] * normal[j];
        for (int k = 0; k < D; ++k) {
          const Share kind = i == j   ? (k == i ? Share::Hat : Share::Box)
                             : k == i ? Share::Wide
                             : k == j ? Share::Ramps
                                      : Share::Box;
          part *= share(kind, (at[k] - x[k]) / level.spacing[k]);
        }
        force += part;
      }
      const Index<D> to = level.layout.inside(cell);
      bool inside = true;
      for (int k = 0; k < D; ++k) inside = inside && to[k] >= 0 && to[k] < level.layout.size[k];
      if (force == 0 || !inside || !flag(level, to, kActive + i)) continue;
      b[i * level.layout.length + level.layout.place(to)] -=
          area * force / (volume * model.material.mu);
    }
  }
}

template <int D>
void for_each_given(const Model<D>& model,
                    const std::function<void(const Index<D>&, int, std::size_t)>& f) {
  const Level<D>& level = model.levels[0];
  for (const auto& row : level.layout.stored) {
    for (std::int32_t x = row.begin; x < row.end; ++x) {
      const Index<D> at = level.layout.coordinate(row, x);
      for (int k = 0; k < D; ++k) {
        if (!flag(level, at, kKnown + k) || flag(level, at, kActive + k)) continue;
        f(in_domain(at), k, k * level.layout.length + level.layout.place(at));
      }
    }
  }
}

template <int D>
void set_given(const Model<D>& model,
               const std::function<double(const Point<D>&, int axis)>& displacement,
               std::span<double> u) {
  for_each_given<D>(model, [&](const Index<D>& cell, int k, std::size_t place) {
    u[place] = displacement(position(model, cell, k), k);
  });
}

template Point<2> position<2>(const Model<2>&, const Index<2>&, int);
template void for_each_unknown<2>(const Model<2>&,
                                  const std::function<void(const Index<2>&, int, std::size_t)>&);
template double mass_fraction<2>(const Model<2>&, const Index<2>&, int);
template void add_body_force<2>(const Model<2>&, const std::function<double(const Point<2>&, int)>&,
                                std::span<double>);
template void add_traction<2>(const Model<2>&, const Index<2>&, int, bool, const Point<2>&,
                              std::span<double>);
template Stress<2> embedded_stress<2>(const Point<2>&, const Point<2>&);
template void add_embedded_stress<2>(const Model<2>&, const Point<2>&, const Point<2>&,
                                     const Stress<2>&, double, std::span<double>);
template void for_each_given<2>(const Model<2>&,
                                const std::function<void(const Index<2>&, int, std::size_t)>&);
template void set_given<2>(const Model<2>&, const std::function<double(const Point<2>&, int)>&,
                           std::span<double>);
template Point<3> position<3>(const Model<3>&, const Index<3>&, int);
template void for_each_unknown<3>(const Model<3>&,
                                  const std::function<void(const Index<3>&, int, std::size_t)>&);
template double mass_fraction<3>(const Model<3>&, const Index<3>&, int);
template void add_body_force<3>(const Model<3>&, const std::function<double(const Point<3>&, int)>&,
                                std::span<double>);
template void add_traction<3>(const Model<3>&, const Index<3>&, int, bool, const Point<3>&,
                              std::span<double>);
template Stress<3> embedded_stress<3>(const Point<3>&, const Point<3>&);
template void add_embedded_stress<3>(const Model<3>&, const Point<3>&, const Point<3>&,
                                     const Stress<3>&, double, std::span<double>);
template void for_each_given<3>(const Model<3>&,
                                const std::function<void(const Index<3>&, int, std::size_t)>&);
template void set_given<3>(const Model<3>&, const std::function<double(const Point<3>&, int)>&,
                           std::span<double>);

}  // namespace isochor::staggered
