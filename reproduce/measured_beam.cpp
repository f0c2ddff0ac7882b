/// A beam of silicone (Dragon Skin 10, 3 x 3 x 10 cm), clamped at one end, let go under its weight
/// and under its weight with 52 g at the tip, seen by motion capture: Dubied, Michelis, Spielberg
/// and Katzschmann, "Sim-to-real for soft robots using differentiable FEM" (2022). Their material
/// is compared with what three markers at the tip did; then the modulus is fitted to each record.
///
/// A record begins with the beam supported, straight, and ends at rest. Its displacement is the
/// difference: no absolute place is asked of the markers, only the direction of gravity, which the
/// authors' places of all six markers give.
#include <array>
#include <cmath>
#include <fmt/core.h>

#include "isochor/base/file.h"
#include "isochor/geometry/shapes.h"
#include "isochor/grid/embedding.h"
#include "isochor/materials/presets.h"
#include "reproduce/figure.h"
#include "reproduce/flight.h"
#include "reproduce/markers.h"
#include "reproduce/verification.h"

namespace isochor::reproduce {
namespace {

constexpr std::string_view kBeamId = "measured/silicone-beam";
constexpr std::string_view kBeamSource = "Dubied et al. 2022, motion capture";
constexpr Vec3d kBeamSize{0.1, 0.03, 0.03};  ///< the tip is at x = 0, the clamp at -0.1; z is up
constexpr double kYoung = 263824;            ///< Pa, their fit
constexpr double kPoisson = 0.499;
constexpr double kBeamDensity = 1070;
constexpr double kBeamGravity = 9.80709;  ///< as they have it, m/s^2
constexpr std::size_t kTipMarkers = 3;

/// Where they say that the markers are on the straight beam: three at its tip, three at the clamp.
constexpr std::array<Vec3d, 6> kMarkers{{{0, 0.015, 0.036},
                                         {0, -0.006, 0.024},
                                         {0, 0.036, 0.006},
                                         {-0.094, -0.010, -0.001},
                                         {-0.094, 0.040, 0.0275},
                                         {-0.094, 0.040, 0}}};

/// A record, with the frames between which the beam is straight and those in which it is at rest.
struct Recording {
  const char* name;
  const char* file;
  double force;  ///< at the upper edge of the tip, N
  std::size_t straight[2], rest[2];
};
constexpr std::array<Recording, 2> kRecordings{
    {{"its weight", "beam_gravity_V2_b.csv", 0, {24, 60}, {208, 228}},
     {"its weight and 52 g", "beam_load52_V2_a.csv", 0.51012, {24, 40}, {250, 270}}}};

// ---- what was measured --------------------------------------------------------------------------

struct Measured {
  MarkerRecord record;  ///< in the frame of the beam
  std::array<Vec3d, kTipMarkers> straight, rest;
  double drop = 0;    ///< of the tip, mean of its markers, m
  double spread = 0;  ///< largest difference of a marker's drop from that mean, m
  double noise = 0;   ///< largest scatter of a marker at rest, m
  double creep = 0;   ///< further drop until the end of the record, m
  double clamp = 0;   ///< largest motion of a marker at the clamp, m
};

Measured measure(const Recording& recording, const std::filesystem::path& folder) {
  Measured m{.record = read_markers(folder / recording.file)};
  MarkerRecord& record = m.record;
  const auto [begin, end] = recording.straight;
  const std::size_t frames = record.positions.size();
  if (record.names.size() != kMarkers.size() || frames <= recording.rest[1]) {
    throw Error(Fault::Input, (folder / recording.file).string(),
                fmt::format("has {} markers in {} frames", record.names.size(), frames),
                "take the file from where its README says");
  }
  const RigidMotion place = closest_motion(record.mean(begin, end), kMarkers);
  for (auto& frame : record.positions) {
    for (Vec3d& p : frame) p = place(p);
  }
  const auto straight = record.mean(begin, end),
             rest = record.mean(recording.rest[0], recording.rest[1]),
             last = record.mean(frames - 20, frames);
  for (std::size_t i = 0; i < kMarkers.size(); ++i) {
    if (i >= kTipMarkers) {
      m.clamp = std::max(m.clamp, norm(rest[i] - straight[i]));
      continue;
    }
    m.straight[i] = straight[i];
    m.rest[i] = rest[i];
    m.drop += (straight[i][2] - rest[i][2]) / kTipMarkers;
    m.creep += (rest[i][2] - last[i][2]) / kTipMarkers;
    m.noise = std::max(m.noise, record.scatter(i, recording.rest[0], recording.rest[1]));
  }
  for (std::size_t i = 0; i < kTipMarkers; ++i) {
    m.spread = std::max(m.spread, std::abs(straight[i][2] - rest[i][2] - m.drop));
  }
  return m;
}

// ---- the same beam here -------------------------------------------------------------------------

struct BeamMaterial {
  std::string_view law = "fixed_corotated";
  double mu = kYoung / (2 * (1 + kPoisson)), poisson = kPoisson;
  std::array<double, materials::kMaxShape> shape{};

