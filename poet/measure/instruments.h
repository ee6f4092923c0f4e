#pragma once

#include <functional>
#include <optional>

namespace poet {

// What a measurement looks at besides the caller's Stop, whose clock it needs. Each may be empty.
struct Instruments {
  // The energy that the machine has drawn since some moment, in joules.
  std::function<std::optional<double>()> energy_j = {};
  // Lets the machine rest for so many seconds.
  std::function<void(double)> rest = {};
};

}  // namespace poet
