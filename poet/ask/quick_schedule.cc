#include "poet/ask/quick_schedule.h"

#include <algorithm>
#include <utility>

#include "poet/base/result.h"
#include "poet/overlap/planner.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// What a search of a moment may take: half a second of the machines that we know, and of a short
// limit a part.
constexpr double kMostEffort = 0.5 * kEffortUnitsPerSecond;
constexpr double kPartOfSearch = 0.05;

// What finds a schedule in a moment, however large the step is: prices of bytes.
SolveOptions quick_search(SolveOptions options, bool greedy) {
  options.large_stages = 0;
  options.techniques = {.greedy = greedy,
                        .annealing = false,
                        .rebuilding = false,
                        .identical_blocks = false,
                        .intervals = true,
                        .windows = false,
                        .key_search = false,
                        .dives = false,
                        .local_search = false};
  options.certificate = CertificateEffort::None;
  options.start.reset();
  return options;
}

std::optional<QuickSchedule> searched(const Problem& problem, const SolveOptions& options,
                                      const Stop& stop) {
  Result<SolveReport> solved = make_planner()->solve(problem, options, stop, {});
  if (!solved.ok() || !solved->best) return std::nullopt;
  const Replay replayed = replay(problem, *solved->best);
  if (!replayed.valid()) return std::nullopt;
  return QuickSchedule{*std::move(solved->best), objective_of(problem, replayed)};
}

// With everything that a search has.
constexpr double kLongerEffort = 1 * kEffortUnitsPerSecond;

}  // namespace

std::optional<QuickSchedule> longer_schedule(const SolveOptions& options, const Problem& problem,
                                             const Stop& stop) {
  SolveOptions all = options;
  all.certificate = CertificateEffort::None;
  all.start.reset();
  Stop longer = part_of(stop, kPartOfSearch);
  longer.effort_limit = std::min(longer.effort_limit, stop.counted() + kLongerEffort);
  return searched(problem, all, longer);
}

std::optional<QuickSchedule> quick_schedule(const SolveOptions& options, const Problem& problem,
                                            const Stop& stop) {
  Stop moment = part_of(stop, kPartOfSearch);
  moment.effort_limit = std::min(moment.effort_limit, stop.counted() + kMostEffort);
  if (auto priced = searched(problem, quick_search(options, false), moment)) return priced;
  // Greedy moves take longer, and are for those that prices find none for.
  moment.effort_limit += kMostEffort;
  return searched(problem, quick_search(options, true), moment);
}

}  // namespace poet
