#include "isochor/tets/elasticity.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "isochor/base/context.h"
#include "isochor/base/error.h"
#include "isochor/materials/registry.h"
#include "isochor/math/dispatch.h"
#include "isochor/tets/rounded_rows.h"
#include "reproduce/bar.h"
#include "tests/tets/sample_meshes.h"

namespace isochor::tets {

ISOCHOR_DECLARE_KERNEL(void round_rows_kernel(const RoundingView&, std::size_t, std::size_t))
ISOCHOR_DECLARE_KERNEL(void assemble_rows_kernel(const AssemblyView&, std::size_t, std::size_t))
ISOCHOR_DECLARE_KERNEL(void rounded_rows_kernel(const RoundedView&, std::size_t, std::size_t))

namespace {

materials::Material material_of(int law) {
  materials::Material m;
  m.law = law;
  m.mu = 3e4;
  m.lambda = 5e4;
  m.density = 1000;
  m.shape = reproduce::lively_shape(law);
  m.axes = materials::axes_along({1, 2, 0.5}, {0, 1, 0});
  return m;
}

Model small_model(std::vector<materials::Material> materials, ThreadArena& arena) {
  BodySpec body{.name = "box", .mesh = box_of_tets(3, 2, 0.1, 0.2)};
  body.materials = std::move(materials);
  for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
    body.tet_materials.push_back(std::uint8_t(t % body.materials.size()));
    body.stiffness.push_back(1 + 0.1 * double(t % 7));
  }
  return build_model({body}, {.preconditioner = Preconditioner::Jacobi}, arena);
}

/// Bent, stretched and a little random.
std::vector<Vec3d> deformed(const Model& model) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shift(-0.004, 0.004);
  std::vector<Vec3d> x = model.rest_positions;
  for (Vec3d& p : x) {
    p = {1.2 * p[0] + 0.3 * p[2], 0.9 * p[1] + 0.5 * p[0] * p[2], p[2] - 0.1 * p[0]};
    for (int a = 0; a < 3; ++a) p[a] += shift(random);
  }
  return x;
}

std::vector<Vec3d> directions(const Model& model) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Vec3d> v(model.node_count());
  for (Vec3d& d : v) d = {number(random), number(random), number(random)};
  return v;
}

double product(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
  return sum;
}

