#pragma once

#include <filesystem>

#include "isochor/base/context.h"
#include "isochor/sim/scene_spec.h"

namespace isochor::sim {

struct Body;

/// Finds what bones (holds inside of a surface) and muscles have of the cells of a body, and puts
/// the muscles there. Where surfaces overlap, bone goes before muscle and a later muscle before an
/// earlier one; what neither has is the body's own material. A cell with muscle in it takes the law
/// of that muscle and the direction of its fibres at the centroid of the muscle's part in the cell;
/// fibres act by their share of the cell's material, and moduli are means by that share
/// [Patterson12 sec 5]. Laws are evaluated at the middle of the cell. A cell that several muscles
/// have parts of belongs to the one with the largest, for there is one law per cell. Muscle k of
/// the scene is material k + 1 of the body. A muscle outside of the body is an input error; what
/// others take, or what reaches out of the body, is warned about.
void add_tissues(const BodySpec& spec, const std::filesystem::path& scene_file, Context& context,
                 Body& body);

/// What no single field of a muscle can know.
void check_muscle(const MuscleSpec& muscle);

/// Whether the law of a material has fibres that contract.
bool is_active(const materials::MaterialSpec& material);

/// An input error at `place` unless the law of `material` can be active.
void require_active_law(const materials::MaterialSpec& material, const std::string& place,
                        const std::string& name);

}  // namespace isochor::sim
