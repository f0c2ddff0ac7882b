#include "isochor/lattice/cut_cells.h"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "isochor/lattice/element_kernel.h"
#include "isochor/lattice/mixed_solver.h"
#include "isochor/lattice/solver.h"
#include "isochor/materials/volume_laws.h"
#include "tests/lattice/cut_ring.h"
#include "tests/lattice/naive_hourglass.h"
#include "tests/lattice/small_models.h"

namespace isochor::lattice {
namespace {

/// The volume of a body's cells and what it weighs about the origin.
struct Bulk {
  double volume = 0;
  Vec3d moment{0, 0, 0};
};
Bulk bulk(const BodySpec& spec) {
  Bulk out;
  const double h = spec.lattice.spacing;
  auto cut = spec.lattice.cut_cells.begin();
  std::size_t cell = 0;
  spec.lattice.for_each_cell([&](std::size_t b, int lane) {
    const grid::Index3 at = grid::cell_coordinate(spec.lattice.blocks[b], lane);
    const Vec3d corner =
        spec.lattice.origin + h * Vec3d{double(at[0]), double(at[1]), double(at[2])};
    const bool is_cut = cut != spec.lattice.cut_cells.end() && std::size_t(cut->cell) == cell;
    const double volume = h * h * h * (is_cut ? cut->fraction : 1.0);
    Vec3d middle{0.5, 0.5, 0.5};
    if (is_cut) {
      middle = {0, 0, 0};
      for (const Vec3d& p : cut->points) middle += 0.25 * p;
      ++cut;
    }
    out.volume += volume;
    out.moment += volume * (corner + h * middle);
    ++cell;
  });
  return out;
}

/// Cell by cell, from what the body is made of. With a measure, p M is added.
double naive_energy(const BodySpec& spec, const Model& model, std::span<const Vec3d> x,
                    double stabilise, const mixed::Model* with = nullptr,
                    std::span<const double> pressure = {}) {
  const double h = spec.lattice.spacing;
  double total = 0;
  auto cut = spec.lattice.cut_cells.begin();
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    const std::int32_t cell = model.cells[c];
    Vec3d corners[8];
    for (int k = 0; k < 8; ++k) corners[k] = x[model.corner(cell, k)];
    const bool is_cut = cut != spec.lattice.cut_cells.end() && std::size_t(cut->cell) == c;
    const auto density = [&](const Mat3d& F, double fibres) {
      const Mat3d Q = spec.axes.empty() ? Mat3d::identity() : spec.axes[c];
      materials::Parameters<double> p{model.mu(cell), model.lambda(cell), 0.0};
      p.fibres = fibres;
      std::copy(spec.shape.begin(), spec.shape.end(), p.shape);
      double energy = 0;
      materials::with_law(spec.law, [&]<class L>(L) { energy = L::energy(F * Q, p); });
      return energy;
    };
    const auto volume_term = [&](const Mat3d& F) {
      double energy = 0;
      if (!with) return energy;
      const mixed::Measure& measure = with->measures[0];
      materials::Parameters<double> penalty{};
      penalty.shape[0] = measure.penalty;
      materials::with_measure(measure.kind, [&]<class V>(V) {
        energy = pressure[mixed::Model::pressure_at(cell)] * V::respond(F, penalty).energy;
      });
      return energy;
    };
    const double fibres = spec.fibres.empty() ? 1 : spec.fibres[c];
    const bool apart =
        is_cut && !spec.fibres.empty() && model.params.fibre_point == FibrePoint::Centroid;
    if (apart) {
      const Mat3d F = gradient_at(corners, spec.fibre_points[c], h);
      total += cut->fraction * h * h * h * (density(F, fibres) - density(F, 0));
    }
    if (is_cut) {
      const double quarter = 0.25 * cut->fraction * h * h * h;
      Vec3d middle{0, 0, 0};
      for (const Vec3d& s : cut->points) middle += 0.25 * s;
      for (const Vec3d& s : cut->points) {
        const Mat3d F = gradient_at(corners, s, h);
        total += quarter * (density(F, apart ? 0 : fibres) + volume_term(F));
        if (!with || with->params.mean_points == mixed::MeanPoints::Four) continue;
        const Mat3d image = gradient_at(corners, 2 * middle - s, h);
        total += 0.5 * quarter * (volume_term(image) - volume_term(F));
      }
      ++cut;
    } else {
      const Mat3d F = deformation_gradient(corners, 1 / h);
      total += h * h * h * (density(F, fibres) + volume_term(F)) +
               stabilisation_energy(corners, F, h, stabilise * model.mu(cell));
      if (with) total += naive_hourglass_energy(corners, h, with->strain_part() * model.mu(cell));
    }
  }
  return total;
}

class CutLaws : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Laws, CutLaws,
                         testing::Values("corotated", "neo_hookean", "holzapfel_gasser_ogden",
                                         "muscle"),
                         [](const auto& law) { return std::string(law.param); });

