#include "isochor/sim/capabilities.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "isochor/base/error.h"

namespace isochor::sim {
namespace {

constexpr Features operator|(Feature a, Feature b) {
  return static_cast<Features>(a) | static_cast<Features>(b);
}
constexpr Features operator|(Features a, Feature b) { return a | static_cast<Features>(b); }

using enum Feature;

constexpr std::array kFeatureNames{
    FeatureName{Static, "static"},
    FeatureName{Dynamic, "dynamic"},
    FeatureName{HeldNodes, "held nodes"},
    FeatureName{SlidingNodes, "sliding nodes"},
    FeatureName{HeldSurfaces, "held surfaces"},
    FeatureName{ClampedSurfaces, "clamped surfaces"},
    FeatureName{Ties, "ties"},
    FeatureName{Muscles, "muscles"},
    FeatureName{Tractions, "tractions"},
    FeatureName{Pressures, "pressures"},
    FeatureName{Contact, "colliders"},
    FeatureName{SelfContact, "contact among bodies"},
    FeatureName{SlidingBones, "flesh that slides over bones"},
    FeatureName{Incompressible, "incompressible bodies"},
    FeatureName{StiffnessDamping, "damping by stiffness"},
    FeatureName{Regions, "regions of tets"},
    FeatureName{Skin, "skin"},
    FeatureName{Bands, "bands"},
    FeatureName{Zones, "zones"},
    FeatureName{SagFree, "rest shapes from shapes under load"},
};

constexpr Features kStaticLattice =
    Static | HeldNodes | SlidingNodes | HeldSurfaces | Ties | Muscles | Tractions | SagFree;
/// Nonlinear cycles know neither on their coarse levels.
constexpr Features kSurfaces = ClampedSurfaces | Pressures;
constexpr Features kSheets = Skin | Bands;
constexpr Features kTouching = Contact | SelfContact;
constexpr Features kTouchingLattice = Contact | SelfContact | SlidingBones;

constexpr Features kMoving = Dynamic | StiffnessDamping;

constexpr MethodSetting kPaper{&MethodSpec::variant, "variant", "paper"};
constexpr MethodSetting kFas{&MethodSpec::solver, "solver", "fas"};
constexpr MethodSetting kGauss{&MethodSpec::quadrature, "quadrature", "gauss"};
constexpr MethodSetting kFourPoints{&MethodSpec::quadrature, "quadrature", "four-points"};
constexpr MethodSetting kPenalty{&MethodSpec::volume, "volume", "penalty"};
constexpr MethodSetting kMixed{&MethodSpec::volume, "volume", "mixed"};
constexpr MethodSetting kOneRing{&MethodSpec::volume, "volume", "one-ring"};
constexpr MethodSetting kZonal{&MethodSpec::volume, "volume", "zones"};
constexpr MethodSetting kBest{&MethodSpec::variant, "variant", "best"};
constexpr MethodSetting kJacobi{&MethodSpec::preconditioner, "preconditioner", "jacobi"};

constexpr std::array kLatticeSettings{kPenalty};
constexpr std::array kPaperSettings{kPenalty, kPaper};
constexpr std::array kFasSettings{kPenalty, kFas};
constexpr std::array kGaussSettings{kPenalty, kGauss};
constexpr std::array kMixedSettings{kMixed};
constexpr std::array kMixedPaperSettings{kMixed, kPaper};
constexpr std::array kNotMixed{kFas, kGauss, kJacobi};
constexpr std::array kNotFas{kFourPoints};
constexpr std::array kNotTets{kPaper, kFas, kGauss, kFourPoints};
constexpr std::array kOneRingSettings{kOneRing, kBest};
constexpr std::array kOneRingPaperSettings{kOneRing, kPaper};
constexpr std::array kNotOneRing{kFas, kGauss, kFourPoints};
constexpr std::array kZonalSettings{kZonal, kBest};
constexpr std::array kZonalPaperSettings{kZonal, kPaper};
constexpr Features kHeldTets = HeldNodes | HeldSurfaces | ClampedSurfaces | Ties;
constexpr Features kZonalTets = Static | Dynamic | kHeldTets | SlidingNodes | SlidingBones |
                                Tractions | Muscles | Regions | kTouching | Zones | kSheets;
constexpr std::array<std::string_view, 1> kBackwardEuler{"backward-euler"};
/// Those whose forces are evaluated where a step ends: where volumes have to be right.
constexpr std::array<std::string_view, 2> kToTheEnd{"backward-euler", "bdf2"};
constexpr std::array kStaggeredSettings{kPenalty, kBest};
constexpr std::array kStaggeredPaperSettings{kPenalty, kPaper};
constexpr std::array kNotStaggered{kFas, kGauss, kFourPoints, kJacobi};
constexpr std::array<std::string_view, 2> kStaggeredLaws{"linear", "corotated"};
constexpr Features kStaggered =
    Static | Dynamic | HeldNodes | Tractions | StiffnessDamping | Contact;

constexpr std::array kCapabilities{
    Capability{.name = "lattice",
               .method = "lattice",
               .settings = kLatticeSettings,
               .source = "McAdams 2011, improved",
               .elements = "hexahedral cells, one point",
               .volume = "penalty",
               .features = kStaticLattice | kSurfaces | Skin | kMoving | kTouchingLattice},
    Capability{.name = "lattice-paper",
               .method = "lattice",
               .settings = kPaperSettings,
               .source = "McAdams 2011",
               .elements = "hexahedral cells, one point",
               .volume = "penalty",
               .features = kStaticLattice | kSurfaces | Skin | kMoving | kTouchingLattice},
    // Nonlinear cycles know no inertia.
    Capability{.name = "lattice-fas",
               .method = "lattice",
               .settings = kFasSettings,
               .excludes = kNotFas,
               .source = "McAdams 2011, nonlinear multigrid",
               .elements = "hexahedral cells, one point",
               .volume = "penalty",
               .features = kStaticLattice},
    Capability{.name = "lattice-gauss",
               .method = "lattice",
               .settings = kGaussSettings,
               .source = "a reference",
               .elements = "hexahedral cells, eight Gauss points",
               .volume = "penalty",
               .features = kStaticLattice | kSurfaces | kMoving | kTouchingLattice},
    Capability{.name = "lattice-mixed",
               .method = "lattice",
               .settings = kMixedSettings,
               .excludes = kNotMixed,
               .source = "Patterson 2012, improved",
               .elements = "hexahedral cells, one point",
               .volume = "pressure per cell",
               .features =
                   kStaticLattice | kSurfaces | Skin | kMoving | Incompressible | kTouchingLattice},
    Capability{.name = "lattice-mixed-paper",
               .method = "lattice",
               .settings = kMixedPaperSettings,
               .excludes = kNotMixed,
               .source = "Patterson 2012",
               .elements = "hexahedral cells, one point",
               .volume = "pressure per cell",
               .features =
                   kStaticLattice | kSurfaces | Skin | kMoving | Incompressible | kTouchingLattice},
    Capability{.name = "tets",
               .method = "tets",
               .settings = kLatticeSettings,
               .excludes = kNotTets,
               .source = "linear tetrahedra; preconditioner of Xu 1996",
               .elements = "tetrahedra, linear",
               .volume = "penalty",
               .features = kMoving | Static | kHeldTets | SlidingNodes | SlidingBones | Tractions |
                           Muscles | Regions | kTouching | kSheets},
    Capability{.name = "tets-one-ring",
               .method = "tets",
               .settings = kOneRingSettings,
               .excludes = kNotOneRing,
               .source = "Irving 2007, improved",
               .elements = "tetrahedra, linear",
               .volume = "pressure per node",
               .integrators = kBackwardEuler,
               .features = kMoving | kHeldTets | SlidingNodes | SlidingBones | Tractions | Muscles |
                           Regions | kTouching},
    Capability{.name = "tets-one-ring-paper",
               .method = "tets",
               .settings = kOneRingPaperSettings,
               .excludes = kNotOneRing,
               .source = "Irving 2007",
               .elements = "tetrahedra, linear",
               .volume = "pressure per node",
               .integrators = kBackwardEuler,
               .features = Dynamic | StiffnessDamping | HeldNodes | SlidingNodes | ClampedSurfaces |
                           Tractions | Muscles | Regions | kTouching},
    Capability{.name = "tets-zones",
               .method = "tets",
               .settings = kZonalSettings,
               .excludes = kNotOneRing,
               .source = "Sheen 2021, improved",
               .elements = "tetrahedra, linear",
               .volume = "pressure per zone",
               .integrators = kToTheEnd,
               .features = kZonalTets},
    Capability{.name = "tets-zones-paper",
               .method = "tets",
               .settings = kZonalPaperSettings,
               .excludes = kNotOneRing,
               .source = "Sheen 2021",
               .elements = "tetrahedra, linear",
               .volume = "pressure per zone",
               .integrators = kBackwardEuler,
               .features = kZonalTets},
    Capability{.name = "staggered",
               .method = "staggered",
               .settings = kStaggeredSettings,
               .excludes = kNotStaggered,
               .source = "Zhu 2010, improved",
               .elements = "cells, staggered differences",
               .volume = "pressure per cell",
               .materials = kStaggeredLaws,
               .integrators = kBackwardEuler,
               .features = kStaggered | Incompressible},
    // What is published divides by the compressibility.
    Capability{.name = "staggered-paper",
               .method = "staggered",
               .settings = kStaggeredPaperSettings,
               .excludes = kNotStaggered,
               .source = "Zhu 2010",
               .elements = "cells, staggered differences",
               .volume = "pressure per cell",
               .materials = kStaggeredLaws,
               .integrators = kBackwardEuler,
               .features = kStaggered},
};

constexpr std::string_view kMethodOfTets = "tets";
constexpr std::array<std::string_view, 3> kMethodNames{"lattice", kMethodOfTets, "staggered"};

/// What a scene asks for, with the key that says so.
struct Request {
  Feature feature;
  std::string key;
};

std::vector<Request> requests_of(const SceneSpec& scene) {
  std::vector<Request> all;
  const auto add = [&](Feature feature, const std::string& key) {
    const auto known = [&](const Request& r) { return r.feature == feature; };
    if (std::ranges::none_of(all, known)) all.push_back({feature, key});
  };
  add(scene.time.moves() ? Dynamic : Static,
      fmt::format("time.integrator = \"{}\"", scene.time.integrator));
  for (const BodySpec& body : scene.bodies) {
    for (const HoldSpec& hold : body.holds) {
      const std::string where = fmt::format("hold '{}' of '{}'", hold.name, body.name);
      if (hold.slides_over_bone()) add(SlidingBones, where);
      if (hold.slide == "plane" || hold.slide == "line") add(SlidingNodes, where);
      add(hold.stiffness > 0         ? HeldSurfaces
          : hold.select == "surface" ? ClampedSurfaces
          : hold.slide != "none"     ? SlidingNodes
                                     : HeldNodes,
          where);
    }
    for (const LoadSpec& load : body.loads) {
      add(load.kind == "pressure" ? Pressures : Tractions,
          fmt::format("load '{}' of '{}'", load.name, body.name));
    }
    if (materials::resolve(body.material).incompressible()) {
      add(Incompressible, fmt::format("poisson = 0.5 of '{}'", body.name));
    }
    if (body.sag_free) add(SagFree, fmt::format("sag_free of '{}'", body.name));
    if (body.damping.stiffness > 0) {
      add(StiffnessDamping, fmt::format("damping.stiffness of '{}'", body.name));
    }
    for (const RegionSpec& region : body.regions) {
      add(Regions, fmt::format("region '{}' of '{}'", region.name, body.name));
      if (materials::resolve(region.material).incompressible()) {
        add(Incompressible, fmt::format("poisson = 0.5 of region '{}'", region.name));
      }
    }
    if (body.skin.law != "none") add(Skin, fmt::format("skin of '{}'", body.name));
    for (const BandSpec& band : body.bands) {
      add(Bands, fmt::format("band '{}' of '{}'", band.name, body.name));
    }
    for (const ZoneSpec& zone : body.zones) {
      add(Zones, fmt::format("zone '{}' of '{}'", zone.name, body.name));
    }
    if (!body.activations.empty()) add(Muscles, fmt::format("activation of '{}'", body.name));
    for (const MuscleSpec& muscle : body.muscles) {
      add(Muscles, fmt::format("muscle '{}' of '{}'", muscle.name, body.name));
    }
  }
  for (const TieSpec& tie : scene.ties) add(Ties, fmt::format("tie '{}'", tie.name));
  for (const ColliderSpec& collider : scene.colliders) {
    add(Contact, fmt::format("collider '{}'", collider.name));
  }
  if (scene.method.self_contact) add(SelfContact, "method.self_contact");
  return all;
}

std::string_view name_of(Feature feature) {
  return std::ranges::find(kFeatureNames, feature, &FeatureName::feature)->name;
}

bool has_setting(const MethodSpec& spec, const MethodSetting& setting) {
  return spec.*setting.member == setting.value;
}

bool is_chosen(const Capability& method, const MethodSpec& spec) {
  return spec.name == method.method &&
         std::ranges::all_of(method.settings,
                             [&](const MethodSetting& s) { return has_setting(spec, s); });
}

/// "method.variant = "paper""
std::string text_of(const MethodSetting& setting) {
  return fmt::format("method.{} = \"{}\"", setting.key, setting.value);
}

/// "lattice-paper (method.variant = "paper")"
std::string how_to_choose(const Capability& method) {
  std::vector<std::string> keys;
  const MethodSpec defaults;
  if (method.method != defaults.name) {
    keys.push_back(fmt::format("method.name = \"{}\"", method.method));
  }
  for (const MethodSetting& s : method.settings) {
    if (defaults.*s.member != s.value) keys.push_back(text_of(s));
  }
  return keys.empty() ? std::string(method.name)
                      : fmt::format("{} ({})", method.name, fmt::join(keys, ", "));
}

/// Where name and volume are of two different methods.
[[noreturn]] void refuse_volume(const MethodSpec& spec, std::span<const Capability> rows) {
  const MethodSetting volume{&MethodSpec::volume, "volume", spec.volume};
  const auto has_volume = [&](const MethodSetting& s) {
    return s.member == volume.member && s.value == volume.value;
  };
  std::vector<std::string> able;
  for (const Capability& row : rows) {
    if (row.method == spec.name || std::ranges::any_of(row.settings, has_volume)) {
      able.push_back(how_to_choose(row));
    }
  }
  throw Error(Fault::Input, spec.place.text(volume.key),
              fmt::format("{} does not go with {}", text_of(volume), spec.name),
              fmt::format("use one of: {}", fmt::join(able, ", ")));
}

}  // namespace

std::span<const FeatureName> feature_names() { return kFeatureNames; }
std::span<const Capability> capabilities() { return kCapabilities; }
std::span<const std::string_view> method_names() { return kMethodNames; }

std::vector<std::string> obstacles(const Capability& method, const SceneSpec& scene) {
  std::vector<std::string> found;
  for (const Request& request : requests_of(scene)) {
    if (method.has(request.feature)) continue;
    found.push_back(fmt::format("no {} ({})", name_of(request.feature), request.key));
  }
  if (scene.time.moves() && !method.integrators.empty() &&
      std::ranges::find(method.integrators, scene.time.integrator) == method.integrators.end()) {
    found.push_back(fmt::format("no time.integrator = \"{}\"", scene.time.integrator));
  }
  for (const BodySpec& body : scene.bodies) {
    if (method.method != kMethodOfTets && body.cell_size == 0) {
      found.push_back(fmt::format("no cells without cell_size (of '{}')", body.name));
    }
    if (method.materials.empty() ||
        std::ranges::find(method.materials, body.material.law) != method.materials.end()) {
      continue;
    }
    found.push_back(fmt::format("no law '{}' (material of '{}')", body.material.law, body.name));
  }
  return found;
}

SceneSpec with_method(SceneSpec scene, const Capability& method) {
  // What chooses another method must not stay.
  const MethodSpec defaults;
  for (const Capability& other : kCapabilities) {
    for (const MethodSetting& s : other.settings) scene.method.*s.member = defaults.*s.member;
  }
  scene.method.name = method.method;
  for (const MethodSetting& s : method.excludes) scene.method.*s.member = defaults.*s.member;
  for (const MethodSetting& s : method.settings) scene.method.*s.member = s.value;
  return scene;
}

void check_capabilities(const SceneSpec& scene, std::span<const Capability> rows) {
  const auto chosen = [&](const Capability& row) { return is_chosen(row, scene.method); };
  if (std::ranges::none_of(rows, chosen)) refuse_volume(scene.method, rows);
  for (const Capability& method : rows) {
    if (!is_chosen(method, scene.method)) continue;
    for (const MethodSetting& excluded : method.excludes) {
      if (!has_setting(scene.method, excluded)) continue;
      throw Error(Fault::Input, scene.method.place.text(excluded.key),
                  fmt::format("{} does not go with {}", text_of(excluded), how_to_choose(method)),
                  "leave one of the two out");
    }
    const std::vector<std::string> missing = obstacles(method, scene);
    if (missing.empty()) continue;
    std::vector<std::string> able;
    for (const Capability& other : rows) {
      if (obstacles(other, scene).empty()) able.push_back(how_to_choose(other));
    }
    throw Error(Fault::Input, scene.method.place.text(),
                fmt::format("{} has {}", how_to_choose(method), fmt::join(missing, ", ")),
                able.empty() ? "no method has all that this scene asks for; see 'isochor list'"
                             : fmt::format("use one of: {}", fmt::join(able, ", ")));
  }
}

}  // namespace isochor::sim
