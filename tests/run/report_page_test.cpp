#include "isochor/run/report_page.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace isochor::run {
namespace {

ReportInput sample_report() {
  ReportInput r;
  r.title = "Twisted <bar>";
  r.subtitle = "lattice & mixed";
  r.status = "done and converged";
  r.ok = true;
  r.facts = {{"Cells", "6912"}, {"Mesh", "\"a\" < 'b'"}};
  r.pictures = {{{std::byte{'M'}, std::byte{'a'}, std::byte{'n'}}, "Frame 0"},
                {{std::byte{'M'}, std::byte{'a'}}, "Frame 1"},
                {{std::byte{'M'}}, "Frame <2>"}};
  r.diagnostics.columns = {"frame",
                           "time [s]",
                           "residual",
                           "reaction.left.fx [N]",
                           "reaction.left.mx [N m]",
                           "solve_seconds [s]"};
  r.diagnostics.rows = {{0, 0, std::numeric_limits<double>::quiet_NaN(), 1, 2, 3},
                        {1, 0.5, 1e-9, 2, 3, 4}};
  r.plots = standard_plots(r.diagnostics);
  r.scene_text = "name = \"</pre><script>alert(1)</script>\"";
  r.warnings = {"cell <7> was inverted"};
  return r;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Report, HasNoExternalReference) {
  const std::string html = report_html(sample_report());
  for (const char* reference : {"src=\"http", "src=\"/", "href=", "url(", "@import", "fetch(",
                                "<link", "<iframe", "<object"}) {
    EXPECT_FALSE(contains(html, reference)) << reference;
  }
  EXPECT_TRUE(contains(html, "default-src 'none'"));
}

TEST(Report, TextFromOutsideIsEscaped) {
  const std::string html = report_html(sample_report());
  EXPECT_FALSE(contains(html, "alert(1)</script>"));
  EXPECT_FALSE(contains(html, "<bar>"));
  EXPECT_FALSE(contains(html, "<7>"));
  EXPECT_FALSE(contains(html, "<2>"));
  EXPECT_TRUE(contains(html, "Twisted &lt;bar&gt;"));
  EXPECT_TRUE(contains(html, "lattice &amp; mixed"));
}

TEST(Report, PicturesAreBase64) {
  const std::string html = report_html(sample_report());
  EXPECT_TRUE(contains(html, "base64,TWFu\""));
  EXPECT_TRUE(contains(html, "base64,TWE=\""));
  EXPECT_TRUE(contains(html, "base64,TQ==\""));
}

TEST(Report, ShowsStatusWarningsFactsAndEveryNumber) {
  ReportInput input = sample_report();
  const std::string html = report_html(input);
  EXPECT_TRUE(contains(html, "class=\"status ok\">done and converged"));
  EXPECT_TRUE(contains(html, "<dt>Cells</dt><dd>6912</dd>"));
  EXPECT_TRUE(contains(html, "cell &lt;7&gt; was inverted"));
  EXPECT_TRUE(contains(html, "<td>1e-09</td>"));
  input.ok = false;
  EXPECT_TRUE(contains(report_html(input), "class=\"status failed\""));
}

TEST(Report, EmptyPartsLeaveNoHeading) {
  ReportInput input;
  input.title = "Nothing yet";
  const std::string html = report_html(input);
  EXPECT_FALSE(contains(html, "<h2>"));
  EXPECT_FALSE(contains(html, "<details>"));
  EXPECT_FALSE(contains(html, "<table>"));
}

TEST(Report, TagsAreBalanced) {
  const std::string html = report_html(sample_report());
  const auto count = [&](const std::string& part) {
    int n = 0;
    for (std::size_t at = 0; (at = html.find(part, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  for (const std::string tag : {"html", "head", "body", "main", "section", "figure", "figcaption",
                                "svg", "table", "tr", "td", "div", "ul", "dl", "details", "pre"}) {
    EXPECT_EQ(count("<" + tag + ">") + count("<" + tag + " "), count("</" + tag + ">")) << tag;
  }
}

TEST(StandardPlots, ComeFromTheColumnsThatArePresent) {
  std::vector<std::string> titles;
  for (const TitledSvg& p : standard_plots(sample_report().diagnostics)) titles.push_back(p.first);
  std::sort(titles.begin(), titles.end());
  EXPECT_EQ(titles, (std::vector<std::string>{"Reaction forces", "Reaction moments", "Residual",
                                              "Time per phase"}));
}

TEST(StandardPlots, TheSizeOfASignedErrorIsShown) {
  DiagnosticsTable t;
  t.columns = {"frame", "volume_error"};
  t.rows = {{0, -1e-3}, {1, -1e-6}};
  const auto plots = standard_plots(t);
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_FALSE(contains(plots[0].second, "no values"));
  EXPECT_TRUE(contains(plots[0].second, ">1e-3<"));
}

TEST(StandardPlots, AnEmptyTableHasNone) {
  EXPECT_TRUE(standard_plots({}).empty());
  DiagnosticsTable header_only;
  header_only.columns = {"frame", "residual"};
  EXPECT_TRUE(standard_plots(header_only).empty());
}

}  // namespace
}  // namespace isochor::run
