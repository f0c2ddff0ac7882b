/// Laws fitted to measured silicones, skin and muscle, beside published numbers; and the presets of
/// the program beside the measurements that they come from, so that no preset drifts from its
/// source.
#include <cmath>
#include <fmt/core.h>
#include <numbers>

#include "isochor/base/file.h"
#include "isochor/materials/presets.h"
#include "isochor/materials/registry.h"
#include "isochor/run/plot.h"
#include "reproduce/material_fit.h"
#include "reproduce/materials_curves.h"

namespace isochor::reproduce {
namespace {

using materials::law_index;
using Curves = std::vector<MeasuredCurve>;

constexpr double kNearlyIncompressible = 100;  ///< kappa / mu of a Poisson's ratio of 0.495
constexpr double kIncompressible = 1e6;        ///< kappa / mu
constexpr double kMuscleKappa = 2400;          ///< kappa / mu, see the preset
constexpr std::size_t kMostPoints = 60;        ///< of a curve that a law is fitted to
constexpr double kPresetSlack = 1.2;           ///< a preset's misfit over that of its fit
constexpr std::string_view kMisfit = "rms relative error of stress";

/// Pa: softer than any tissue to stiffer than any silicone.
constexpr Unknown kAnyModulus{1e4, 1e2, 1e7};

// ---- what is fitted -----------------------------------------------------------------------------

struct Candidate {
  std::string_view name;
  FitProblem problem;
};

constexpr std::string_view kOgden = "ogden, one term", kOgden2 = "ogden, two terms";

/// Exponents and shares are kept where each term of Ogden's law is stable by itself.
std::vector<Candidate> isotropic_candidates(double kappa_of_mu, double exponent) {
  constexpr int kMu = FitProblem::kMu;
  const Unknown alpha1 = exponent > 0 ? Unknown{exponent, 0.5, 10} : Unknown{exponent, -10, -0.5};
  return {{"neo_hookean_isochoric",
           {law_index("neo_hookean_isochoric"), kappa_of_mu, {}, {{kMu, kAnyModulus}}}},
          {"mooney_rivlin",
           {law_index("mooney_rivlin"), kappa_of_mu, {}, {{kMu, kAnyModulus}, {0, {0.1, 0, 0.5}}}}},
          {kOgden,
           {law_index("ogden"), kappa_of_mu, {2, -2, 0, 4, 0}, {{kMu, kAnyModulus}, {0, alpha1}}}},
          {kOgden2,
           {law_index("ogden"),
            kappa_of_mu,
            {2, 4, 0, 4, 0},
            {{kMu, kAnyModulus}, {0, alpha1}, {1, {4, 0.5, 10}}, {2, {0.1, 0, 0.5}}}}}};
}

/// Fibres may be spread little about a steep angle, or much about none: two minima.
constexpr std::size_t kSkinAngle = 4;
constexpr double kSkinCosines[] = {0.5, 0.75, 0.95};

FitProblem skin_problem() {
  return {law_index("holzapfel_gasser_ogden"),
          kNearlyIncompressible,
          {},
          {{FitProblem::kMu, {1e6, 1e4, 1e7}},
           {1, {50, 0.1, 1e4}},
           {2, {1, 0.1, 10}},
           {3, {0.1, 0, 1.0 / 3}},
           {4, {0.75, 0, 1}}}};
}

/// Pressing stretches the fibres too little to tell how they stiffen: k2 is given.
FitProblem muscle_problem() {
  return {law_index("muscle"),
          kMuscleKappa,
          {1, 2, 0, 1, 0.65},
          {{FitProblem::kMu, kAnyModulus}, {0, {1, 0.01, 100}}}};
}

// ---- rows ---------------------------------------------------------------------------------------

class Report {
 public:
  Report(const ExperimentOptions& options, std::vector<Row>& rows)
      : folder_(options.data / "measurement"), pictures_(options.pictures), rows_(rows) {}

  const std::filesystem::path& folder() const { return folder_; }
  bool draws() const { return !pictures_.empty(); }

  Row& add(std::string quantity, std::string_view variant, std::string_view source) {
    rows_.push_back({.id = std::string(kMaterialsCurves),
                     .quantity = std::move(quantity),
                     .variant = std::string(variant),
                     .source = std::string(source)});
    return rows_.back();
  }

