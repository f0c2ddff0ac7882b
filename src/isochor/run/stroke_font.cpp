#include "isochor/run/stroke_font.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace isochor::run {
namespace {

/// Glyphs from space to tilde as pen strokes on a grid: two base-36 digits (x, y) per point,
/// strokes apart by a space. The baseline is y = 8, small letters reach 22 ('m'), capitals 28
/// ('s'). The points are the control polygon of a quadratic B-spline: two make a straight line,
/// more make a round stroke, and a stroke that ends where it began is closed. Corners are where
/// strokes meet.
constexpr std::array<std::string_view, 95> kGlyphs = {
    "", "0s0f 0808", "0s0m 5s5m", "386s 98cs 1mem 0ede", "bpas0s0icic8180c 6u65",
    "es08 0k6k6s0s0k 98f8fg9g98", "e83l2sasak0g0898dh", "0s0m", "5u0p0954", "0u5p5904",
    "5s5i 1p9l 9p1l", "6m6a 0gcg", "2904", "0g8g", "0808", "9u04",
    // 0 to 9
    "08c8cs0s08", "2p7s 7s78", "0n0scsci08 08c8", "0o0sbsbi4i 4icic8080c", "9s0e 0ece 9s98",
    "as1s 1s0i 0i2lclc8080c", "bq9s0s0e 08c8ck0k08", "0scs cs48", "1ibibs1s1i 08c8ci0i08",
    "1a38c8cm 0gcgcs0s0g",
    // : ; < = > ? @
    "0808 0k0k", "2k2k 2904", "al0g 0gab", "0jcj 0dcd", "0lag ag0b", "0n0sasaj5j5e 5858",
    "e5050rhrhbcbcl 5bcbcl5l5b",
    // A to Z
    "087s 7se8 2ece", "080s 0s6sbsbi6i0i 0i6icic86808", "dobs0s08b8dc", "080s 0s5sdsd85808",
    "080s 0sbs 0iai 08b8", "080s 0sbs 0iai", "dobs0s08d8di di8i", "080s c8cs 0ici", "080s",
    "8s8e88080d", "080s cs0f 5kd8", "0s08 08b8", "080s 0s7c 7ces ese8", "080s 0sd8 d8ds",
    "08f8fs0s08", "080s 0s6scsch6h0h", "08f8fs0s08 9df7", "080s 0s6scsch6h0h 6hc8",
    "bpas0s0icic8180c", "0ses 7s78", "0s0g08c8cgcs", "0s78 78es", "0s58 589q 9qd8 d8is",
    "0sd8 08ds", "0s6h 6hcs 6h68", "0scs cs08 08c8",
    // [ \ ] ^ _ `
    "5u0u 0u04 0454", "0u94", "0u5u 5u54 5404", "0k5s 5sak", "05c5", "0s4o",
    // a to z
    "08b8bm0m08 bmb8", "0s08 08b8bm0m08", "aj9m0m0898ab", "bsb8 08b8bm0m08", "0fbf bfbm0m0898ab",
    "8s3s3m38 0m7m", "08b8bm0m08 bmb8b21205", "0s08 0f0mamafa8", "0m08 0r0r", "3m353202 3r3r",
    "0s08 am0d 4ha8", "0s0b0838", "0m08 0f0m8m8f88 8f8mgmgfg8", "0m08 0f0mamafa8", "08c8cm0m08",
    "0m02 08b8bm0m08", "bmb2 08b8bm0m08", "0m08 0e0m7m", "9k8m0m0fafa8180b", "3r3c3888 0m7m",
    "0m0f08a8af ama8", "0m58 58am", "0m48 488k 8kc8 c8gm", "0ma8 08am", "0m58 am32",
    "0mam am08 08a8",
    // { | } ~
    "5u2u2h0h 0h2h2454", "0u04", "0u3u3h5h 5h3h3404", "0f0j4j8fcfcj"};
constexpr std::string_view kUnknownGlyph = "080s 0sas asa8 a808";
constexpr int kBaseline = 8, kCapHeight = 20, kSpaceWidth = 5, kDigitWidth = 12;
constexpr double kGap = 5.6, kPenWidth = 2.5;

struct Point {
  double x, y;
};
Point middle(const Point& a, const Point& b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

int base36(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::string_view glyph(char c) {
  return c >= ' ' && c <= '~' ? kGlyphs[static_cast<std::size_t>(c - ' ')] : kUnknownGlyph;
}

/// Bytes inside a UTF-8 sequence draw nothing: their first byte already stands for all.
bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

double advance(char c) {
  if (continues_code_point(c)) return 0;
  int width = c == ' ' ? kSpaceWidth : 0;
  if (c >= '0' && c <= '9') width = kDigitWidth;  // numbers below each other align
  const std::string_view strokes = glyph(c);
  for (std::size_t i = 0; i < strokes.size(); i += strokes[i] == ' ' ? 1 : 2) {
    if (strokes[i] != ' ') width = std::max(width, base36(strokes[i]));
  }
  return width + kGap;
}

/// The curve of one stroke as a polyline on the grid.
std::vector<Point> flatten(std::string_view stroke) {
  std::vector<Point> control;
  for (std::size_t i = 0; i < stroke.size(); i += 2) {
    control.push_back({static_cast<double>(base36(stroke[i])),
                       static_cast<double>(base36(stroke[i + 1]) - kBaseline)});
  }
  if (control.size() == 2) return control;
  const bool closed = stroke.substr(0, 2) == stroke.substr(stroke.size() - 2);
  if (closed) control.push_back(control[1]);

  // One parabola per inner control point, between the middles of the sides that meet there.
  std::vector<Point> line;
  const std::size_t last = control.size() - 2;
  for (std::size_t i = 1; i <= last; ++i) {
    const Point a = i == 1 && !closed ? control[0] : middle(control[i - 1], control[i]);
    const Point b = i == last && !closed ? control[i + 1] : middle(control[i], control[i + 1]);
    constexpr int kPieces = 8;
    for (int k = 0; k <= kPieces; ++k) {
      const double t = static_cast<double>(k) / kPieces, s = 1 - t;
      line.push_back({s * s * a.x + 2 * s * t * control[i].x + t * t * b.x,
                      s * s * a.y + 2 * s * t * control[i].y + t * t * b.y});
    }
  }
  return line;
}

double distance_to_segment(const Point& p, const Point& a, const Point& b) {
  const double ux = b.x - a.x, uy = b.y - a.y, length2 = ux * ux + uy * uy;
  double t = 0;
  if (length2 > 0) t = std::clamp(((p.x - a.x) * ux + (p.y - a.y) * uy) / length2, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * ux, p.y - a.y - t * uy);
}

/// Dots are drawn heavier than strokes, as in printed type.
bool is_dot(const std::vector<Point>& line) {
  return line.size() == 2 && line[0].x == line[1].x && line[0].y == line[1].y;
}

void draw_glyph(Image& image, double x, double y, std::string_view strokes, double scale,
                const std::array<std::uint8_t, 3>& colour) {
  std::vector<std::vector<Point>> lines;
  Point low{1e30, 1e30}, high{-1e30, -1e30};
  for (std::size_t begin = 0; begin < strokes.size();) {
    const std::size_t end = std::min(strokes.find(' ', begin), strokes.size());
    lines.push_back(flatten(strokes.substr(begin, end - begin)));
    for (Point& p : lines.back()) {
      p = {x + scale * p.x, y - scale * p.y};
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    begin = end + 1;
  }
  if (lines.empty()) return;

  // Small text keeps a pen of almost a pixel, or it would fade away.
  const double radius = std::max(0.45, 0.5 * kPenWidth * scale), reach = 1.35 * radius + 1;
  const int x0 = std::max(0, static_cast<int>(low.x - reach));
  const int y0 = std::max(0, static_cast<int>(low.y - reach));
  const int x1 = std::min(image.width - 1, static_cast<int>(high.x + reach));
  const int y1 = std::min(image.height - 1, static_cast<int>(high.y + reach));
  for (int row = y0; row <= y1; ++row) {
    for (int column = x0; column <= x1; ++column) {
      double distance = std::numeric_limits<double>::max();
      for (const auto& line : lines) {
        const double dot_bonus = is_dot(line) ? 0.35 * radius : 0;
        for (std::size_t i = 1; i < line.size(); ++i) {
          const Point here{column + 0.5, row + 0.5};
          distance =
              std::min(distance, distance_to_segment(here, line[i - 1], line[i]) - dot_bonus);
        }
      }
      const double cover = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
      std::uint8_t* pixel = image.pixel(column, row);
      for (int i = 0; i < 3; ++i) {
        pixel[i] =
            static_cast<std::uint8_t>(std::lround(pixel[i] + cover * (colour[i] - pixel[i])));
      }
    }
  }
}

}  // namespace

double text_width(std::string_view text, double cap_height) {
  double width = 0;
  for (const char c : text) width += advance(c);
  return std::max(0.0, width - kGap) * cap_height / kCapHeight;
}

void draw_text(Image& image, double x, double y, std::string_view text, double cap_height,
               const Colour& colour, Align align) {
  const double scale = cap_height / kCapHeight;
  if (align != Align::Left) {
    x -= text_width(text, cap_height) * (align == Align::Right ? 1.0 : 0.5);
  }
  const std::array<std::uint8_t, 3> ink = {encode_srgb(colour[0]), encode_srgb(colour[1]),
                                           encode_srgb(colour[2])};
  for (const char c : text) {
    if (continues_code_point(c)) continue;
    draw_glyph(image, x, y, glyph(c), scale, ink);
    x += scale * advance(c);
  }
}

}  // namespace isochor::run