std::vector<Vec3d> moved(std::span<const Vec3d> x, double length, std::span<const Vec3d> v) {
  std::vector<Vec3d> out(x.begin(), x.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += length * v[i];
  return out;
}

class TetElasticity : public ::testing::TestWithParam<int> {
 protected:
  Context context_{2};
  Model model_ = small_model({material_of(GetParam())}, context_.arena);
  ElasticMemory memory_{model_};
  std::vector<Vec3d> x_ = deformed(model_), v_ = directions(model_);
};

TEST_P(TetElasticity, ForceIsMinusTheGradientOfTheEnergy) {
  std::vector<Vec3d> force(model_.node_count());
  const double energy = elastic_force(model_, {x_}, force, memory_, context_.arena);
  EXPECT_DOUBLE_EQ(energy, elastic_energy(model_, {x_}, memory_, context_.arena));
  const double slope = -product(force, v_);
  double best = 1;
  for (const double eps : {1e-5, 1e-6, 1e-7}) {
    const double ahead = elastic_energy(model_, {moved(x_, eps, v_)}, memory_, context_.arena);
    const double behind = elastic_energy(model_, {moved(x_, -eps, v_)}, memory_, context_.arena);
    best = std::min(best, std::abs((ahead - behind) / (2 * eps) - slope) / std::abs(slope));
  }
  EXPECT_LT(best, 1e-7);
}

TEST_P(TetElasticity, FibresOfATetActByTheirFactor) {
  if (materials::is_isotropic(GetParam())) GTEST_SKIP() << "has none";
  BodySpec body{.name = "box", .mesh = box_of_tets(3, 2, 0.1, 0.2)};
  body.materials = {material_of(GetParam())};
  const auto energy = [&](double factor) {
    body.fibres.assign(body.mesh.tets.size(), factor);
    const Model model =
        build_model({body}, {.preconditioner = Preconditioner::Jacobi}, context_.arena);
    const std::vector<double> active{0.7};
    ElasticMemory memory(model);
    return elastic_energy(model, {x_, active}, memory, context_.arena);
  };
  // Linear in what fibres do, whether or not the law has any apart from the rest.
  const double none = energy(0), half = energy(0.5), all = energy(1);
  EXPECT_NEAR(half, 0.5 * (none + all), 1e-12 * std::abs(all));
}

TEST_P(TetElasticity, MatrixIsTheDifferentialOfTheForce) {
  Stiffnesses stiffnesses(model_.tets.size());
  solve::Blocks<double> K(model_.pattern.columns.size());
  linearise(model_, {x_}, materials::Definiteness::None, stiffnesses, context_.arena);
  assemble(model_, stiffnesses, K, context_.arena);
  std::vector<Vec3d> image(model_.node_count()), ahead(image), behind(image);
  solve::multiply(model_.pattern, K, std::span<const Vec3d>(v_), std::span(image), context_.arena);
  double best = 1;
  for (const double eps : {1e-5, 1e-6, 1e-7}) {
    elastic_force(model_, {moved(x_, eps, v_)}, ahead, memory_, context_.arena);
    elastic_force(model_, {moved(x_, -eps, v_)}, behind, memory_, context_.arena);
    double error = 0, size = 0;
    for (std::size_t i = 0; i < image.size(); ++i) {
      const Vec3d d = (0.5 / eps) * (behind[i] - ahead[i]) - image[i];
      error += dot(d, d);
      size += dot(image[i], image[i]);
    }
    best = std::min(best, std::sqrt(error / size));
  }
  EXPECT_LT(best, 3e-6) << "tangents are kept in single precision";
}

TEST_P(TetElasticity, ForcesAddUpToNothingAndDoNotTurn) {
  std::vector<Vec3d> force(model_.node_count());
  elastic_force(model_, {x_}, force, memory_, context_.arena);
  Vec3d sum{0, 0, 0}, moment{0, 0, 0};
  double size = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    sum += force[i];
    moment += cross(x_[i], force[i]);
    size += std::sqrt(dot(force[i], force[i]));
  }
  EXPECT_LT(std::sqrt(dot(sum, sum)), 1e-13 * size);
  if (materials::kLawNames[GetParam()] != "linear") {
    EXPECT_LT(std::sqrt(dot(moment, moment)), 1e-13 * size);
  }
}

INSTANTIATE_TEST_SUITE_P(AllLaws, TetElasticity, ::testing::Range(0, int(materials::kLawCount)),
                         [](const auto& p) { return std::string(materials::kLawNames[p.param]); });

TEST(RoundedRows, AreRowsOfTheMatrixToElevenBitsWhateverItsScale) {
  ThreadArena arena(1);
  solve::BlockPattern pattern;
  solve::Blocks<double> matrix;
  std::vector<Vec3d> x;
  constexpr std::int32_t kRows = 11;
  const auto scale = [](std::int32_t i) { return std::pow(1e3, i % 4 - 2); };  // 1e-12 to 1e6
  for (std::int32_t i = 0; i < kRows; ++i) {
    for (std::int32_t j = std::max(0, i - 2); j < std::min(kRows, i + 3); ++j) {
      pattern.columns.push_back(j);
      matrix.emplace_back();
      for (int e = 0; e < 9; ++e) {
        const double entry = i == j ? 1 + 0.1 * e : std::sin(1.0 + e + 9 * i + 31 * j);
        matrix.back()(e % 3, e / 3) = scale(i) * scale(j) * entry;
      }
    }
    pattern.first.push_back(std::int32_t(pattern.columns.size()));
    x.push_back(Vec3d{std::cos(i), std::sin(i), 0.1 * i} * (1 / scale(i)));
  }
  std::vector<Vec3d> exact(kRows), y(kRows);
  solve::multiply<double>(pattern, matrix, x, exact, arena);
  RoundedRows rounded(pattern);
  rounded.poison();
  rounded.round(pattern, matrix, arena);
  rounded.multiply(pattern, x, y, arena);
  // Half a unit in the last place of 15 terms, each of them below 1.9.
  for (int i = 0; i < kRows; ++i) {
    EXPECT_LT(norm(y[i] - exact[i]), std::pow(2, -12) * 15 * 1.9 * scale(i)) << i;
    EXPECT_GT(norm(y[i] - exact[i]), 0);
  }
}

