// Relaxation, bound, pricing, cuts and integer programs over events, after window models
// (docs/model/search.md §5).
#include "poet/solve/event_search.h"

#include <algorithm>
#include <cmath>

#include "poet/solve/basis_memory.h"
#include "poet/solve/budget_margin.h"
#include "poet/solve/dive.h"
#include "poet/solve/interval_program.h"
#include "poet/solve/large_search.h"
#include "poet/solve/later_need.h"
#include "poet/solve/lift.h"
#include "poet/solve/proved_bound.h"
#include "poet/solve/reachable_rows.h"
#include "poet/solve/tensor_walk.h"
#include "poet/solve/window_search.h"

namespace poet {
namespace {

constexpr int kMostRounds = 60;
constexpr int kCutsPerStage = 3;
constexpr std::size_t kCutsPerRound = 150;
// A cut that is violated by less than this part of its right-hand side does not help.
constexpr double kLeastViolation = 1e-3;
// Rounds that raise the bound by less than this part of itself are no longer worth their time.
constexpr double kCoarseProgress = 1e-2;  // before the first schedule
constexpr double kFineProgress = 2e-3;
// The first integer program has events this far back, and those that the relaxation uses.
constexpr std::int32_t kNarrowDepth = 4;
// After a dive: integer programs with these parts of its settings, of this many nodes.
constexpr double kDiveParts[] = {1.0, 0.5};
constexpr std::int64_t kDiveNodes = 200;
// Programs whose solution breaks a budget by less than the margin are asked again so often.
constexpr int kMostCoverRounds = 200;
// A complete integer program is asked again so often in finer units.
constexpr int kMostFinerRounds = 3;
// A complete integer program over more events than this would not end.
constexpr std::int32_t kMostEvents = 3000;
constexpr std::size_t kMostNewEvents = 600;
// Parts of the time that is left: for the relaxation, and for each integer program after a dive.
constexpr double kRelaxationShare = 0.35;
constexpr double kDiveShare = 0.25;
// An event may pay when its price is at most this part of the cost unit.
constexpr double kPriceTolerance = 1e-9;

class EventSearch {
 public:
  EventSearch(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
              const Stop& stop, SearchState& state)
      : step_(step),
        goal_(goal),
        backend_(backend),
        stop_(stop),
        state_(state),
        answer_(state.answer),
        events_(step.stages()),
        least_with_(step, -kInfinity) {
    answer_.effort.all_events = step.stages() + count_reexecutions(step);
    if (goal.objective == EventObjective::Cost) pressures_ = stage_pressures(step);
    options_.objective = goal.objective;
    options_.cost_unit = state_.first_cost_unit();
  }

  void run() {
    has_every_event_ = count_reexecutions(step_) <= goal_.few_events;
    events_ = has_every_event_ ? every_event(step_) : shallow_events(step_, goal_.first_depth);
    if (!improve_relaxation(kCoarseProgress)) return;
    if (!has_every_event_ && !find_schedules()) return;
    search_integers();
    if (has_best() && answer_.bound > answer_.value) answer_.bound = answer_.value;
  }

 private:
  // What the model's objective counts in.
  double unit() const {
    return goal_.objective == EventObjective::Cost ? options_.cost_unit : model_.byte_unit;
  }
  // What a backend's tolerances hide of the objective. The least budget needs none: what widens its
  // rows (budget_margin.h) is more.
  double hidden() const {
    return goal_.objective == EventObjective::Cost ? backend_margin(model_.linear) * unit() : 0;
  }
  bool has_best() const { return state_.has_best(); }
  bool closed() const { return state_.closed(); }
  void offer(const EventChoice& choice) { state_.offer(choice); }
  Stop slice(double part) const { return state_.slice(part); }

  // While a backend works: its incumbent is not ours yet, its bound only when it saw all events.
  void report_integers(const IntegerProgress& found, bool complete) {
    state_.report(
        "integer program",
        complete ? std::optional(constant() + found.bound * unit() - hidden()) : std::nullopt,
        constant() + found.incumbent * unit());
  }

  enum class Rows { AsTheyAre, Lowered };  // to reachable sums

