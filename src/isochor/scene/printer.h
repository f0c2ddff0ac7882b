#pragma once

#include <string>
#include <string_view>

#include "isochor/scene/outline.h"

namespace isochor::scene {

/// The outline as a TOML file: one line per field, with unit, meaning and range as a comment.
std::string to_toml(const OutlineSection& root);

/// The outline as one Markdown table per group. `path` is where the struct stands in a scene,
/// "body.material", or empty.
std::string to_markdown(const OutlineSection& root, std::string_view path);

/// Every parameter of a struct with the value it has; reading this back gives an equal struct.
template <class T>
std::string print_resolved(T value) {
  Outline outline(Outline::EmptyLists::Keep);
  describe(outline, value);
  return to_toml(outline.root());
}

/// The reference of a struct whose values are the defaults.
template <class T>
std::string print_reference(T value, std::string_view path = {}) {
  Outline outline(Outline::EmptyLists::ShowOneItem);
  describe(outline, value);
  return to_markdown(outline.root(), path);
}

}  // namespace isochor::scene
