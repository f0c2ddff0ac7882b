#include "isochor/run/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace isochor::run {
namespace {

/// Okabe and Ito's colours, told apart with any kind of colour vision; the darkest ones first.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#7f6bb3", "#8c8c8c"};
constexpr double kFontSize = 12, kCharacter = 6.4;  // pixels; the mean width of a character

/// Of a line of text in pixels, in the widest of the usual fonts: what stands behind it must not
/// run into it.
double text_width(std::string_view text) {
  double width = 0;
  for (const char c : text) {
    const bool narrow = std::string_view("fijlrt.,:;'|()[] ").find(c) != std::string_view::npos;
    const bool wide = std::string_view("mwMW").find(c) != std::string_view::npos;
    width += narrow ? 4.7 : wide ? 11.7 : 7.4;
  }
  return width;
}

struct Tick {
  double position;  ///< on the axis, after the logarithm if there is one
  std::string label;
};

/// An interval of numbers laid along a side of the picture.
struct Axis {
  double low = 0, high = 1;    ///< after the logarithm if there is one
  double first = 0, last = 1;  ///< in pixels
  std::vector<Tick> ticks = {};

  double at(double value) const { return first + (value - low) / (high - low) * (last - first); }
};

/// Beyond this, differences of values could overflow.
bool is_shown(double y, bool log_y) { return std::abs(y) < 1e300 && (!log_y || y > 0); }

/// 1, 2 or 5 times a power of ten, for about `count` steps.
double nice_step(double span, int count) {
  const double raw = span / count, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double leading = raw / power;
  return power * (leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10);
}

/// As short as the step between ticks allows.
std::string tick_label(double value, double step) {
  if (std::abs(value) < 1e-9 * step) return "0";
  const double size = std::abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    const int digits =
        std::clamp(exponent - static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 12);
    return fmt::format("{:.{}e}", value, digits);
  }
  const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 12);
  return fmt::format("{:.{}f}", value, decimals);
}

void set_linear_ticks(Axis& axis, int count, bool whole_numbers) {
  double step = nice_step(axis.high - axis.low, count);
  if (whole_numbers) step = std::max(1.0, std::round(step));
  // Counted, not added up: no tick is lost to rounding.
  const double begin = std::ceil(axis.low / step - 1e-9), end = axis.high / step + 1e-9;
  for (double k = begin; k <= end; ++k)
    axis.ticks.push_back({k * step, tick_label(k * step, step)});
}

/// The ends of the axis are whole decades.
void set_log_ticks(Axis& axis) {
  const int low = static_cast<int>(axis.low), high = static_cast<int>(axis.high);
  const int stride = std::max(1, (high - low + 5) / 6);
  for (int e = low; e <= high; e += stride) {
    axis.ticks.push_back({static_cast<double>(e), fmt::format("1e{}", e)});
  }
}

/// Makes room around a single value, and around values too close to be told apart.
void widen_if_constant(Axis& axis) {
  constexpr double kSmallest = 1e-290;
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  if (axis.high - axis.low > std::max(1e-9 * size, kSmallest)) return;
  if (size <= kSmallest) {  // zero reads best at the foot of the picture
    axis = {.low = 0, .high = 1};
    return;
  }
  axis.low -= 0.1 * size;
  axis.high += 0.1 * size;
}

std::string palette_colour(std::size_t index) {
  const std::size_t i = index % kColours.size();
  return fmt::format("var(--series-{}, {})", i + 1, kColours[i]);
}

/// How one line is drawn.
struct Style {
  std::string colour;
  const char* dash;

  /// Lines beyond the last colour are dashed.
  Style(const Series& series, std::size_t place)
      : colour(palette_colour(series.colour < 0 ? place : series.colour)),
        dash(series.dashed || (series.colour < 0 && place >= kColours.size()) ? "5 4" : "none") {}
};

