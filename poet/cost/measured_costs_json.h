#pragma once

#include <string>
#include <string_view>

#include "poet/base/result.h"
#include "poet/cost/measured_costs.h"

namespace poet {

// The JSON text of docs/formats/costs.md, one operation a line.
std::string measured_costs_text(const MeasuredCosts& costs);

// Reads such a text; `file` is the name that errors show. Refuses, with line and column: text that
// is not JSON, unknown and missing fields, values of the wrong type, numbers that are negative or
// not finite, and a key that stands there twice with the same kernels.
Result<MeasuredCosts> parse_measured_costs(std::string_view text, const std::string& file);

}  // namespace poet