TEST_P(CutLaws, EnergyIsTheNaiveSumWhateverTheMatrixKnows) {
  const BodySpec spec = ring(GetParam());
  ASSERT_GT(spec.lattice.cut_cells.size(), 100u);
  for (const FourPointTangent tangent : {FourPointTangent::Exact, FourPointTangent::None}) {
    const Model model = build_model({spec}, {.four_point_tangent = tangent});
    const std::vector<Vec3d> x = shaken(model, 0.005, 3);
    const double naive = naive_energy(spec, model, x, 1);
    EXPECT_NEAR(elastic_energy(model, x), naive, 1e-12 * std::abs(naive));
  }
}

/// [Patterson12 sec 5]: one point for what fibres do, four for the rest.
TEST_P(CutLaws, FibresHaveAPointOfTheirOwnWhereTheyShall) {
  const BodySpec spec = ring(GetParam());
  const Model apart = build_model({spec}, {.fibre_point = FibrePoint::Centroid}),
              together = build_model({spec}, {});
  const std::vector<Vec3d> x = shaken(apart, 0.005, 3);
  const double energy = elastic_energy(apart, x), naive = naive_energy(spec, apart, x, 1);
  EXPECT_NEAR(energy, naive, 1e-12 * std::abs(naive));
  if (!materials::is_isotropic(spec.law)) {
    EXPECT_GT(std::abs(elastic_energy(together, x) - energy), 1e-6 * std::abs(energy));
  }
}

TEST_P(CutLaws, ForcesAndStiffnessAreDerivatives) {
  const BodySpec spec = ring(GetParam());
  expect_derivatives(build_model({spec}, {}));
  expect_derivatives(build_model({spec}, {.fibre_point = FibrePoint::Centroid}));
}

TEST_P(CutLaws, TheDiagonalIsThatOfTheMatrix) {
  const Model model = build_model({ring(GetParam(), 0.15)}, {});
  const Tangents tangents = linearised(model, shaken(model, 0.005, 3));
  ThreadArena arena(1);
  std::vector<Vec3d> diagonal(model.node_count()), unit(model.node_count(), Vec3d{0, 0, 0}),
      column(model.node_count());
  stiffness_diagonal(model, tangents, std::span(diagonal), arena);
  for (std::size_t i = 0; i < diagonal.size(); i += 7) {
    for (int a = 0; a < 3; ++a) {
      unit[i][a] = 1;
      apply_stiffness(model, tangents, std::span<const Vec3d>(unit), std::span(column), arena);
      unit[i][a] = 0;
      EXPECT_NEAR(diagonal[i][a], column[i][a], 1e-5 * std::abs(column[i][a]));
    }
  }
}

TEST_P(CutLaws, InstructionSetsAndThreadsGiveTheSameBits) {
  const Model model = build_model({ring(GetParam())}, {});
  const std::vector<Vec3d> x = shaken(model, 0.005, 3);
  const auto applied = [&](Isa isa, int threads) {
    ThreadArena arena(threads);
    Tangents tangents(model);
    linearise(model, x, materials::Definiteness::Clamp, tangents, arena, isa);
    std::vector<Vec3d> out(model.node_count());
    apply_stiffness(model, tangents, std::span<const Vec3d>(x), std::span(out), arena, isa);
    std::vector<double> numbers;
    for (const Vec3d& v : out) numbers.insert(numbers.end(), v.e, v.e + 3);
    return numbers;
  };
  const std::vector<double> one = applied(best_isa(), 1);
  EXPECT_EQ(applied(best_isa(), 3), one);
  if (best_isa() == Isa::Avx512) {
    EXPECT_EQ(applied(Isa::Avx2, 1), one);
  }
  const std::vector<double> plain = applied(Isa::Baseline, 1);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    difference = std::max(difference, std::abs(plain[i] - one[i]));
    size = std::max(size, std::abs(one[i]));
  }
  EXPECT_LT(difference, 2e-6 * size);
}