  static BeamMaterial of_young(double young) { return {.mu = young / (2 * (1 + kPoisson))}; }
};

struct BentBeam {
  bool arrived = false;
  std::array<Vec3d, kTipMarkers> markers{};  ///< where they go
  double drop = 0;                           ///< mean of the markers, m
  geometry::SurfaceMesh surface;             ///< at rest
  std::vector<Vec3d> vertices;               ///< of the surface, bent
  std::size_t cells = 0;
};

/// Markers move with the face at the tip as if they were on a rigid plate there: they stand on
/// stalks.
BentBeam bend(const BeamMaterial& material, double force, double h, Context& context) {
  const Placement placement(false, h);
  BentBeam beam;
  beam.surface = geometry::make_box({-0.5 * kBeamSize[0], 0.5 * kBeamSize[1], 0.5 * kBeamSize[2]},
                                    kBeamSize, 0.0025);
  const Discretisation& scheme = schemes()[0];
  lattice::BodySpec spec = make_embedded(beam.surface, h, scheme.boundary, material.law,
                                         material.mu, material.poisson, context, Vec3d{0, 0, 0});
  for (std::size_t i = 0; i < material.shape.size(); ++i) spec.shape[i] = material.shape[i];
  spec.density = kBeamDensity;
  const double end = -kBeamSize[0];
  spec.holds = {
      hold_where(spec, placement, "clamp", [&](const Vec3d& p) { return p[0] < end + 1e-9; })};
  StaticBody body(std::move(spec), scheme, context);
  const std::vector<Vec3d>& nodes = body.lattice().rest_positions;
  beam.cells = body.lattice().cell_count();

  std::vector<Vec3d> loads(nodes.size(), Vec3d{0, 0, 0});
  std::vector<Vec3d> tip, tip_now;
  std::vector<std::size_t> on_tip;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n][0] < -1e-9) continue;
    tip.push_back(nodes[n]);
    on_tip.push_back(n);
    if (nodes[n][2] < kBeamSize[2] - 1e-9) continue;
    const bool at_end = nodes[n][1] < 1e-9 || nodes[n][1] > kBeamSize[1] - 1e-9;
    loads[n] = {0, 0, -force * h / kBeamSize[1] * (at_end ? 0.5 : 1)};
  }
  const std::vector<Vec3d> held = body.held([](const Vec3d& p) { return p; });
  beam.arrived =
      body.advance({.gravity = {0, 0, -kBeamGravity}, .held_positions = held, .loads = loads});
  for (const std::size_t n : on_tip) tip_now.push_back(body.state.positions[n]);
  const RigidMotion motion = closest_motion(tip, tip_now);
  for (std::size_t i = 0; i < kTipMarkers; ++i) {
    beam.markers[i] = motion(kMarkers[i]);
    beam.drop += (kMarkers[i][2] - beam.markers[i][2]) / kTipMarkers;
  }
  beam.vertices.resize(beam.surface.positions.size());
  grid::embed(body.lattice(), beam.surface.positions, grid::Interpolation::Tricubic)
      .interpolate(body.state.positions, beam.vertices);
  return beam;
}

