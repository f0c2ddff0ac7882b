#include "isochor/run/render.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "isochor/base/error.h"
#include "isochor/run/colormap.h"
#include "isochor/run/shading_mesh.h"
#include "isochor/run/stroke_font.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace isochor::run {
namespace {

/// A box of n x n x n cells with quads for faces; its vertices are its nodes.
struct BoxScene {
  files::Topology topology;
  files::Frame frame;

  explicit BoxScene(int n = 4, Vec3d low = {0, 0, 0}, double size = 1) {
    files::BodyTopology body;
    body.name = "box";
    const auto node = [n](int i, int j, int k) { return i + (n + 1) * (j + (n + 1) * k); };
    for (int k = 0; k <= n; ++k) {
      for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
          body.rest_nodes.push_back(low + Vec3d{double(i), double(j), double(k)} * (size / n));
        }
      }
    }
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          body.cells.push_back({node(i, j, k), node(i + 1, j, k), node(i, j + 1, k),
                                node(i + 1, j + 1, k), node(i, j, k + 1), node(i + 1, j, k + 1),
                                node(i, j + 1, k + 1), node(i + 1, j + 1, k + 1)});
        }
      }
    }
    body.surface.positions = body.rest_nodes;
    for (int axis = 0; axis < 3; ++axis) {
      const auto at = [&](int side, int a, int b) {
        int ijk[3];
        ijk[axis] = side * n, ijk[(axis + 1) % 3] = a, ijk[(axis + 2) % 3] = b;
        return node(ijk[0], ijk[1], ijk[2]);
      };
      for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
          const std::int32_t front[4] = {at(1, a, b), at(1, a + 1, b), at(1, a + 1, b + 1),
                                         at(1, a, b + 1)};
          const std::int32_t back[4] = {at(0, a, b), at(0, a, b + 1), at(0, a + 1, b + 1),
                                        at(0, a + 1, b)};
          body.surface.add_face(front);
          body.surface.add_face(back);
        }
      }
    }
    files::BodyFrame shape;
    shape.nodes = shape.vertices = body.rest_nodes;
    files::Field pressure{"pressure", "Pa", files::Support::Vertex, 1, {}};
    files::Field displacement{"displacement", "m", files::Support::Vertex, 3, {}};
    for (const Vec3d& x : shape.vertices) {
      pressure.values.push_back(static_cast<float>(x[0] - low[0]));
      displacement.values.insert(displacement.values.end(), {0, 3, -4});
    }
    shape.fields = {pressure, displacement};
    topology.bodies.push_back(body);
    frame.bodies.push_back(shape);
  }
};

RenderOptions small() {
  RenderOptions o;
  o.width = 96;
  o.height = 64;
  o.samples = 4;
  return o;
}

Image picture(const BoxScene& scene, const RenderOptions& options, int threads = 1) {
  ThreadArena arena(threads);
  return render(scene.topology, scene.frame, options, std::nullopt, arena);
}

/// Mean difference of two pictures per channel, 0 to 255.
double difference(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rgb.size(); ++i) sum += std::abs(a.rgb[i] - b.rgb[i]);
  return sum / static_cast<double>(a.rgb.size());
}

/// Pixels whose red is stronger than their blue: the first body, before a grey-blue background.
int count_warm(const Image& image) {
  int n = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) n += image.pixel(x, y)[0] > image.pixel(x, y)[2] + 20;
  }
  return n;
}

std::string message_of(const BoxScene& scene, const RenderOptions& options) {
  try {
    picture(scene, options);
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::Input);
    return e.what();
  }
  return "";
}

TEST(Image, PngRoundTripKeepsEveryPixel) {
  Image image(37, 23);
  for (std::size_t i = 0; i < image.rgb.size(); ++i) {
    image.rgb[i] = static_cast<std::uint8_t>(i * i / 7 + i);
  }
  const std::vector<std::byte> png = encode_png(image);
  int width = 0, height = 0, channels = 0;
  stbi_uc* decoded =
      stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(png.data()),
                            static_cast<int>(png.size()), &width, &height, &channels, 3);
  ASSERT_NE(decoded, nullptr);
  EXPECT_EQ(width, 37);
  EXPECT_EQ(height, 23);
  EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), decoded));
  stbi_image_free(decoded);
  EXPECT_EQ(png, encode_png(image));
}

