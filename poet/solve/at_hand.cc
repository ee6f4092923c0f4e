// Schedules that are there without a search, for questions about budgets and times
// (docs/model/search.md §2.4).
#include "poet/solve/at_hand.h"

#include <algorithm>

#include "poet/problem/facts.h"
#include "poet/solve/greedy_paging.h"

namespace poet {
namespace {

// Budgets at which paging is tried, each halving what is open.
constexpr int kPagingTries = 12;

}  // namespace

std::optional<AtHand> at_hand(const Problem& problem, Step step,
                              const std::optional<EventChoice>& choice) {
  if (!choice) return std::nullopt;
  AtHand found{.choice = without_waste(step, *choice)};
  const ChoiceFigures figures = figures_of(step, found.choice);
  step.budget_bytes = std::max(step.budget_bytes, figures.peak_bytes);
  if (!keeps_budgets(step, figures)) return std::nullopt;
  found.ram_bytes = resident_bytes(problem) + figures.peak_bytes;
  found.time_s = figures.time_s;
  return found;
}

std::optional<AtHand> plain_at_hand(const Problem& problem, const Step& step) {
  return at_hand(problem, step, from_schedule(problem, step, plain_schedule(problem)));
}

std::optional<AtHand> small_at_hand(const Problem& problem) {
  Step step = make_step(problem);
  std::optional<AtHand> best = plain_at_hand(problem, step);
  std::int64_t least = largest_working_set(problem).bytes;
  std::int64_t most = best ? best->ram_bytes : plain_peak_bytes(problem);
  for (int i = 0; i < kPagingTries && least < most; ++i) {
    const std::int64_t budget_bytes = i == 0 ? least : least + (most - least) / 2;
    step.budget_bytes = budget_bytes - resident_bytes(problem);
    std::optional<AtHand> found = at_hand(problem, step, greedy_paging(step));
    (found ? most : least) = budget_bytes;
    if (found && (!best || found->ram_bytes < best->ram_bytes)) best = std::move(found);
  }
  return best;
}

std::optional<AtHand> quick_at_hand(Problem problem) {
  problem.objective = Objective::Time;
  problem.deadline_s.reset();
  const Step step = make_step(problem);
  std::optional<AtHand> best = at_hand(problem, step, greedy_paging(step));
  std::optional<AtHand> plain = plain_at_hand(problem, step);
  if (plain && plain->ram_bytes <= problem.ram_budget_bytes &&
      (!best || plain->time_s < best->time_s))
    best = std::move(plain);
  return best;
}

}  // namespace poet
