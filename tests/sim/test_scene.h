#pragma once

#include <string>

#include "tests/files/temporary_folder.h"

namespace isochor::sim {

/// A small bar, twisted and pulled over four frames; solved in milliseconds.
inline const std::string kBarScene = R"(format = 1
title = "A bar"

[time]
frames = 4

[[body]]
name = "bar"
cell_size = "10 cm"

[body.shape]
kind = "box"
size = ["60 cm", "20 cm", "20 cm"]

[body.material]
young = "20 kPa"
poisson = 0.3

[[body.hold]]
name = "left"
where = "x-"

[[body.hold]]
name = "right"
where = "x+"

[[body.hold.key]]
frame = 0

[[body.hold.key]]
frame = 4
translate = ["10 cm", 0, 0]
rotate = ["90 deg", 0, 0]
)";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline std::filesystem::path write_scene(const files::TemporaryFolder& folder,
                                         const std::string& text = kBarScene,
                                         const std::string& name = "scene.toml") {
  files::write_quickly(folder / name, text);
  return folder / name;
}

}  // namespace isochor::sim
