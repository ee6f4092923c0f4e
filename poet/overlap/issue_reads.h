#pragma once

#include <limits>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/verify/replay.h"

namespace poet {

// When reads are issued that could be issued before they are needed.
struct IssuePolicy {
  // Reads are issued in the order in which they are needed. So many that RAM has no room for yet
  // may be overtaken by later ones.
  int overtaken = 0;
  // No read is issued sooner than so many times its own duration before it is needed.
  double horizon_ratio = std::numeric_limits<double>::infinity();
  // Reads that RAM has room for go before the writes that wait to be issued beside them.
  bool before_writes = false;
};

// The schedule with the same executions in the same order, and the same transfers, each read issued
// as soon as the policy allows it: behind the last action that touches its tensor, where RAM has
// room for it from there until it is needed, with what writes in flight hold there by the clock of
// an Overlapped step. A read that nobody needs is left out.
//
//   before   compute 0 | compute 1 | read a | compute 2 (reads a)
//   after    compute 0 | read a | compute 1 | compute 2             when there is room for a in 1
//
// What the schedule then costs is the replay's to say: the clock here counts as the verifier's does
// but for what is shared in place.
Schedule issue_reads(const Problem& problem, const Schedule& schedule, const IssuePolicy& policy);

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
