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
constexpr double kUnitsPerTry = 2300;  // as Stop::count
// Prices are worked out again and again: that counts where there are many stages.
constexpr double kUnitsPerTryAndStage = 4;
constexpr std::int32_t kFewStages = 4'000;

struct Attempt {
  std::optional<EventChoice> choice = {};  // keeps every budget
  double cost = 0;
  std::int64_t tries = 0;
};

Attempt attempt(const Step& step, const GreedyRule& rule, std::int64_t most_tries,
                const Stop& stop) {
  GreedyMoves moves(step, ScheduleDraft(step), stop);
  const bool fits = moves.fit(rule, StageRange{0, step.stages()},
                              std::numeric_limits<double>::infinity(), most_tries);
  Attempt made{.tries = moves.tries()};
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
  const std::size_t at_once = static_cast<std::size_t>(std::max(1, threads));
  std::vector<Attempt> attempts;
  const Stop apart = counted_apart(stop);
  for (std::size_t n = 0; n < std::size(kRules) && tries <= std::min(kEnoughTries, most_tries);
       ++n) {
    if (n == attempts.size()) {
      attempts.resize(std::min(std::size(kRules), n + at_once));
      run_side_by_side(std::ssize(attempts) - static_cast<std::int64_t>(n), threads,
                       [&, n](std::int64_t k) {
                         attempts[n + k] = attempt(step, kRules[n + k], most_tries, apart);
                       });
    }
    Attempt& made = attempts[n];
    tries += made.tries;
    const double units =
        kUnitsPerTry + kUnitsPerTryAndStage * std::max(0, step.stages() - kFewStages);
    stop.count(units * static_cast<double>(made.tries));
    if (!made.choice || (best && made.cost >= best_cost)) continue;
    best_cost = made.cost;
    best = std::move(made.choice);
  }
  return best;
}

}  // namespace poet
