#include "poet/ask/stop_warning.h"

#include <fmt/core.h>

#include <cmath>

namespace poet {

std::optional<std::string> stop_warning(const Stop& stop) {
  if (stop.token.stop_requested()) return "stopped on request, before the search was complete";
  if (stop.remaining_s() > 0) return std::nullopt;
  return limit_warning(stop.limit_s);
}

std::string limit_warning(double limit_s) {
  return fmt::format(
      "the time limit of {:.3g} s ended the search before it was complete; a larger --time-limit-s "
      "goes further",
      limit_s);
}

std::optional<std::string> search_warning(const Stop& stop) {
  if (std::optional<std::string> warning = stop_warning(stop)) return warning;
  if (!std::isfinite(stop.limit_s)) return std::nullopt;
  // Every part of a search has more of the limit than this.
  constexpr double kLittle = 1e-3;
  if (stop.counted() < kLittle * kEffortUnitsPerSecond * stop.limit_s)
    return fmt::format(
        "the search ended by itself, long before its limit of {:.3g} s, and left something open: a "
        "larger --time-limit-s will hardly help",
        stop.limit_s);
  return fmt::format(
      "the search did what a limit of {:.3g} s gives it to do, and left something open; a larger "
      "--time-limit-s may go further",
      stop.limit_s);
}

}  // namespace poet