/// Trilinear weights are of degree three, their gradients of degree two: four points see all of a
/// constant stress.
TEST(CutModel, ConstantStressPullsWithTheExactVolume) {
  const BodySpec spec = ring("neo_hookean");
  Model model = build_model({spec}, {});
  for (auto& m : model.moduli) {
    for (int c = 0; c < 8; ++c) std::fill_n(m.mu[c], kGroupBlocks, 1.0);
    for (int c = 0; c < 8; ++c) std::fill_n(m.lambda[c], kGroupBlocks, 2.0);
  }
  for (CutGroup& group : model.cut_groups) {
    std::fill_n(group.mu, kGroupBlocks, 1.0);
    std::fill_n(group.lambda, kGroupBlocks, 2.0);
  }
  const Mat3d F{{{1.2, 0.1, 0}, {0, 0.9, 0.3}, {-0.2, 0, 1.1}}};
  std::vector<Vec3d> x;
  for (const Vec3d& p : model.rest_positions) x.push_back(F * p);
  const std::vector<Vec3d> force = elastic_force(model, x);
  Mat3d P;
  const materials::Parameters<double> p{1.0, 2.0, 0.0};
  materials::with_law(spec.law, [&]<class L>(L) { P = L::respond(F, p).stress; });
  const double volume = bulk(spec).volume;
  Mat3d sum = Mat3d::zero();
  for (std::size_t i = 0; i < force.size(); ++i) {
    for (int a = 0; a < 3; ++a) sum.column[a] += model.rest_positions[i][a] * force[i];
  }
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(sum(i % 3, i / 3), -volume * P(i % 3, i / 3), 1e-12 * volume * 3);
  }
}

TEST(CutModel, MassHasTheMomentsOfTheBody) {
  const BodySpec spec = ring("neo_hookean");
  const Model model = build_model({spec}, {});
  const Bulk exact = bulk(spec);
  double mass = 0;
  Vec3d moment{0, 0, 0};
  for (std::size_t i = 0; i < model.node_count(); ++i) {
    mass += model.mass[i];
    moment += model.mass[i] * model.rest_positions[i];
  }
  EXPECT_NEAR(mass, spec.density * exact.volume, 1e-12 * mass);
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(moment[a], spec.density * exact.moment[a], 1e-12 * mass);
  }
}

std::vector<Vec3d> pulled(const Model& model, double length) {
  return targets(model, [&](const std::string& name, const Vec3d& p) {
    return name == "ring.right" ? p + Vec3d{length, 0.3 * length, 0} : p;
  });
}

TEST(CutModel, NewtonsMethodWithMultigridConvergesQuadratically) {
  const Model model =
      build_model({ring("neo_hookean")}, {.preconditioner = Preconditioner::Multigrid});
  Context context(1);
  State state = make_state(model);
  Scratch scratch(model);
  scratch.poison();
  const std::vector<Vec3d> held = pulled(model, 0.1);
  const StepReport report = advance(model, state, {.held_positions = held}, scratch, context);
  EXPECT_TRUE(report.converged());
  EXPECT_LE(report.iterations, 8);
  EXPECT_LE(report.krylov_iterations, 20 * report.iterations);
}

/// All that a state of a mixed model and its pressures ask for.
struct MixedRing {
  explicit MixedRing(const Params& params, const mixed::Params& of_pressures = {.tolerance = 1e-8})
      : spec(ring("neo_hookean", 0.1, std::numeric_limits<double>::infinity())),
        model(mixed::build_model({spec}, params, of_pressures)),
        scratch(model),
        state(mixed::make_state(model)) {
    scratch.poison();
  }
  mixed::StepReport pull(double length, Context& context) {
    const std::vector<Vec3d> held = pulled(model.base, length);
    return mixed::advance(model, state, {.held_positions = held}, scratch, context);
  }
  BodySpec spec;
  mixed::Model model;
  mixed::Scratch scratch;
  mixed::State state;
};