TEST(RoundedRows, HaveTheSameBitsWithAnyInstructions) {
  solve::BlockPattern pattern;
  constexpr std::int32_t kRows = 5;
  for (std::int32_t i = 0; i < kRows; ++i) {
    for (std::int32_t j = 0; j < kRows; ++j) pattern.columns.push_back(j);
    pattern.first.push_back(std::int32_t(pattern.columns.size()));
  }
  std::vector<double> blocks(9 * pattern.columns.size());
  std::vector<float> by_scale, x;
  for (std::size_t e = 0; e < blocks.size(); ++e) blocks[e] = 1e3 * std::sin(double(e));
  blocks[7] = 1e30;  // more than there is
  for (int i = 0; i < kRows; ++i) by_scale.push_back(0.1f * float(i + 1));
  for (int i = 0; i < 4 * kRows; ++i) x.push_back(std::cos(float(i)));
  std::vector<std::vector<Vec3d>> found;
  for (const Isa isa : available_isas()) {
    std::vector<Half> entries(blocks.size() + 16);
    std::vector<Vec3d> y(kRows);
    const RoundingView rounding{pattern, blocks.data(), by_scale.data(), entries.data()};
    const RoundedView rows{pattern, entries.data(), x.data(), by_scale.data(), y.data()};
    ISOCHOR_CALL_KERNEL(isa, round_rows_kernel(rounding, 0, kRows));
    ISOCHOR_CALL_KERNEL(isa, rounded_rows_kernel(rows, 0, 2));
    ISOCHOR_CALL_KERNEL(isa, rounded_rows_kernel(rows, 2, kRows));
    found.push_back(y);
    for (int i = 0; i < kRows; ++i) {
      EXPECT_TRUE(std::isfinite(norm(y[i])));
      EXPECT_EQ(norm(y[i] - found[0][i]), 0) << name(isa);
    }
  }
}

/// A deformed box of tets, with inertia of about its stiffness.
struct HeavyBox {
  explicit HeavyBox(ThreadArena& arena)
      : model(small_model({material_of(materials::law_index("stable_neo_hookean"))}, arena)),
        stiffnesses(model.tets.size()) {
    linearise(model, {.positions = deformed(model)}, materials::Definiteness::None, stiffnesses,
              arena);
    for (std::size_t i = 0; i < model.node_count(); ++i) {
      inertia.push_back(1e3 * (1 + double(i % 5)));
    }
  }
  Model model;
  Stiffnesses stiffnesses;
  std::vector<double> inertia;
};

TEST(RoundedRows, OfTetsAreThoseOfTheirMatrix) {
  ThreadArena arena(2);
  const HeavyBox box(arena);
  solve::Blocks<double> matrix(box.model.pattern.columns.size());
  assemble(box.model, box.stiffnesses, matrix, arena);
  constexpr double kMost = 3;
  double more = 0;
  for (std::size_t i = 0; i < box.inertia.size(); ++i) {
    const double m = box.inertia[i];
    matrix[box.model.diagonal_place(i)] += Mat3d::diagonal({m, m, m});
    if (!box.model.held[i]) more += trace(matrix[box.model.diagonal_place(i)]) - 3 * kMost * m;
  }
  RoundedRows rounded(box.model.pattern);
  rounded.poison();
  std::vector<Mat3d> diagonal(box.inertia.size());
  const double found =
      rounded.assemble(box.model, box.stiffnesses, box.inertia, kMost, diagonal, arena);
  EXPECT_NEAR(found, more, 1e-6 * std::abs(more));
  const std::vector<Vec3d> x = directions(box.model);
  std::vector<Vec3d> exact(x.size()), y(x.size());
  solve::multiply<double>(box.model.pattern, matrix, x, exact, arena);
  rounded.multiply(box.model.pattern, x, y, arena);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Mat3d& own = matrix[box.model.diagonal_place(i)];
    for (int e = 0; e < 9; ++e) {
      EXPECT_NEAR(diagonal[i](e % 3, e / 3), own(e % 3, e / 3), 1e-6 * trace(own));
    }
    // Half a unit in the last place of each entry.
    double size = 0;
    for (std::int32_t k = box.model.pattern.first[i]; k < box.model.pattern.first[i + 1]; ++k) {
      for (int e = 0; e < 9; ++e) size += std::abs(matrix[k](e % 3, e / 3));
    }
    EXPECT_LT(norm(y[i] - exact[i]), std::pow(2, -11) * size) << i;
    EXPECT_GT(norm(y[i] - exact[i]), 0);
  }
}

