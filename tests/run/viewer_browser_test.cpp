// The report as a browser sees it. Without a browser these tests say that they were skipped.
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isochor/run/colormap.h"
#include "isochor/run/render.h"
#include "isochor/run/report_page.h"
#include "tests/run/browser.h"
#include "tests/run/viewer_sample.h"

namespace isochor::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kWidth = 640, kHeight = 400;

class BrowserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Browser::program().empty()) {
      GTEST_SKIP() << "no browser found; './dev setup --browser' installs one";
    }
    ReportInput input{.title = "Sample"};
    input.runs.push_back({"Sample", pack_viewer(sample_.source())});
    input.pictures = {{encode_png(Image(8, 8)), "Frame 0"}, {encode_png(Image(8, 8)), "Frame 1"}};
    page_ = folder_ / "page.html";
    write_file_atomic(page_, report_html(input));
  }

  /// Adds a script to the page, to run once the viewer is ready.
  void run_in_page(const std::string& script) const {
    const std::string text =
        "<script>const wait = setInterval(() => {\n"
        "  if (document.documentElement.dataset.viewer !== 'ready') return;\n"
        "  clearInterval(wait);\n" +
        script + "}, 50);</script>\n";
    write_file_atomic(page_, read_text_file(page_) + text);
  }

  /// The hash that makes the page see what a view of `isochor render` sees.
  static std::string camera(const View& view) {
    const double distance = dot(view.eye - view.centre, view.back);
    const Vec3d target = view.eye - view.back * distance;
    return fmt::format("only=1&camera={},{},{},{},{},{},{}", view.back[0], view.back[1],
                       view.back[2], target[0], target[1], target[2], distance);
  }

  static std::array<int, 2> pixel_of(const View& view, const Vec3d& point) {
    const Vec3d x = point - view.eye;
    const double scale = -0.5 * kHeight / (view.tan_half_height * dot(view.back, x));
    return {static_cast<int>(std::floor(0.5 * kWidth + scale * dot(view.right, x))),
            static_cast<int>(std::floor(0.5 * kHeight - scale * dot(view.up, x)))};
  }

  View view_from(const Vec3d& direction, int frame) const {
    const RenderOptions options{.width = kWidth, .height = kHeight, .camera_direction = direction};
    return fit_view(sample_.topology, std::span(&sample_.frames[frame], 1), options);
  }

  static void expect_colour(const Image& image, const View& view, const Vec3d& point,
                            const Colour& colour) {
    const auto [x, y] = pixel_of(view, point);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(image.pixel(x, y)[c], encode_srgb(colour[c]), 2)
          << "channel " << c << " at pixel " << x << ", " << y;
    }
  }

  ViewerSample sample_{4};
  files::TemporaryFolder folder_;
  std::filesystem::path page_;
  Browser browser_;
};

/// Bodies have colours, all else is grey.
std::vector<bool> silhouette(const Image& image) {
  std::vector<bool> inside;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    const auto [low, high] = std::minmax({image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]});
    inside.push_back(high - low > 24);
  }
  return inside;
}

/// What the page says about itself: the root element and the state of the viewer.
std::string state_of(const std::string& document) {
  const auto part = [&](std::string_view begin, char end) {
    const std::size_t at = document.find(begin);
    if (at == std::string::npos) return std::string("nothing\n");
    return document.substr(at, document.find(end, at + begin.size()) - at) + '\n';
  };
  std::string text = part("<html", '>') + part("data-state=\"", '"');
  for (std::size_t at; (at = text.find("&quot;")) != std::string::npos;) text.replace(at, 6, "'");
  return text;
}

TEST_F(BrowserTest, ShowsWhatTheAddressAsksForWithoutErrorsOrNetwork) {
  const std::string state =
      state_of(browser_.document(page_, "frame=2&field=J&cut=x:0.25&lattice=1&camera=0,0,1"));
  EXPECT_EQ(browser_.messages, "");
  EXPECT_THAT(state, HasSubstr("data-viewer=\"ready\""));
  EXPECT_THAT(state, Not(HasSubstr("data-error")));
  for (const char* part :
       {"'frame':2,", "'field':'J'", "'lattice':true", "'loaded':4", "'problem':[0]",
        "'requests':0", "'axis':'x','at':0.25", "'direction':[0,0,1]"}) {
    EXPECT_THAT(state, HasSubstr(part));
  }
}

