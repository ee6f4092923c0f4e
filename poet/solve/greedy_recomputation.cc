// A first schedule that ends the cheapest stays until RAM does (docs/model/search.md §2.3).
#include "poet/solve/greedy_recomputation.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "poet/solve/greedy_moves.h"
#include "poet/solve/side_by_side.h"

namespace poet {
namespace {

constexpr GreedyRule kRules[] = {{},
                                 {.reads = false, .near_full = 1000},
                                 {.haste = 1.02},
                                 {.reads = false, .haste = 1.3},
                                 {.haste = 1.02, .near_full = 0}};
// Moves that are tried before no further rule is begun.
constexpr std::int64_t kEnoughTries = 150'000;
// Once the first rule has fitted, another may change the draft four times as often: over a hundred
// steps of networks, whole and in parts, what took longer than three times as often never was the
// cheapest, and some rules went on for a hundred times as long and failed.
constexpr std::int64_t kChangesOfFirst = 4;
constexpr std::int64_t kFewChanges = 50'000;
constexpr double kUnitsPerChange = 120;  // as Stop::count; measured from 60 to 450

struct Attempt {
  std::optional<EventChoice> choice = {};  // keeps every budget
  double cost = 0;
  std::int64_t tries = 0;
  std::int64_t changes = 0;  // of the draft
};

Attempt attempt(const Step& step, const GreedyRule& rule, const FitLimits& limits,
                const Stop& stop) {
  GreedyMoves moves(step, ScheduleDraft(step), stop);
  const bool fits = moves.fit(rule, StageRange{0, step.stages()}, limits);
  Attempt made{.tries = moves.tries(), .changes = moves.draft().all_changes()};
  if (!fits) return made;
  moves.restore();
  EventChoice choice = without_waste(step, moves.draft().choice());
  const ChoiceFigures figures = figures_of(step, choice);
  if (!keeps_budgets(step, figures)) return made;
  made.cost = figures.cost;
  made.choice = std::move(choice);
  return made;
}

}  // namespace

std::optional<EventChoice> greedy_recomputation(const Step& step, int threads, const Stop& stop,
                                                std::int64_t most_tries) {
  std::optional<EventChoice> best;
  double best_cost = 0;
  std::int64_t tries = 0;
  FitLimits limits{.most_tries = most_tries};
  std::vector<Attempt> attempts;
  const Stop apart = counted_apart(stop);
  for (std::size_t n = 0; n < std::size(kRules) && tries <= std::min(kEnoughTries, most_tries);
       ++n) {
    if (best && stop.requested()) break;
    if (n == attempts.size()) {
      // The first by itself, so that the limits of the others do not depend on the threads.
      const std::size_t at_once = n == 0 ? 1 : static_cast<std::size_t>(std::max(1, threads));
      attempts.resize(std::min(std::size(kRules), n + at_once));
      run_side_by_side(std::ssize(attempts) - static_cast<std::int64_t>(n), threads,
                       [&, n](std::int64_t k) {
                         attempts[n + k] = attempt(step, kRules[n + k], limits, apart);
                       });
    }
    Attempt& made = attempts[n];
    tries += made.tries;
    stop.count(kUnitsPerChange * static_cast<double>(made.changes));
    if (n == 0 && made.choice) limits.most_changes = kFewChanges + kChangesOfFirst * made.changes;
    if (!made.choice || (best && made.cost >= best_cost)) continue;
    best_cost = made.cost;
    best = std::move(made.choice);
  }
  return best;
}

}  // namespace poet
