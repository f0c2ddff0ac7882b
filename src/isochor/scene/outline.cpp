#include "isochor/scene/outline.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <utility>

#include "isochor/base/text.h"
#include "isochor/scene/notation.h"

namespace isochor::scene {
namespace {

std::string limits(const Range& range) {
  const bool bounded = std::isfinite(range.min) || std::isfinite(range.max);
  return bounded ? range.text() : std::string();
}

}  // namespace

Outline::Outline(EmptyLists empty_lists) : empty_lists_(empty_lists) { open_.emplace_back(); }

void Outline::flag(std::string_view name, bool& value, std::string_view doc) {
  add({.name = std::string(name),
       .type = "true or false",
       .value = value ? "true" : "false",
       .doc = std::string(doc)});
}

void Outline::integer(std::string_view name, int& value, Range range, std::string_view doc,
                      Need need) {
  add({.name = std::string(name),
       .type = "whole number",
       .range = limits(range),
       .value = fmt::format("{}", value),
       .doc = std::string(doc),
       .required = need == Need::Required});
}

void Outline::number(std::string_view name, double& value, Unit unit, Range range,
                     std::string_view doc, Need need) {
  add({.name = std::string(name),
       .type = "number",
       .unit = std::string(symbol(unit)),
       .range = limits(range),
       .value = toml_float(value),
       .doc = std::string(doc),
       .required = need == Need::Required});
}

void Outline::number(std::string_view name, std::optional<double>& value, Unit unit, Range range,
                     std::string_view doc) {
  add({.name = std::string(name),
       .type = "number",
       .unit = std::string(symbol(unit)),
       .range = limits(range),
       .value = value ? toml_float(*value) : std::string(),
       .doc = std::string(doc)});
}

void Outline::vector(std::string_view name, std::span<double> value, Unit unit, Range range,
                     std::string_view doc, Need need) {
  std::string items;
  for (const double x : value) items += (items.empty() ? "" : ", ") + toml_float(x);
  add({.name = std::string(name),
       .type = fmt::format("{} numbers", value.size()),
       .unit = std::string(symbol(unit)),
       .range = limits(range),
       .value = fmt::format("[{}]", items),
       .doc = std::string(doc),
       .required = need == Need::Required});
}

void Outline::text(std::string_view name, std::string& value, std::string_view doc, Need need) {
  add({.name = std::string(name),
       .type = "text",
       .value = toml_string(value),
       .doc = std::string(doc),
       .required = need == Need::Required});
}

void Outline::choice(std::string_view name, std::string& value,
                     std::span<const std::string_view> options, std::string_view doc, Need need) {
  add({.name = std::string(name),
       .type = "choice",
       .range = join(options),
       .value = toml_string(value),
       .doc = std::string(doc),
       .required = need == Need::Required});
}

void Outline::place(Place&) {}

void Outline::begin_group(std::string_view name, std::string_view doc) {
  open_.push_back({OutlineSection::Kind::Group, std::string(name), std::string(doc)});
}

void Outline::end_group() { close_section(); }

std::size_t Outline::begin_list(std::string_view name, std::size_t current, std::string_view doc) {
  open_.push_back({OutlineSection::Kind::List, std::string(name), std::string(doc)});
  const std::size_t least = empty_lists_ == EmptyLists::ShowOneItem ? 1 : 0;
  return std::max(current, least);
}

void Outline::begin_item(std::size_t) { open_.push_back({OutlineSection::Kind::Item, {}, {}}); }

void Outline::end_item() { close_section(); }

void Outline::end_list() { close_section(); }

void Outline::close_section() {
  OutlineSection section = std::move(open_.back());
  open_.pop_back();
  open_.back().children.push_back(std::move(section));
}

}  // namespace isochor::scene