TEST(Colormap, SequentialLightnessRisesEvenly) {
  const auto lightness = [](double t) {
    const Colour c = map_colour(Colormap::Sequential, t);
    return std::cbrt(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
  };
  const double mean = (lightness(1) - lightness(0)) / 32;
  for (int i = 0; i < 32; ++i) {
    const double step = lightness((i + 1) / 32.0) - lightness(i / 32.0);
    EXPECT_GT(step, 0.5 * mean);
    EXPECT_LT(step, 1.6 * mean);
  }
}

TEST(Colormap, DivergingIsNeutralInTheMiddle) {
  const Colour middle = map_colour(Colormap::Diverging, 0.5);
  EXPECT_NEAR(middle[0], middle[2], 0.01);
  const Colour low = map_colour(Colormap::Diverging, 0), high = map_colour(Colormap::Diverging, 1);
  EXPECT_GT(low[2], low[0] + 0.3f);
  EXPECT_GT(high[0], high[2] + 0.3f);
}

TEST(Colormap, NoValueHasItsOwnColour) {
  const Colour c = map_colour(Colormap::Sequential, std::nan(""));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(c[i], kNoValueColour[i]);
}

TEST(StrokeFont, EveryPrintableCharacterButSpaceLeavesInk) {
  for (char c = '!'; c <= '~'; ++c) {
    Image image(40, 40);
    std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{255});
    draw_text(image, 8, 30, std::string(1, c), 20, Colour{0, 0, 0});
    EXPECT_LT(*std::min_element(image.rgb.begin(), image.rgb.end()), 40) << c;
  }
}

TEST(StrokeFont, DigitsAreEquallyWideAndTextIsClipped) {
  EXPECT_EQ(text_width("1111", 12), text_width("8888", 12));
  EXPECT_NEAR(text_width("ab", 24), 2 * text_width("ab", 12), 1e-9);
  EXPECT_EQ(text_width("\xc2\xb5", 12), text_width("\xc3\xa9", 12));
  Image image(16, 16);
  draw_text(image, -20, 5, "outside the image", 12, Colour{1, 1, 1});
  draw_text(image, 5, 400, "outside the image", 12, Colour{1, 1, 1}, Align::Centre);
}

TEST(ShadingMesh, ABoxHasCrispEdges) {
  const BoxScene scene(2);
  const ShadingMesh mesh =
      build_shading_mesh(scene.topology, scene.frame, "", UnitFrame{{0.5, 0.5, 0.5}, 1});
  EXPECT_EQ(mesh.triangles.size(), 48u);
  for (const auto& normals : mesh.normals) {
    for (const Vec3f& n : normals) {
      EXPECT_NEAR(max(max(std::abs(n[0]), std::abs(n[1])), std::abs(n[2])), 1, 1e-6);
    }
  }
}

TEST(ShadingMesh, LatticeEdgesAreThoseOfTheOutside) {
  const BoxScene scene(3);
  // 6 faces of 3 x 3 quads: E = 2 F, as on any closed quad surface.
  const auto edges = exterior_lattice_edges(scene.topology, scene.frame, UnitFrame{{0, 0, 0}, 1});
  EXPECT_EQ(edges.size(), 2u * 54u);
}

TEST(Render, SameBitsForAnyThreadCount) {
  RenderOptions o = small();
  o.show_lattice = true;
  o.field = "pressure";
  o.caption = "two threads";
  const BoxScene scene(8);
  EXPECT_EQ(picture(scene, o, 1).rgb, picture(scene, o, 2).rgb);
}

TEST(Render, TheBodyIsInTheMiddleAndTheCornersAreBackground) {
  const Image image = picture(BoxScene(), small());
  const std::uint8_t* middle = image.pixel(48, 32);
  EXPECT_GT(middle[0], middle[2] + 40);
  for (const auto& [x, y] : {std::pair{0, 0}, {95, 0}, {0, 63}, {95, 63}}) {
    const std::uint8_t* corner = image.pixel(x, y);
    EXPECT_GT(corner[0], 180);
    EXPECT_LT(std::abs(corner[0] - corner[2]), 20);
  }
}

TEST(Render, ThePictureDoesNotDependOnScaleOrPlace) {
  const Image image = picture(BoxScene(), small());
  EXPECT_LT(difference(image, picture(BoxScene(4, {1000, -2000, 500}, 1e-3), small())), 0.5);
  EXPECT_LT(difference(image, picture(BoxScene(4, {0, 0, 0}, 1e4), small())), 0.5);
}

TEST(Render, UpOnlyTurnsTheRoom) {
  RenderOptions o = small();
  o.up = {0, 0, 1};
  EXPECT_LT(difference(picture(BoxScene(), small()), picture(BoxScene(), o)), 2);
}

TEST(Render, TheGroundIsDarkerOnlyInTheShadow) {
  RenderOptions with = small(), without = small();
  without.ground = false;
  const BoxScene scene;
  const Image shadowed = picture(scene, with), bare = picture(scene, without);
  int darker = 0, brighter = 0;
  for (int y = 0; y < bare.height; ++y) {
    for (int x = 0; x < bare.width; ++x) {
      const std::uint8_t* p = bare.pixel(x, y);
      if (std::abs(p[0] - p[2]) > 20) continue;  // body
      darker += shadowed.pixel(x, y)[1] + 15 < p[1];
      brighter += shadowed.pixel(x, y)[1] > p[1] + 3;
    }
  }
  EXPECT_GT(darker, 60);
  EXPECT_EQ(brighter, 0);
}

