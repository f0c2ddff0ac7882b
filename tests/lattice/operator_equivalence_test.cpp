/// The operators of lattice/operator.h against the naive ones, on lattices with partial blocks,
/// cells in the same place, several bodies and several materials in a block.
#include <gtest/gtest.h>

#include "isochor/geometry/shapes.h"
#include "tests/lattice/reference_operator.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

using materials::Definiteness;

std::array<double, materials::kMaxShape> shape_of(int law) {
  std::array<double, materials::kMaxShape> shape{};
  const auto list = materials::shape_parameters(law);
  for (std::size_t i = 0; i < list.size(); ++i) {
    // Pressures of nothing would leave terms out; steep exponentials would drown all else.
    shape[i] = list[i].unit == Unit::Angle      ? 0.8
               : list[i].unit == Unit::Pressure ? 0.3
               : list[i].name.starts_with("b")  ? 0.1 * (list[i].fallback + 0.1)
                                                : list[i].fallback;
  }
  return shape;
}

/// Two bars closer than a cell, joined at one end: a lattice with two cells in some places.
grid::Lattice fork() {
  geometry::SurfaceMesh mesh = geometry::make_box({1.0, 0.22, 0.25}, {2, 0.4, 0.5}, 0.25);
  const geometry::SurfaceMesh other = geometry::make_box({1.0, 0.68, 0.25}, {2, 0.4, 0.5}, 0.25);
  const auto first = static_cast<std::int32_t>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  std::vector<std::int32_t> corners;
  for (std::size_t f = 0; f < other.face_count(); ++f) {
    corners.clear();
    for (const std::int32_t v : other.face(f)) corners.push_back(first + v);
    mesh.add_face(corners);
  }
  ThreadArena arena(1);
  return grid::build_lattice(mesh, 0.5, "fork", arena);
}

void fill_cells(BodySpec& spec, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> stiffness(1, 3);
  for (std::size_t c = 0; c < spec.lattice.cell_count(); ++c) {
    spec.mu.push_back(stiffness(random));
    spec.lambda.push_back(2 * stiffness(random));
    spec.axes.push_back(rotation_from_vector({normal(random), normal(random), normal(random)}));
    spec.activation.push_back(0.5 + 0.1 * double(c % 5));
    spec.fibres.push_back(0.3 + 0.2 * double(c % 4));
    spec.fill.push_back(0.2 * double(1 + c % 5));
  }
}

/// A box of one law beside a fork of it.
std::vector<BodySpec> bodies_of(int law) {
  BodySpec box = box_spec(5, 3, 4, 0.5);
  box.mu.clear();
  box.lambda.clear();
  BodySpec forked{.name = "fork", .lattice = fork()};
  for (BodySpec* spec : {&box, &forked}) {
    spec->law = law;
    spec->shape = shape_of(law);
    fill_cells(*spec, 3);
  }
  return {std::move(box), std::move(forked)};
}

/// Three laws in turn, so that every block has all of them.
std::vector<BodySpec> mixed_bodies(std::initializer_list<const char*> names) {
  std::vector<BodySpec> bodies = bodies_of(materials::law_index(*names.begin()));
  for (BodySpec& body : bodies) {
    for (const char* name : std::span(names.begin() + 1, names.end())) {
      const int law = materials::law_index(name);
      body.more_materials.push_back({law, shape_of(law)});
    }
    for (std::size_t c = 0; c < body.mu.size(); ++c) {
      body.cell_materials.push_back(std::uint8_t(c % names.size()));
    }
  }
  return bodies;
}

double largest(std::span<const Vec3d> v) {
  double most = 0;
  for (const Vec3d& x : v) most = std::max(most, norm(x));
  return most;
}

template <class S>
void expect_near(std::span<const Vec3<S>> a, std::span<const Vec3d> b, double relative) {
  ASSERT_EQ(a.size(), b.size());
  const double scale = largest(b);
  ASSERT_GT(scale, 0);
  double difference = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    for (int i = 0; i < 3; ++i) {
      difference = std::max(difference, std::abs(double(a[n][i]) - b[n][i]));
    }
  }
  EXPECT_LT(difference, relative * scale);
}

