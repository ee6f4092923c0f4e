#include "poet/api/stop_warning.h"

#include <fmt/core.h>

#include <cmath>

namespace poet {
namespace {

// No phase, nor a phase of a phase, has a smaller share of the time that is left. Of a plan with
// overlapped transfers one problem has 0.4, where it is refused the least budget 0.7 of that, each
// question of it 0.3 again, and each integer program of a question 0.25: 0.02, and half and less of
// that inside a minimum or with a certificate.
constexpr double kLeastShare = 0.005;

}  // namespace

bool clock_may_have_shaped(const Stop& stop, double begin_s) {
  if (stop.token.stop_requested()) return true;
  if (!std::isfinite(stop.limit_s)) return false;
  return stop.now_s() - begin_s >= kLeastShare * (stop.limit_s - begin_s);
}

std::optional<std::string> stop_warning(const Stop& stop) {
  if (stop.token.stop_requested()) return "stopped on request, before the search was complete";
  if (stop.remaining_s() > 0) return std::nullopt;
  return fmt::format(
      "the time limit of {:g} s ended the search before it was complete; a larger --time-limit-s "
      "goes further",
      stop.limit_s);
}

std::optional<std::string> search_warning(const Stop& stop, double begin_s) {
  if (std::optional<std::string> warning = stop_warning(stop)) return warning;
  if (!clock_may_have_shaped(stop, begin_s)) return std::nullopt;
  return fmt::format(
      "parts of the search end at their shares of the time limit of {:g} s, and one may have: "
      "another run may answer otherwise, and a larger --time-limit-s may go further",
      stop.limit_s);
}

}  // namespace poet
