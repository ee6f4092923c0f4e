// Bounds and schedules from window models, from coarse to fine (docs/model/search.md §3).
#include "poet/solve/window_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stop_token>

#include "poet/solve/annealing.h"
#include "poet/solve/budget_margin.h"
#include "poet/solve/key_search.h"
#include "poet/solve/local_search.h"
#include "poet/solve/mend_reads.h"
#include "poet/solve/proved_bound.h"
#include "poet/solve/rebuild_search.h"
#include "poet/solve/smaller_model.h"
#include "poet/solve/window_cuts.h"
#include "poet/solve/window_model.h"
#include "poet/solve/window_player.h"
#include "poet/solve/window_refinement.h"

namespace poet {
namespace {

constexpr int kMostRounds = 60;
constexpr int kMostDiveRounds = 20;
// Models whose suggestion breaks a budget by less than the margin are asked again so often.
constexpr int kMostCoverRounds = 20;
// A dive that fixes what fewer keys keep is no easier than the whole problem.
constexpr std::size_t kLeastFixedKeys = 4;
// Of the gap that is allowed, what one integer program may leave open: over the whole problem most
// of it, since a schedule that the model itself suggests costs no more than the model says.
constexpr double kPartOfGap = 0.8;
constexpr double kPartOfGapInDive = 0.3;
constexpr double kPartOfGapInFirstDive = 1.0;
// Nodes of one integer program: where it does not end it will not, and another model may.
// Larger models get fewer at first: a better schedule or another model may be the sooner way.
constexpr std::int64_t kMostNodes = 20'000;
constexpr std::int64_t kMostNodeColumns = 2'000'000;
constexpr std::int64_t kMostDiveNodes = 2'000;
// Most problems end before the third round.
constexpr std::int64_t kLocalNodesPerRound = 250;

// Where the first model leaves this part of the overhead open, better keys are looked for, by
// relaxations of so many columns in all; where they leave it open, better schedules.
constexpr double kLargeGap = 0.05;
constexpr std::int64_t kMostSearchColumns = 600'000;
// Turns of annealing and rebuilding, each twice as long as the one before, as long as they gain: a
// better bound may be all that is missing.
constexpr std::int64_t kTurns = 4;
constexpr std::int64_t kMovesInFirstTurn = 25'000;
constexpr std::int64_t kTriesInFirstTurn = 20'000;
// Of steps with few stages there is less to try.
constexpr std::int64_t kMovesPerStage = 1'000;
constexpr std::int64_t kTriesPerStage = 800;
// Where they leave it open, also keys over the whole step, about so many.
constexpr std::int32_t kSpreadKeys = 11;
// Models with more columns get neither: their relaxations take too long.
constexpr std::int64_t kMostCutColumns = 20'000;
// A suggestion costs so much more than the bound, as a part of its overhead.
constexpr double kDear = 0.03;

struct Suggestion {
  WindowModel model;
  std::vector<double> values;
  EventChoice choice;
};

class WindowSearch {
 public:
  WindowSearch(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
               const Stop& stop, SearchState& state)
      : step_(step), goal_(goal), backend_(backend), stop_(stop), state_(state) {}

  void run() {
    WindowKeys keys = first_keys(step_);
    const double bound_before = state_.answer.bound;
    if (state_.is_over() || !relax(keys)) return;
    // Where prices say more than a window model, further windows cost more than they say.
    if (state_.has_best() && state_.answer.bound <= bound_before) return;
    for (int round = 0; round < kMostRounds && !state_.is_over(); ++round) {
      std::optional<Suggestion> suggested = improve_bound(keys);
      if (round == 0 && has_large_gap() && goal_.techniques.key_search && look_for_keys(keys))
        suggested = improve_bound(keys);
      take_turns();
      if (state_.is_over()) return;
      if (round == 0 && has_large_gap() && goal_.techniques.paths) {
        spread(keys, suggested);
        take_turns();
      }
      if (state_.is_over()) return;
      if (asks_otherwise(suggested)) continue;
      const WindowKeys next =
          suggested ? refined_keys(step_, keys, suggested->choice, Refinement::Careful) : keys;
      lowers_rows_ = true;
      if (next != keys) {
        if (goal_.techniques.dives) dive(*suggested, next);
        keys = next;
      } else {
        // Nowhere closer to look: the same question again, with more patience.
        if (!cut_short_) return;
        patience_ *= 4;
      }
      improve_best(round);
    }
  }

