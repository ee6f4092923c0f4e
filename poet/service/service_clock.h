#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace poet {

// The clocks of a service, which are its caller's.
struct ServiceClock {
  std::function<double()> elapsed_s;     // since some start; never goes back
  std::function<std::int64_t()> unix_s;  // since 1970, UTC
};

// "2026-11-22T15:04:05Z"
std::string utc_text(std::int64_t unix_s);

}  // namespace poet