TEST(CutModel, MixedEnergyIsTheNaiveSum) {
  BodySpec spec = ring("neo_hookean", 0.1, std::numeric_limits<double>::infinity());
  spec.holds.clear();  // cells that are held altogether may change their volume
  for (const mixed::MeanPoints points : {mixed::MeanPoints::Four, mixed::MeanPoints::Eight}) {
    const mixed::Model model = mixed::build_model({spec}, {}, {.mean_points = points, .jumps = 0});
    const std::vector<Vec3d> x = shaken(model.base, 0.005, 3);
    std::vector<double> pressure(model.pressure_count(), 0.0), volume(model.pressure_count());
    for (const std::int32_t cell : model.base.cells) {
      pressure[mixed::Model::pressure_at(cell)] = std::sin(double(cell));
    }
    Context context(1);
    std::vector<Vec3d> force(model.node_count());
    mixed::BlockValues blocks(model.base.blocks.size());
    const mixed::Evaluation e =
        mixed::evaluate(model, {x, pressure, {}}, force, volume, blocks, context.arena);
    const double naive = naive_energy(spec, model.base, x, model.spread_part(), &model, pressure);
    EXPECT_NEAR(e.energy, naive, 1e-12 * e.scale);
  }
}

/// [Patterson12 sec 3.1]: J of a trilinear cell is of degree two along each axis, which Gauss's
/// eight points integrate and four of them do not.
TEST(CutModel, TheMeanOfJOverEightPointsIsTheVolumeOfAWholeCell) {
  const BodySpec spec = ring("neo_hookean");
  double errors[2] = {};
  for (const mixed::MeanPoints points : {mixed::MeanPoints::Four, mixed::MeanPoints::Eight}) {
    const mixed::Model model =
        mixed::build_model({spec}, {.quadrature = Quadrature::FourPoints},
                           {.measure = materials::VolumeMeasure::J, .mean_points = points});
    const std::vector<Vec3d> x = shaken(model.base, 0.01, 3);
    const std::vector<double> none(model.pressure_count(), 0.0);
    std::vector<double> M(model.pressure_count());
    Context context(1);
    mixed::measure(model, {x, none, {}}, M, context.arena);
    auto cut = spec.lattice.cut_cells.begin();
    for (std::size_t c = 0; c < model.base.cells.size(); ++c) {
      if (cut != spec.lattice.cut_cells.end() && std::size_t(cut->cell) == c) {
        ++cut;
        continue;
      }
      const std::int32_t cell = model.base.cells[c];
      Vec3d corners[8];
      for (int k = 0; k < 8; ++k) corners[k] = x[model.base.corner(cell, k)];
      // By Simpson's rule along each axis, which is exact up to degree three.
      double exact = 0;
      for (int i = 0; i < 27; ++i) {
        const int at[3] = {i % 3, i / 3 % 3, i / 9};
        double weight = 1;
        for (const int a : at) weight *= a == 1 ? 4.0 / 6 : 1.0 / 6;
        const Vec3d s = 0.5 * Vec3d{double(at[0]), double(at[1]), double(at[2])};
        exact += weight * determinant(gradient_at(corners, s, spec.lattice.spacing));
      }
      double& error = errors[int(points)];
      error = std::max(error, std::abs(M[mixed::Model::pressure_at(cell)] - (exact - 1)));
    }
  }
  EXPECT_GT(errors[0], 1e-5);
  EXPECT_LT(errors[1], 1e-13);
}

/// Of the energy along all unknowns.
std::vector<double> mixed_gradient(const mixed::Model& model, std::span<const Vec3d> x,
                                   std::span<const double> p) {
  Context context(1);
  std::vector<Vec3d> force(model.node_count());
  std::vector<double> volume(model.pressure_count());
  mixed::BlockValues blocks(model.base.blocks.size());
  mixed::evaluate(model, {x, p, {}}, force, volume, blocks, context.arena);
  std::vector<double> g;
  for (const Vec3d& f : force) {
    for (int a = 0; a < 3; ++a) g.push_back(-f[a]);
  }
  g.insert(g.end(), volume.begin(), volume.end());
  return g;
}