  Row& add_fit(std::string_view material, const Candidate& candidate, const MaterialFit& fit,
               std::string_view range, std::string_view source) {
    Row& row = add(fmt::format("{}, {}", material, range), candidate.name, source);
    row.ours = fit.misfit;
    row.unit = kMisfit;
    row.note =
        fmt::format("{}; {} points, kappa = {:g} mu", numbers_text(candidate.problem, fit.specimen),
                    fit.points, candidate.problem.kappa_of_mu);
    return row;
  }

  void add_published(std::string quantity, std::string_view variant, std::string_view source,
                     std::optional<double> published, double ours, std::string_view unit,
                     std::string note = "") {
    Row& row = add(std::move(quantity), variant, source);
    row.paper = published;
    row.ours = ours;
    row.unit = unit;
    row.note = std::move(note);
  }

  void add_preset(std::string_view name, const Curves& curves, double fitted) {
    Row& row = add(fmt::format("preset {} against what it was fitted to", name), name,
                   materials::find_preset(name)->source);
    row.ours = misfit(preset_specimen(name), curves);
    row.unit = kMisfit;
    row.relation = Relation::AtMost;
    row.bound = kPresetSlack * fitted;
    row.note = fmt::format("bound: {:g} times the fit's own", kPresetSlack);
  }

  static Specimen preset_specimen(std::string_view name) {
    const materials::Preset& p = *materials::find_preset(name);
    return make_specimen(law_index(p.law), p.mu, p.kappa, p.shape);
  }

  void save(std::string_view file, std::string_view title, std::string_view y_label,
            std::span<const run::Series> series) const {
    write_file_atomic(pictures_ / file, run::plot_svg(series, {.title = std::string(title),
                                                               .x_label = "stretch",
                                                               .y_label = std::string(y_label),
                                                               .width = 720,
                                                               .height = 460}));
  }

