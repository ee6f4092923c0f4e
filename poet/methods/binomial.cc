#include "poet/methods/binomial.h"

#include <algorithm>

#include "poet/base/check.h"

namespace poet {

std::int64_t binomial_reach(std::int64_t checkpoints, std::int64_t repetitions, std::int64_t most) {
  if (repetitions < 0) return 0;
  std::int64_t reach = 1;
  for (std::int64_t r = 1; r <= repetitions; ++r) {
    // reach <= most here, and exact: reach * (c + r) is a multiple of r.
    if (reach > most / (checkpoints + r)) return most;
    reach = reach * (checkpoints + r) / r;
  }
  return std::min(reach, most);
}

std::int64_t least_advances(std::int64_t steps, std::int64_t checkpoints) {
  POET_CHECK(steps >= 1 && checkpoints >= 1);
  if (checkpoints == 1) return steps * (steps - 1) / 2;
  std::int64_t below = 0;  // beta(c + 1, r - 1), the sum of beta(c, 0) .. beta(c, r - 1)
  std::int64_t r = 0;
  for (std::int64_t reach = 1; reach < steps; ++r) {
    below += reach;
    reach = reach * (checkpoints + r + 1) / (r + 1);
  }
  return r * steps - below;
}

std::int64_t binomial_split(std::int64_t steps, std::int64_t checkpoints) {
  POET_CHECK(steps >= 2 && checkpoints >= 1);
  if (checkpoints == 1) return steps - 1;
  const auto advances = [&](std::int64_t m) {
    return m + least_advances(steps - m, checkpoints - 1) + least_advances(m, checkpoints);
  };
  // Convex in m, as t(l, c) is in l: the first m after which it grows.
  std::int64_t first = 1;
  std::int64_t last = steps - 1;
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (advances(middle + 1) > advances(middle))
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

}  // namespace poet