/// The modulus whose beam drops as far as the measured one: secants of logarithms, along which a
/// linear beam is straight.
std::optional<double> fit_young(const Measured& measured, double force, double h,
                                Context& context) {
  double young = kYoung, last_young = 0, last_error = 0;
  for (int round = 0; round < 8; ++round) {
    const BentBeam beam = bend(BeamMaterial::of_young(young), force, h, context);
    if (!beam.arrived) return std::nullopt;
    const double error = std::log(beam.drop / measured.drop);
    if (std::abs(error) < 1e-4) return young;
    const double slope = last_young > 0 ? (error - last_error) / std::log(young / last_young) : -1;
    last_young = young;
    last_error = error;
    young *= std::exp(-error / slope);
  }
  return std::nullopt;
}

// ---- rows and pictures --------------------------------------------------------------------------

class BeamReport {
 public:
  Row& add(const std::string& quantity, std::optional<double> paper, std::optional<double> ours,
           const char* unit, std::string note = {}) {
    rows.push_back({.id = std::string(kBeamId),
                    .quantity = quantity,
                    .variant = "best",
                    .source = std::string(kBeamSource),
                    .paper = paper,
                    .ours = ours,
                    .unit = unit,
                    .note = std::move(note)});
    return rows.back();
  }
  std::vector<Row> rows;
};

void plot(std::span<const Measured> measured, std::span<const BentBeam> beams,
          const std::filesystem::path& file) {
  std::vector<run::Series> lines;
  for (std::size_t r = 0; r < measured.size(); ++r) {
    const MarkerRecord& record = measured[r].record;
    for (std::size_t i = 0; i < kTipMarkers; ++i) {
      run::Series dots{.name = fmt::format("marker {}, {}", i + 1, kRecordings[r].name),
                       .points = true,
                       .colour = static_cast<int>(3 * r + i)};
      for (std::size_t f = 0; f < record.positions.size(); f += 4) {
        dots.x.push_back(record.time[f]);
        dots.y.push_back(1000 * (record.positions[f][i][2] - measured[r].straight[i][2]));
      }
      lines.push_back(std::move(dots));
    }
    const double drop = -1000 * beams[r].drop;
    lines.push_back({.name = fmt::format("computed at rest, {}", kRecordings[r].name),
                     .x = {0, record.time.back()},
                     .y = {drop, drop},
                     .dashed = true,
                     .colour = static_cast<int>(6 + r)});
  }
  write_file_atomic(file, run::plot_svg(lines, {.title = "The tip of a silicone beam",
                                                .x_label = "time [s]",
                                                .y_label = "height above the straight beam [mm]",
                                                .width = 860,
                                                .height = 420}));
}

/// Both beams as computed, with balls where the markers were measured.
void draw(std::span<const Measured> measured, std::span<const BentBeam> beams,
          const std::filesystem::path& file, Context& context) {
  Figure figure;
  for (std::size_t r = 0; r < beams.size(); ++r) {
    const Vec3d aside{0, -0.09 * double(r), 0};
    figure.add(kRecordings[r].name, beams[r].surface, beams[r].vertices, aside);
  }
  for (std::size_t r = 0; r < beams.size(); ++r) {
    const Vec3d aside{0, -0.09 * double(r), 0};
    for (std::size_t i = 0; i < kTipMarkers; ++i) {
      const Vec3d at = kMarkers[i] + (measured[r].rest[i] - measured[r].straight[i]);
      const geometry::SurfaceMesh ball = geometry::make_sphere(at, 0.003, 0.001);
      figure.add("marker", ball, ball.positions, aside);
    }
  }
  figure.draw(file,
              {.width = 1000,
               .height = 640,
               .samples = 32,
               .up = {0, 0, 1},
               .camera_direction = Vec3d{0.55, -1, 0.45},
               .caption = "Dragon Skin 10: computed beams, balls where markers were measured"},
              context);
}

