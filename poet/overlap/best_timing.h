#pragma once

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/verify/replay.h"

namespace poet {

// A schedule with its replay.
struct TimedSchedule {
  Schedule schedule = {};
  Replay replay = {};
};

// The schedule with its reads where the replay of an Overlapped step is best: as they stand, as
// late as the channel allows, and as early as RAM allows by several policies. Of those that keep
// every limit the one with the least objective, then the quickest; otherwise the quickest of those
// that break only the deadline, or the schedule itself.
TimedSchedule best_timing(const Problem& problem, const Schedule& schedule);

}  // namespace poet