 private:
  WindowModel model_of(const WindowKeys& keys, double cost_unit) const {
    return make_window_model(step_, keys, options(cost_unit));
  }
  WindowModelOptions options(double cost_unit) const {
    return {.cost_unit = cost_unit,
            .most_cost = state_.most_cost(),
            .reachable_sums = goal_.techniques.reachable_sums && lowers_rows_,
            .margins = true};
  }

  // The first idea of what the overhead is. False when there is nothing left to search.
  bool relax(const WindowKeys& keys) {
    const WindowModel model = model_of(keys, state_.first_cost_unit());
    const RelaxationAnswer relaxed = backend_.relax(model.linear)->solve(stop_);
    state_.answer.effort.iterations += relaxed.iterations;
    if (relaxed.status == LinearStatus::Infeasible && !state_.has_best()) state_.nothing_fits(keys);
    if (relaxed.status != LinearStatus::Optimal) return false;
    state_.raise_bound(
        (bound_proved_by(relaxed.row_duals, model.linear) + model.constant_cost) * model.cost_unit,
        keys);
    state_.report("windows");
    return !state_.is_over();
  }

  bool has_large_gap() const {
    const SearchAnswer& answer = state_.answer;
    if (!state_.has_best()) return false;
    return answer.value - answer.bound >
           kLargeGap * std::max(0.0, answer.value - goal_.unavoidable);
  }

  void take_turns() {
    bool gains = true;
    for (; gains && turn_ < kTurns && has_large_gap() && !stop_.requested(); ++turn_) {
      const double value_before = state_.answer.value;
      take_turn();
      gains = state_.answer.value < value_before;
    }
  }

  // Each finds what the other does not, with other random numbers each time.
  void take_turn() {
    const std::uint64_t seed = goal_.seed * kTurns + static_cast<std::uint64_t>(turn_);
    const AnnealingOptions annealing = {
        .seed = seed,
        .moves_per_run = std::min(kMovesInFirstTurn, kMovesPerStage * step_.stages()) << turn_,
        .threads = goal_.threads};
    if (goal_.techniques.annealing)
      if (const auto choice = anneal(step_, *state_.answer.best, annealing, stop_))
        state_.offer(*choice);
    const RebuildOptions rebuilding = {
        .seed = seed,
        .most_tries = std::min(kTriesInFirstTurn, kTriesPerStage * step_.stages()) << turn_,
        .twins = goal_.techniques.identical_blocks};
    if (goal_.techniques.rebuilding && has_large_gap())
      rebuild_parts(step_, rebuilding, stop_, state_);
  }

  // Whether an integer program ends is luck (0013). One that did not, and whose suggestion is no
  // guide to where the next model should look, is asked once more without cuts and with its rows as
  // they are.
  bool asks_otherwise(const std::optional<Suggestion>& suggested) {
    if (!cut_short_ || !lowers_rows_ || !goal_.techniques.reachable_sums) return false;
    if (suggested && !is_dear(suggested->choice)) return false;
    lowers_rows_ = false;
    return true;
  }

  bool is_dear(const EventChoice& choice) const {
    const double value = figures_of(step_, choice).cost - step_.once_cost;
    return value - state_.answer.bound > kDear * std::max(0.0, value - goal_.unavoidable);
  }

  // False when no others are better.
  bool look_for_keys(WindowKeys& keys) {
    const FoundKeys found = search_keys(step_, keys,
                                        {.model = options(state_.cost_unit()),
                                         .most_columns = kMostSearchColumns,
                                         .threads = goal_.threads},
                                        backend_, stop_);
    state_.answer.effort.rounds += found.relaxations;
    state_.answer.effort.iterations += found.iterations;
    if (found.keys == keys) return false;
    keys = found.keys;
    state_.raise_bound(found.bound, keys);
    state_.report("windows");
    return true;
  }

  // Path inequalities make a model of more keys better: those that there are, and others over the
  // whole step.
  void spread(WindowKeys& keys, std::optional<Suggestion>& suggested) {
    WindowKeys spread{with(keys.stages, spread_keys(step_, kSpreadKeys).stages), keys.crowded};
    if (spread == keys || std::ssize(model_of(spread, 1).linear.columns) > kMostCutColumns) return;
    const double bound_before = state_.answer.bound;
    std::optional<Suggestion> found = improve_bound(spread, Asked::WhereRelaxationGains);
    if (state_.is_over() || state_.answer.bound <= bound_before) return;
    keys = std::move(spread);
    suggested = std::move(found);
  }

