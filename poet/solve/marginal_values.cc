// What more RAM and more time can save at most (docs/model/bounds.md §5).
#include "poet/solve/marginal_values.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "poet/problem/facts.h"
#include "poet/solve/basis_memory.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/interval_prices.h"
#include "poet/solve/keep_intervals.h"
#include "poet/solve/lift.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/multipliers.h"
#include "poet/solve/search_state.h"
#include "poet/solve/step.h"
#include "poet/solve/tensor_walk.h"

namespace poet {
namespace {

constexpr int kMostRounds = 30;
constexpr std::size_t kMostNewEvents = 600;
// An event may pay when its price is at most this part of the cost unit.
constexpr double kPriceTolerance = 1e-9;
// A round that raises the bound by less than this part of it is the last but one.
constexpr double kLeastProgress = 1e-6;

// In Overlapped mode no schedule costs less than the best in Free.
Problem without_waiting(Problem problem) {
  if (problem.time_mode == TimeMode::Overlapped) problem.time_mode = TimeMode::Free;
  return problem;
}

class Marginals {
 public:
  Marginals(const Step& step, EventSet events, const LinearBackend& backend, const Stop& stop)
      : step_(step), events_(std::move(events)), backend_(backend), stop_(stop) {
    const ProgressSink silent;
    model_options_.cost_unit = SearchState(step, SearchGoal{}, stop, silent).first_cost_unit();
  }

  MarginalValues run() {
    best_.bound = step_.once_cost;
    best_.stages.assign(static_cast<std::size_t>(step_.stages()), 0.0);
    for (int round = 0; round < kMostRounds && !stop_.requested(); ++round) {
      const double before = best_.bound;
      if (!relax_and_bound() || paying_.empty()) break;
      if (round > 0 && best_.bound - before < kLeastProgress * best_.bound) break;
      add_events();
    }
    return std::move(best_);
  }

 private:
  // False when the relaxation did not come to an end.
  bool relax_and_bound() {
    const EventModel model = make_event_model(step_, events_, {}, model_options_);
    const std::unique_ptr<Relaxation> relaxation = backend_.relax(model.linear);
    if (!basis_.empty()) relaxation->set_basis(basis_.recall(events_, model));
    const RelaxationAnswer relaxed = relaxation->solve(stop_);
    if (relaxed.status != LinearStatus::Optimal) return false;
    basis_.keep(events_, model, relaxation->basis());
    const double unit = model_options_.cost_unit;
    Multipliers multipliers = multipliers_of(step_, events_, model, {}, relaxed.row_duals, unit);
    take(multipliers);
    paying_ = lift_missing_events(step_, events_, {}, multipliers, EventObjective::Cost,
                                  kPriceTolerance * unit);
    take(multipliers);
    return true;
  }

  void take(const Multipliers& multipliers) {
    const WalkBound walked = walk_bound(step_, events_, {}, multipliers, EventObjective::Cost);
    const double bound = step_.once_cost + walked.bound;
    if (bound <= best_.bound) return;
    best_.bound = bound;
    best_.per_second = step_.deadline_s ? multipliers.deadline : 0;
    best_.per_byte = 0;
    std::fill(best_.stages.begin(), best_.stages.end(), 0.0);
    for (std::int32_t e = 0; e < events_.size(); ++e) {
      best_.per_byte += multipliers.memory[e];
      best_.stages[events_.events()[e].stage] += multipliers.memory[e];
    }
  }

  void add_events() {
    std::stable_sort(paying_.begin(), paying_.end(),
                     [](const PayingEvent& a, const PayingEvent& b) { return a.gain > b.gain; });
    if (paying_.size() > kMostNewEvents) paying_.resize(kMostNewEvents);
    std::vector<Event> added;
    for (const PayingEvent& paying : paying_) added.push_back(paying.event);
    events_.insert(std::move(added));
  }

  const Step& step_;
  EventSet events_;
  const LinearBackend& backend_;
  const Stop& stop_;
  EventModelOptions model_options_;
  BasisMemory basis_;
  std::vector<PayingEvent> paying_;
  MarginalValues best_;
};

// Few events, and those of the schedule: with them the relaxation has a solution.
EventSet first_events(const Problem& problem, const Step& step, const Schedule& schedule,
                      const SolveOptions& options) {
  if (count_reexecutions(step) <= options.few_events) return every_event(step);
  EventSet events = shallow_events(step, options.first_depth);
  const std::optional<EventChoice> choice = from_schedule(problem, step, schedule);
  if (!choice) return every_event(step);
  std::vector<Event> own;
  for (const Execution& execution : choice->executions) own.push_back(execution.event);
  events.insert(std::move(own));
  return events;
}

// Of large steps: the prices that bound them (docs/model/intervals.md §2), which the limits enter
// in the same way.
MarginalValues by_intervals(const Problem& problem, const Step& step, const Schedule& schedule,
                            const Stop& stop) {
  constexpr int kMostSteps = 3'000;
  const std::optional<EventChoice> choice = from_schedule(problem, step, schedule);
  const double value = choice ? figures_of(step, *choice).cost - step.once_cost : kInfinity;
  PricedIntervals priced = price_intervals(step, keep_intervals(step), value, kMostSteps, stop);
  MarginalValues values;
  values.bound = step.once_cost + priced.bound;
  for (const double price : priced.prices.byte) values.per_byte += price;
  values.per_second = priced.prices.second;
  values.stages = std::move(priced.prices.byte);
  return values;
}

}  // namespace

Result<MarginalValues> marginal_values(const Problem& asked, const Schedule& schedule,
                                       const SolveOptions& options, const Stop& stop) {
  const Result<std::unique_ptr<LinearBackend>> backend =
      open_backend(options.backend, options.library_directories);
  if (!backend) return backend.error();
  const Problem problem = without_waiting(asked);
  const Step step = make_step(problem);
  MarginalValues values =
      step.stages() > options.large_stages
          ? by_intervals(problem, step, schedule, stop)
          : Marginals(step, first_events(problem, step, schedule, options), **backend, stop).run();
  const double floor = unavoidable_objective(problem);
  // No better than what no schedule can save, which no RAM and no time changes.
  if (values.bound <= floor)
    values = {.bound = floor,
              .stages = std::vector<double>(static_cast<std::size_t>(step.stages()), 0.0)};
  return values;
}

}  // namespace poet