TEST(RoundedRows, OfTetsMuchStifferThanInertiaAreLeftToOthers) {
  ThreadArena arena(1);
  HeavyBox box(arena);
  box.inertia[7] = 1e-3;
  RoundedRows rounded(box.model.pattern);
  std::vector<Mat3d> diagonal(box.inertia.size());
  EXPECT_EQ(rounded.assemble(box.model, box.stiffnesses, box.inertia, 100, diagonal, arena),
            std::numeric_limits<double>::infinity());
}

TEST(RoundedRows, OfTetsHaveTheSameBitsWithAnyInstructions) {
  ThreadArena arena(1);
  const HeavyBox box(arena);
  const std::vector<float> by_scale(box.inertia.size(), 0.03f);
  std::vector<std::uint16_t> first;
  for (const Isa isa : available_isas()) {
    std::vector<Half> entries(9 * box.model.pattern.columns.size());
    std::vector<Mat3d> diagonal(box.inertia.size());
    double more = 0;
    const AssemblyView view{.model = box.model,
                            .stiffnesses = box.stiffnesses.data(),
                            .inertia = box.inertia.data(),
                            .most = 100,
                            .by_scale = by_scale.data(),
                            .diagonal = diagonal.data(),
                            .entries = entries.data(),
                            .more = &more};
    ISOCHOR_CALL_KERNEL(isa, assemble_rows_kernel(view, 0, box.inertia.size()));
    std::vector<std::uint16_t> bits;
    for (const Half entry : entries) bits.push_back(entry.bits);
    if (first.empty()) first = bits;
    EXPECT_EQ(bits, first) << name(isa);
  }
}

TEST(TetModel, TetsKeepTheirMaterialAndTheirNumber) {
  Context context(1);
  materials::Material soft = material_of(materials::law_index("neo_hookean"));
  materials::Material hard = soft;
  hard.mu *= 100;
  const Model model = small_model({soft, hard}, context.arena);
  for (const Batch& batch : model.batches) {
    for (int i = 0; i < batch.count; ++i) {
      const std::int32_t t = batch.first + i;
      EXPECT_EQ(model.source[t] % 2, batch.material);
      const double factor = 1 + 0.1 * (model.source[t] % 7);
      EXPECT_DOUBLE_EQ(model.mu[t], factor * model.materials[batch.material].mu);
    }
  }
  double mass = 0;
  for (const double m : model.mass) mass += m;
  EXPECT_NEAR(mass, 1000 * 0.3 * 0.3 * 0.2, 1e-12 * mass);
}

TEST(TetModel, InvertedTetsAreRefusedWithTheirNumber) {
  Context context(1);
  BodySpec body{.name = "box", .mesh = box_of_tets(1, 1, 1, 0)};
  body.materials = {material_of(0)};
  std::swap(body.mesh.tets[3][0], body.mesh.tets[3][1]);
  try {
    build_model({body}, {}, context.arena);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(e.problem().find("1 of its tets"), std::string::npos) << e.what();
    EXPECT_NE(e.problem().find("number 3"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace isochor::tets