class Means : public testing::TestWithParam<
                  std::tuple<mixed::Mean, mixed::MeanPoints, materials::VolumeMeasure>> {};
INSTANTIATE_TEST_SUITE_P(
    All, Means,
    testing::Combine(testing::Values(mixed::Mean::OfMeasure, mixed::Mean::OfVolume),
                     testing::Values(mixed::MeanPoints::Four, mixed::MeanPoints::Eight),
                     testing::Values(materials::VolumeMeasure::LogJ, materials::VolumeMeasure::J)));

TEST_P(Means, TheMatrixIsTheDerivativeOfForcesAndVolumes) {
  const auto [mean, points, measure] = GetParam();
  for (const auto& [law, fibre_point] : {std::pair("neo_hookean", FibrePoint::Points),
                                         {"muscle", FibrePoint::Points},
                                         {"muscle", FibrePoint::Centroid}}) {
    const mixed::Model model =
        mixed::build_model({ring(law)}, {.fibre_point = fibre_point},
                           {.measure = measure, .mean = mean, .mean_points = points});
    const std::vector<Vec3d> x = blown_up(shaken(model.base, 0.005, 3));
    std::vector<double> p(model.pressure_count(), 0.0), u(mixed::unknowns(model), 0.0);
    for (std::size_t i = 0; i < 3 * model.node_count(); ++i)
      u[i] = 0.02 * std::sin(7.0 * double(i));
    for (const std::int32_t cell : model.base.cells) {
      const std::size_t at = mixed::Model::pressure_at(cell);
      p[at] = 3 * std::sin(double(cell));
      u[3 * model.node_count() + at] = std::cos(double(cell));
    }
    const auto moved = [&](double e) {
      std::vector<Vec3d> y = x;
      std::vector<double> q = p;
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += e * Vec3d{u[3 * i], u[3 * i + 1], u[3 * i + 2]};
      }
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += e * model.alpha * u[3 * y.size() + i];
      return mixed_gradient(model, y, q);
    };
    Context context(1);
    mixed::Tangents tangents(model);
    mixed::linearise(model, {x, p, {}}, mixed::Fix::None, tangents, context.arena);
    std::vector<double> Ku(u.size());
    const std::span<const double> v = u;
    mixed::apply(model, tangents, mixed::positions_of(model, v), mixed::pressures_of(model, v),
                 mixed::positions_of(model, std::span(Ku)),
                 mixed::pressures_of(model, std::span(Ku)), context.arena);
    double errors[2], size = 0;
    for (const double k : Ku) size += k * k;
    for (int k = 0; k < 2; ++k) {
      const double e = k == 0 ? 1e-2 : 1e-3;
      const std::vector<double> plus = moved(e), minus = moved(-e);
      double error = 0;
      for (std::size_t i = 0; i < u.size(); ++i) {
        const double d = (plus[i] - minus[i]) / (2 * e) - Ku[i];
        error += d * d;
      }
      errors[k] = std::sqrt(error / size);
    }
    EXPECT_LT(errors[1], 0.03 * errors[0] + 3e-7) << law;
  }
}

TEST(CutModel, IncompressibleNewtonsMethodConvergesQuadratically) {
  for (const mixed::MeanPoints points : {mixed::MeanPoints::Four, mixed::MeanPoints::Eight}) {
    MixedRing r({}, {.mean_points = points, .tolerance = 1e-8});
    Context context(1);
    const mixed::StepReport report = r.pull(0.1, context);
    EXPECT_TRUE(report.converged());
    EXPECT_LE(report.iterations, 6);
    EXPECT_LE(report.krylov_iterations, 15 * report.iterations);
  }
}