  void build_model(Rows rows = Rows::AsTheyAre) {
    if (goal_.objective == EventObjective::Cost) options_.most_cost = state_.most_cost();
    model_ = make_event_model(step_, events_, cuts_, options_);
    if (rows == Rows::Lowered) lower_to_reachable_sums(step_, events_, model_);
    add_margins(model_);
    answer_.effort.events = std::max<std::int64_t>(answer_.effort.events, events_.size());
    answer_.effort.columns =
        std::max<std::int64_t>(answer_.effort.columns, model_.linear.columns.size());
    answer_.effort.rows = std::max<std::int64_t>(answer_.effort.rows, model_.linear.rows.size());
    answer_.effort.cuts = std::max<std::int64_t>(answer_.effort.cuts, cuts_.size());
  }

  // Starts from where the last relaxation ended: most of the model is the same.
  RelaxationAnswer relax(const Stop& stop) {
    build_model();
    ++answer_.effort.rounds;
    const std::unique_ptr<Relaxation> relaxation = backend_.relax(model_.linear);
    if (!basis_.empty()) relaxation->set_basis(basis_.recall(events_, model_));
    const RelaxationAnswer relaxed = relaxation->solve(stop);
    answer_.effort.iterations += relaxed.iterations;
    if (relaxed.status == LinearStatus::Optimal) basis_.keep(events_, model_, relaxation->basis());
    return relaxed;
  }

  // Rounds of relaxation, bound, pricing and separation. False when there is nothing left to
  // search.
  bool improve_relaxation(double least_progress) {
    const Stop sooner = slice(kRelaxationShare);
    for (int round = 0; round < kMostRounds && !sooner.requested(); ++round) {
      const RelaxationAnswer relaxed = relax(sooner);
      if (relaxed.status == LinearStatus::Infeasible) {
        if (has_every_event_ && has_best()) return true;  // a backend's error: there is a schedule
        if (has_every_event_) {
          answer_.infeasible = true;
          return false;
        }
        if (!make_feasible()) return false;
        continue;
      }
      if (relaxed.status != LinearStatus::Optimal) return true;
      const double bound_before = answer_.bound;
      take_bound(relaxed);
      state_.report("relaxation");
      keep_used_events(relaxed.values);
      keep_binding_cuts(relaxed.row_duals);
      if (closed()) return false;
      const bool stalled =
          round > 0 && answer_.bound - bound_before < least_progress * std::abs(answer_.bound);
      const std::size_t more_events = add_events();
      const std::size_t more_cuts = stalled && more_events == 0 ? 0 : add_cuts(relaxed.values);
      if (more_cuts + more_events == 0) return true;
    }
    return true;
  }

  void keep_binding_cuts(const std::vector<double>& row_duals) {
    binding_cuts_.clear();
    for (std::size_t n = 0; n < row_duals.size(); ++n)
      if (model_.row_tags[n].kind == RowKind::Cut && row_duals[n] < -1e-9)
        binding_cuts_.push_back(cuts_[model_.row_tags[n].cut]);
  }

  void keep_used_events(const std::vector<double>& values) {
    constexpr double kUsed = 1e-6;
    used_events_.clear();
    for (std::int32_t e = 0; e < events_.size(); ++e)
      if (!events_.events()[e].certain() && model_.runs[e].value(values) > kUsed)
        used_events_.push_back(events_.events()[e]);
  }

  // The relaxation over the events that there are is infeasible: looks for the events with which it
  // is not, by asking how little RAM would do. False when that proves that nothing does.
  bool make_feasible() {
    if (goal_.objective == EventObjective::RamBudget) {
      add_every_event();
      return true;
    }
    cuts_.clear();
    SearchGoal least = goal_;
    least.objective = EventObjective::RamBudget;
    const ProgressSink silent;
    SearchState least_state(step_, least, stop_, silent);
    EventSearch search(step_, least, backend_, stop_, least_state);
    const bool found = search.find_feasible_events(events_, step_.budget_bytes);
    answer_.effort.rounds += search.answer_.effort.rounds;
    answer_.effort.iterations += search.answer_.effort.iterations;
    if (search.answer_.infeasible ||
        search.answer_.bound > static_cast<double>(step_.budget_bytes) * (1 + 1e-9)) {
      answer_.infeasible = true;
      return false;
    }
    if (found)
      events_ = search.events_;
    else
      add_every_event();
    return !stop_.requested();
  }