 private:
  std::filesystem::path folder_, pictures_;
  std::vector<Row>& rows_;
};

run::Series measured_series(const MeasuredCurve& curve, std::string name, int colour, double unit) {
  run::Series s{.name = std::move(name), .x = curve.stretch, .y = curve.stress, .points = true};
  s.colour = colour;
  for (double& y : s.y) y /= unit;
  return s;
}

run::Series model_series(const MeasuredCurve& curve, const Specimen& specimen, std::string name,
                         int colour, bool dashed, double unit) {
  // Finer than the measurement, which may have few points.
  MeasuredCurve fine{.axis = curve.axis, .cauchy = curve.cauchy};
  const double first = curve.stretch.front(), last = curve.stretch.back();
  for (int k = 0; k <= 100; ++k) fine.stretch.push_back(first + (last - first) * k / 100);
  run::Series s{.name = std::move(name), .x = fine.stretch, .y = stress_along(specimen, fine)};
  s.colour = colour;
  s.dashed = dashed;
  for (double& y : s.y) y /= unit;
  return s;
}

double young_at_rest(const Specimen& specimen) {
  constexpr double h = 1e-4;
  return (uniaxial(specimen, 0, 1 + h)->nominal[0] - uniaxial(specimen, 0, 1 - h)->nominal[0]) /
         (2 * h);
}

// ---- silicones ----------------------------------------------------------------------------------

struct Silicone {
  std::string_view name, file, preset;
  double modulus_100;  ///< nominal stress at a strain of 1 by the manufacturer's data sheet, Pa
  std::string_view young_source;
  std::string_view phantom;  ///< label in the phantom table, or empty
  double young = 0;          ///< otherwise: published Young's modulus, Pa
};
constexpr double kPsi = 6894.757;
constexpr Silicone kSilicones[] = {
    {"Ecoflex 00-10", "Ecoflex_00-10", "ecoflex_00_10", 8 * kPsi,
     "Dawood, phantom material database: compression", "EF10_0T"},
    {"Ecoflex 00-30", "Ecoflex_00-30", "ecoflex_00_30", 10 * kPsi,
     "Dawood, phantom material database: compression", "EF30_0T"},
    {"Dragon Skin 10", "Dragon_Skin_10_MEDIUM", "dragon_skin_10", 22 * kPsi,
     "diffPD_sim2real: bending of a beam, corotated", "", 263.8e3},
};
constexpr std::string_view kTension = "Marechal 2021, ASTM D412 tension";
constexpr double kPresetStretch = 4;

/// Fits all candidates to one range; returns them in the order of the candidates. `claim`: the
/// largest misfit that Ogden's law may have with one term.
std::vector<MaterialFit> add_silicone_fits(const Silicone& silicone, const Curves& curves,
                                           double kappa_of_mu, std::string_view range, double claim,
                                           Report& report) {
  std::vector<MaterialFit> fits;
  for (const Candidate& c : isotropic_candidates(kappa_of_mu, 2)) {
    fits.push_back(fit_law(c.problem, curves));
    Row& row = report.add_fit(silicone.name, c, fits.back(), range, kTension);
    if (c.name != kOgden) continue;
    row.relation = Relation::AtMost;
    row.bound = claim;
  }
  return fits;
}

/// Returns the whole curve with its best fit, for a picture of all silicones.
std::vector<run::Series> add_silicone(const Silicone& silicone, int colour, Report& report) {
  const MeasuredCurve whole = read_elastomer(report.folder(), silicone.file);
  const Curves part{part_of(whole, kPresetStretch, kMostPoints)};
  const Curves all{part_of(whole, HUGE_VAL, kMostPoints)};
  const auto fits = add_silicone_fits(silicone, part, kNearlyIncompressible,
                                      fmt::format("to stretch {:g}", kPresetStretch), 0.08, report);
  const auto far =
      add_silicone_fits(silicone, all, kIncompressible,
                        fmt::format("to its break at {:.3g}", whole.stretch.back()), 0.08, report);
  const MaterialFit& ogden = fits[2];
  const std::string_view crosshead =
      "its strain is that of the crosshead, which counts the specimen's wide ends as well";
  report.add_published(
      fmt::format("{}: Young's modulus at rest", silicone.name), kOgden, silicone.young_source,
      silicone.phantom.empty() ? silicone.young
                               : read_phantom_young(report.folder(), silicone.phantom),
      young_at_rest(ogden.specimen), "Pa", std::string(crosshead));
  report.add_published(fmt::format("{}: nominal stress at a strain of 1", silicone.name),
                       "measured", "Smooth-On data sheet, 100 % modulus", silicone.modulus_100,
                       stress_at(whole, 2), "Pa", std::string(crosshead));
  report.add_preset(silicone.preset, part, ogden.misfit);
  if (report.draws()) {
    report.save(
        fmt::format("materials_{}.svg", silicone.preset),
        fmt::format("{} in tension", silicone.name), "nominal stress [kPa]",
        std::vector{measured_series(part[0], "measured", 7, 1e3),
                    model_series(part[0], fits[0].specimen, "neo-Hookean", 0, false, 1e3),
                    model_series(part[0], ogden.specimen, "Ogden, one term", 1, false, 1e3),
                    model_series(part[0], fits[3].specimen, "Ogden, two terms", 2, true, 1e3)});
  }
  return {measured_series(all[0], fmt::format("{}, measured", silicone.name), colour, 1e6),
          model_series(all[0], far[3].specimen, "Ogden, two terms", colour, false, 1e6)};
}

void add_silicones(Report& report) {
  std::vector<run::Series> series;
  int colour = 0;
  for (const Silicone& silicone : kSilicones) {
    for (run::Series& s : add_silicone(silicone, colour++, report)) series.push_back(std::move(s));
  }
  if (report.draws()) {
    report.save("materials_silicones.svg", "Silicones in tension until they break",
                "nominal stress [MPa]", series);
  }
}

// ---- tissue -------------------------------------------------------------------------------------

void add_skin(Report& report) {
  constexpr std::string_view source = "Ni Annaidh 2012, excised human skin, tension";
  const Curves curves = read_skin(report.folder());
  const Candidate candidate{"holzapfel_gasser_ogden", skin_problem()};
  const MaterialFit fit = fit_law(candidate.problem, curves, kSkinAngle, kSkinCosines);
  report.add_fit("skin, both directions at once", candidate, fit, "to stretch 1.37 and 1.52",
                 source);
  // The published numbers, with k1 in multiples of mu: with k1 in MPa they miss by a factor of 4.
  const double mu = 0.2014e6, k1 = 243.6, k2 = 0.1327, spread = 0.1404, angle = 41;
  const Specimen published =
      make_specimen(candidate.problem.law, mu, 1e3 * mu,
                    {0, k1, k2, spread, std::cos(angle * std::numbers::pi / 180)});
  Row& row = report.add("skin, both directions at once, numbers as published", candidate.name,
                        "Ni Annaidh 2012 (Ann. Biomed. Eng.), fitted there to the same curves");
  row.ours = misfit(published, curves);
  row.unit = kMisfit;
  row.relation = Relation::AtMost;
  row.bound = 0.2;
  row.note = "mu = 0.2014 MPa, k1 = 243.6 mu, k2 = 0.1327, dispersion = 0.1404, angle = 41 deg";

  const auto& p = fit.specimen.parameters;
  constexpr std::string_view paper = "Ni Annaidh 2012 (Ann. Biomed. Eng.)";
  report.add_published("skin: k1", candidate.name, paper, k1 * mu, p.mu * p.shape[1], "Pa");
  report.add_published("skin: dispersion", candidate.name, paper, spread, p.shape[3], "",
                       "published: counted in histological sections");
  report.add_published("skin: angle of the fibres", candidate.name, paper, angle,
                       std::acos(p.shape[4]) * 180 / std::numbers::pi, "deg");
  for (const MeasuredCurve& c : curves) {
    report.add_published(fmt::format("skin: largest nominal stress, {}", c.name), "measured",
                         "Ni Annaidh 2012 (J. Mech. Behav. Biomed. Mater.), mean strength", 21.6e6,
                         c.stress.back() / c.stretch.back(), "Pa",
                         "the curve taken as Cauchy stress at constant volume");
  }
  report.add_preset("skin", curves, fit.misfit);
  if (!report.draws()) return;
  std::vector<run::Series> series;
  for (int i = 0; i < 2; ++i) {
    series.push_back(measured_series(curves[i], curves[i].name, i, 1e6));
    series.push_back(model_series(curves[i], fit.specimen, "fitted", i, false, 1e6));
    series.push_back(model_series(curves[i], published, "as published", i, true, 1e6));
  }
  report.save("materials_skin.svg", "Human skin in tension, Holzapfel-Gasser-Ogden",
              "Cauchy stress [MPa]", series);
}

void add_muscle(Report& report) {
  constexpr std::string_view source = "Van Loocke 2006, passive porcine muscle, slow compression";
  Curves curves = read_muscle(report.folder());
  for (MeasuredCurve& c : curves) c = part_of(c, HUGE_VAL, kMostPoints);
  MaterialFit ogden;  // of the last curve: across
  for (const MeasuredCurve& c : curves) {
    for (const Candidate& candidate : isotropic_candidates(kNearlyIncompressible, -4)) {
      if (candidate.name == kOgden2) continue;
      const MaterialFit fit = fit_law(candidate.problem, Curves{c});
      report.add_fit(fmt::format("muscle, {}", c.name), candidate, fit, "to stretch 0.7", source);
      if (candidate.name == kOgden) ogden = fit;
    }
  }
  const Candidate both{"muscle", muscle_problem()};
  const MaterialFit fit = fit_law(both.problem, curves);
  report.add_fit("muscle, both directions at once", both, fit, "to stretch 0.7", source).note +=
      "; k2 = 2 is given";
  report.add_preset("muscle_passive", {curves[1]}, ogden.misfit);
  report.add_preset("muscle", curves, fit.misfit);
  if (!report.draws()) return;
  std::vector<run::Series> series;
  for (int i = 0; i < 2; ++i) {
    series.push_back(measured_series(curves[i], curves[i].name, i, 1e3));
    series.push_back(model_series(curves[i], fit.specimen, "law muscle", i, false, 1e3));
  }
  series.push_back(model_series(curves[1], ogden.specimen, "Ogden, one term", 1, true, 1e3));
  report.save("materials_muscle.svg", "Passive muscle pressed along and across its fibres",
              "Cauchy stress [kPa]", series);
}

/// A preset that rests on a published number alone.
void add_fat(Report& report) {
  constexpr double published = 3.25e3;
  const std::string_view source = materials::find_preset("fat")->source;
  const double young = young_at_rest(Report::preset_specimen("fat"));
  report.add_published("preset fat: Young's modulus at rest", "fat", source, published, young,
                       "Pa");
  Row& row = report.add("preset fat: Young's modulus against the published one", "fat", source);
  row.ours = std::abs(young / published - 1);
  row.unit = "relative error";
  row.relation = Relation::AtMost;
  row.bound = 0.005;
}

}  // namespace

void add_measured_materials(const ExperimentOptions& options, std::vector<Row>& rows) {
  Report report(options, rows);
  add_fat(report);
  if (options.data.empty() || !std::filesystem::is_directory(report.folder())) {
    const std::string why = options.data.empty() ? "no measurements: no folder was given"
                                                 : fmt::format("no measurements: {} is not there",
                                                               report.folder().string());
    for (const char* what : {"silicones", "skin", "muscle"}) {
      report.add(fmt::format("{}: fits and presets", what), "", "").note = why;
    }
    return;
  }
  add_silicones(report);
  add_skin(report);
  add_muscle(report);
}

}  // namespace isochor::reproduce