/// Jumps move volume between the cells of a block only: the whole keeps its own exactly.
TEST(CutModel, AnIncompressibleRingKeepsItsVolume) {
  for (const Quadrature quadrature : {Quadrature::OnePoint, Quadrature::FourPoints}) {
    MixedRing r({.quadrature = quadrature});
    Context context(1);
    ASSERT_TRUE(r.pull(0.1, context).converged());
    std::vector<double> M(r.model.pressure_count());
    mixed::measure(r.model, {r.state.positions, r.state.pressure, {}}, M, context.arena);
    double change = 0;
    for (std::size_t g = 0; g < r.model.volumes.size(); ++g) {
      for (int i = 0; i < mixed::kGroupCells; ++i) {
        change += r.model.volumes[g].volume[i / kGroupBlocks][i % kGroupBlocks] *
                  M[g * mixed::kGroupCells + std::size_t(i)];
      }
    }
    EXPECT_LT(std::abs(change), 1e-8 * bulk(r.spec).volume);
  }
}

/// K times a vector, about a shaken state.
std::vector<double> applied(const mixed::Model& model) {
  const std::vector<Vec3d> x = shaken(model.base, 0.005, 3);
  std::vector<double> p(model.pressure_count(), 0.0), u(mixed::unknowns(model), 0.0);
  for (std::size_t i = 0; i < 3 * model.node_count(); ++i) u[i] = std::sin(7.0 * double(i));
  for (const std::int32_t cell : model.base.cells) {
    const std::size_t at = mixed::Model::pressure_at(cell);
    p[at] = std::sin(double(cell));
    u[3 * model.node_count() + at] = std::cos(double(cell));
  }
  Context context(1);
  mixed::Tangents tangents(model);
  mixed::linearise(model, {x, p, {}}, mixed::Fix::None, tangents, context.arena);
  std::vector<double> Ku(u.size());
  const std::span<const double> v = u;
  mixed::apply(model, tangents, mixed::positions_of(model, v), mixed::pressures_of(model, v),
               mixed::positions_of(model, std::span(Ku)), mixed::pressures_of(model, std::span(Ku)),
               context.arena);
  return Ku;
}

TEST(CutModel, ThePublishedMatrixIsThatOfVoxels) {
  const BodySpec spec = ring("neo_hookean");
  BodySpec voxels = spec;
  voxels.lattice.cut_cells.clear();
  voxels.fill.assign(spec.fill.size(), 1);
  const Params points{.quadrature = Quadrature::FourPoints,
                      .four_point_tangent = FourPointTangent::None};
  const mixed::Model K1 = mixed::build_model({spec}, points, {.whole_in_matrix = true}),
                     weighted = mixed::build_model({spec}, points, {});
  mixed::Model first_order = mixed::build_model({voxels}, {}, {});
  first_order.alpha = K1.alpha;
  const std::vector<double> expected = applied(first_order), whole = applied(K1),
                            by_fill = applied(weighted);
  double size = 0, difference = 0, other = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    size = std::max(size, std::abs(expected[i]));
    difference = std::max(difference, std::abs(whole[i] - expected[i]));
    other = std::max(other, std::abs(by_fill[i] - expected[i]));
  }
  EXPECT_LT(difference, 1e-9 * size);
  EXPECT_GT(other, 0.1 * size);
}

/// [Patterson12 (13)]: with a matrix that knows less than the energy Newton's method gets there,
/// only later.
TEST(CutModel, DefectCorrectionEndsWhereNewtonsMethodDoes) {
  Context context(1);
  MixedRing exact({.quadrature = Quadrature::FourPoints});
  MixedRing corrected(
      {.quadrature = Quadrature::FourPoints, .four_point_tangent = FourPointTangent::AtSurface});
  const mixed::StepReport fast = exact.pull(0.05, context), slow = corrected.pull(0.05, context);
  ASSERT_TRUE(fast.converged());
  ASSERT_TRUE(slow.converged());
  EXPECT_GT(slow.iterations, fast.iterations);
  // By mass: nodes with next to nothing around them may be anywhere.
  double difference = 0, mass = 0;
  for (std::size_t i = 0; i < exact.state.positions.size(); ++i) {
    const Vec3d d = exact.state.positions[i] - corrected.state.positions[i];
    difference += exact.model.base.mass[i] * dot(d, d);
    mass += exact.model.base.mass[i];
  }
  EXPECT_LT(std::sqrt(difference / mass), 1e-7);  // of 0.05
}

}  // namespace
}  // namespace isochor::lattice