  bool find_feasible_events(const EventSet& from, std::int64_t budget_bytes) {
    events_ = from;
    while (!stop_.requested()) {
      const RelaxationAnswer relaxed = relax(stop_);
      if (relaxed.status == LinearStatus::Infeasible && has_every_event_) answer_.infeasible = true;
      if (relaxed.status == LinearStatus::Infeasible && !has_every_event_) {
        add_every_event();
        continue;
      }
      if (relaxed.status != LinearStatus::Optimal) return false;
      if (relaxed.objective * unit() <= static_cast<double>(budget_bytes)) return true;
      take_bound(relaxed);
      if (answer_.bound > static_cast<double>(budget_bytes) || add_events() == 0) return false;
    }
    return false;
  }

  void add_every_event() {
    events_ = every_event(step_);
    has_every_event_ = true;
  }

  void take_bound(const RelaxationAnswer& relaxed) {
    Multipliers multipliers =
        multipliers_of(step_, events_, model_, cuts_, relaxed.row_duals, unit());
    if (goal_.objective == EventObjective::RamBudget)
      multipliers = for_bytes(std::move(multipliers));
    take_walk(multipliers);
    const double tolerance = kPriceTolerance * unit();
    if (!goal_.techniques.lifting) {
      paying_ = paying_events(step_, events_, cuts_, multipliers, goal_.objective, tolerance);
      return;
    }
    paying_ = lift_missing_events(step_, events_, cuts_, multipliers, goal_.objective, tolerance);
    take_walk(multipliers);
  }

  void take_walk(const Multipliers& multipliers) {
    const WalkBound walked = walk_bound(step_, events_, cuts_, multipliers, goal_.objective);
    least_with_.keep_larger(walked.run_price, walked.bound);
    answer_.bound = std::max(answer_.bound, walked.bound);
    const std::optional<WalkSource>& best = answer_.sources.walk;
    if (goal_.keeps_sources && (!best || walked.bound > best->bound))
      answer_.sources.walk = WalkSource{events_, cuts_, multipliers, walked.bound};
  }

  // The events that may pay, those that promise most first: all at once would make the relaxation
  // slow for little.
  std::size_t add_events() {
    if (has_every_event_) return 0;
    std::stable_sort(paying_.begin(), paying_.end(),
                     [](const PayingEvent& a, const PayingEvent& b) { return a.gain > b.gain; });
    const std::size_t most = kMostNewEvents + static_cast<std::size_t>(events_.size()) / 4;
    if (paying_.size() > most) paying_.resize(most);
    std::vector<Event> added;
    for (const PayingEvent& paying : paying_) added.push_back(paying.event);
    events_.insert(std::move(added));
    return paying_.size();
  }

  std::size_t add_cuts(const std::vector<double>& values) {
    if (goal_.objective != EventObjective::Cost || !goal_.techniques.cuts) return 0;
    const ComingsOf comings(step_, events_, model_, values);
    std::vector<FoundCut> found;
    for (std::int32_t t = 0; t < step_.stages(); ++t) {
      if (pressures_[t].demand_bytes <= 0) continue;
      std::vector<FoundCut> here = violated_cuts(
          step_, t, pressures_[t], comings.at_stage(t, pressures_[t]), kLeastViolation);
      for (std::size_t n = 0; n < here.size() && n < kCutsPerStage; ++n)
        found.push_back(std::move(here[n]));
    }
    std::stable_sort(found.begin(), found.end(), [](const FoundCut& a, const FoundCut& b) {
      return a.violation > b.violation;
    });
    if (found.size() > kCutsPerRound) found.resize(kCutsPerRound);
    for (FoundCut& cut : found) cuts_.push_back(std::move(cut.cut));
    return found.size();
  }

