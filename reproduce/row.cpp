#include "reproduce/row.h"

#include <fmt/core.h>

namespace isochor::reproduce {

std::string_view symbol(Relation relation) {
  switch (relation) {
    case Relation::Shown:
      return "";
    case Relation::AtMost:
      return "<=";
    case Relation::AtLeast:
      return ">=";
    case Relation::Below:
      return "<";
    case Relation::Above:
      return ">";
  }
  return "";
}

std::optional<bool> holds(Relation relation, std::optional<double> measured,
                          std::optional<double> bound) {
  if (relation == Relation::Shown || !bound) return std::nullopt;
  if (!measured) return false;
  switch (relation) {
    case Relation::AtMost:
      return *measured <= *bound;
    case Relation::AtLeast:
      return *measured >= *bound;
    case Relation::Below:
      return *measured < *bound;
    case Relation::Above:
      return *measured > *bound;
    case Relation::Shown:
      break;
  }
  return std::nullopt;
}

std::string claim_text(Relation relation, std::optional<double> measured,
                       std::optional<double> bound) {
  const std::optional<bool> verdict = holds(relation, measured, bound);
  if (!verdict) return "";
  return fmt::format("{} {:.4g}: {}", symbol(relation), *bound,
                     *verdict ? "holds" : "DOES NOT HOLD");
}

}  // namespace isochor::reproduce