TEST(Render, ACutTakesTheOtherSideAway) {
  RenderOptions o = small();
  o.ground = false;
  // Seen along z, the kept half of a cube covers half as much.
  o.camera_direction = Vec3d{0, 0, 1};
  const int whole = count_warm(picture(BoxScene(), o));
  o.cut = CutPlane{{2, 0, 0}, 1};  // x <= 0.5, with a normal of any length
  const int half = count_warm(picture(BoxScene(), o));
  EXPECT_GT(whole, 500);
  EXPECT_NEAR(half, 0.5 * whole, 0.08 * whole);
}

TEST(Render, TheCutIsFilled) {
  RenderOptions o = small();
  o.camera_direction = Vec3d{0, 0, 1};
  o.ground = false;
  o.cut = CutPlane{{0, 0, 1}, 0.5};
  // Looking straight at the cut: it is flat, so all of it has one colour.
  const Image image = picture(BoxScene(), o);
  const std::uint8_t* middle = image.pixel(48, 32);
  EXPECT_GT(middle[0], middle[2] + 20);
  EXPECT_NEAR(middle[0], image.pixel(40, 25)[0], 6);
  EXPECT_NEAR(middle[0], image.pixel(55, 38)[0], 6);
}

TEST(Render, AFieldColoursByItsScale) {
  RenderOptions o = small();
  o.field = "displacement";  // its magnitude is 5 everywhere
  o.field_min = 0;
  o.field_max = 5;
  const Image image = picture(BoxScene(), o);
  const std::uint8_t* p = image.pixel(40, 30);
  EXPECT_GT(p[1], p[2] + 30);  // yellow end
  o.field_max = 500;
  const Image low = picture(BoxScene(), o);
  EXPECT_LT(low.pixel(40, 30)[1], low.pixel(40, 30)[2]);  // violet end
}

TEST(Render, FieldRangeSpansAllFrames) {
  BoxScene scene;
  std::vector<files::Frame> frames(2, scene.frame);
  frames[1].bodies[0].fields[0].values[3] = -7;
  frames[1].bodies[0].fields[0].values[4] = std::numeric_limits<float>::quiet_NaN();
  const FieldRange r = field_range(scene.topology, frames, "pressure");
  EXPECT_EQ(r.low, -7);
  EXPECT_EQ(r.high, 1);
  EXPECT_EQ(field_range(scene.topology, frames, "displacement").high, 5);
}

TEST(Render, AViewHoldsEveryFrameAndIsShared) {
  BoxScene scene;
  std::vector<files::Frame> frames(2, scene.frame);
  for (Vec3d& x : frames[1].bodies[0].vertices) x += Vec3d{6, 0, 0};
  const View view = fit_view(scene.topology, frames, small());
  ThreadArena arena(1);
  for (const files::Frame& f : frames) {
    for (const Vec3d& x : f.bodies[0].vertices) {
      const Vec3d d = x - view.eye;
      const double depth = -dot(view.back, d);
      EXPECT_LT(std::abs(dot(view.up, d)), depth * view.tan_half_height);
      EXPECT_LT(std::abs(dot(view.right, d)), depth * view.tan_half_height * 96 / 64);
    }
    EXPECT_GT(count_warm(render(scene.topology, f, small(), view, arena)), 20);
  }
}

TEST(Render, AnUnknownFieldListsWhatThereIs) {
  RenderOptions o = small();
  o.field = "presure";
  const std::string message = message_of(BoxScene(), o);
  EXPECT_NE(message.find("displacement, pressure"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean 'pressure'"), std::string::npos) << message;
}

TEST(Render, AnEmptyFrameIsRefused) {
  BoxScene scene;
  for (Vec3d& x : scene.frame.bodies[0].vertices) x[1] = std::nan("");
  EXPECT_NE(message_of(scene, small()).find("empty"), std::string::npos);
  EXPECT_NE(message_of(BoxScene(),
                       [] {
                         RenderOptions o = small();
                         o.width = 0;
                         return o;
                       }())
                .find("pixels"),
            std::string::npos);
}

TEST(Render, AFrameOfAnotherRunIsRefused) {
  BoxScene scene;
  scene.frame.bodies[0].vertices.pop_back();
  EXPECT_NE(message_of(scene, small()).find("topology"), std::string::npos);
}

TEST(Render, OneBrokenVertexLeavesTheRestVisible) {
  BoxScene scene;
  scene.frame.bodies[0].vertices[0] = {std::nan(""), 0, 0};
  EXPECT_GT(count_warm(picture(scene, small())), 300);
}

}  // namespace
}  // namespace isochor::run