  // Schedules early, then on with the relaxation where it was. False when there is nothing left to
  // search.
  bool find_schedules() {
    const EventSet relaxed = events_;
    const std::vector<LaterNeed> cuts = cuts_;
    cuts_ = binding_cuts_;
    follow_relaxation(narrow_events());
    if (is_over()) return false;
    events_ = relaxed;
    cuts_ = cuts;
    return improve_relaxation(kFineProgress);
  }

  // Integer programs: over few events for a good schedule soon, then over all that a better
  // schedule could have.
  void search_integers() {
    const EventSet relaxed = events_;
    if (has_every_event_) {
      solve_complete(events_);
      return;
    }
    // Backends find good schedules sooner without the cuts; the bound has them already.
    const std::vector<LaterNeed> cuts = binding_cuts_;
    cuts_.clear();
    if (has_best()) solve_around_incumbent();
    EventSet tried = narrow_events();
    if (!is_over()) solve_integers(tried, false);
    if (!is_over() && !has_best()) solve_integers(relaxed, false);
    if (is_over()) return;
    cuts_ = cuts;
    const EventSet open = undiscarded_events();
    if (open.size() <= kMostEvents || !has_best())
      solve_complete(open);
    else
      solve_integers(common(open, relaxed), false);
  }

  bool is_over() const { return stop_.requested() || settled_ || closed() || state_.spent(); }

  // Schedules by diving along the relaxation with its cuts, and integer programs over what the dive
  // leaves open.
  void follow_relaxation(const EventSet& events) {
    if (stop_.requested()) return;
    events_ = events;
    if (goal_.objective == EventObjective::Cost) options_.cost_unit = state_.cost_unit();
    build_model();
    const std::unique_ptr<Relaxation> relaxation = backend_.relax(model_.linear);
    if (!basis_.empty()) relaxation->set_basis(basis_.recall(events_, model_));
    const DiveAnswer found = dive(model_, *relaxation, DiveLimits{}, stop_);
    answer_.effort.iterations += found.iterations;
    for (const double part : kDiveParts) {
      if (is_over()) return;
      const double value_before = has_best() ? answer_.value : kInfinity;
      const double settings = part * static_cast<double>(found.settings.size());
      events_ = events;
      cuts_ = binding_cuts_;
      build_model();
      solve_after_dive(found, static_cast<std::size_t>(settings));
      if (has_best() && answer_.value < value_before) solve_around_incumbent();
    }
  }

  void solve_after_dive(const DiveAnswer& found, std::size_t settings) {
    LinearModel rest = model_.linear;
    for (std::size_t n = 0; n < settings; ++n) {
      LinearColumn& column = rest.columns[found.settings[n].column];
      column.lower = column.upper = found.settings[n].value;
    }
    IntegerLimits limits = integer_limits();
    limits.max_nodes = std::min(limits.max_nodes, kDiveNodes);
    std::vector<double> start;
    const IntegerAnswer solved = backend_.solve(rest, limits, start, slice(kDiveShare), {});
    answer_.effort.nodes += solved.nodes;
    answer_.effort.iterations += solved.iterations;
    if (solved.values.empty()) return;
    if (const auto choice = choice_of(step_, events_, model_, solved.values)) offer(*choice);
  }

  // Only events that the relaxation or the incumbent uses: a small program that mends what the dive
  // did.
  void solve_around_incumbent() {
    if (is_over() || !has_best()) return;
    EventSet few(step_.stages());
    few.insert(used_events_);
    std::vector<Event> own;
    for (const Execution& execution : answer_.best->executions) own.push_back(execution.event);
    few.insert(std::move(own));
    cuts_.clear();
    solve_integers(few, false, kDiveShare);
  }

  EventSet narrow_events() const {
    EventSet narrow = shallow_events(step_, kNarrowDepth);
    narrow.insert(used_events_);
    return has_best() ? common(narrow, undiscarded_events()) : narrow;
  }

  EventSet common(const EventSet& a, const EventSet& b) const {
    std::vector<Event> both;
    for (const Event& event : a.events())
      if (b.find(event)) both.push_back(event);
    EventSet set(step_.stages());
    set.insert(std::move(both));
    return set;
  }

