#include "isochor/materials/presets.h"

#include <algorithm>

namespace isochor::materials {
namespace {

/// kappa is that of a Poisson's ratio of 0.49 to 0.495 unless the source says otherwise: real
/// tissue and silicone resist compression by GPa, which wants a formulation with a pressure of its
/// own.
constexpr std::array kPresets{
    Preset{.name = "fat",
           .law = "stable_neo_hookean",
           .mu = 1.09e3,
           .kappa = 54e3,
           .density = 920,
           .source = "Samani et al. 2007: E = 3.25 kPa of excised breast fat; nu = 0.49"},
    Preset{
        .name = "muscle_passive",
        .law = "ogden",
        .mu = 329.3,
        .kappa = 32.93e3,
        .density = 1060,
        .shape = {-5.882, -2, 0, 4, 0},
        .source =
            "Van Loocke et al. 2006: porcine muscle, slow compression across its fibres to stretch "
            "0.7; fitted by `isochor reproduce materials/curves`; nu = 0.495"},
    Preset{.name = "muscle",
           .law = "muscle",
           .mu = 420.3,
           .kappa = 1e6,
           .density = 1060,
           .shape = {0.956, 2, 300e3 / 420.3, 1, 0.65},
           .source =
               "Van Loocke et al. 2006: porcine muscle, slow compression along and across its "
               "fibres to stretch 0.7; mu and k1 fitted by `isochor reproduce materials/curves`, "
               "k2 is not determined by compression; active stress 0.3 MPa after Blemker et al. "
               "2005; kappa holds the volume against that stress"},
    Preset{.name = "muscle_lee_2009",
           .law = "muscle_mooney_rivlin",
           .mu = 160e3,
           .kappa = 39.95e6,
           .density = 1000,
           .shape = {0.125, 300e3 / 160e3, 0.05, 6.6, 1},
           .source =
               "numbers that go with Lee, Sifakis and Terzopoulos 2009: mu10 = 60 kPa, mu01 = 20 "
               "kPa, peak stress 0.3 MPa, p1 = 0.05, p2 = 6.6, density 1000 kg/m^3, from the "
               "embedded body of PhysBAM, the program behind it; there kappa is 100 kPa, which "
               "holds no volume: nu = 0.498 is assumed instead"},
    Preset{.name = "flesh_lee_2009",
           .law = "mooney_rivlin",
           .mu = 160e3,
           .kappa = 39.95e6,
           .density = 1000,
           .shape = {0.125},
           .source = "as muscle_lee_2009, without fibres"},
    Preset{
        .name = "skin",
        .law = "holzapfel_gasser_ogden",
        .mu = 1.132e6,
        .kappa = 113.2e6,
        .density = 1100,
        .shape = {0, 40.17, 0.1, 0.1007, 0.7416},
        .source =
            "Ni Annaidh et al. 2012: excised human skin, tension along Langer's lines (the fibre "
            "direction) and across them; fitted by `isochor reproduce materials/curves`; nu = "
            "0.495"},
    Preset{
        .name = "ecoflex_00_10",
        .law = "ogden",
        .mu = 6330,
        .kappa = 633e3,
        .density = 1070,
        .shape = {2.848, -2, 0, 4, 0},
        .source =
            "Marechal et al. 2021: ASTM D412 tension to stretch 4, strain of the crosshead (other "
            "sources find it three times as stiff); fitted by `isochor reproduce "
            "materials/curves`; nu = 0.495"},
    Preset{
        .name = "ecoflex_00_30",
        .law = "ogden",
        .mu = 14480,
        .kappa = 1448e3,
        .density = 1070,
        .shape = {2.391, -2, 0, 4, 0},
        .source =
            "Marechal et al. 2021: ASTM D412 tension to stretch 4, strain of the crosshead (other "
            "sources find it twice as stiff); fitted by `isochor reproduce materials/curves`; nu = "
            "0.495"},
    Preset{
        .name = "dragon_skin_10",
        .law = "ogden",
        .mu = 42180,
        .kappa = 4218e3,
        .density = 1070,
        .shape = {3.157, -2, 0, 4, 0},
        .source =
            "Marechal et al. 2021: ASTM D412 tension to stretch 4, strain of the crosshead (other "
            "sources find it up to twice as stiff); fitted by `isochor reproduce "
            "materials/curves`; nu = 0.495"},
};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(kPresets, name, &Preset::name);
  return found == kPresets.end() ? nullptr : &*found;
}

std::span<const std::string_view> preset_names() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kPresets.size() + 1> names{"none"};
    for (std::size_t i = 0; i < kPresets.size(); ++i) names[i + 1] = kPresets[i].name;
    return names;
  }();
  return kNames;
}

}  // namespace isochor::materials
