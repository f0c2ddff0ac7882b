#include "isochor/run/plot.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>

namespace isochor::run {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

int count(std::string_view text, std::string_view part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++n;
  return n;
}

std::string plot(const std::vector<double>& x, const std::vector<double>& y, bool log_y = false) {
  const std::vector<Series> series = {{"a", x, y}};
  PlotOptions options;
  options.log_y = log_y;
  return plot_svg(series, options);
}

/// The path of the only line in a plot without legend.
std::string line_path(const std::string& svg) {
  const std::size_t style = svg.find("style=\"stroke:");
  if (style == std::string::npos) return "";
  const std::size_t begin = svg.rfind("d=\"", style) + 3;
  return svg.substr(begin, svg.find('"', begin) - begin);
}

TEST(Plot, ALineHasOnePointPerValue) {
  const std::string path = line_path(plot({0, 1, 2, 3}, {1, 4, 2, 3}));
  EXPECT_EQ(count(path, "M"), 1);
  EXPECT_EQ(count(path, "L"), 3);
}

TEST(Plot, NanLeavesAGap) {
  const std::string path = line_path(plot({0, 1, 2, 3, 4}, {1, 4, kNan, 3, 2}));
  EXPECT_EQ(count(path, "M"), 2);
  EXPECT_EQ(count(path, "L"), 2);
}

TEST(Plot, LogAxisSkipsNonPositiveValues) {
  const std::string svg = plot({0, 1, 2, 3, 4}, {1e-3, 1e-5, 0, -2, 1e-7}, true);
  const std::string path = line_path(svg);
  EXPECT_EQ(count(path, "M"), 2);
  EXPECT_EQ(count(path, "L"), 1);
  EXPECT_NE(svg.find(">1e-7<"), std::string::npos);
  EXPECT_NE(svg.find(">1e-3<"), std::string::npos);
  EXPECT_EQ(svg.find(">1e-2<"), std::string::npos);
}

TEST(Plot, EqualRatiosAreEqualStepsOnALogAxis) {
  double x[3], y[3];
  const std::string path = line_path(plot({0, 1, 2}, {1e-4, 1e-2, 1}, true));
  ASSERT_EQ(std::sscanf(path.c_str(), "M%lf %lfL%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1], &x[2],
                        &y[2]),
            6);
  EXPECT_NEAR(y[0] - y[1], y[1] - y[2], 0.11);
  EXPECT_GT(y[0], y[1]);  // SVG counts rows from the top
}

TEST(Plot, WithoutValuesItSaysSo) {
  EXPECT_NE(plot_svg({}, {}).find("no values"), std::string::npos);
  EXPECT_NE(plot({}, {}).find("no values"), std::string::npos);
  EXPECT_NE(plot({0, 1}, {kNan, kNan}).find("no values"), std::string::npos);
  EXPECT_NE(plot({0, 1}, {-1, 0}, true).find("no values"), std::string::npos);
}

TEST(Plot, OnePointIsADot) {
  const std::string svg = plot({3}, {5});
  EXPECT_EQ(count(svg, "<circle"), 1);
}

TEST(Plot, EveryNumberIsFiniteWhateverTheData) {
  const double huge = 1e308, tiny = 5e-324;
  for (const bool log_y : {false, true}) {
    for (const auto& y : std::vector<std::vector<double>>{{0, 0, 0},
                                                          {7, 7, 7},
                                                          {-3, -3, -3},
                                                          {tiny, tiny, 2 * tiny},
                                                          {huge, -huge, huge},
                                                          {1e9, 1e9 + 1e-6, 1e9},
                                                          {INFINITY, 1, -INFINITY}}) {
      const std::string svg = plot({0, 1, 2}, y, log_y);
      EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
      EXPECT_LT(svg.size(), 20000u);
    }
  }
}

TEST(Plot, TextIsEscaped) {
  const std::vector<Series> series = {{"<b>&\"", {0, 1}, {0, 1}}, {"second", {0, 1}, {1, 0}}};
  PlotOptions options;
  options.title = "<script>";
  options.x_label = "a < b";
  const std::string svg = plot_svg(series, options);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;b&gt;&amp;&quot;"), std::string::npos);
}

TEST(Plot, ALegendNamesTheLinesWhereThereAreSeveral) {
  const std::vector<Series> series = {{"newton", {0, 1}, {0, 1}}, {"krylov", {0, 1}, {1, 0}}};
  const std::string svg = plot_svg(series, {});
  EXPECT_NE(svg.find(">newton<"), std::string::npos);
  EXPECT_NE(svg.find(">krylov<"), std::string::npos);
  EXPECT_EQ(plot({0, 1}, {0, 1}).find(">a<"), std::string::npos);
}

TEST(Plot, MeasurementsAreDotsWithoutALine) {
  Series measured{"measured", std::vector<double>(40), std::vector<double>(40)};
  for (int i = 0; i < 40; ++i) measured.x[i] = measured.y[i] = i;
  Series line = measured;
  measured.points = true;
  const std::string dots = plot_svg(std::vector{measured}, {});
  EXPECT_EQ(line_path(dots), "");
  EXPECT_EQ(count(dots, "<circle"), 40);
  // In a legend too: one dot more, and the stroke of the line alone.
  const std::string both = plot_svg(std::vector{measured, line}, {});
  EXPECT_EQ(count(both, "<circle"), 41);
  EXPECT_EQ(count(both, "style=\"stroke:"), 2);
}

TEST(Plot, ALineCanShareAColourAndBeDashed) {
  Series along{"along", {0, 1}, {0, 1}}, across{"across", {0, 1}, {1, 0}};
  across.colour = 0;
  across.dashed = true;
  const std::string svg = plot_svg(std::vector{along, across}, {});
  EXPECT_EQ(svg.find("--series-2"), std::string::npos);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"5 4\""), 2);  // in the legend and in the plot
}

TEST(Plot, WholeNumbersHaveWholeTicks) {
  const std::string svg = plot({0, 1, 2}, {10, 20, 30});
  EXPECT_EQ(svg.find(">0.5<"), std::string::npos);
  EXPECT_NE(svg.find(">2<"), std::string::npos);
}

TEST(Histogram, EveryFiniteValueIsCountedOnce) {
  // Bars of 1, 2 and 3 values: their heights are in that ratio.
  const std::vector<double> values = {0, 1.5, 1.6, 2.8, 2.9, 3.0, kNan};
  const std::string svg = histogram_svg(values, 3, {});
  std::vector<double> heights;
  for (std::size_t at = 0; (at = svg.find("<rect", at)) != std::string::npos; ++at) {
    heights.push_back(std::stod(svg.substr(svg.find("height=\"", at) + 8)));
  }
  ASSERT_EQ(heights.size(), 3u);
  EXPECT_NEAR(heights[1] / heights[0], 2, 0.02);
  EXPECT_NEAR(heights[2] / heights[0], 3, 0.02);
}

TEST(Histogram, EqualValuesAndNoValuesAreFine) {
  const std::vector<double> same(5, 1.0);
  EXPECT_EQ(count(histogram_svg(same, 8, {}), "<rect"), 8);
  EXPECT_NE(histogram_svg({}, 8, {}).find("no values"), std::string::npos);
}

}  // namespace
}  // namespace isochor::run