void expect_reference(const std::vector<BodySpec>& bodies, bool stabilise, Isa isa) {
  constexpr double kDouble = 1e-12, kTangent = 5e-7, kSingle = 5e-6, kHalf = 2e-3;
  const Model model = build_model(bodies, {.stabilise = stabilise});
  const ReferenceOperator reference(bodies, stabilise);
  ThreadArena arena(2);
  std::vector<double> activations;
  while (activations.size() < model.materials.size()) {
    activations.push_back(0.3 + 0.1 * double(activations.size()));
  }
  const std::vector<Vec3d> x = shaken(model, 0.06, 2), d = shaken(model, 1, 3);
  const Configuration at(x, activations);

  std::vector<double> block_energy(model.blocks.size());
  const double energy = reference.energy(at);
  EXPECT_NEAR(elastic_energy(model, at, block_energy, arena, isa), energy, kDouble * energy);
  std::vector<Vec3d> out(x.size());
  EXPECT_NEAR(elastic_force(model, at, out, block_energy, arena, isa), energy, kDouble * energy);
  expect_near<double>(out, reference.force(at), kDouble);

  std::vector<CellStress> stresses(8 * model.blocks.size());
  cell_stresses(model, at, stresses, arena, isa);
  const std::vector<CellStress> expected = reference.stresses(at);
  for (std::size_t c = 0; c < expected.size(); ++c) {
    const auto& [F, P] = stresses[model.cells[c]];
    const Mat3d dF = F - expected[c].F, dP = P - expected[c].P;
    ASSERT_LT(contract(dF, dF), 1e-26) << c;
    ASSERT_LT(contract(dP, dP), 1e-22 * (1 + contract(P, P))) << c;
  }

  for (const Definiteness fix : {Definiteness::None, Definiteness::Clamp}) {
    Tangents tangents(model);
    linearise(model, at, fix, tangents, arena, isa);
    const std::vector<Vec3d> Kd = reference.apply(at, fix, d);
    apply_stiffness(model, tangents, d, out, arena, isa);
    expect_near<double>(out, Kd, kTangent);
    std::vector<Vec3f> single(d.size()), single_out(d.size());
    for (std::size_t n = 0; n < d.size(); ++n) {
      for (int i = 0; i < 3; ++i) single[n][i] = float(d[n][i]);
    }
    apply_stiffness(model, tangents, std::span<const Vec3f>(single), single_out, arena, isa);
    expect_near<float>(single_out, Kd, kSingle);
    HalfTangents halves(model);
    halve(tangents, halves, arena, isa);
    apply_stiffness(model, halves, std::span<const Vec3f>(single), single_out, arena, isa);
    expect_near<float>(single_out, Kd, kHalf);

    const std::vector<Vec3d> diagonal = reference.diagonal(at, fix);
    stiffness_diagonal(model, tangents, std::span<Vec3d>(out), arena, isa);
    expect_near<double>(out, diagonal, kTangent);
    stiffness_diagonal(model, tangents, std::span<Vec3f>(single_out), arena, isa);
    expect_near<float>(single_out, diagonal, kSingle);
  }
}

TEST(LatticeEquivalence, EveryLawOnEveryInstructionSet) {
  for (int law = 0; law < int(materials::kLawCount); ++law) {
    const std::vector<BodySpec> bodies = bodies_of(law);
    for (const Isa isa : available_isas()) {
      SCOPED_TRACE(std::string(materials::kLawNames[law]) + " " + std::string(name(isa)));
      expect_reference(bodies, law % 2 == 0, isa);
    }
  }
}

TEST(LatticeEquivalence, SeveralMaterialsInABlock) {
  for (const bool stabilise : {true, false}) {
    SCOPED_TRACE("without directions");
    expect_reference(mixed_bodies({"corotated", "neo_hookean", "ogden"}), stabilise, best_isa());
  }
  SCOPED_TRACE("some with directions");
  const std::vector<BodySpec> bodies = mixed_bodies({"muscle", "corotated", "guccione"});
  expect_reference(bodies, true, best_isa());
  const Model model = build_model(bodies, {});
  EXPECT_EQ(model.axes.size(), model.groups.size()) << "every block has a law with directions";
}

TEST(LatticeEquivalence, TheForkHasCellsInTheSamePlace) {
  const grid::Lattice lattice = fork();
  bool copies = false;
  for (const grid::Block& block : lattice.blocks) copies = copies || block.copy > 0;
  EXPECT_TRUE(copies);
}