  static std::vector<std::int32_t> with(const std::vector<std::int32_t>& stages,
                                        const std::vector<std::int32_t>& more) {
    std::vector<std::int32_t> all;
    std::set_union(stages.begin(), stages.end(), more.begin(), more.end(), std::back_inserter(all));
    return all;
  }

  enum class Asked { Always, WhereRelaxationGains };

  // Over the whole problem. Nothing when that ends the search, or leads no further.
  std::optional<Suggestion> improve_bound(const WindowKeys& keys, Asked asked = Asked::Always) {
    Suggestion suggestion{model_of(keys, state_.cost_unit()), {}, {}};
    WindowModel& model = suggestion.model;
    const double relaxed_bound = strengthen(model);
    const bool gains = relaxed_bound > state_.answer.bound;
    state_.raise_bound(relaxed_bound, keys);
    state_.report("windows");
    if (state_.is_over() || (asked == Asked::WhereRelaxationGains && !gains)) return std::nullopt;
    const auto columns = static_cast<std::int64_t>(model.linear.columns.size());
    const std::int64_t most_nodes =
        std::min(kMostNodes, patience_ * (1 + kMostNodeColumns / (columns + 1)));
    const IntegerAnswer solved = solve_within_budgets(model, most_nodes);
    const bool may_go_on = most_nodes < kMostNodes && state_.answer.effort.nodes < goal_.max_nodes;
    cut_short_ = may_go_on && solved.status != LinearStatus::Optimal &&
                 solved.status != LinearStatus::Infeasible;
    if (solved.status == LinearStatus::Infeasible) {
      const double open_gap =
          std::max(allowed_gap(kPartOfGap), backend_margin(model.linear)) * model.cost_unit;
      if (state_.has_best())
        state_.raise_bound(state_.answer.value - open_gap, keys);
      else
        state_.nothing_fits(keys);
      return std::nullopt;
    }
    const double bound = solved.bound - backend_margin(model.linear) + model.constant_cost;
    state_.raise_bound(bound * model.cost_unit, keys);
    state_.report("windows");
    if (!has_values(solved)) return std::nullopt;
    suggestion.values = solved.values;
    suggestion.choice = choice_of(step_, model, solved.values);
    offer(suggestion.choice);
    return suggestion;
  }

  // The bound of the relaxation with the cuts that the model has now.
  double strengthen(WindowModel& model) {
    const bool is_large = std::ssize(model.linear.columns) > kMostCutColumns;
    if (!goal_.techniques.paths || !lowers_rows_ || model.keys.stages.size() < 2 || is_large)
      return -kInfinity;
    const CutRounds cuts = add_cuts(model, step_, backend_, stop_);
    state_.answer.effort.rounds += cuts.relaxations;
    state_.answer.effort.iterations += cuts.iterations;
    return (cuts.bound + model.constant_cost) * model.cost_unit;
  }

  // Until what it suggests keeps the budgets of the keys to the byte (budget_margin.h).
  IntegerAnswer solve_within_budgets(WindowModel& model, std::int64_t most_nodes) {
    for (int round = 0;; ++round) {
      IntegerAnswer solved = solve(model, most_nodes, kPartOfGap);
      if (!has_values(solved) || round == kMostCoverRounds || stop_.requested()) return solved;
      std::vector<LinearRow> covers = covers_of_broken_budgets(model, solved.values);
      if (covers.empty()) return solved;
      for (LinearRow& cover : covers) model.linear.add_row(std::move(cover));
    }
  }

  void offer(const EventChoice& choice) {
    const EventChoice mended = mend_with_reads(step_, choice);
    if (keeps_budgets(step_, figures_of(step_, mended))) state_.offer(mended);
  }

  // Makes a suggestion whole: what it keeps in RAM stays fixed while the model looks closer, and so
  // does what each model on the way keeps. Where that leads nowhere, once from the suggestion
  // alone.
  void dive(const Suggestion& from, WindowKeys keys) {
    Suggestion last = from;
    bool fixes_all = true;
    const double value_before = state_.has_best() ? state_.answer.value : kInfinity;
    for (int round = 0; round < kMostDiveRounds && !state_.is_over(); ++round) {
      WindowModel model = model_of(keys, state_.cost_unit());
      fix_present(last, model);
      strengthen(model);
      const IntegerAnswer solved = solve(
          model, kMostDiveNodes, state_.has_best() ? kPartOfGapInDive : kPartOfGapInFirstDive);
      if (!has_values(solved)) {
        const bool is_bound = from.model.keys.stages.size() >= kLeastFixedKeys;
        if (!fixes_all || round == 0 || !is_bound) return;
        fixes_all = false;
        last = from;
        continue;
      }
      last = Suggestion{std::move(model), solved.values, {}};
      last.choice = choice_of(step_, last.model, last.values);
      offer(last.choice);
      if (state_.has_best() && state_.answer.value < value_before) return;
      const WindowKeys next = refined_keys(step_, keys, last.choice, Refinement::Fast);
      if (next == keys) return;
      keys = next;
    }
  }

