#include "isochor/run/report_page.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "isochor/run/packing.h"
#include "isochor/run/plot.h"
#include "isochor/run/viewer_assets.h"

namespace isochor::run {
namespace {

class Page {
 public:
  /// `format` is ours; what comes from outside goes through escape_html first.
  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(html_), format, std::forward<Args>(args)...);
  }

  void head(const ReportInput& input) {
    // The policy makes "needs nothing else" a promise that the browser keeps.
    write(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n",
        escape_html(input.title), page_style());
    write("<header>\n<h1>{}</h1>\n", escape_html(input.title));
    if (!input.subtitle.empty()) {
      write("<p class=\"subtitle\">{}</p>\n", escape_html(input.subtitle));
    }
    if (!input.status.empty()) {
      write("<p class=\"status {}\">{}</p>\n", input.ok ? "ok" : "failed",
            escape_html(input.status));
    }
    write("</header>\n");
    if (input.warnings.empty()) return;
    write("<ul class=\"warnings\">\n");
    for (const std::string& w : input.warnings) write("<li>{}</li>\n", escape_html(w));
    write("</ul>\n");
  }

  /// Where the script puts the viewer, and what it leaves out.
  void viewer(const ReportInput& input) {
    if (input.runs.empty()) return;
    write("<section class=\"viewer\" id=\"viewer\" hidden></section>\n");
    for (const ViewedRun& run : input.runs) {
      std::string text;
      for (const std::string& note : run.data.notes) text += (text.empty() ? "" : "; ") + note;
      const std::string name = input.runs.size() > 1 ? run.title + ": " : "In this view ";
      write("<p class=\"notes\">{}{}.</p>\n", escape_html(name), escape_html(text));
    }
  }

  /// The numbers behind the viewer stand at the end: all else is there before they are read.
  void viewer_data(const std::vector<ViewedRun>& runs) {
    for (std::size_t r = 0; r < runs.size(); ++r) {
      write(
          "<script type=\"application/json\" class=\"viewer-header\" data-run=\"{}\" "
          "data-title=\"{}\">{}</script>\n",
          r, escape_html(runs[r].title), runs[r].data.header);
      for (const std::string& block : runs[r].data.blocks) {
        write("<script type=\"text/plain\" class=\"viewer-block\" data-run=\"{}\">{}</script>\n", r,
              block);
      }
    }
  }

  /// Shown as long as no script puts a viewer in their place.
  void pictures(const std::vector<Picture>& list) {
    if (list.empty()) return;
    write(
        "<details class=\"pictures-box\" id=\"pictures-box\" open>\n<summary>Pictures, ray "
        "traced</summary>\n<section class=\"pictures\">\n");
    for (const Picture& p : list) {
      const std::string caption = escape_html(p.caption);
      write("<figure><img alt=\"{}\" src=\"data:image/png;base64,{}\">", caption, base64(p.png));
      if (!caption.empty()) write("<figcaption>{}</figcaption>", caption);
      write("</figure>\n");
    }
    write("</section>\n</details>\n");
  }

  void facts(const std::vector<Fact>& list) {
    if (list.empty()) return;
    write("<h2>At a glance</h2>\n<dl class=\"facts\">\n");
    for (const Fact& f : list) {
      write("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(f.name), escape_html(f.value));
    }
    write("</dl>\n");
  }

  void plots(const std::vector<TitledSvg>& list) {
    if (list.empty()) return;
    write("<h2>Over the frames</h2>\n<section class=\"plots\">\n");
    for (const auto& [title, svg] : list) {
      // The script puts the histogram of the shown frame in the place of this one.
      const char* live = title == kHistogramTitle ? " data-histogram=\"J\"" : "";
      write("<figure aria-label=\"{}\"{}>{}</figure>\n", escape_html(title), live, svg);
    }
    write("</section>\n");
  }

  void table(const TextTable& t) {
    write("<h2>{}</h2>\n<div class=\"table\" tabindex=\"0\">\n<table>\n<thead><tr>",
          escape_html(t.heading));
    for (const std::string& name : t.columns) write("<th>{}</th>", escape_html(name));
    write("</tr></thead>\n<tbody>\n");
    for (const std::vector<std::string>& row : t.rows) {
      write("<tr>");
      for (const std::string& cell : row) write("<td>{}</td>", escape_html(cell));
      write("</tr>\n");
    }
    write("</tbody>\n</table>\n</div>\n");
  }

  void table(const DiagnosticsTable& t) {
    if (t.rows.empty()) return;
    write(
        "<h2>Every frame in numbers</h2>\n<div class=\"table\" tabindex=\"0\">\n<table>\n"
        "<thead><tr>");
    for (const std::string& name : t.columns) write("<th>{}</th>", escape_html(name));
    write("</tr></thead>\n<tbody>\n");
    for (const std::vector<double>& row : t.rows) {
      write("<tr>");
      for (const double value : row) {
        if (std::isnan(value)) {
          write("<td>\u2013</td>");
        } else {
          write("<td>{:.5g}</td>", value);
        }
      }
      write("</tr>\n");
    }
    write("</tbody>\n</table>\n</div>\n");
  }

  void scene(const std::string& text) {
    if (text.empty()) return;
    write(
        "<details>\n<summary>The scene, every default resolved</summary>\n<pre>{}</pre>\n"
        "</details>\n",
        escape_html(text));
  }

  std::string take(const std::vector<ViewedRun>& runs) {
    write("</main>\n");
    viewer_data(runs);
    write("<script type=\"module\">{}</script>\n</body>\n</html>\n", page_script());
    return std::move(html_);
  }

 private:
  std::string html_;
};

}  // namespace

std::string report_html(const ReportInput& input) {
  Page page;
  page.head(input);
  page.viewer(input);
  page.pictures(input.pictures);
  for (const TextTable& table : input.tables) page.table(table);
  page.facts(input.facts);
  page.plots(input.plots);
  page.table(input.diagnostics);
  page.scene(input.scene_text);
  return page.take(input.runs);
}

}  // namespace isochor::run
