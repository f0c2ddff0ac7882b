#pragma once

#include "isochor/lattice/model.h"

namespace isochor::lattice {

/// Springs for nodes of a body with next to no material in their cells: each is pulled to the
/// straight line through its two next ones on the side where there is more. Nothing else resists
/// the forces that contact or a pressure on the surface puts on such nodes, which have a part of
/// every vertex of the surface in their cells: they went astray by many cells, and searches with
/// them. A ghost penalty (Burman 2010) of nodes: a body whose deformation is the same everywhere is
/// free of it, however it is turned, and what it adds to the energy of a smooth one falls with the
/// third power of the size of cells.
/// `stiffness` is in units of mu h, about what cells around a node inside make of it.
std::vector<solve::Spring> find_braces(const Model& model, const BodyRange& body, double stiffness);

/// Barriers are stiff. A pressure is about as stiff as what it presses against: less will do, and
/// thin walls stay as soft as they are.
inline constexpr double kBraceOfContact = 0.2, kBraceOfPressure = 0.02;

}  // namespace isochor::lattice
