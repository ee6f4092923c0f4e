#include "poet/solve/greedy_recomputation.h"

#include <utility>

#include "poet/solve/greedy_moves.h"

namespace poet {
namespace {

constexpr GreedyRule kRules[] = {{},
                                 {.reads = false, .near_full = 1000},
                                 {.haste = 1.02},
                                 {.reads = false, .haste = 1.3},
                                 {.haste = 1.02, .near_full = 0}};
// Moves that are tried before no further rule is begun.
constexpr std::int64_t kEnoughTries = 150'000;

}  // namespace

std::optional<EventChoice> greedy_recomputation(const Step& step, const Stop& stop) {
  std::optional<EventChoice> best;
  double best_cost = 0;
  std::int64_t tries = 0;
  for (const GreedyRule& rule : kRules) {
    if (tries > kEnoughTries) break;
    GreedyMoves moves(step, ScheduleDraft(step), stop);
    const bool fits = moves.fit(rule, StageRange{0, step.stages()});
    tries += moves.tries();
    if (!fits) continue;
    moves.restore();
    EventChoice choice = without_waste(step, moves.draft().choice());
    const ChoiceFigures figures = figures_of(step, choice);
    if (!keeps_budgets(step, figures) || (best && figures.cost >= best_cost)) continue;
    best_cost = figures.cost;
    best = std::move(choice);
  }
  return best;
}

}  // namespace poet
