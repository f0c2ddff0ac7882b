#include "reproduce/measurements.h"

#include <algorithm>
#include <fmt/core.h>

#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/files/text_scanner.h"
#include "reproduce/mat_file.h"

namespace isochor::reproduce {
namespace {

/// The fields of a line of separated values. None of the files puts a separator into a field.
std::vector<std::string_view> fields(std::string_view line, char separator) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t end = line.find(separator);
    result.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return result;
    line.remove_prefix(end + 1);
  }
}

const std::vector<double>& array(const MatArrays& arrays, const std::filesystem::path& path,
                                 const std::string& name) {
  const auto found = arrays.find(name);
  if (found == arrays.end()) {
    throw Error(Fault::Input, path.string(), fmt::format("has no array {}", name),
                "take the file from where its README says");
  }
  return found->second;
}

MeasuredCurve read_curve(const MatArrays& arrays, const std::filesystem::path& path,
                         const std::string& stretch, const std::string& stress, double unit) {
  MeasuredCurve curve{.cauchy = true,
                      .stretch = array(arrays, path, stretch),
                      .stress = array(arrays, path, stress)};
  if (curve.stretch.size() != curve.stress.size()) {
    throw Error(Fault::Input, path.string(),
                fmt::format("has {} values in {} and {} in {}", curve.stretch.size(), stretch,
                            curve.stress.size(), stress),
                "take the file from where its README says");
  }
  for (double& s : curve.stress) s *= unit;
  return curve;
}

}  // namespace

MeasuredCurve part_of(const MeasuredCurve& curve, double largest_stretch, std::size_t most) {
  const auto within = static_cast<std::size_t>(
      std::ranges::count_if(curve.stretch, [&](double s) { return s <= largest_stretch; }));
  const std::size_t every = std::max<std::size_t>(1, (within + most - 1) / most);
  MeasuredCurve part{.name = curve.name, .axis = curve.axis, .cauchy = curve.cauchy};
  std::size_t seen = 0;
  for (std::size_t i = 0; i < curve.stretch.size(); ++i) {
    if (curve.stretch[i] > largest_stretch || seen++ % every != 0) continue;
    part.stretch.push_back(curve.stretch[i]);
    part.stress.push_back(curve.stress[i]);
  }
  return part;
}

double stress_at(const MeasuredCurve& curve, double stretch) {
  const auto& x = curve.stretch;
  const auto above = std::ranges::upper_bound(x, stretch) - x.begin();
  const auto i = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(above, 1, static_cast<std::ptrdiff_t>(x.size()) - 1));
  const double part = (stretch - x[i - 1]) / (x[i] - x[i - 1]);
  return curve.stress[i - 1] + part * (curve.stress[i] - curve.stress[i - 1]);
}

MeasuredCurve read_elastomer(const std::filesystem::path& folder, std::string_view name) {
  const std::filesystem::path path = folder / "elastomer_tensile" / fmt::format("{}.csv", name);
  const std::string text = read_text_file(path);
  files::TextScanner scanner(path.string(), text, {});
  MeasuredCurve curve{.name = std::string(name)};
  bool in_table = false;
  while (scanner.next_filled_line()) {
    const std::string_view line = scanner.rest_of_line();
    const std::vector<std::string_view> cells = fields(line, ';');
    if (in_table && cells.size() >= 5) {
      curve.stretch.push_back(1 + scanner.number(cells[3]));
      curve.stress.push_back(1e6 * scanner.number(cells[4]));
    }
    in_table = in_table || line.ends_with("Engineering Strain;Engineering Stress (MPa)");
  }
  if (curve.stretch.size() < 2) {
    scanner.fail("has no table of engineering strain and stress",
                 "take the file from where its README says");
  }
  return curve;
}

std::optional<double> read_phantom_young(const std::filesystem::path& folder,
                                         std::string_view label) {
  const std::filesystem::path path = folder / "phantom_materials_table.csv";
  const std::string text = read_text_file(path);
  files::TextScanner scanner(path.string(), text, {});
  while (scanner.next_filled_line()) {
    const std::vector<std::string_view> cells = fields(scanner.rest_of_line(), ',');
    if (cells.size() >= 4 && cells[1] == label) return 1e3 * scanner.number(cells[3]);
  }
  return std::nullopt;
}

std::vector<MeasuredCurve> read_skin(const std::filesystem::path& folder) {
  std::vector<MeasuredCurve> curves;
  for (const char* direction : {"parallel", "perpendicular"}) {
    const std::filesystem::path path =
        folder / fmt::format("skin_tension_Ni_Annaidh_2012_{}.mat", direction);
    curves.push_back(read_curve(read_mat_file(path), path, "X1", "Y1", 1e6));
  }
  curves[0].name = "along Langer's lines";
  curves[1].name = "across them";
  curves[1].axis = 1;
  return curves;
}

std::vector<MeasuredCurve> read_muscle(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "muscle_compression_VanLoocke_2006.mat";
  const MatArrays arrays = read_mat_file(path);
  std::vector<MeasuredCurve> curves{read_curve(arrays, path, "L", "S_f", 1e3),
                                    read_curve(arrays, path, "L", "S_xf", 1e3)};
  curves[0].name = "along the fibres";
  curves[1].name = "across them";
  curves[1].axis = 1;
  return curves;
}

}  // namespace isochor::reproduce
