/// Every law of the registry in a test machine: pulled along one axis, along two, sheared. Curves
/// are drawn; numbers are compared with closed forms, of the incompressible limit where a law keeps
/// its volume and of the compressible law where there is one.
#include "reproduce/materials_curves.h"

#include <array>
#include <cmath>
#include <fmt/core.h>
#include <functional>

#include "isochor/base/file.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/specimen.h"

namespace isochor::reproduce {
namespace {

using materials::law_index;
using Shape = std::array<double, materials::kMaxShape>;

/// Numbers that make each law show what it can, all with the same stiffness at rest. Ogden's are
/// those of rubber (Ogden 1972).
struct Sample {
  std::string_view law;
  Shape shape{};
  bool dashed = false;  ///< drawn so that a curve below it can be seen
};
constexpr std::array kIsotropic{
    Sample{"linear"},
    Sample{"corotated", {}, true},
    Sample{"fixed_corotated"},
    Sample{"st_venant_kirchhoff"},
    Sample{"neo_hookean"},
    Sample{"neo_hookean_isochoric", {}, true},
    Sample{"stable_neo_hookean"},
    Sample{"mooney_rivlin", {0.2}},
    Sample{"ogden", {1.3, 5, 0.06 / 8.45, -2, 0.2 / 8.45}, true},
};
constexpr double kCos30 = 0.86602540378443865;
constexpr std::array kFibrous{
    Sample{"guccione", {8, 2, 4}},
    Sample{"fung", {4, 2, 1, 0.3, 0.4, 0.5, 1, 1.5, 2}},
    Sample{"holzapfel_gasser_ogden", {0, 2, 1, 0.1, kCos30}},
    Sample{"muscle", {1, 1, 4, 1, 0.65}},
    Sample{"muscle_mooney_rivlin", {0.125, 1.875, 0.05, 6.6, 1}},
};
static_assert(kIsotropic.size() + kFibrous.size() == materials::kLawCount,
              "a new law needs a sample");

Specimen specimen_of(const Sample& sample, double kappa, double activation = 0) {
  return make_specimen(law_index(sample.law), 1, kappa, sample.shape, activation);
}

Row make_row(std::string quantity, std::string_view law, std::string_view source, double error,
             double bound, std::string note) {
  return {.id = std::string(kMaterialsCurves),
          .quantity = std::move(quantity),
          .variant = std::string(law),
          .source = std::string(source),
          .ours = error,
          .unit = "relative error",
          .relation = Relation::AtMost,
          .bound = bound,
          .note = std::move(note)};
}

// ---- small strains ------------------------------------------------------------------------------

/// How far isotropic laws are from Hooke's, the worst of all.
void add_small_strains(std::vector<Row>& rows) {
  constexpr double kappa = 10, h = 1e-4, young = 9 * kappa / (3 * kappa + 1);
  double pull = 0, shear = 0;
  for (const Sample& sample : kIsotropic) {
    const Specimen s = specimen_of(sample, kappa);
    const double slope =
        (uniaxial(s, 0, 1 + h)->nominal[0] - uniaxial(s, 0, 1 - h)->nominal[0]) / (2 * h);
    pull = std::max(pull, std::abs(slope / young - 1));
    shear = std::max(shear, std::abs(simple_shear(s, 0, 1, h) / h - 1));
  }
  const std::string all = fmt::format("the {} isotropic laws", kIsotropic.size());
  const std::string note = fmt::format("worst of them, at a strain of {:g}", h);
  rows.push_back(make_row("Young's modulus at rest", all, "Hooke's law", pull, 1e-6, note));
  rows.push_back(make_row("shear modulus at rest", all, "Hooke's law", shear, 1e-6, note));
}

// ---- incompressible limit -----------------------------------------------------------------------

/// dW/dsigma_i of the incompressible law, mu = 1, written down anew.
using Derivatives = std::function<Vec3d(const Vec3d& sigma)>;

double first_invariant(const Vec3d& sigma) { return dot(sigma, sigma); }

Vec3d stable_part(const Vec3d& sigma) {
  return sigma * (4.0 / 3 * (1 - 1 / (first_invariant(sigma) + 1)));
}

/// Two families of fibres with H_ii = spread + (1 - 3 spread) a_i^2, k1 / (2 k2) (e^(k2 E^2) - 1)
/// each, E = H : C - 1.
Vec3d fibre_part(const Vec3d& sigma, const Vec3d& H, double k1, double k2) {
  double E = -1;
  for (int i = 0; i < 3; ++i) E += H[i] * sigma[i] * sigma[i];
  const double pull = E > 0 ? 2 * k1 * E * std::exp(k2 * E * E) : 0;
  return {pull * H[0] * sigma[0], pull * H[1] * sigma[1], pull * H[2] * sigma[2]};
}

/// c/2 (e^Q - 1), Q = E : B : E with B symmetric.
Vec3d exponential_part(const Vec3d& sigma, const Mat3d& B, double c) {
  Vec3d E;
  for (int i = 0; i < 3; ++i) E[i] = 0.5 * (sigma[i] * sigma[i] - 1);
  const Vec3d t = B * E;
  const double scale = c * std::exp(dot(t, E));
  return {scale * t[0] * sigma[0], scale * t[1] * sigma[1], scale * t[2] * sigma[2]};
}

Vec3d ogden_part(const Vec3d& sigma, const Shape& shape) {
  const double alpha[3] = {shape[0], shape[1], shape[3]};
  const double share[3] = {1 - shape[2] - shape[4], shape[2], shape[4]};
  Vec3d sum{0, 0, 0};
  for (int p = 0; p < 3; ++p) {
    for (int i = 0; i < 3; ++i) {
      sum[i] += 2 * share[p] / alpha[p] * std::pow(sigma[i], alpha[p] - 1);
    }
  }
  return sum;
}

Vec3d mooney_part(const Vec3d& sigma, double c2) {
  Vec3d sum;
  for (int i = 0; i < 3; ++i) {
    sum[i] = 2 * sigma[i] * (0.5 - c2 + c2 * (first_invariant(sigma) - sigma[i] * sigma[i]));
  }
  return sum;
}

/// Half-active muscle at its optimal length 1: the stress of activity is 0.5 T (1 - y^2)^2.
Vec3d muscle_part(const Vec3d& sigma, const Shape& shape) {
  const double y = std::min(std::abs(sigma[0] - 1) / shape[4], 1.0);
  Vec3d sum = stable_part(sigma) + fibre_part(sigma, {1, 0, 0}, shape[0], shape[1]);
  sum[0] += 0.5 * shape[2] * (1 - y * y) * (1 - y * y);
  return sum;
}

/// The same of Lee et al. 2009: parabolas of activity, and passive fibres beyond the optimal
/// length.
Vec3d lee_part(const Vec3d& sigma, const Shape& shape) {
  const double e = sigma[0] - 1, y = std::abs(e), x = shape[3] * std::clamp(e, 0.0, 0.4);
  const double active = y < 0.4   ? 1 - 25.0 / 6 * e * e
                        : y < 0.6 ? 25.0 / 3 * (y - 0.6) * (y - 0.6)
                                  : 0;
  const double passive = std::exp(x) - x - 1 + std::max(e - 0.4, 0.0) * shape[3] * std::expm1(x);
  Vec3d sum = mooney_part(sigma, shape[0]);
  sum[0] += shape[1] * (0.5 * active + shape[2] * passive);
  return sum;
}

struct ClosedForm {
  Sample sample;
  Derivatives derivatives;
  double farthest = 2;       ///< stretch; exponentials outgrow any kappa soon
  bool alike_across = true;  ///< pulled along axis 0, it contracts alike along the other two
  double activation = 0;
};

std::vector<ClosedForm> closed_forms() {
  const auto hooke = [](const Vec3d& s) { return s; };
  const Shape ogden = kIsotropic[8].shape, muscle = kFibrous[3].shape;
  const Shape g = kFibrous[0].shape, f = kFibrous[1].shape, h = kFibrous[2].shape;
  const double aligned = 1 - 3 * h[3];
  const Vec3d spread{h[3] + aligned * 0.75, h[3] + aligned * 0.25, h[3]};
  return {
      {{"neo_hookean"}, hooke},
      {{"neo_hookean_isochoric"}, hooke},
      {{"stable_neo_hookean"}, stable_part},
      {kIsotropic[7], [](const Vec3d& s) { return mooney_part(s, 0.2); }},
      {kIsotropic[8], [=](const Vec3d& s) { return ogden_part(s, ogden); }},
      {kFibrous[0],
       [=](const Vec3d& s) {
         return exponential_part(s, Mat3d::diagonal({g[0], g[1], g[1]}), 2 / g[1]);
       },
       1.25},
      {kFibrous[1],
       [=](const Vec3d& s) {
         const Mat3d B{{{f[0], f[5], f[4]}, {f[5], f[1], f[3]}, {f[4], f[3], f[2]}}};
         return exponential_part(s, B, 2 / f[6]);
       },
       1.25, false},
      {{"holzapfel_gasser_ogden", {0, 2, 1, 0, 1}},
       [](const Vec3d& s) {
         return s + 2.0 * fibre_part(s, {1, 0, 0}, 2, 1);
       }},
      {kFibrous[2], [=](const Vec3d& s) { return s + 2.0 * fibre_part(s, spread, h[1], h[2]); },
       false},
      {kFibrous[3], [=](const Vec3d& s) { return muscle_part(s, muscle); }, 2, true, 0.5},
      {kFibrous[4], [=](const Vec3d& s) { return lee_part(s, kFibrous[4].shape); }, 2, true, 0.5},
  };
}

/// With the pressure that frees axis 2 taken away.
double pull_along_0(const Derivatives& derivatives, const Vec3d& sigma) {
  const Vec3d w = derivatives(sigma);
  return w[0] - w[2] * sigma[2] / sigma[0];
}

void add_incompressible(std::vector<Row>& rows) {
  constexpr double kappa = 1e8;
  for (const ClosedForm& form : closed_forms()) {
    const Specimen s = specimen_of(form.sample, kappa, form.activation);
    double error = 0;
    const auto compare = [&](const std::optional<Stretched>& state, const Vec3d& sigma) {
      const double exact = pull_along_0(form.derivatives, sigma);
      const double got = state ? state->nominal[0] : HUGE_VAL;
      error = std::max(error, std::abs(got - exact) / (1 + std::abs(exact)));
    };
    for (const double l : {0.6, 0.8, 0.95, 1.05, 1.2, 1.5, 2.0}) {
      if (std::max(l, 1 / l) > form.farthest) continue;
      const double t = 1 / std::sqrt(l);
      if (form.alike_across) compare(uniaxial(s, 0, l), {l, t, t});
      compare(equibiaxial(s, 2, l), {l, l, 1 / (l * l)});
      compare(pure_shear(s, 0, 1, l), {l, 1, 1 / l});
    }
    rows.push_back(
        make_row(form.alike_across ? "pulled along one axis, two axes, in pure shear"
                                   : "pulled along two axes, in pure shear",
                 form.sample.law, "closed form, incompressible", error, 1e-5,
                 fmt::format("worst of stretches to {:g}; kappa = {:g} mu{}", form.farthest, kappa,
                             form.activation > 0 ? "; half active" : "")));
  }
}

// ---- compressible laws --------------------------------------------------------------------------

/// Width and nominal stress of a cube pulled along one axis, mu = 1, lambda = 10.
struct Pulled {
  double stretch, width, stress;
};
struct Reference {
  std::string_view law;
  std::array<Pulled, 2> pulled;
};
constexpr double kLambda = 10, kKappa = kLambda + 2.0 / 3;
constexpr double kYoung = (3 * kLambda + 2) / (kLambda + 1),
                 kPoisson = 0.5 * kLambda / (kLambda + 1);

void add_compressible(std::vector<Row>& rows) {
  const auto corotated = [](double l) {
    return Pulled{l, 1 - kPoisson * (l - 1), kYoung * (l - 1)};
  };
  const auto green = [](double l) {
    return Pulled{l, std::sqrt(1 - kPoisson * (l * l - 1)), 0.5 * kYoung * l * (l * l - 1)};
  };
  // Those of neo_hookean and fixed_corotated solve mu (t - 1/t) + lambda ln(l t^2) / t = 0 and
  // 2 mu (t - 1) + lambda (J - 1) J / t = 0.
  const Reference references[] = {
      {"linear", {corotated(1.5), corotated(0.7)}},
      {"corotated", {corotated(1.5), corotated(0.7)}},
      {"st_venant_kirchhoff", {green(1.5), green(0.8)}},
      {"neo_hookean", {{{1.5, 0.82934177, 1.04146149}, {0.7, 1.17297572, -1.26553148}}}},
      {"fixed_corotated", {{{1.5, 0.82774657, 1.19010958}, {0.7, 1.17013860, -1.16881640}}}}};
  for (const Reference& r : references) {
    const Specimen s = make_specimen(law_index(r.law), 1, kKappa);
    double error = 0;
    for (const Pulled& p : r.pulled) {
      const std::optional<Stretched> state = uniaxial(s, 0, p.stretch);
      error = std::max(error, state ? std::abs(state->stretch[1] / p.width - 1) : HUGE_VAL);
      error = std::max(error, state ? std::abs(state->nominal[0] / p.stress - 1) : HUGE_VAL);
    }
    rows.push_back(make_row(
        "width and stress, pulled along one axis", r.law, "closed form, lambda = 10 mu", error,
        1e-8, fmt::format("stretches {:g} and {:g}", r.pulled[0].stretch, r.pulled[1].stretch)));
  }
}

void add_simple_shear(std::vector<Row>& rows) {
  constexpr double g = 0.5;
  const double s = std::sqrt(4 + g * g);
  const std::pair<std::string_view, double> references[] = {
      {"linear", g},
      {"neo_hookean", g},
      {"neo_hookean_isochoric", g},
      {"mooney_rivlin", g},
      {"stable_neo_hookean", 4.0 / 3 * (1 - 1 / (4 + g * g)) * g},
      {"st_venant_kirchhoff", g + (1 + kLambda / 2) * g * g * g},
      {"corotated", 2 * (g - g / s) + kLambda * (s - 2) * g / s},
      {"fixed_corotated", 2 * (g - g / s)}};
  for (const auto& [law, exact] : references) {
    const double got = simple_shear(make_specimen(law_index(law), 1, kKappa), 0, 1, g);
    rows.push_back(make_row("stress in simple shear", law, "closed form, lambda = 10 mu",
                            std::abs(got / exact - 1), 1e-13, fmt::format("shear of {:g}", g)));
  }
}

// ---- curves -------------------------------------------------------------------------------------

/// In shear less: laws that do not measure volume by J take the rotation of shear for a change of
/// it.
constexpr double kCurveKappa = 1e3, kShearKappa = 10;

/// Follows a state from rest outwards, to both sides, as far as there is one.
run::Series follow(std::string name, const Specimen& specimen, int axis,
                   const std::array<bool, 3>& free, double low, double high) {
  constexpr int kSteps = 100;
  run::Series down, series;
  series.name = std::move(name);
  for (const double end : {low, high}) {
    run::Series& side = end < 1 ? down : series;
    std::optional<Stretched> state = release(specimen, {1, 1, 1}, free);
    for (int k = 0; k <= kSteps && state; ++k) {
      Vec3d start = state->stretch;
      const double l = 1 + (end - 1) * k / kSteps;
      for (int i = 0; i < 3; ++i) {
        if (!free[i]) start[i] = l;
      }
      state = release(specimen, start, free);
      if (!state) break;
      side.x.push_back(l);
      side.y.push_back(state->nominal[axis]);
    }
  }
  series.x.insert(series.x.begin(), down.x.rbegin(), down.x.rend());
  series.y.insert(series.y.begin(), down.y.rbegin(), down.y.rend());
  return series;
}

run::Series follow_shear(std::string name, const Specimen& specimen, int direction, int normal,
                         double high) {
  run::Series series{.name = std::move(name)};
  for (int k = 0; k <= 100; ++k) {
    series.x.push_back(high * k / 100);
    series.y.push_back(simple_shear(specimen, direction, normal, series.x.back()));
  }
  return series;
}

void save(const std::filesystem::path& folder, const char* file, const char* title,
          const char* x_label, std::span<const run::Series> series) {
  write_file_atomic(folder / file, run::plot_svg(series, {.title = title,
                                                          .x_label = x_label,
                                                          .y_label = "nominal stress / mu",
                                                          .width = 720,
                                                          .height = 460}));
}

void draw_isotropic(const std::filesystem::path& folder) {
  std::vector<run::Series> pulled, twice, sheared;
  for (const Sample& sample : kIsotropic) {
    const Specimen s = specimen_of(sample, kCurveKappa);
    const std::string name(sample.law);
    pulled.push_back(follow(name, s, 0, {false, true, true}, 0.4, 2.5));
    twice.push_back(follow(name, s, 0, {false, false, true}, 0.6, 2));
    sheared.push_back(follow_shear(name, specimen_of(sample, kShearKappa), 0, 1, 1));
    for (run::Series* series : {&pulled.back(), &twice.back(), &sheared.back()}) {
      series->dashed = sample.dashed;
    }
  }
  save(folder, "materials_uniaxial.svg", "Pulled along one axis, kappa = 1000 mu", "stretch",
       pulled);
  save(folder, "materials_equibiaxial.svg", "Pulled along two axes, kappa = 1000 mu", "stretch",
       twice);
  save(folder, "materials_simple_shear.svg", "Simple shear, kappa = 10 mu", "shear", sheared);
}

void draw_fibrous(const std::filesystem::path& folder) {
  std::vector<run::Series> pulled, twice, sheared, active;
  for (std::size_t i = 0; i < kFibrous.size(); ++i) {
    const Specimen s = specimen_of(kFibrous[i], kCurveKappa);
    const auto add = [&](std::vector<run::Series>& to, run::Series series, bool across) {
      series.name = fmt::format("{}, {}", kFibrous[i].law, across ? "across" : "along");
      series.colour = static_cast<int>(i);
      series.dashed = across;
      to.push_back(std::move(series));
    };
    add(pulled, follow("", s, 0, {false, true, true}, 0.7, 1.3), false);
    add(pulled, follow("", s, 1, {true, false, true}, 0.7, 1.3), true);
    add(twice, follow("", s, 0, {false, false, true}, 0.85, 1.2), false);
    add(twice, follow("", s, 1, {false, false, true}, 0.85, 1.2), true);
    add(sheared, follow_shear("", s, 0, 1, 0.7), false);
    add(sheared, follow_shear("", s, 1, 0, 0.7), true);
  }
  for (const double activation : {0.0, 0.5, 1.0}) {
    active.push_back(follow(fmt::format("activation {:g}", activation),
                            specimen_of(kFibrous[3], kCurveKappa, activation), 0,
                            {false, true, true}, 0.4, 1.4));
  }
  save(folder, "materials_fibres_uniaxial.svg", "Pulled along and across the fibres", "stretch",
       pulled);
  save(folder, "materials_fibres_equibiaxial.svg",
       "Pulled along and across the fibres at once: the two stresses", "stretch", twice);
  save(folder, "materials_fibres_shear.svg", "Simple shear along the fibres and across them",
       "shear", sheared);
  save(folder, "materials_muscle_active.svg", "Muscle pulled along its fibres", "stretch", active);
}

}  // namespace

std::vector<Row> materials_curves(const ExperimentOptions& options, Context&) {
  std::vector<Row> rows;
  add_small_strains(rows);
  add_incompressible(rows);
  add_compressible(rows);
  add_simple_shear(rows);
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    draw_isotropic(options.pictures);
    draw_fibrous(options.pictures);
  }
  add_measured_materials(options, rows);
  return rows;
}

}  // namespace isochor::reproduce
