#include <array>

#include "reproduce/experiment.h"

namespace isochor::reproduce {

std::vector<Row> anatomy_fibres(const ExperimentOptions&, Context&);
std::vector<Row> grid_embedding(const ExperimentOptions&, Context&);
std::vector<Row> grid_meshes(const ExperimentOptions&, Context&);
std::vector<Row> grid_separation(const ExperimentOptions&, Context&);
std::vector<Row> irving_conservation(const ExperimentOptions&, Context&);
std::vector<Row> irving_drop(const ExperimentOptions&, Context&);
std::vector<Row> irving_minres(const ExperimentOptions&, Context&);
std::vector<Row> irving_muscle(const ExperimentOptions&, Context&);
std::vector<Row> irving_plates(const ExperimentOptions&, Context&);
std::vector<Row> irving_sphere(const ExperimentOptions&, Context&);
std::vector<Row> irving_stairs(const ExperimentOptions&, Context&);
std::vector<Row> irving_tori(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_character(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_differential(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_elbow(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_gauss(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_hand(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_hourglass(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_fas(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_indefinite(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_multigrid(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_shoulder(const ExperimentOptions&, Context&);
std::vector<Row> mcadams_svd(const ExperimentOptions&, Context&);
std::vector<Row> measured_beam(const ExperimentOptions&, Context&);
std::vector<Row> patterson_arm(const ExperimentOptions&, Context&);
std::vector<Row> patterson_bowtie(const ExperimentOptions&, Context&);
std::vector<Row> patterson_defect(const ExperimentOptions&, Context&);
std::vector<Row> patterson_body(const ExperimentOptions&, Context&);
std::vector<Row> patterson_iterations(const ExperimentOptions&, Context&);
std::vector<Row> patterson_jumps(const ExperimentOptions&, Context&);
std::vector<Row> patterson_quadrature(const ExperimentOptions&, Context&);
std::vector<Row> patterson_tube(const ExperimentOptions&, Context&);
std::vector<Row> patterson_volume(const ExperimentOptions&, Context&);
std::vector<Row> robust_recovery(const ExperimentOptions&, Context&);
std::vector<Row> robust_sag(const ExperimentOptions&, Context&);
std::vector<Row> robust_scale(const ExperimentOptions&, Context&);
std::vector<Row> sheen_epidermis(const ExperimentOptions&, Context&);
std::vector<Row> sheen_garment(const ExperimentOptions&, Context&);
std::vector<Row> sheen_ball(const ExperimentOptions&, Context&);
std::vector<Row> sheen_body_zones(const ExperimentOptions&, Context&);
std::vector<Row> sheen_coarse_ball(const ExperimentOptions&, Context&);
std::vector<Row> sheen_cylinders(const ExperimentOptions&, Context&);
std::vector<Row> sheen_stability(const ExperimentOptions&, Context&);
std::vector<Row> sheen_table(const ExperimentOptions&, Context&);
std::vector<Row> robust_tangle(const ExperimentOptions&, Context&);
std::vector<Row> sheen_penalty(const ExperimentOptions&, Context&);
std::vector<Row> tets_stuffing(const ExperimentOptions&, Context&);
std::vector<Row> sheen_pressure(const ExperimentOptions&, Context&);
std::vector<Row> sheen_puck(const ExperimentOptions&, Context&);
std::vector<Row> sheen_stretch(const ExperimentOptions&, Context&);
std::vector<Row> sheen_twist(const ExperimentOptions&, Context&);
std::vector<Row> sheen_two_tets(const ExperimentOptions&, Context&);
std::vector<Row> sheen_zones(const ExperimentOptions&, Context&);
std::vector<Row> materials_curves(const ExperimentOptions&, Context&);
std::vector<Row> verify_band(const ExperimentOptions&, Context&);
std::vector<Row> verify_block(const ExperimentOptions&, Context&);
std::vector<Row> verify_column(const ExperimentOptions&, Context&);
std::vector<Row> verify_dynamics(const ExperimentOptions&, Context&);
std::vector<Row> verify_land(const ExperimentOptions&, Context&);
std::vector<Row> verify_mms(const ExperimentOptions&, Context&);
std::vector<Row> verify_cook(const ExperimentOptions&, Context&);
std::vector<Row> verify_held(const ExperimentOptions&, Context&);
std::vector<Row> verify_bars(const ExperimentOptions&, Context&);
std::vector<Row> verify_hertz(const ExperimentOptions&, Context&);
std::vector<Row> verify_momentum(const ExperimentOptions&, Context&);
std::vector<Row> verify_skin(const ExperimentOptions&, Context&);
std::vector<Row> verify_sphere(const ExperimentOptions&, Context&);
std::vector<Row> verify_slope(const ExperimentOptions&, Context&);
std::vector<Row> verify_spin(const ExperimentOptions&, Context&);
std::vector<Row> verify_torsion(const ExperimentOptions&, Context&);
std::vector<Row> verify_vibration(const ExperimentOptions&, Context&);
std::vector<Row> zhu_accuracy(const ExperimentOptions&, Context&);
std::vector<Row> zhu_car(const ExperimentOptions&, Context&);
std::vector<Row> zhu_cg(const ExperimentOptions&, Context&);
std::vector<Row> zhu_character(const ExperimentOptions&, Context&);
std::vector<Row> zhu_contact(const ExperimentOptions&, Context&);
std::vector<Row> zhu_convergence(const ExperimentOptions&, Context&);
std::vector<Row> zhu_dragon(const ExperimentOptions&, Context&);
std::vector<Row> zhu_face(const ExperimentOptions&, Context&);
std::vector<Row> zhu_padding(const ExperimentOptions&, Context&);

std::span<const Experiment> experiments() {
  static constexpr std::array kExperiments{
      Experiment{"anatomy/fibres", "Fibres between the ends of a muscle, against closed forms",
                 anatomy_fibres},
      Experiment{"grid/embedding", "How well an embedded surface follows a smooth motion",
                 grid_embedding},
      Experiment{"grid/meshes", "Every mesh of a collection becomes a body", grid_meshes},
      Experiment{"grid/separation", "Two fingers closer than a cell move apart", grid_separation},
      Experiment{"irving/conservation", "Momentum that corrections of volumes give (section 3)",
                 irving_conservation},
      Experiment{"irving/drop", "A figure falls on the ground (fig. 4)", irving_drop},
      Experiment{"irving/minres", "Solvers for the pressures of one-rings (section 4)",
                 irving_minres},
      Experiment{"irving/muscle", "A muscle contracts along its fibres and keeps its volume",
                 irving_muscle},
      Experiment{"irving/plates", "A ball pressed between plates (fig. 6)", irving_plates},
      Experiment{"irving/sphere", "A ball falls on the ground (fig. 2)", irving_sphere},
      Experiment{"irving/stairs", "A ball and a figure on stairs (figs. 1 and 3)", irving_stairs},
      Experiment{"irving/tori", "Tori in a pile (fig. 5)", irving_tori},
      Experiment{"mcadams/character", "A figure walks by its skeleton (fig. 1)", mcadams_character},
      Experiment{"mcadams/differential",
                 "A bar pulled to 2.4 times its length by four differentials (fig. 2)",
                 mcadams_differential},
      Experiment{"mcadams/elbow", "An elbow bends to 140 degrees (fig. 8)", mcadams_elbow},
      Experiment{"mcadams/fas", "An arm curled in one frame by nonlinear cycles (section 8)",
                 mcadams_fas},
      Experiment{"mcadams/gauss", "One stabilised point per cell against eight (section 4)",
                 mcadams_gauss},
      Experiment{"mcadams/hand", "A hand closes to a fist (fig. 6)", mcadams_hand},
      Experiment{"mcadams/hourglass", "A patch pulled at its four corners (fig. 3)",
                 mcadams_hourglass},
      Experiment{"mcadams/indefinite",
                 "Definiteness of backward Euler's matrix by resolution (fig. 4)",
                 mcadams_indefinite},
      Experiment{"mcadams/multigrid", "How fast cycles of multigrid converge (section 9, fig. 7)",
                 mcadams_multigrid},
      Experiment{"mcadams/shoulder",
                 "Clavicle and ulna under the skin of a shrug and a bent elbow (fig. 8)",
                 mcadams_shoulder},
      Experiment{"mcadams/svd", "The 3x3 SVD on every kind of matrix (section 9.2)", mcadams_svd},
      Experiment{"measured/silicone-beam", "A beam of silicone against motion capture",
                 measured_beam},
      Experiment{"patterson/arm", "An arm bends, its flexors passive and active (section 6)",
                 patterson_arm},
      Experiment{"patterson/bowtie", "A bow-tie is bent: order of accuracy (fig. 5)",
                 patterson_bowtie},
      Experiment{"patterson/defect-correction",
                 "Newton's method with the matrix of a simpler scheme (section 4)",
                 patterson_defect},
      Experiment{"patterson/body",
                 "A person with bones and muscles, relaxed and flexed (section 6)", patterson_body},
      Experiment{"patterson/iterations",
                 "Krylov iterations of the mixed lattice by resolution and Poisson's ratio",
                 patterson_iterations},
      Experiment{"patterson/jumps", "What stabilising pressures costs in accuracy and volume",
                 patterson_jumps},
      Experiment{"patterson/quadrature",
                 "Four points per cell, of any shape, exact for degree two (section 3.1)",
                 patterson_quadrature},
      Experiment{"patterson/tube", "A tube is compressed and twisted: order of accuracy (fig. 4)",
                 patterson_tube},
      Experiment{"patterson/volume", "What a block keeps of its volume when it is pulled (fig. 2)",
                 patterson_volume},
      Experiment{"robust/recovery", "Back to rest from random, flat, inverted and collapsed states",
                 robust_recovery},
      Experiment{"robust/sag", "Bodies drawn as they stand do not sag", robust_sag},
      Experiment{"robust/scale", "The same shape at every scale and stiffness", robust_scale},
      Experiment{"sheen/epidermis", "Pucks with and without skin (figs. 6 and 9)", sheen_epidermis},
      Experiment{"sheen/garment", "A tight waistband on a body (fig. 1)", sheen_garment},
      Experiment{"sheen/ball", "A soft ball hits the ground (fig. 10)", sheen_ball},
      Experiment{"sheen/body-zones", "A body with seven anatomical zones (fig. 4)",
                 sheen_body_zones},
      Experiment{"sheen/coarse-ball", "The same with few tets (fig. 11)", sheen_coarse_ball},
      Experiment{"sheen/cylinders", "A figure pressed between cylinders (section 8.7)",
                 sheen_cylinders},
      Experiment{"robust/tangle", "Bodies that start inside each other or themselves",
                 robust_tangle},
      Experiment{"sheen/penalty", "Penalties on the change of volume (fig. 3)", sheen_penalty},
      Experiment{"tets/stuffing", "Solids filled with tets: the smallest dihedral angle",
                 tets_stuffing},
      Experiment{"sheen/pressure", "Pressures in a cube under its weight (fig. 7)", sheen_pressure},
      Experiment{"sheen/puck", "A puck indented by half of its height (fig. 9)", sheen_puck},
      Experiment{"sheen/stability", "A cube settles in long steps (fig. 8)", sheen_stability},
      Experiment{"sheen/stretch", "A cube stretched to three times its length (table 1)",
                 sheen_stretch},
      Experiment{"sheen/table1", "Iterations and seconds per frame (table 1)", sheen_table},
      Experiment{"sheen/twist", "A cube twisted by half a turn (table 1)", sheen_twist},
      Experiment{"sheen/two-tets", "Two tets, one of them pressed flat (fig. 2)", sheen_two_tets},
      Experiment{"sheen/zones", "A cantilever with zones of several sizes (fig. 5)", sheen_zones},
      Experiment{"materials/curves", "Every law in a test machine, beside measured materials",
                 materials_curves},
      Experiment{"verify/band", "A tight band around a rigid cylinder and an elastic tube",
                 verify_band},
      Experiment{"verify/block", "A block pressed by four times its shear modulus", verify_block},
      Experiment{"verify/column", "A twisting column: energy, and orders of accuracy in time",
                 verify_column},
      Experiment{"verify/dynamics", "Incompressible bodies that spin and tumble", verify_dynamics},
      Experiment{"verify/land", "Land's benchmark of cardiac mechanics: a beam and a ventricle",
                 verify_land},
      Experiment{"verify/mms", "Manufactured solutions in a cube, a ball and a disc", verify_mms},
      Experiment{"verify/cook", "Cook's membrane against conforming elements", verify_cook},
      Experiment{"verify/held", "A ball held all over its surface against a closed form",
                 verify_held},
      Experiment{"verify/bars", "Two bars meet end to end, against waves in one dimension",
                 verify_bars},
      Experiment{"verify/hertz", "Contact of a ball, against Hertz", verify_hertz},
      Experiment{"verify/momentum", "A tumbling block flies along a parabola", verify_momentum},
      Experiment{"verify/skin", "Skin on cells against closed forms and a layer of its own",
                 verify_skin},
      Experiment{"verify/slope", "A block on a slope: sticking and sliding by Coulomb's law",
                 verify_slope},
      Experiment{"verify/sphere", "Thick spheres and cylinders under follower pressure",
                 verify_sphere},
      Experiment{"verify/spin", "Spinning cylinders against closed forms", verify_spin},
      Experiment{"verify/torsion", "Rivlin's torsion of a cylinder, with and without extension",
                 verify_torsion},
      Experiment{"verify/vibration", "Frequencies of a cantilever in three of its modes",
                 verify_vibration},
      Experiment{"zhu/accuracy", "A disc with a known solution, refined (figs. 12 to 16)",
                 zhu_accuracy},
      Experiment{"zhu/car", "A soft car in time (fig. 26)", zhu_car},
      Experiment{"zhu/cg", "Conjugate gradients beside cycles of multigrid (fig. 11)", zhu_cg},
      Experiment{"zhu/character", "A figure walks on its bones (fig. 9)", zhu_character},
      Experiment{"zhu/contact", "A ball pressed into a block by embedded tractions (sec. 9.2)",
                 zhu_contact},
      Experiment{"zhu/convergence", "How fast cycles of the staggered method converge (fig. 10)",
                 zhu_convergence},
      Experiment{"zhu/dragon", "A dragon shakes its head (fig. 27)", zhu_dragon},
      Experiment{"zhu/face", "A ball hits a face (fig. 25)", zhu_face},
      Experiment{"zhu/padding", "An elbow whose cage is padded (fig. 17)", zhu_padding},
  };
  return kExperiments;
}

}  // namespace isochor::reproduce