  // A schedule that costs less than the incumbent has none but these.
  EventSet undiscarded_events() const {
    if (!has_best()) return every_event(step_);
    const double margin = goal_.rounding_ratio * std::abs(step_.once_cost + answer_.value);
    std::vector<Event> kept;
    for (std::int32_t k = 0; k < step_.stages(); ++k)
      for (std::int32_t t = k + 1; t <= step_.operations[k].last_stage; ++t)
        if (least_with_.at(Event{t, k}) <= answer_.value + margin) kept.push_back(Event{t, k});
    EventSet set(step_.stages());
    set.insert(std::move(kept));
    return set;
  }

  // The best schedule says how dear a column may be and what the overhead is: models are then
  // stated in finer units, and what the backend's tolerances hide is less.
  void solve_complete(const EventSet& candidates) {
    for (int round = 0; round < kMostFinerRounds; ++round) {
      solve_integers(candidates, true);
      if (!settled_ || !has_best() || closed() || stop_.requested()) return;
      const double hidden_before = hidden();
      options_.cost_unit = state_.cost_unit();
      build_model();
      if (hidden_before == 0 || hidden() > hidden_before / 2) return;
      settled_ = false;
    }
  }

  // `complete`: no better schedule has other events.
  void solve_integers(const EventSet& candidates, bool complete, double share = 1) {
    events_ = candidates;
    if (goal_.objective == EventObjective::Cost) options_.cost_unit = state_.cost_unit();
    build_model(goal_.techniques.reachable_sums ? Rows::Lowered : Rows::AsTheyAre);
    std::vector<double> start;
    if (has_best())
      if (auto values = values_of(step_, events_, model_, *answer_.best))
        start = std::move(*values);
    const Stop sooner = slice(share);
    for (int round = 0;; ++round) {
      const IntegerAnswer solved = solve_integers_once(start, sooner, complete);
      std::vector<LinearRow> covers;
      if (!solved.values.empty() && round < kMostCoverRounds && !sooner.requested())
        covers = covers_of_broken_budgets(model_, solved.values);
      if (covers.empty()) {
        take_integers(solved, candidates, complete);
        return;
      }
      for (LinearRow& cover : covers) model_.linear.add_row(std::move(cover));
    }
  }

  IntegerAnswer solve_integers_once(const std::vector<double>& start, const Stop& stop,
                                    bool complete) {
    const std::int64_t nodes_before = answer_.effort.nodes;
    IntegerCallbacks callbacks;
    callbacks.progress = [&](const IntegerProgress& state) {
      answer_.effort.nodes = nodes_before + state.nodes;
      report_integers(state, complete);
    };
    const IntegerAnswer solved =
        backend_.solve(model_.linear, integer_limits(), start, stop, callbacks);
    answer_.effort.nodes = nodes_before + solved.nodes;
    answer_.effort.iterations += solved.iterations;
    return solved;
  }

  IntegerLimits integer_limits() const {
    IntegerLimits limits;
    // A little less than asked for: what the backend leaves open adds to what rounding does.
    limits.absolute_gap = 0.9 * allowed_gap_of_bound() / unit();
    limits.max_nodes = std::max<std::int64_t>(0, goal_.max_nodes - answer_.effort.nodes);
    limits.seed = goal_.seed;
    limits.threads = goal_.threads;
    if (has_best()) limits.cutoff = (answer_.value - constant()) / unit();
    return limits;
  }

  // The gap that is allowed once the value is as small as the bound.
  double allowed_gap_of_bound() const {
    if (goal_.objective == EventObjective::RamBudget) return goal_.gap_ratio * answer_.bound;
    return std::max(goal_.gap_ratio * std::max(0.0, answer_.bound - goal_.unavoidable),
                    goal_.total_gap_ratio * std::abs(step_.once_cost + answer_.bound));
  }

  double constant() const { return model_.constant_cost * unit(); }

