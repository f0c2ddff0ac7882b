#pragma once

#include <string>
#include <vector>

#include "isochor/scene/document.h"

namespace isochor::scene {

/// A key that two documents do not agree about.
struct Difference {
  std::string key;            ///< dotted, "body[0].material.young"
  std::string before, after;  ///< as TOML; empty where the key is missing
};

/// In the order in which the keys stand in `before`, then those that only `after` has.
std::vector<Difference> differences(const Document& before, const Document& after);

}  // namespace isochor::scene
