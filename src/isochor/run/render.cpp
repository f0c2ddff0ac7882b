#include "isochor/run/render.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "isochor/base/error.h"
#include "isochor/base/text.h"
#include "isochor/run/light_filter.h"
#include "isochor/run/overlay.h"
#include "isochor/run/studio.h"

namespace isochor::run {
namespace {

constexpr double kTanHalfHeight = 0.23;   // 26 degrees: a long lens, little distortion
constexpr double kColourBarShare = 0.15;  // of the width, kept free at the right
constexpr int kMaxPixels = 1 << 28;

std::string frame_name(const files::Frame& frame) { return fmt::format("frame {}", frame.index); }

void check_options(const RenderOptions& o) {
  const auto refuse = [](std::string_view key, std::string problem, std::string remedy) {
    throw Error(Fault::Input, fmt::format("picture option '{}'", key), std::move(problem),
                std::move(remedy));
  };
  if (o.width < 1 || o.height < 1 || o.height > kMaxPixels / o.width) {
    refuse("width", fmt::format("a picture of {} x {} pixels cannot be made", o.width, o.height),
           "choose a size such as 1280 x 800");
  }
  if (o.field_min && o.field_max && *o.field_min > *o.field_max) {
    refuse("field_min", fmt::format("{} lies above field_max, {}", *o.field_min, *o.field_max),
           "exchange the two");
  }
  if (o.samples < 1) refuse("samples", fmt::format("found {}", o.samples), "use 1 or more");
  if (!(o.camera_distance_factor > 0) || !std::isfinite(o.camera_distance_factor)) {
    refuse("camera_distance_factor", fmt::format("found {}", o.camera_distance_factor),
           "use a positive number; 1 fills the picture");
  }
  const auto check_direction = [&](std::string_view key, const Vec3d& v) {
    if (!is_finite(v) || !(norm(v) > 0)) {
      refuse(key, "the vector has no direction", "give three finite numbers that are not all zero");
    }
  };
  check_direction("up", o.up);
  if (o.camera_direction) check_direction("camera_direction", *o.camera_direction);
  if (o.cut) check_direction("cut", o.cut->normal);
}

/// The frame must fit its topology and have something to show.
void check_frame(const files::Topology& topology, const files::Frame& frame) {
  bool matches = topology.bodies.size() == frame.bodies.size();
  bool visible = false;
  for (std::size_t b = 0; matches && b < frame.bodies.size(); ++b) {
    const auto& [nodes, vertices, fields] = frame.bodies[b];
    matches = vertices.size() == topology.bodies[b].surface.positions.size() &&
              nodes.size() == topology.bodies[b].rest_nodes.size();
    visible = visible || std::any_of(vertices.begin(), vertices.end(), is_finite);
  }
  if (!matches) {
    throw Error(Fault::Input, frame_name(frame),
                "it has other bodies, nodes or vertices than the "
                "topology it is shown with",
                "take both files from the same run");
  }
  if (!visible) {
    throw Error(Fault::Input, frame_name(frame), "it is empty: no body has a finite surface vertex",
                "render an earlier frame");
  }
}

std::vector<Vec3d> finite_vertices(std::span<const files::Frame> frames) {
  std::vector<Vec3d> points;
  for (const files::Frame& frame : frames) {
    for (const files::BodyFrame& body : frame.bodies) {
      std::copy_if(body.vertices.begin(), body.vertices.end(), std::back_inserter(points),
                   is_finite);
    }
  }
  return points;
}

struct Ball {
  Vec3d centre;
  double radius;
};
Ball ball_around(std::span<const Vec3d> points) {
  const geometry::Bounds box = geometry::bounds_of(points);
  Ball ball{(box.low + box.high) * 0.5, 0};
  for (const Vec3d& p : points) ball.radius = std::max(ball.radius, norm(p - ball.centre));
  if (ball.radius == 0) ball.radius = 1;  // a single point
  return ball;
}

ColourScale choose_scale(const RenderOptions& options, FieldRange range) {
  ColourScale scale{Colormap::Sequential, options.field_min.value_or(range.low),
                    options.field_max.value_or(range.high)};
  // A scale that almost reaches zero reads better from zero.
  if (!options.field_min && scale.low > 0 && scale.low < 0.25 * scale.high) scale.low = 0;
  const double below = -scale.low, above = scale.high;
  // Signed values, unless one sign is only a trace.
  if (std::min(below, above) > 0.05 * std::max(below, above)) {
    scale.map = Colormap::Diverging;
    if (!options.field_min && !options.field_max) {
      scale.high = std::max(below, above);
      scale.low = -scale.high;
    }
  }
  return scale;
}

std::string field_label(const files::Frame& frame, const std::string& name) {
  for (const files::BodyFrame& body : frame.bodies) {
    if (const files::Field* f = find_vertex_field(body, name)) {
      const std::string shown = f->components > 1 ? "|" + name + "|" : name;
      return f->unit.empty() ? shown : fmt::format("{} [{}]", shown, f->unit);
    }
  }
  return name;
}

/// Light that is stronger than the screen can show is compressed; its hue stays.
Colour tone_map(const Colour& c) {
  const float peak = std::max({c[0], c[1], c[2]}), knee = 0.75f;
  if (peak <= knee) return c;
  const float room = 1 - knee;
  const float mapped = knee + room * (1 - std::exp(-(peak - knee) / room));
  return c * (mapped / peak);
}

/// Means over the samples of a pixel.
struct PixelColour {
  Colour colour, gloss, mixed;  ///< `mixed` is the mean of colour times light
};

bool same_surface(const Shade& a, const Shade& b) {
  const Vec3f bend = a.normal - b.normal;
  const Colour step = a.colour - b.colour;
  return std::abs(a.depth - b.depth) <= 0.02f * a.depth && dot(bend, bend) < 0.01f &&
         dot(step, step) < 0.001f;
}

/// Half of the samples are enough inside a surface: there is no outline to smooth, and the noise of
/// the light is filtered later.
void sample_pixel(const Studio& studio, int x, int y, int samples, PixelColour& colour,
                  PixelLight& light) {
  Shade first;
  bool uniform = true;
  int count = 0;
  for (; count < samples && !(uniform && count == SampleTable::half_of(samples)); ++count) {
    const Shade shade = studio.shade(x, y, count);
    if (count == 0) first = shade;
    uniform = uniform && same_surface(first, shade);
    colour.colour += shade.colour;
    colour.gloss += shade.gloss;
    for (int c = 0; c < 3; ++c) colour.mixed[c] += shade.colour[c] * shade.light[c];
    light.light += shade.light;
    light.normal += shade.normal;
    light.depth += shade.depth;
  }
  const float share = 1 / static_cast<float>(count);
  for (Vec3f* sum : {&colour.colour, &colour.gloss, &colour.mixed, &light.light, &light.normal}) {
    *sum *= share;
  }
  light.depth *= share;
}

Image trace(const Studio& studio, const RenderOptions& options, ThreadArena& arena) {
  const int width = options.width, height = options.height;
  std::vector<PixelColour> colours(static_cast<std::size_t>(width) * height);
  std::vector<PixelLight> lights(colours.size());

  constexpr int kTile = 16;
  const int across = (width + kTile - 1) / kTile, down = (height + kTile - 1) / kTile;
  parallel_for(arena, static_cast<std::size_t>(across) * down, 1, [&](std::size_t tile) {
    const int x0 = static_cast<int>(tile % across) * kTile;
    const int y0 = static_cast<int>(tile / across) * kTile;
    for (int y = y0; y < std::min(y0 + kTile, height); ++y) {
      for (int x = x0; x < std::min(x0 + kTile, width); ++x) {
        const std::size_t i = static_cast<std::size_t>(y) * width + x;
        sample_pixel(studio, x, y, options.samples, colours[i], lights[i]);
      }
    }
  });

  std::vector<PixelLight> smooth = lights;
  smooth_light(smooth, width, height, arena);

  Image image(width, height);
  parallel_for(arena, static_cast<std::size_t>(height), 8, [&](std::size_t row) {
    for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
      // Only the change of light is applied: pixels on an outline keep their mixture of colours.
      const Colour change = smooth[i].light - lights[i].light;
      Colour c = colours[i].mixed + colours[i].gloss;
      for (int k = 0; k < 3; ++k) c[k] += colours[i].colour[k] * change[k];
      const Colour shown = tone_map(c);
      for (int k = 0; k < 3; ++k) image.rgb[3 * i + k] = encode_srgb(shown[k]);
    }
  });
  return image;
}

}  // namespace

