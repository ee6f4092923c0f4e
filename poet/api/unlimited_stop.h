#pragma once

#include <limits>

#include "poet/base/stop.h"

namespace poet {

// The same word without its limit on time, which is that of planning: steps take as long as they
// take.
inline Stop without_limit(const Stop& stop) {
  Stop unlimited = stop;
  unlimited.limit_s = std::numeric_limits<double>::infinity();
  return unlimited;
}

}  // namespace poet
