#pragma once

#include "isochor/base/context.h"
#include "isochor/sim/tet_body.h"

namespace isochor::sim {

/// Finds what bones (holds inside of a surface) and muscles have of the tets of a body, and puts
/// the muscles there, as add_tissues does with the cells of a lattice: a tet with muscle in it
/// takes the law of the muscle that has most of it, fibres act by its share, and moduli are means.
/// Materials of muscles come after those that the body has. A muscle outside of the body is an
/// input error.
void add_tissues(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context,
                 TetBody& body);

/// How active the materials of a model are at a time, as in tets::StepInput: a body's own
/// activation is that of its regions too. Empty where nothing ever is.
std::vector<double> activations_at(std::span<const BodySpec> bodies, double time);

/// Per tet of the mesh, unit, zero where its law has no directions; empty where none has.
std::vector<Vec3d> fibres_of(const tets::BodySpec& body);

}  // namespace isochor::sim
