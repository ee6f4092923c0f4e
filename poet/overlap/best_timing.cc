// Tries several times for the reads of a schedule; the replay decides (docs/model/overlap.md §2.2).
#include "poet/overlap/best_timing.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "poet/overlap/issue_reads.h"
#include "poet/overlap/reads_ahead.h"
#include "poet/overlap/schedule_of.h"

namespace poet {
namespace {

constexpr IssuePolicy kPolicies[] = {
    {},
    {.overtaken = 8},
    {.overtaken = 8, .before_writes = true},
    {.horizon_ratio = 4},
    {.overtaken = 8, .horizon_ratio = 4},
    {.horizon_ratio = 1.5},
};

bool breaks_only_the_deadline(const Replay& replayed) {
  return std::all_of(replayed.findings.begin(), replayed.findings.end(),
                     [](const Finding& it) { return it.rule == Rule::Deadline; });
}

bool is_better(const Problem& problem, const Replay& a, const Replay& b) {
  const auto rank = [&](const Replay& it) {
    const bool valid = it.valid();
    return std::tuple(!breaks_only_the_deadline(it), !valid,
                      valid ? objective_of(problem, it) : 0.0, it.time_s);
  };
  return rank(a) < rank(b);
}

}  // namespace

TimedSchedule best_timing(const Problem& problem, const Schedule& schedule) {
  TimedSchedule best{schedule, replay(problem, schedule)};
  const auto offer = [&](Schedule other) {
    Replay replayed = replay(problem, other);
    if (is_better(problem, replayed, best.replay)) best = {std::move(other), std::move(replayed)};
  };
  offer(schedule_of(problem, with_reads_ahead(problem, moves_of(schedule)), schedule.resident));
  for (const IssuePolicy& policy : kPolicies) offer(issue_reads(problem, schedule, policy));
  return best;
}

}  // namespace poet
