#include "poet/ask/stop_warning.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>

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

namespace {

std::string count_warning(const char* option, std::int64_t most) {
  return fmt::format("{} {} ended the search before it was complete; a larger one may go further",
                     option, most);
}

}  // namespace

std::optional<std::string> search_warning(const Stop& stop, const SolveEffort& effort,
                                          const SolveOptions& options) {
  if (std::optional<std::string> warning = stop_warning(stop)) return warning;
  if (effort.iterations >= options.max_iterations)
    return count_warning("--max-iterations", options.max_iterations);
  if (effort.nodes >= options.max_nodes) return count_warning("--max-nodes", options.max_nodes);
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