  void take_integers(const IntegerAnswer& solved, const EventSet& candidates, bool complete) {
    const double value_before = has_best() ? answer_.value : kInfinity;
    if (!solved.values.empty()) {
      if (const auto choice = choice_of(step_, events_, model_, solved.values))
        offer(*choice);
      else
        answer_.notes.push_back("a solution of the backend was not whole and was refused");
    }
    // What was found may discard all that was left out.
    if (!complete && has_best())
      complete = common(undiscarded_events(), candidates).size() == undiscarded_events().size();
    if (!complete) return;
    const bool nothing_better = solved.status == LinearStatus::Infeasible;
    if (nothing_better && !has_best()) {
      answer_.infeasible = true;
      settled_ = true;
      return;
    }
    // Below the best there is nothing but what the gap lets the backend leave.
    const double found_bound =
        nothing_better ? value_before - std::max(0.9 * allowed_gap_of_bound(), hidden())
                       : std::min(value_before, constant() + solved.bound * unit()) - hidden();
    answer_.bound = std::max(answer_.bound, found_bound);
    if (has_best()) answer_.bound = std::min(answer_.bound, answer_.value);
    settled_ = nothing_better || solved.status == LinearStatus::Optimal;
    state_.report("integer program");
  }

  const Step& step_;
  const SearchGoal& goal_;
  const LinearBackend& backend_;
  const Stop& stop_;
  SearchState& state_;
  SearchAnswer& answer_;
  std::vector<StagePressure> pressures_;
  EventSet events_;
  bool has_every_event_ = false;
  std::vector<LaterNeed> cuts_;
  EventModelOptions options_;
  EventModel model_;
  BasisMemory basis_;
  EventPrices least_with_;               // no schedule in which the event happens costs less
  std::vector<PayingEvent> paying_;      // by the last relaxation
  std::vector<Event> used_events_;       // by the last relaxation
  std::vector<LaterNeed> binding_cuts_;  // in the last relaxation
  bool settled_ = false;                 // an integer program over all that matters has ended
};

}  // namespace

// Steps with more operations than this begin with a schedule and a bound by prices, which smaller
// ones seldom gain by; and what part of the effort that may take.
constexpr std::int32_t kStagesOfPrices = 1'000;
constexpr double kPartOfPrices = 0.1;

// Smaller ones are proved by their events.
constexpr std::int32_t kStagesOfProgram = 50;

// By the best prices that there are, for some effort that is counted apart, so that the rest of the
// search is the same.
double bound_by_program(const Step& step, const LinearBackend& backend, const Stop& stop) {
  constexpr double kMostEffort_s = 2;
  const std::optional<PricedIntervals> priced =
      price_by_program(step, keep_intervals(step), backend, with_own_effort(stop, kMostEffort_s));
  return priced ? priced->bound - rounding_of(step, *priced) : -kInfinity;
}

SearchAnswer search_events(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                           std::optional<EventChoice> start, const Stop& stop,
                           const ProgressSink& progress) {
  SearchState state(step, goal, stop, progress);
  state.answer.effort.all_events = step.stages() + count_reexecutions(step);
  if (start) state.offer(*start);
  if (step.stages() > goal.large_stages && goal.objective == EventObjective::Cost) {
    search_large(step, goal, backend, stop, state);
    return std::move(state.answer);
  }
  const bool is_cost = goal.objective == EventObjective::Cost;
  if (goal.techniques.intervals && is_cost && step.stages() > kStagesOfPrices && !state.is_over())
    begin_by_prices(step, goal, backend, part_of(stop, kPartOfPrices), state);
  const double held_back =
      goal.techniques.intervals && is_cost && step.stages() >= kStagesOfProgram && !state.is_over()
          ? bound_by_program(step, backend, stop)
          : -kInfinity;
  if (goal.techniques.windows && is_cost) search_windows(step, goal, backend, stop, state);
  if (!state.is_over()) EventSearch(step, goal, backend, stop, state).run();
  // Of windows there is a certificate, and of this none: it is for what they leave open, where it
  // proves much more.
  constexpr double kMuchLess = 0.9;
  const double open = state.answer.value - state.answer.bound;
  if (!state.answer.infeasible && state.has_best() && !state.closed() &&
      state.answer.value - held_back < kMuchLess * open) {
    state.answer.priced_bound = std::max(state.answer.priced_bound, held_back);
    state.raise_bound(held_back);
  }
  return std::move(state.answer);
}

}  // namespace poet
