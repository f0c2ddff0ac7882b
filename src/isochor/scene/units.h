#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/fields.h"

namespace isochor::scene {

/// "12 kPa" as 12000 for Unit::Pressure. A number alone is SI. Does not depend on the locale.
/// Anything else is an input error at `place` that lists the units of this quantity.
double parse_quantity(std::string_view text, Unit unit, const std::string& place);

/// Every spelling accepted for a quantity, the SI one first.
std::vector<std::string_view> unit_names(Unit unit);

/// "pressure", "plain number": what a unit measures, for messages and docs.
std::string_view quantity_name(Unit unit);

}  // namespace isochor::scene