/// All results of all operators, as bytes.
std::string bits_of(const Model& model, int threads, Isa isa) {
  ThreadArena arena(threads);
  const std::vector<double> activations(model.materials.size(), 0.7);
  const std::vector<Vec3d> x = shaken(model, 0.1, 2), d = shaken(model, 1, 3);
  const Configuration at(x, activations);
  std::string bits;
  const auto keep = [&](const auto& v) {
    bits.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof v[0]);
  };
  std::vector<double> block_energy(model.blocks.size());
  std::vector<Vec3d> out(x.size());
  std::vector<double> energies{elastic_force(model, at, out, block_energy, arena, isa)};
  keep(out);
  energies.push_back(elastic_energy(model, at, block_energy, arena, isa));
  keep(energies);
  Tangents tangents(model);
  linearise(model, at, Definiteness::Clamp, tangents, arena, isa);
  keep(tangents.principal);
  keep(tangents.dense);
  apply_stiffness(model, tangents, d, out, arena, isa);
  keep(out);
  std::vector<Vec3f> single(d.size()), single_out(d.size());
  for (std::size_t n = 0; n < d.size(); ++n) {
    for (int i = 0; i < 3; ++i) single[n][i] = float(d[n][i]);
  }
  apply_stiffness(model, tangents, std::span<const Vec3f>(single), single_out, arena, isa);
  keep(single_out);
  HalfTangents halves(model);
  halve(tangents, halves, arena, isa);
  apply_stiffness(model, halves, std::span<const Vec3f>(single), single_out, arena, isa);
  keep(single_out);
  stiffness_diagonal(model, tangents, std::span<Vec3f>(single_out), arena, isa);
  keep(single_out);
  stiffness_diagonal(model, tangents, std::span<Vec3d>(out), arena, isa);
  keep(out);
  return bits;
}

TEST(LatticeEquivalence, SameBitsForAnyThreadCountAndWideRegisters) {
  std::vector<BodySpec> bodies = mixed_bodies({"corotated", "neo_hookean"});
  BodySpec large = box_spec(19, 17, 13, 0.5);
  bodies.push_back(std::move(large));
  BodySpec fibres = box_spec(6, 5, 3, 0.5);
  fibres.law = materials::law_index("muscle");
  fibres.shape = shape_of(fibres.law);
  bodies.push_back(std::move(fibres));
  const Model model = build_model(bodies, {});
  for (const Isa isa : available_isas()) {
    const std::string one = bits_of(model, 1, isa);
    EXPECT_TRUE(bits_of(model, 2, isa) == one) << name(isa);
    EXPECT_TRUE(bits_of(model, 5, isa) == one) << name(isa);
    // Without fused multiplications the baseline rounds differently.
    if (isa != Isa::Baseline) {
      EXPECT_TRUE(one == bits_of(model, 1, Isa::Avx2)) << name(isa);
    }
  }
}

TEST(LatticeEquivalence, StiffnessBeyondSinglePrecisionSaturates) {
  BodySpec spec = box_spec(3, 2, 2, 0.5);
  make_uniform(spec, 1e60, 1e60);
  const Model model = build_model({spec}, {});
  const auto x = shaken(model, 0.1, 1), d = shaken(model, 1, 2);
  ThreadArena arena(1);
  const Tangents tangents = linearised(model, x);
  std::vector<Vec3d> out(x.size());
  apply_stiffness(model, tangents, d, out, arena);
  std::vector<Vec3f> single(x.size(), Vec3f{1, 2, 3}), single_out(x.size());
  apply_stiffness(model, tangents, std::span<const Vec3f>(single), single_out, arena);
  HalfTangents halves(model);
  halve(tangents, halves, arena);
  std::vector<Vec3f> half_out(x.size());
  apply_stiffness(model, halves, std::span<const Vec3f>(single), half_out, arena);
  for (std::size_t n = 0; n < x.size(); ++n) {
    EXPECT_TRUE(std::isfinite(norm(out[n])));
    EXPECT_TRUE(std::isfinite(single_out[n][0] + single_out[n][1] + single_out[n][2]));
    EXPECT_TRUE(std::isfinite(half_out[n][0] + half_out[n][1] + half_out[n][2]));
  }
}

}  // namespace
}  // namespace isochor::lattice
