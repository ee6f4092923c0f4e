#pragma once

#include <string>

#include "poet/ask/compare.h"

namespace poet {

// The overhead of every method as a picture: a whole SVG file.
std::string compare_chart_svg(const CompareReport& report);

}  // namespace poet