View fit_view(const files::Topology& topology, std::span<const files::Frame> frames,
              const RenderOptions& options) {
  check_options(options);
  for (const files::Frame& frame : frames) check_frame(topology, frame);
  const std::vector<Vec3d> points = finite_vertices(frames);
  if (points.empty()) {
    throw Error(Fault::Input, "picture", "there is no frame to fit the camera to",
                "render a run that has at least one frame");
  }
  const Ball ball = ball_around(points);
  View view;
  view.centre = ball.centre;
  view.radius = ball.radius;
  view.tan_half_height = kTanHalfHeight;
  view.ground_normal = options.up * (1 / norm(options.up));

  // Two directions that with `up` make a right-handed frame; the default looks from the front
  // right, a little from above, in their terms.
  const Vec3d& up = view.ground_normal;
  const Vec3d helper = std::abs(up[2]) < 0.9 ? Vec3d{0, 0, 1} : Vec3d{0, -1, 0};
  Vec3d front = helper - up * dot(up, helper);
  front *= 1 / norm(front);
  const Vec3d side = cross(up, front);
  const Vec3d towards = options.camera_direction.value_or(side * 0.50 + up * 0.42 + front * 0.85);
  view.back = towards * (1 / norm(towards));
  Vec3d right = cross(up, view.back);
  if (norm(right) < 1e-6) right = side;  // looking straight down
  view.right = right * (1 / norm(right));
  view.up = cross(view.back, view.right);

  // The nearest eye from which every point lies within the four sides of the picture: for each
  // side, the point that reaches out farthest along its normal decides.
  const double margin = 0.76;
  const double half_width = kTanHalfHeight * options.width / options.height;
  const double right_side = options.field.empty() ? 1 : 1 - 2 * kColourBarShare / margin;
  const double slope[2][2] = {{margin * half_width, margin * half_width * right_side},
                              {margin * kTanHalfHeight, margin * kTanHalfHeight}};
  double shift[2], distance = 0, reach[2][2];
  const Vec3d axes[2] = {view.right, view.up};
  for (int a = 0; a < 2; ++a) {
    reach[a][0] = reach[a][1] = -1e300;
    for (const Vec3d& p : points) {
      const Vec3d x = p - ball.centre;
      const double across = dot(axes[a], x), near = dot(view.back, x);
      reach[a][0] = std::max(reach[a][0], near * slope[a][0] - across);
      reach[a][1] = std::max(reach[a][1], near * slope[a][1] + across);
    }
    distance = std::max(distance, (reach[a][0] + reach[a][1]) / (slope[a][0] + slope[a][1]));
  }
  // A flat or tiny thing does not draw the camera inside it.
  distance = std::max(distance, 1.2 * ball.radius) * options.camera_distance_factor;
  for (int a = 0; a < 2; ++a) {
    // In the middle of what is free on both sides.
    const double room = distance * (slope[a][0] + slope[a][1]) - reach[a][0] - reach[a][1];
    shift[a] = reach[a][1] - distance * slope[a][1] + 0.5 * room;
  }
  view.eye = ball.centre + view.back * distance + view.right * shift[0] + view.up * shift[1];

  view.ground_offset = dot(up, points.front());
  for (const Vec3d& p : points) view.ground_offset = std::min(view.ground_offset, dot(up, p));
  return view;
}

