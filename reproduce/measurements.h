#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Measured stress-stretch curves of silicones and tissues, as their files have them. Which files
/// are looked for stands with each function; a missing or damaged one is an input error.
namespace isochor::reproduce {

/// One specimen pulled or pressed along one axis, its other faces free.
struct MeasuredCurve {
  std::string name;
  int axis = 0;         ///< of the law that it is compared with; fibres run along axis 0
  bool cauchy = false;  ///< force per area as it is, in place of force per rest area
  std::vector<double> stretch;
  std::vector<double> stress;  ///< Pa
};

/// Those points of a curve whose stretch is no larger, thinned evenly to at most `most`.
MeasuredCurve part_of(const MeasuredCurve& curve, double largest_stretch, std::size_t most);

/// Nominal stress at a stretch, Pa, between the two nearest points.
double stress_at(const MeasuredCurve& curve, double stretch);

/// `elastomer_tensile/NAME.csv`: ASTM D412 tension of a silicone until it breaks (Marechal et al.
/// 2021, Soft Robotics Materials Database). Strain is that of the crosshead.
MeasuredCurve read_elastomer(const std::filesystem::path& folder, std::string_view name);

/// `phantom_materials_table.csv`: Young's modulus of a silicone by its label, Pa; nothing if the
/// table does not have it.
std::optional<double> read_phantom_young(const std::filesystem::path& folder,
                                         std::string_view label);

/// `skin_tension_Ni_Annaidh_2012_*.mat`: excised human skin along and across Langer's lines, Cauchy
/// stress.
std::vector<MeasuredCurve> read_skin(const std::filesystem::path& folder);

/// `muscle_compression_VanLoocke_2006.mat`: passive porcine muscle pressed slowly along and across
/// its fibres, Cauchy stress.
std::vector<MeasuredCurve> read_muscle(const std::filesystem::path& folder);

}  // namespace isochor::reproduce
