// What the parts of a search share: best schedule, bound, gap (docs/model/search.md §1.2) and the
// units of models (docs/model/numbers.md §1.2).
#include "poet/solve/search_state.h"

#include <algorithm>
#include <cmath>

#include "poet/solve/allowed_gap.h"

namespace poet {

SearchGoal goal_of(const SolveOptions& options) {
  SearchGoal goal;
  goal.gap_ratio = options.gap_ratio;
  goal.total_gap_ratio = total_gap_ratio_of(options);
  goal.rounding_ratio = options.rounding_ratio;
  goal.max_nodes = options.max_nodes;
  goal.max_iterations = options.max_iterations;
  goal.seed = options.seed;
  goal.threads = options.threads;
  goal.few_events = options.few_events;
  goal.first_depth = options.first_depth;
  goal.large_stages = options.large_stages;
  goal.techniques = options.techniques;
  return goal;
}

double SearchState::allowed_gap() const {
  if (goal_.objective == EventObjective::RamBudget)
    return (goal_.gap_ratio + goal_.rounding_ratio) * std::abs(answer.value);
  const double total = std::abs(step_.once_cost + answer.value);
  const double overhead = std::max(0.0, answer.value - goal_.unavoidable);
  return std::max(goal_.gap_ratio * overhead, goal_.total_gap_ratio * total) +
         goal_.rounding_ratio * total;
}

void SearchState::offer(const EventChoice& raw) {
  const EventChoice choice = without_waste(step_, raw);
  const ChoiceFigures figures = figures_of(step_, choice);
  const bool counts_bytes = goal_.objective == EventObjective::RamBudget;
  const std::int64_t budget_bytes = counts_bytes ? figures.peak_bytes : step_.budget_bytes;
  if (!keeps_budgets(step_, figures, budget_bytes)) {
    answer.notes.push_back("a solution of the backend broke a budget and was refused");
    return;
  }
  const double value =
      counts_bytes ? static_cast<double>(figures.peak_bytes) : figures.cost - step_.once_cost;
  if (has_best() && value >= answer.value) return;
  answer.best = choice;
  answer.value = value;
  report("incumbent");
}

void SearchState::raise_bound(double bound) {
  answer.bound = std::max(answer.bound, bound);
}

void SearchState::raise_bound(double bound, const WindowKeys& keys) {
  const bool is_best = !answer.sources.windows || bound > answer.sources.windows->bound;
  raise_bound(bound);
  if (goal_.keeps_sources && is_best) answer.sources.windows = {keys, cost_unit(), bound};
}

void SearchState::nothing_better(double open_gap) {
  if (has_best())
    raise_bound(answer.value - open_gap);
  else
    answer.infeasible = true;
}

void SearchState::nothing_fits(const WindowKeys& keys) {
  answer.infeasible = true;
  if (goal_.keeps_sources) answer.sources.impossible = keys;
}

double SearchState::first_cost_unit() const {
  double scale = step_.once_cost;
  for (const Chain& chain : step_.chains) {
    if (chain.may_be_read) scale += chain.read_cost;
    if (chain.may_be_written || chain.must_be_written) scale += chain.write_cost;
  }
  scale = std::min(scale, most_cost());
  return scale > 0 ? scale / kOverheadUnits : 1;
}

double SearchState::cost_unit() const {
  constexpr double kLeastPart = 1e-6;  // of the first: there may be no overhead at all
  const double overhead = std::max(0.0, answer.bound - goal_.unavoidable);
  return std::max(overhead / kOverheadUnits, kLeastPart * first_cost_unit());
}

double SearchState::most_cost() const {
  if (!has_best() || goal_.objective != EventObjective::Cost) return kInfinity;
  // A little more than the best: what the best itself has is stated as it is.
  constexpr double kAboveBest = 1.001;
  double saved = 0;
  for (const Chain& chain : step_.chains)
    if (chain.may_be_resident && chain.new_value)
      saved += step_.chains[*chain.new_value].write_cost;
  const double most = kAboveBest * (std::max(0.0, answer.value) + saved);
  return most > 0 ? most : kInfinity;
}

Stop SearchState::slice(double part) const {
  return part_of(stop_, part);
}

void SearchState::report(std::string_view phase, std::optional<double> bound,
                         std::optional<double> incumbent) const {
  if (!progress_) return;
  const double base = goal_.objective == EventObjective::Cost ? step_.once_cost : 0;
  double least = has_best() ? answer.value : kInfinity;
  if (incumbent) least = std::min(least, *incumbent);
  const double most = std::min(least, std::max(answer.bound, bound.value_or(-kInfinity)));
  SolveProgress state;
  state.phase = phase;
  if (std::isfinite(least)) state.incumbent = base + least;
  if (std::isfinite(most)) state.bound = base + most;
  state.events = answer.effort.events;
  state.nodes = answer.effort.nodes;
  progress_(state);
}

}  // namespace poet
