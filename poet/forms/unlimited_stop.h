#pragma once

#include <limits>

#include "poet/base/stop.h"

namespace poet {

// The same word without its limits on time and effort, which are those of planning: steps take as
// long as they take.
inline Stop without_limit(const Stop& stop) {
  Stop unlimited = stop;
  unlimited.limit_s = std::numeric_limits<double>::infinity();
  unlimited.effort_limit = std::numeric_limits<double>::infinity();
  return unlimited;
}

}  // namespace poet