  void fix_present(const Suggestion& from, WindowModel& model) const {
    const std::vector<std::int32_t>& stages = model.keys.stages;
    for (std::size_t j = 0; j < from.model.keys.stages.size(); ++j) {
      const auto key = std::find(stages.begin(), stages.end(), from.model.keys.stages[j]);
      const std::size_t w = static_cast<std::size_t>(key - stages.begin()) + 1;
      for (std::size_t c = 0; c < step_.chains.size(); ++c) {
        const auto& then = from.model.present[j + 1][c];
        const auto& now = model.present[w][c];
        if (!then || !now) continue;
        LinearColumn& column = model.linear.columns[*now];
        column.lower = column.upper = from.values[*then] > 0.5 ? 1 : 0;
      }
    }
  }

  // A schedule that is much too dear cuts off too little of the next models.
  void improve_best(int round) {
    const std::int64_t most_nodes = kLocalNodesPerRound * (round - 1);
    if (most_nodes <= 0 || !goal_.techniques.local_search || !state_.has_best()) return;
    if (state_.is_over() || state_.answer.value >= value_searched_) return;
    search_locally(step_, goal_, backend_, most_nodes, stop_, state_);
    value_searched_ = state_.answer.value;
  }

  // Of an integer program, in its units.
  double allowed_gap(double part_of_gap) const {
    return part_of_gap * goal_.gap_ratio * kOverheadUnits;
  }

  IntegerAnswer solve(const WindowModel& model, std::int64_t most_nodes, double part_of_gap) {
    const SmallerModel smaller =
        goal_.techniques.smaller_models ? make_smaller(model.linear) : unchanged(model.linear);
    count(model, smaller.linear);
    IntegerLimits limits;
    limits.absolute_gap = allowed_gap(part_of_gap);
    limits.max_nodes = std::max<std::int64_t>(
        0, std::min(most_nodes, goal_.max_nodes - state_.answer.effort.nodes));
    limits.seed = goal_.seed;
    limits.threads = goal_.threads;
    if (state_.has_best())
      limits.cutoff =
          state_.answer.value / model.cost_unit - model.constant_cost - smaller.constant_cost;
    // A solution as cheap as the bound allows is enough: the model cannot raise the bound by more.
    const double constant = model.constant_cost + smaller.constant_cost;
    const double enough = state_.answer.bound / model.cost_unit - constant + limits.absolute_gap;
    std::stop_source done;
    const std::stop_callback forward(stop_.token, [&done] { done.request_stop(); });
    Stop stop = stop_;
    stop.token = done.get_token();
    IntegerCallbacks callbacks;
    callbacks.incumbent = [&done, enough](double objective, const std::vector<double>&) {
      if (objective <= enough) done.request_stop();
    };
    const IntegerAnswer solved = solve_smaller(smaller, backend_, limits, stop, callbacks);
    state_.answer.effort.nodes += solved.nodes;
    state_.answer.effort.iterations += solved.iterations;
    return solved;
  }

  void count(const WindowModel& model, const LinearModel& linear) {
    SolveEffort& effort = state_.answer.effort;
    ++effort.rounds;
    effort.keys = std::max<std::int64_t>(effort.keys, model.keys.stages.size());
    const std::int64_t executions = step_.stages() + model.reexecutions();
    effort.events = std::max(effort.events, executions);
    effort.columns = std::max<std::int64_t>(effort.columns, linear.columns.size());
    effort.rows = std::max<std::int64_t>(effort.rows, linear.rows.size());
  }

  const Step& step_;
  const SearchGoal& goal_;
  const LinearBackend& backend_;
  const Stop& stop_;
  SearchState& state_;
  bool cut_short_ = false;   // the last integer program over the whole problem: by its nodes
  bool lowers_rows_ = true;  // to reachable sums
  std::int64_t patience_ = 1;
  std::int64_t turn_ = 0;              // the next of annealing and rebuilding
  double value_searched_ = kInfinity;  // of the best schedule that a local search led to
};

}  // namespace

void search_windows(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                    const Stop& stop, SearchState& state) {
  WindowSearch(step, goal, backend, stop, state).run();
}

}  // namespace poet