/// Collects the SVG of one plot.
class Canvas {
 public:
  explicit Canvas(const PlotOptions& options) : options_(options) {
    write(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\" role=\"img\" aria-label=\"{2}\" fill=\"none\" "
        "font-family=\"system-ui,sans-serif\" font-size=\"{3}\">\n",
        options.width, options.height, escape_html(options.title), kFontSize);
    if (!options.title.empty()) {
      text(14, 22, options.title, "start", "font-weight=\"600\" font-size=\"14\"");
      top_ = 42;
    }
  }

  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<Args>(args)...);
  }

  void text(double x, double y, std::string_view words, const char* anchor,
            std::string_view more = "") {
    write("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"currentColor\" {}>{}</text>\n",
          x, y, anchor, more, escape_html(words));
  }

  /// The names of all lines, in as many rows as they need below the title.
  void legend(std::span<const Series> series) {
    double x = 14;
    for (std::size_t s = 0; s < series.size(); ++s) {
      const double width = 36 + text_width(series[s].name);
      if (x > 14 && x + width > options_.width - 10) {
        x = 14;
        top_ += 17;
      }
      const Style style(series[s], s);
      if (series[s].points) {
        write("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" style=\"fill:{}\"/>\n", x + 8,
              top_ - 1, style.colour);
      } else {
        write(
            "<path d=\"M{:.1f} {:.1f}h16\" style=\"stroke:{}\" stroke-width=\"3\" "
            "stroke-dasharray=\"{}\"/>\n",
            x, top_ - 1, style.colour, style.dash);
      }
      text(x + 21, top_ + 3, series[s].name, "start", kSoft);
      x += width;
    }
    top_ += 18;
  }

  /// Grid, ticks and labels; sets where the axes lie.
  void frame(Axis& x, Axis& y) {
    std::size_t longest = 0;
    for (const Tick& t : y.ticks) longest = std::max(longest, t.label.size());
    x.first = 42 + kCharacter * static_cast<double>(longest);
    x.last = options_.width - 18;
    y.first = options_.height - 48;
    y.last = top_;
    for (const Tick& t : y.ticks) {
      const double p = y.at(t.position);
      line(x.first, p, x.last, p, 0.14);
      text(x.first - 7, p + 4, t.label, "end", kSoft);
    }
    for (const Tick& t : x.ticks) {
      const double p = x.at(t.position);
      line(p, y.first, p, y.last, 0.07);
      text(p, y.first + 17, t.label, "middle", kSoft);
    }
    line(x.first, y.first, x.last, y.first, 0.6);
    line(x.first, y.first, x.first, y.last, 0.6);
    text(0.5 * (x.first + x.last), options_.height - 12, options_.x_label, "middle");
    const double middle = 0.5 * (y.first + y.last);
    text(15, middle, options_.y_label, "middle",
         fmt::format("transform=\"rotate(-90 15 {:.1f})\"", middle));
  }

  /// Where frames lie in the picture, for scripts.
  void mark_frames(const Axis& x, const Axis& y) {
    write("<g data-frames=\"{} {} {:.1f} {:.1f} {:.1f} {:.1f}\"></g>\n", x.low, x.high, x.first,
          x.last, y.last, y.first);
  }

  void line(double x0, double y0, double x1, double y1, double opacity) {
    write(
        "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"currentColor\" "
        "stroke-opacity=\"{}\"/>\n",
        x0, y0, x1, y1, opacity);
  }

  void say_empty() {
    text(0.5 * options_.width, 0.5 * options_.height, "no values", "middle", kSoft);
  }

  std::string take() { return std::move(svg_) + "</svg>\n"; }

  static constexpr const char* kSoft = "fill-opacity=\"0.7\"";

 private:
  const PlotOptions& options_;
  double top_ = 18;  ///< all above is taken
  std::string svg_;
};