void add_rows(const Recording& recording, const Measured& m, const BentBeam& beam,
              BeamReport& report) {
  const std::string name = recording.name;
  report.add(fmt::format("{}: drop of the tip", name), 1000 * m.drop,
             beam.arrived ? std::optional(1000 * beam.drop) : std::nullopt, "mm",
             fmt::format("{} cells, fixed corotated law, a pressure per cell, E = {:.1f} kPa, nu = "
                         "{}",
                         beam.cells, kYoung / 1000, kPoisson));
  Row& error = report.add(fmt::format("{}: error of the drop", name), std::nullopt,
                          100 * std::abs(beam.drop / m.drop - 1), "%",
                          fmt::format("the measured one goes on to {:.2f} mm until the record ends",
                                      1000 * (m.drop + m.creep)));
  error.relation = Relation::AtMost;
  error.bound = 10;
  double worst = 0;
  for (std::size_t i = 0; i < kTipMarkers; ++i) {
    worst = std::max(worst, norm(beam.markers[i] - kMarkers[i] - (m.rest[i] - m.straight[i])));
  }
  report.add(fmt::format("{}: farthest marker from where it was measured", name), std::nullopt,
             1000 * worst, "mm", "all three directions");
  report.add(fmt::format("{}: scatter of markers", name), 1000 * m.noise, std::nullopt, "mm",
             fmt::format("standard deviation at rest; drops of the three differ by up to {:.2f} mm "
                         "from their mean; a marker at the clamp moves by {:.2f} mm",
                         1000 * m.spread, 1000 * m.clamp));
}

/// With the program's own preset, which knows nothing of this beam.
void add_preset(const Recording& recording, const Measured& m, double h, BeamReport& report,
                Context& context) {
  const materials::Preset* preset = materials::find_preset("dragon_skin_10");
  const BeamMaterial material{
      .law = preset->law, .mu = preset->mu, .poisson = 0.495, .shape = preset->shape};
  const BentBeam beam = bend(material, recording.force, h, context);
  report.add(fmt::format("{}: drop with the preset dragon_skin_10", recording.name), 1000 * m.drop,
             beam.arrived ? std::optional(1000 * beam.drop) : std::nullopt, "mm",
             "fitted to tension up to four times the length, by other people from another batch");
}

}  // namespace

std::vector<Row> measured_beam(const ExperimentOptions& options, Context& context) {
  BeamReport report;
  const std::filesystem::path folder = options.data / "measurement" / "silicone_beam";
  if (options.data.empty() || !std::filesystem::is_directory(folder)) {
    report.add(
        "drop of the tip", std::nullopt, std::nullopt, "mm",
        fmt::format("skipped, no measurements: {} is not there; see --data", folder.string()));
    return report.rows;
  }
  const double h = options.full ? 0.0025 : 0.005;
  std::vector<Measured> measured;
  std::vector<BentBeam> beams;
  for (const Recording& recording : kRecordings) {
    measured.push_back(measure(recording, folder));
    beams.push_back(bend({}, recording.force, h, context));
    add_rows(recording, measured.back(), beams.back(), report);
  }
  for (std::size_t r = 0; r < kRecordings.size() && !context.cancelled; ++r) {
    const Recording& recording = kRecordings[r];
    const std::optional<double> young = fit_young(measured[r], recording.force, h, context);
    report.add(fmt::format("{}: fitted Young's modulus", recording.name), kYoung / 1000,
               young ? std::optional(*young / 1000) : std::nullopt, "kPa",
               "for the measured drop; the authors' by gradients through their own elements, from "
               "the motion");
    add_preset(recording, measured[r], h, report, context);
  }
  if (!options.pictures.empty()) {
    make_directory(options.pictures);
    plot(measured, beams, options.pictures / "measured_beam.svg");
    draw(measured, beams, options.pictures / "measured_beam.png", context);
  }
  return report.rows;
}

}  // namespace isochor::reproduce
