// Chooses the clock of a problem's time mode (docs/model/problem.md §3.1).
#include "poet/verify/clock.h"

#include "poet/verify/overlapped_clock.h"
#include "poet/verify/sequential_clock.h"

namespace poet {

std::unique_ptr<Clock> make_clock(const Problem& problem,
                                  const std::vector<std::int64_t>& fixed_bytes) {
  if (problem.time_mode == TimeMode::Overlapped)
    return std::make_unique<OverlappedClock>(problem, fixed_bytes);
  return std::make_unique<SequentialClock>(problem, fixed_bytes);
}

}  // namespace poet
