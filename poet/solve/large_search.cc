// The search for large steps: prices, packing, window models, moves (docs/model/search.md §8).
#include "poet/solve/large_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "poet/solve/annealing.h"
#include "poet/solve/fixed_residents.h"
#include "poet/solve/greedy_moves.h"
#include "poet/solve/greedy_recomputation.h"
#include "poet/solve/interval_packing.h"
#include "poet/solve/interval_prices.h"
#include "poet/solve/keep_intervals.h"
#include "poet/solve/rebuild_search.h"
#include "poet/solve/window_search.h"

namespace poet {
namespace {

// Window models have a column for each chain and operation in each window.
constexpr std::int32_t kMostStagesOfWindows = 30'000;
// Of the effort that is left: window models either end soon on such steps or not at all.
constexpr double kPartOfWindows = 0.5;
// Rounds of prices, each with twice the steps of the one before: a better schedule is a better
// guess of where prices should lead.
constexpr int kPriceRounds = 6;
constexpr int kStepsInFirstRound = 50;
// Of the effort that is left; and what counts how much, as Stop::count.
constexpr double kPartOfPrices = 0.3;
constexpr double kPartOfGreedy = 0.2;
constexpr double kLargeGap = 0.25;  // of the overhead
// Where more than a tenth of the overhead is open, the moves that make a draft fit find what
// nothing else does: they have most of the effort, counted closely, and end when they would cost
// more than the best.
constexpr double kGapToFit = 0.1;
constexpr double kPartOfFit = 0.85;
constexpr double kUnitsPerFitAndStage = 1.2;
constexpr double kUnitsPerTry = 2'300;
constexpr double kUnitsPerTryAndStage = 4;
constexpr double kUnitsPerComebackAndStage = 30;
constexpr double kUnitsPerMoveAndStage = 0.1;
constexpr double kUnitsPerPass = 300;
constexpr double kMostTriesPerStage = 20;
// Turns of annealing and rebuilding, each twice as long as the one before.
constexpr int kMostTurns = 8;
constexpr std::int64_t kMovesInFirstTurn = 25'000;
constexpr double kLeastGainOfTurn = 1e-5;  // of the cost: what gains less was in vain
constexpr int kTurnsInVain = 3;            // in a row, and there are no more

class LargeSearch {
 public:
  LargeSearch(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
              const Stop& stop, SearchState& state)
      : step_(step), goal_(goal), backend_(backend), stop_(stop), state_(state) {}

  void run() {
    if (goal_.techniques.intervals) use_prices();
    if (goal_.techniques.windows && step_.stages() <= kMostStagesOfWindows && !state_.is_over())
      search_windows(step_, goal_, backend_, part_of(stop_, kPartOfWindows), state_);
    take_turns();
  }

  void use_prices() {
    const KeepIntervals intervals = keep_intervals(step_);
    IntervalPrices prices;
    count_passes(intervals);
    const Stop sooner = part_of(stop_, kPartOfPrices);
    for (int round = 0; round < kPriceRounds && !state_.is_over(); ++round) {
      if (round > 0 && sooner.requested()) break;
      prices = price(intervals, kStepsInFirstRound << round, sooner);
      count_passes(intervals);
    }
    if (!state_.is_over()) make_some_again(prices);
    if (state_.is_over() || !goal_.techniques.greedy) return;
    end_dear_stays(intervals, prices);
    if (!state_.is_over() && has_large_gap())
      if (const auto choice = greedy_recomputation(step_, goal_.threads, stop_, most_tries()))
        offer(*choice);
  }

 private:
  // What is ours and breaks a limit is no news.
  void offer(const EventChoice& choice) {
    if (keeps_budgets(step_, figures_of(step_, choice))) state_.offer(choice);
  }
  // Once through everything, as a packing or a round of exchanges goes.
  void count_passes(const KeepIntervals& intervals) {
    stop_.count(kUnitsPerPass * static_cast<double>(intervals.list.size()));
  }

  // Greedy moves are dear on large steps: they are for those that recompute much.
  bool has_large_gap(double part = kLargeGap) const {
    if (!state_.has_best()) return true;
    const double overhead = std::max(0.0, state_.answer.value - goal_.unavoidable);
    return state_.answer.value - state_.answer.bound > part * overhead;
  }
  double units_per_try() const { return kUnitsPerTry + kUnitsPerTryAndStage * step_.stages(); }
  double units_per_comeback() const { return kUnitsPerComebackAndStage * step_.stages(); }
  std::int64_t most_tries() const {
    return tries_in(part_of(stop_, kPartOfGreedy), units_per_try());
  }
  std::int64_t tries_in(const Stop& sooner, double units) const {
    return static_cast<std::int64_t>(std::min(kMostTriesPerStage * step_.stages(),
                                              (sooner.effort_limit - sooner.counted()) / units));
  }

  IntervalPrices price(const KeepIntervals& intervals, int most_steps, const Stop& stop) {
    const double value = state_.has_best() ? state_.answer.value : kInfinity;
    PricedIntervals priced = price_intervals(step_, intervals, value, most_steps, stop);
    state_.answer.priced_bound =
        std::max(state_.answer.priced_bound, priced.bound - rounding_of(step_, priced));
    state_.raise_bound(state_.answer.priced_bound);
    state_.report("intervals");
    if (const auto choice = pack_intervals(step_, intervals, priced.prices)) offer(*choice);
    return std::move(priced.prices);
  }