/// The runs of neighbouring points that can be shown, as one path; a point alone becomes a dot.
void draw_series(Canvas& canvas, const Series& series, std::size_t index, const Axis& x,
                 const Axis& y, bool log_y) {
  const std::size_t count = std::min(series.x.size(), series.y.size());
  const auto shown = [&](std::size_t i) {
    return i < count && is_shown(series.x[i], false) && is_shown(series.y[i], log_y);
  };
  std::string path, dots;
  bool drawing = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!shown(i)) {
      drawing = false;
      continue;
    }
    const double px = x.at(series.x[i]);
    const double py = y.at(log_y ? std::log10(series.y[i]) : series.y[i]);
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? 'L' : 'M', px, py);
    // Few points are marked, so that it can be seen where values are.
    if (series.points || count <= 24 || (!drawing && !shown(i + 1))) {
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"/>", px, py);
    }
    drawing = true;
  }
  const Style style(series, index);
  if (!path.empty() && !series.points) {
    canvas.write(
        "<path d=\"{}\" style=\"stroke:{}\" stroke-width=\"1.8\" stroke-dasharray=\"{}\" "
        "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
        path, style.colour, style.dash);
  }
  if (!dots.empty()) canvas.write("<g style=\"fill:{}\">{}</g>\n", style.colour, dots);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string plot_svg(std::span<const Series> series, const PlotOptions& options) {
  Axis x{HUGE_VAL, -HUGE_VAL}, y{HUGE_VAL, -HUGE_VAL};
  bool whole_x = true;
  for (const Series& s : series) {
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      if (!is_shown(s.x[i], false) || !is_shown(s.y[i], options.log_y)) continue;
      const double value = options.log_y ? std::log10(s.y[i]) : s.y[i];
      x.low = std::min(x.low, s.x[i]);
      x.high = std::max(x.high, s.x[i]);
      y.low = std::min(y.low, value);
      y.high = std::max(y.high, value);
      whole_x = whole_x && s.x[i] == std::round(s.x[i]);
    }
  }
  Canvas canvas(options);
  if (x.low > x.high) {
    canvas.say_empty();
    return canvas.take();
  }
  widen_if_constant(x);
  set_linear_ticks(x, 6, whole_x);
  if (options.log_y) {
    // Whole decades, at least one.
    y.low = std::floor(y.low + 1e-9);
    y.high = std::max(std::ceil(y.high - 1e-9), y.low + 1);
    set_log_ticks(y);
  } else {
    widen_if_constant(y);
    // A scale that starts near zero starts at zero; others get a little air.
    const double air = 0.06 * (y.high - y.low);
    y.low = y.low >= 0 && y.low < 0.4 * y.high ? 0 : y.low - air;
    y.high += air;
    set_linear_ticks(y, 5, false);
  }
  if (series.size() > 1) canvas.legend(series);
  canvas.frame(x, y);
  for (std::size_t s = 0; s < series.size(); ++s) {
    draw_series(canvas, series[s], s, x, y, options.log_y);
  }
  if (options.x_is_frame) canvas.mark_frames(x, y);
  return canvas.take();
}

std::string histogram_svg(std::span<const double> values, int bins, const PlotOptions& options) {
  Axis x{HUGE_VAL, -HUGE_VAL};
  for (const double v : values) {
    if (!is_shown(v, false)) continue;
    x.low = std::min(x.low, v);
    x.high = std::max(x.high, v);
  }
  Canvas canvas(options);
  if (x.low > x.high || bins < 1) {
    canvas.say_empty();
    return canvas.take();
  }
  widen_if_constant(x);
  std::vector<std::size_t> counts(bins);
  for (const double v : values) {
    if (!is_shown(v, false)) continue;
    const int bin = static_cast<int>((v - x.low) / (x.high - x.low) * bins);
    ++counts[std::min(bin, bins - 1)];
  }
  Axis y{0, 1.06 * static_cast<double>(*std::max_element(counts.begin(), counts.end()))};
  set_linear_ticks(x, 6, false);
  set_linear_ticks(y, 5, true);
  canvas.frame(x, y);
  canvas.write("<g style=\"fill:{}\">\n", palette_colour(0));
  const double width = (x.last - x.first) / bins;
  for (int b = 0; b < bins; ++b) {
    const double top = y.at(static_cast<double>(counts[b]));
    canvas.write("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                 x.first + b * width + 0.5, top, std::max(0.5, width - 1), y.first - top);
  }
  canvas.write("</g>\n");
  return canvas.take();
}

}  // namespace isochor::run
