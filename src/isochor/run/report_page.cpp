#include "isochor/run/report_page.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string_view>

#include "isochor/run/plot.h"

namespace isochor::run {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--page:#fbfbfa;--panel:#fff;--ink:#1f242b;--soft:#667080;
--rule:#e3e5e8;--accent:#0b66a8;--good:#1b7f4d;--bad:#b3261e;--warn:#8a5a00;--warn-page:#fff6e0}
@media (prefers-color-scheme:dark){:root{--page:#14171b;--panel:#1c2026;--ink:#e7e9ec;
--soft:#9aa4b2;--rule:#2e343c;--accent:#6cb6f0;--good:#5fd09a;--bad:#ff8a80;--warn:#ffcf70;
--warn-page:#2c2513;--series-1:#56b4e9;--series-2:#ff8b45;--series-3:#2fc79b;--series-4:#e29cc4;
--series-5:#f0c04a;--series-6:#8fd0f5;--series-7:#b3a0e6;--series-8:#b0b0b0}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:1180px;margin:0 auto;padding:2.6rem 1.4rem 4rem}
h1{font-size:clamp(1.7rem,4vw,2.5rem);line-height:1.15;letter-spacing:-.02em;margin:0;
overflow-wrap:anywhere}
h2{font-size:1.15rem;letter-spacing:-.005em;margin:2.8rem 0 .9rem}
.subtitle{color:var(--soft);margin:.35rem 0 0;font-size:1.06rem}
.status{display:inline-block;margin:1rem 0 0;padding:.18rem .8rem;border-radius:99px;
border:1px solid;font-weight:600;font-size:.92rem}
.ok{color:var(--good)}.failed{color:var(--bad)}
.warnings{margin:1.4rem 0 0;padding:.8rem 1.1rem .8rem 2.1rem;border-radius:10px;
background:var(--warn-page);color:var(--warn)}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(250px,1fr));gap:1rem;
margin-top:1.8rem}
figure{margin:0;background:var(--panel);border:1px solid var(--rule);border-radius:12px;
overflow:hidden}
.pictures figure:first-child{grid-column:1/-1}
.pictures img{display:block;width:100%;height:auto}
figcaption{padding:.55rem .95rem;color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
.pictures.stage{display:block}
.stage figure{display:none}.stage figure.current{display:block}
.scrubber{display:flex;gap:1rem;align-items:center;margin-top:.8rem}
.scrubber input{flex:1;accent-color:var(--accent);min-width:0}
.scrubber button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--rule);
border-radius:8px;padding:.25rem .9rem;min-width:5.2rem;cursor:pointer}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:0 1.6rem;margin:0}
.facts div{border-top:1px solid var(--rule);padding:.6rem 0 .7rem}
dt{color:var(--soft);font-size:.84rem}
dd{margin:0;font-weight:550;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:1rem}
.plots figure{padding:.4rem}
.plots svg{display:block;width:100%;height:auto}
.table{overflow:auto;max-height:26rem;border:1px solid var(--rule);border-radius:12px;
background:var(--panel)}
table{border-collapse:collapse;font-size:.84rem;font-variant-numeric:tabular-nums;width:100%}
th,td{padding:.32rem .8rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
th{position:sticky;top:0;background:var(--panel);color:var(--soft);font-weight:600}
tr:last-child td{border-bottom:0}
details{margin-top:2.4rem;border:1px solid var(--rule);border-radius:12px;background:var(--panel)}
summary{padding:.75rem 1.1rem;cursor:pointer;font-weight:600}
pre{margin:0;padding:.4rem 1.1rem 1.1rem;overflow:auto;
font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
@media print{.scrubber{display:none}.pictures.stage{display:grid}.stage figure{display:block}
.table{max-height:none}}
)css";

/// Turns the list of pictures into one picture with a slider. The page is whole without it.
constexpr std::string_view kScript = R"js(
(() => {
  const stage = document.querySelector('.pictures');
  const figures = stage ? [...stage.children] : [];
  if (figures.length < 2) return;
  const bar = document.createElement('div');
  bar.className = 'scrubber';
  const play = document.createElement('button');
  const slider = document.createElement('input');
  slider.type = 'range';
  slider.min = 0;
  slider.max = figures.length - 1;
  slider.setAttribute('aria-label', 'Picture');
  const show = i => {
    slider.value = i;
    figures.forEach((f, k) => f.classList.toggle('current', k === i));
  };
  let timer = 0;
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = 'Play'; };
  play.onclick = () => {
    if (timer) return stop();
    play.textContent = 'Pause';
    timer = setInterval(() => show((+slider.value + 1) % figures.length), 200);
  };
  slider.oninput = () => { stop(); show(+slider.value); };
  bar.append(play, slider);
  stage.after(bar);
  stage.classList.add('stage');
  stop();
  show(0);
})();
)js";

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? std::to_integer<unsigned>(bytes[i + k]) : 0u);
    }
    const std::size_t digits = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t k = 0; k < 4; ++k) {
      text += k < digits ? kDigits[group >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return text;
}

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
        escape_html(input.title), kStyle);
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

  void pictures(const std::vector<Picture>& list) {
    if (list.empty()) return;
    write("<section class=\"pictures\">\n");
    for (const Picture& p : list) {
      const std::string caption = escape_html(p.caption);
      write("<figure><img alt=\"{}\" src=\"data:image/png;base64,{}\">", caption, base64(p.png));
      if (!caption.empty()) write("<figcaption>{}</figcaption>", caption);
      write("</figure>\n");
    }
    write("</section>\n");
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
      write("<figure aria-label=\"{}\">{}</figure>\n", escape_html(title), svg);
    }
    write("</section>\n");
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

  std::string take() {
    write("</main>\n<script>{}</script>\n</body>\n</html>\n", kScript);
    return std::move(html_);
  }

 private:
  std::string html_;
};

}  // namespace

std::string report_html(const ReportInput& input) {
  Page page;
  page.head(input);
  page.pictures(input.pictures);
  page.facts(input.facts);
  page.plots(input.plots);
  page.table(input.diagnostics);
  page.scene(input.scene_text);
  return page.take();
}

}  // namespace isochor::run
