#pragma once

#include <algorithm>
#include <limits>

namespace poet {

// The rule for time (docs/model/problem.md §2.2, rule 5), for whoever asks: planners, verifier and
// certificates; only the oracles of the tests write it out themselves. A step keeps its deadline
// when it takes no longer than latest_end_s(). The tolerance is of the whole deadline: 0.22 + 0.34
// + 0.31 s is more than 0.87 s in one order of adding and not in another, and no sum of fewer than
// a million times is off by as much.
inline constexpr double kDeadlineToleranceRatio = 1e-9;

// The longest step that keeps the deadline; finite, like every deadline.
constexpr double latest_end_s(double deadline_s, double tolerance_ratio = kDeadlineToleranceRatio) {
  return std::min(deadline_s * (1 + tolerance_ratio), std::numeric_limits<double>::max());
}

constexpr bool within_deadline(double time_s, double deadline_s,
                               double tolerance_ratio = kDeadlineToleranceRatio) {
  return time_s <= latest_end_s(deadline_s, tolerance_ratio);
}

}  // namespace poet