  // Of what is read back, some is cheaper to make again, at these prices of its room.
  void make_some_again(const IntervalPrices& prices) {
    if (!state_.has_best()) return;
    const FixedResidents fixed(step_, state_.answer.best->resident);
    GreedyMoves moves(fixed.step(), ScheduleDraft(fixed.step(), fixed.without(*state_.answer.best)),
                      stop_);
    moves.set_prices(prices.byte);
    moves.restore(units_per_comeback(), true);
    offer(fixed.with(moves.draft().choice()));
  }

  // Everything stays but what is cheaper to read or make again at these prices; the moves of greedy
  // recomputation take away what is still too much.
  void end_dear_stays(const KeepIntervals& intervals, const IntervalPrices& prices) {
    GreedyMoves moves(step_, ScheduleDraft(step_), stop_);
    moves.set_prices(prices.byte);
    for (const KeepInterval& interval : dear(intervals, prices)) {
      if (stop_.requested()) return;
      const std::size_t mark = moves.mark();
      const std::size_t n = moves.draft().find(interval.chain, Event{interval.to, interval.to});
      if (!moves.end_stay_at(interval.chain, n, GreedyMoves::Ending::Cheaper)) moves.undo(mark);
    }
    if (!fits(moves)) return;
    moves.set_prices(prices.byte);
    moves.restore(units_per_comeback());
    offer(moves.draft().choice());
  }

  bool fits(GreedyMoves& moves) const {
    const StageRange everywhere{0, step_.stages()};
    if (!has_large_gap(kGapToFit)) {
      const bool fits = moves.fit({}, everywhere, {.most_tries = most_tries()});
      stop_.count(units_per_try() * static_cast<double>(moves.tries()));
      return fits;
    }
    const double units = kUnitsPerTry + kUnitsPerFitAndStage * step_.stages();
    const double most_cost = state_.has_best() ? step_.once_cost + state_.answer.value : kInfinity;
    const bool fits = moves.fit(
        {.looks_ahead = true}, everywhere,
        {.most_cost = most_cost, .most_tries = tries_in(part_of(stop_, kPartOfFit), units)});
    stop_.count(units * static_cast<double>(moves.tries()));
    return fits;
  }

  // Intervals in which staying costs more at these prices than coming back, the most first.
  std::vector<KeepInterval> dear(const KeepIntervals& intervals,
                                 const IntervalPrices& prices) const {
    std::vector<double> price_before(1, 0.0);
    for (const double price : prices.byte) price_before.push_back(price_before.back() + price);
    std::vector<std::pair<double, const KeepInterval*>> losses;
    for (const KeepInterval& interval : intervals.list) {
      const Chain& chain = step_.chains[interval.chain];
      const double copy_cost = chain.may_be_written ? chain.write_cost : 0;
      const double read_cost = chain.may_be_read ? chain.read_cost + copy_cost : kInfinity;
      const double keep_cost = static_cast<double>(chain.size_bytes) *
                               (price_before[interval.to] - price_before[interval.from + 1]);
      const double loss = keep_cost - std::min(read_cost, interval.make_cost);
      if (loss > 0) losses.emplace_back(loss, &interval);
    }
    std::stable_sort(losses.begin(), losses.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<KeepInterval> found;
    for (const auto& [loss, interval] : losses) found.push_back(*interval);
    return found;
  }

  // With the residents of the best schedule: moves know none.
  void take_turns() {
    if (state_.is_over() || !state_.has_best()) return;
    const FixedResidents fixed(step_, state_.answer.best->resident);
    const ProgressSink silent;
    SearchState own(fixed.step(), goal_, stop_, silent);
    own.offer(fixed.without(*state_.answer.best));
    int in_vain = 0;
    for (int turn = 0; turn < kMostTurns && in_vain < kTurnsInVain; ++turn) {
      if (state_.is_over() || !own.has_best()) return;
      const double before = own.answer.value;
      take_turn(fixed.step(), turn, own);
      const double gain = before - own.answer.value;
      if (gain > 0) offer(fixed.with(*own.answer.best));
      in_vain = gain > kLeastGainOfTurn * std::abs(step_.once_cost + before) ? 0 : in_vain + 1;
    }
  }

  void take_turn(const Step& step, int turn, SearchState& own) {
    const std::uint64_t seed = goal_.seed * kMostTurns + static_cast<std::uint64_t>(turn);
    const std::int64_t moves = kMovesInFirstTurn << turn;
    // Prices are worked out again every so many moves.
    stop_.count(kUnitsPerMoveAndStage * static_cast<double>(moves) * step_.stages());
    if (goal_.techniques.annealing)
      if (const auto choice =
              anneal(step, *own.answer.best,
                     {.seed = seed, .moves_per_run = moves, .threads = goal_.threads}, stop_))
        own.offer(*choice);
    if (goal_.techniques.rebuilding && !stop_.requested())
      rebuild_parts(step,
                    {.seed = seed, .most_tries = moves, .twins = goal_.techniques.identical_blocks},
                    stop_, own);
  }

  const Step& step_;
  const SearchGoal& goal_;
  const LinearBackend& backend_;
  const Stop& stop_;
  SearchState& state_;
};

}  // namespace

void search_large(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                  const Stop& stop, SearchState& state) {
  LargeSearch(step, goal, backend, stop, state).run();
}

void begin_by_prices(const Step& step, const SearchGoal& goal, const LinearBackend& backend,
                     const Stop& stop, SearchState& state) {
  SearchGoal quick = goal;
  quick.techniques.greedy = false;
  const ProgressSink silent;
  SearchState own(step, quick, stop, silent);
  LargeSearch(step, quick, backend, stop, own).use_prices();
  if (own.has_best()) state.offer(*own.answer.best);
  state.answer.priced_bound = own.answer.priced_bound;
  state.raise_bound(own.answer.priced_bound);
}

}  // namespace poet
