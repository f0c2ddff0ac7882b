#pragma once

#include <functional>
#include <span>

#include "isochor/staggered/model.h"

/// What drives a body: right-hand sides and given displacements, as fields of the finest level.
namespace isochor::staggered {

template <int D>
using Point = Spacing<D>;

/// Where number `component` of a cell lies: its lower face along that axis, its centre for D. The
/// domain begins at the origin. m
template <int D>
Point<D> position(const Model<D>& model, const Index<D>& cell, int component);

/// Calls f(cell of the domain, component, place among the fields) for every unknown.
template <int D>
void for_each_unknown(const Model<D>& model,
                      const std::function<void(const Index<D>&, int, std::size_t)>& f);

/// How much of the volume about the lower face along an axis of a cell is filled.
template <int D>
double mass_fraction(const Model<D>& model, const Index<D>& cell, int axis);

/// Adds a force per volume of material, N/m^3.
template <int D>
void add_body_force(const Model<D>& model,
                    const std::function<double(const Point<D>&, int axis)>& force,
                    std::span<double> b);

/// Adds a traction on the free face of a cell, Pa: the face above it along the axis, or below.
/// Stands for the stresses that are left out there [Zhu10 sec 5.3].
template <int D>
void add_traction(const Model<D>& model, const Index<D>& cell, int axis, bool above,
                  const Point<D>& traction, std::span<double> b);

/// By rows, Pa.
template <int D>
using Stress = std::array<double, D * D>;

/// Of all stresses with a traction, the one that is as much the same in all directions as can be;
/// `normal` is a unit vector.
template <int D>
Stress<D> embedded_stress(const Point<D>& normal, const Point<D>& traction);

/// Adds what a stress does at a piece of an outline that runs through cells, on its `area`, m^2 (m
/// in the plane); `normal` is its unit normal. For domains with fractions, where a stress is
/// balanced by how these change from cell to cell. The traction is all that acts; but what of the
/// stress runs along the outline, and acts on nothing, is balanced only where the load knows it.
/// What falls on given faces is theirs; on faces that are none, lost.
template <int D>
void add_embedded_stress(const Model<D>& model, const Point<D>& at, const Point<D>& normal,
                         const Stress<D>& stress, double area, std::span<double> b);
/// The same where no more than the traction is known, Pa.
template <int D>
void add_embedded_traction(const Model<D>& model, const Point<D>& at, const Point<D>& normal,
                           const Point<D>& traction, double area, std::span<double> b) {
  add_embedded_stress<D>(model, at, normal, embedded_stress<D>(normal, traction), area, b);
}

/// Calls f(cell of the domain, axis, place among the fields) for every given face that is read.
template <int D>
void for_each_given(const Model<D>& model,
                    const std::function<void(const Index<D>&, int, std::size_t)>& f);

/// Writes given displacements where they are read: at all faces of Dirichlet cells next to
/// unknowns.
template <int D>
void set_given(const Model<D>& model,
               const std::function<double(const Point<D>&, int axis)>& displacement,
               std::span<double> u);

}  // namespace isochor::staggered
