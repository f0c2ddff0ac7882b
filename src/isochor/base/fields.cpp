#include "isochor/base/fields.h"

#include <cmath>
#include <fmt/core.h>

namespace isochor {

std::string_view symbol(Unit unit) {
  switch (unit) {
    case Unit::None:
      return "";
    case Unit::Length:
      return "m";
    case Unit::Angle:
      return "rad";
    case Unit::Time:
      return "s";
    case Unit::Frequency:
      return "1/s";
    case Unit::Pressure:
      return "Pa";
    case Unit::Density:
      return "kg/m^3";
    case Unit::Velocity:
      return "m/s";
    case Unit::AngularVelocity:
      return "rad/s";
    case Unit::Acceleration:
      return "m/s^2";
    case Unit::Force:
      return "N";
    case Unit::Energy:
      return "J";
    case Unit::Volume:
      return "m^3";
    case Unit::Bedding:
      return "N/m^3";
  }
  return "";
}

bool Range::contains(double value) const {
  if (!std::isfinite(value)) return false;
  return (open_min ? value > min : value >= min) && (open_max ? value < max : value <= max);
}

std::string Range::text() const {
  const bool low = std::isfinite(min), high = std::isfinite(max);
  if (low && high) {
    return fmt::format("{}{} to {}{}", open_min ? "above " : "", min, open_max ? "below " : "",
                       max);
  }
  if (low) return fmt::format("{} {}", open_min ? ">" : ">=", min);
  if (high) return fmt::format("{} {}", open_max ? "<" : "<=", max);
  return "any finite number";
}

std::string Place::text(std::string_view sub_key) const {
  std::string text = file;
  if (line > 0) text += fmt::format(":{}:{}", line, column);
  std::string path = key;
  if (!sub_key.empty()) path += (path.empty() ? "" : ".") + std::string(sub_key);
  if (!path.empty()) text += (text.empty() ? "" : ": ") + path;
  return text;
}

}  // namespace isochor