TEST_F(BrowserTest, SlowPlaysThroughTheFrames) {
  const std::string state = state_of(browser_.document(page_, "frame=0&playing=1&speed=0.5"));
  EXPECT_EQ(browser_.messages, "");
  EXPECT_THAT(state, HasSubstr("'playing':true"));
  EXPECT_THAT(state, ::testing::ContainsRegex("'framesSeen':[234]"));
}

TEST_F(BrowserTest, SlowKeysDoWhatThePageSays) {
  run_in_page(R"(
    const canvas = document.querySelector('canvas');
    const press = key => canvas.dispatchEvent(new KeyboardEvent('keydown', {key}));
    for (const key of ['.', '.', ',', 'l', 'c', 'c', 'f', 'ArrowLeft', '+', 'q']) press(key);)");
  const std::string state = state_of(browser_.document(page_, "frame=1&field=J&camera=0,0,1"));
  EXPECT_EQ(browser_.messages, "");
  for (const char* part : {"'frame':2,", "'lattice':true", "'axis':'y'"}) {
    EXPECT_THAT(state, HasSubstr(part));
  }
  EXPECT_THAT(state, Not(HasSubstr("'field':'J'")));
  EXPECT_THAT(state, Not(HasSubstr("'direction':[0,0,1]")));
}

TEST_F(BrowserTest, SlowNarrowScreenNeedsNoSidewaysScrolling) {
  run_in_page(R"(
    const all = document.scrollingElement, canvas = document.querySelector('canvas');
    document.title = `${all.scrollWidth <= innerWidth} ${canvas.clientWidth <= innerWidth}`;)");
  browser_.more_options = {"--window-size=500,900"};
  EXPECT_THAT(browser_.document(page_, ""), HasSubstr("<title>true true</title>"));
}

TEST_F(BrowserTest, SilhouetteIsThatOfRender) {
  const View view = view_from({0.6, 0.5, 0.8}, 3);
  const RenderOptions options{.width = kWidth, .height = kHeight, .samples = 4, .ground = false};
  ThreadArena arena(2);
  const std::vector<bool> traced =
      silhouette(render(sample_.topology, sample_.frames[3], options, view, arena));
  const std::vector<bool> drawn =
      silhouette(browser_.picture(page_, "frame=3&field=&" + camera(view), kWidth, kHeight));
  ASSERT_EQ(drawn.size(), traced.size());
  double both = 0, either = 0;
  for (std::size_t i = 0; i < traced.size(); ++i) {
    both += traced[i] && drawn[i];
    either += traced[i] || drawn[i];
  }
  EXPECT_GT(either, 0.1 * double(traced.size()));
  EXPECT_GT(both / either, 0.98);
}

TEST_F(BrowserTest, SlowColourIsThatOfTheValueThere) {
  const View view = view_from({0, 0, 1}, 0);
  const Image image =
      browser_.picture(page_, "frame=0&field=signed&light=0&" + camera(view), kWidth, kHeight);
  for (const double x : {-0.9, -0.5, -0.05, 0.3, 0.95}) {
    expect_colour(image, view, {x, 0.2, 0.5}, map_colour(Colormap::Diverging, 0.5 + 0.5 * x));
  }
  // The ring does not have the field.
  expect_colour(image, view, {1.9, 0.4, 0.15}, kNoValueColour);
}

TEST_F(BrowserTest, SlowCutShowsTheCellsInside) {
  const View view = view_from({0, 0, 1}, 0);
  const Image image =
      browser_.picture(page_, "frame=0&field=J&light=0&cut=z:0.4&" + camera(view), kWidth, kHeight);
  // J is neutral at 1, and 1.2 reaches out farthest. The ring is closed with a plain face.
  const double z = -0.55 + 0.4 * 1.1;
  expect_colour(image, view, {-0.6, 0.1, z}, map_colour(Colormap::Diverging, 1));
  expect_colour(image, view, {0.6, 0.1, z}, map_colour(Colormap::Diverging, 0.25));
}

TEST_F(BrowserTest, SlowWithoutWebGlThePicturesAreThere) {
  browser_.more_options = {"--disable-gpu", "--disable-3d-apis"};
  const std::string document = browser_.document(page_, "");
  EXPECT_THAT(document, HasSubstr("class=\"pictures slides\""));
  EXPECT_THAT(document, HasSubstr("id=\"viewer\" hidden"));
  EXPECT_THAT(document, HasSubstr("id=\"pictures-box\" open"));
}

}  // namespace
}  // namespace isochor::run
