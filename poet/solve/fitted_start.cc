// A caller's schedule made to fit (docs/model/search.md §2.5).
#include "poet/solve/fitted_start.h"

#include <utility>

#include "poet/solve/fixed_residents.h"
#include "poet/solve/greedy_moves.h"
#include "poet/solve/schedule_draft.h"

namespace poet {
namespace {

// What fits after a little is near to what was asked for; what does not is found from nothing.
constexpr std::int64_t kMostChanges = 200'000;
constexpr double kUnitsPerChange = 120;  // as Stop::count, and in greedy recomputation

}  // namespace

std::optional<EventChoice> fitted_start(const Step& step, EventChoice choice, const Stop& stop) {
  const ChoiceFigures figures = figures_of(step, choice);
  if (!figures.complete) return std::nullopt;
  if (figures.peak_bytes <= step.budget_bytes) return choice;
  const FixedResidents fixed(step, choice.resident);
  // Few changes, also once the time is up: what follows then has nothing better to begin with.
  const Stop own{.token = stop.token};
  GreedyMoves moves(fixed.step(), ScheduleDraft(fixed.step(), fixed.without(choice)), own);
  const bool fits = moves.fit({.only_crowded = true}, StageRange{0, step.stages()},
                              {.most_changes = kMostChanges});
  stop.count(kUnitsPerChange * static_cast<double>(moves.draft().all_changes()));
  if (!fits) return std::nullopt;
  if (!stop.requested()) moves.restore();
  return without_waste(step, fixed.with(moves.draft().choice()));
}

}  // namespace poet
