#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/geometry/surface_mesh.h"
#include "isochor/math/mat3.h"

/// Parts of a person, modelled with implicit bodies: closed surfaces like those of shapes.h, each
/// of one piece without holes. Lengths in metres.
namespace isochor::geometry {

/// A right arm without its hand, stretched out along x from the shoulder at the origin. The
/// front is at y > 0, the side of the thumb at z > 0. Bones and muscles lie inside the skin and do
/// not touch each other.
struct ArmShape {
  SurfaceMesh skin;
  SurfaceMesh humerus, radius, ulna;  ///< bones
  SurfaceMesh biceps, triceps;        ///< muscles
  Vec3d shoulder, elbow, wrist;       ///< middles of the joints; the elbow bends about z
};
/// Bones are thin: their edges are at most 3 mm.
ArmShape make_arm(double edge);
/// One of its meshes alone: "skin", "humerus", ...
SurfaceMesh make_arm_part(std::string_view name, double edge);
std::span<const std::string_view> arm_part_names();

/// A right hand, palm down, 19 cm long: the wrist at the origin, fingers along x, the thumb at
/// z < 0. Neighbouring fingers are about 4 mm apart, which edges above 2 mm would not resolve;
/// larger ones are taken as that.
SurfaceMesh make_hand(double edge);

/// A joint of a skeleton at rest. All of them have the axes of the world there.
struct FigureJoint {
  std::string name;
  int parent = -1;  ///< comes before its children; -1 for the root
  Vec3d position{0, 0, 0};
};

/// Those of the hand: "forearm", "wrist", then of each finger "index", "index_middle", "index_end"
/// and "index_tip", from the knuckle on; fingers bend about -z. Last the thumb's.
std::vector<FigureJoint> hand_joints();

/// A standing person of 1.75 m with arms held out and down (A-pose), looking towards z, its left
/// side at x > 0, the soles on y = 0.
struct FigureShape {
  SurfaceMesh skin;
  std::vector<FigureJoint> joints;  ///< "hips" first; "thigh_left", "hand_right", ...
};
/// Edges above 2 cm would lose the hands; larger ones are taken as that.
FigureShape make_figure(double edge);
std::vector<FigureJoint> figure_joints();

enum class Tissue { Bone, Muscle };

/// A bone or a muscle of the figure: a closed surface inside its skin, apart from all others.
struct FigurePart {
  std::string_view name;  ///< "femur_left", "biceps_right", "skull"
  Tissue tissue;
  std::string_view joint;  ///< that moves the bone, or that the muscle bends, by its name
};
std::span<const FigurePart> figure_parts();
/// A part, or "skin". Edges of parts are at most 12 mm, of thin ones 4 mm. An unknown name is an
/// input error.
SurfaceMesh make_figure_part(std::string_view name, double edge);
/// "skin", then those of figure_parts.
std::span<const std::string_view> figure_part_names();

/// How a joint of the figure turns when it walks, against its parent: a rotation vector in rad.
/// `phase` counts cycles of two steps; at 0 the left heel touches the ground. Joints that do not
/// move, and unknown names, give zero.
Vec3d walk_rotation(std::string_view joint, double phase);

/// Where a joint is and how it has turned: a point x of its bone goes to
/// position + rotation (x - rest position).
struct JointPose {
  Mat3d rotation;
  Vec3d position;
};
/// The whole figure walking on the spot. The hips rise and fall so that the lower foot stands on
/// y = 0.
std::vector<JointPose> walk_pose(std::span<const FigureJoint> joints, double phase);

}  // namespace isochor::geometry
