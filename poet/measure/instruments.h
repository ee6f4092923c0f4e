#pragma once

#include <functional>
#include <optional>

#include "poet/base/stop.h"

namespace poet {

// What a measurement looks at besides the caller's Stop, whose clock it needs. Each may be empty.
struct Instruments {
  // Seconds that the calling thread has computed, which other programs do not add to; without it,
  // work is timed by the caller's clock.
  std::function<double()> work_s = {};
  // The energy that the machine has drawn since some moment, in joules.
  std::function<std::optional<double>()> energy_j = {};
  // Lets the machine rest for so many seconds.
  std::function<void(double)> rest = {};
};

inline double work_s(const Instruments& instruments, const Stop& stop) {
  return instruments.work_s ? instruments.work_s() : stop.now_s();
}

}  // namespace poet