FieldRange field_range(const files::Topology& topology, std::span<const files::Frame> frames,
                       const std::string& field) {
  bool found = false;
  FieldRange range{HUGE_VAL, -HUGE_VAL};
  std::vector<std::string_view> known;
  for (const files::Frame& frame : frames) {
    check_frame(topology, frame);
    for (const files::BodyFrame& body : frame.bodies) {
      for (const files::Field& f : body.fields) {
        if (f.support == files::Support::Vertex) known.push_back(f.name);
      }
      const files::Field* values = find_vertex_field(body, field);
      if (!values) continue;
      found = true;
      for (std::size_t v = 0; v < body.vertices.size(); ++v) {
        const double x = field_value(*values, v);
        if (!std::isfinite(x)) continue;
        range = {std::min(range.low, x), std::max(range.high, x)};
      }
    }
  }
  if (!found) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw Error(Fault::Input, fmt::format("picture field '{}'", field),
                known.empty() ? "no field has values on surface vertices here"
                              : "no such field on surface vertices; there are " + join(known),
                known.empty() ? "render without a field" : suggest(field, known));
  }
  return range.low <= range.high ? range : FieldRange{0, 1};
}

Image render(const files::Topology& topology, const files::Frame& frame,
             const RenderOptions& options, const std::optional<View>& view, ThreadArena& arena) {
  check_options(options);
  check_frame(topology, frame);
  const std::span<const files::Frame> only(&frame, 1);
  ColourScale scale;
  if (!options.field.empty()) {
    scale = choose_scale(options, field_range(topology, only, options.field));
  }
  const View shown = view ? *view : fit_view(topology, only, options);

  const Ball ball = ball_around(finite_vertices(only));
  const UnitFrame unit{ball.centre, 1 / ball.radius};
  const ShadingMesh mesh = build_shading_mesh(topology, frame, options.field, unit);
  std::vector<Segment> lines;
  if (options.show_lattice) lines = exterior_lattice_edges(topology, frame, unit);
  const double distance = norm(shown.eye - ball.centre) * unit.scale;
  const double line_radius = 0.0017 * shown.tan_half_height * distance;  // 1.4 of 800 pixels wide
  const Tracer tracer(mesh, lines, static_cast<float>(line_radius));
  const Studio studio(mesh, tracer, unit, shown, options, scale);

  Image image = trace(studio, options, arena);
  if (!options.field.empty()) draw_colour_bar(image, scale, field_label(frame, options.field));
  if (!options.caption.empty()) draw_caption(image, options.caption);
  return image;
}

}  // namespace isochor::run
