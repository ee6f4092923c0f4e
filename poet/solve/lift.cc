// Gives events that no model contains the multipliers that they can bear (docs/model/bounds.md §3).
#include "poet/solve/lift.h"

#include <algorithm>
#include <array>

#include "poet/solve/walk_prices.h"

namespace poet {
namespace {

// The walks of one chain while missing events are put in between the known ones, from the last
// event to the first: up to an event over the known ones alone, onwards over all that were passed.
struct Lane {
  bool open = false;
  bool may_read = false;
  double fixed = 0;                 // of this case: the copy
  std::vector<Places> before = {};  // after each number of known stops, up to its last
  Places onwards = {0, 0};          // from the stop that was passed last, its hold not counted
};

struct ChainState {
  std::vector<WalkStop> known = {};
  std::size_t ahead = 0;   // known stops not yet passed
  std::int32_t place = 0;  // of the stop that was passed last
  bool may_pay = false;    // its uses at missing events may be charged
  double cheapest = kNever;
  std::array<Lane, 2> lanes = {};  // without and with a copy
};

class Lifter {
 public:
  Lifter(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
         Multipliers& multipliers, EventObjective objective, double tolerance, bool charge)
      : step_(step),
        events_(events),
        multipliers_(multipliers),
        prices_(step, events, cuts, multipliers, objective),
        tolerance_(tolerance),
        charge_(charge) {
    multipliers_.other_uses = OtherUses(step);
    for (std::size_t c = 0; c < step.chains.size(); ++c)
      chains_.push_back(state_of(static_cast<std::int32_t>(c)));
  }

  std::vector<PayingEvent> run() {
    for (std::int32_t t = step_.stages() - 1; t >= 0; --t)
      for (std::int32_t k = t; k >= 0; --k)
        if (step_.operations[k].last_stage >= t) visit(Event{t, k});
    return std::move(paying_);
  }

 private:
  ChainState state_of(std::int32_t c) const {
    const Chain& chain = step_.chains[c];
    ChainState state;
    state.known = prices_.known_stops_of(c);
    const bool has_copy = !chain.producer || chain.must_be_written;
    const bool may_stay = chain.may_be_resident ||
                          (chain.old_value && step_.chains[*chain.old_value].may_be_resident);
    state.may_pay = !may_stay;
    state.ahead = state.known.size();
    state.place = events_.size();
    open_lane(state, 0, has_copy, 0);
    if (chain.may_be_written) open_lane(state, 1, true, prices_.storing(c));
    return state;
  }

  static void open_lane(ChainState& state, std::size_t which, bool may_read, double fixed) {
    Lane& lane = state.lanes[which];
    lane.open = true;
    lane.may_read = may_read;
    lane.fixed = fixed;
    const ChainWalk walk(state.known, may_read);
    for (std::size_t n = 0; n <= state.known.size(); ++n) lane.before.push_back(walk.up_to(n));
    state.cheapest = std::min(state.cheapest, walk.cheapest() + fixed);
  }

  void visit(Event event) {
    const std::int32_t place = events_.lower_bound(event);
    const bool known = place < events_.size() && events_.events()[place] == event;
    const StepOperation& operation = step_.operations[event.operation];
    if (known) {
      for (const std::int32_t chain : operation.inputs) pass_known(chain);
      for (const std::int32_t chain : operation.outputs) pass_known(chain);
      return;
    }
    const double deficit = worst_deficit(event, place);
    if (deficit > tolerance_ && !charge_inputs(event, place, deficit)) {
      paying_.push_back(PayingEvent{event, deficit});
      return;  // as if it did not exist
    }
    for (std::size_t n = 0; n < operation.inputs.size(); ++n)
      pass_missing(operation.inputs[n], event, place, false, static_cast<std::int32_t>(n));
    for (std::size_t n = 0; n < operation.outputs.size(); ++n)
      pass_missing(operation.outputs[n], event, place, true, static_cast<std::int32_t>(n));
  }

  double hold(std::int32_t c, std::int32_t from, std::int32_t to) const {
    return static_cast<double>(step_.chains[c].size_bytes) *
           (prices_.memory_before(to) - prices_.memory_before(from));
  }

  // From right after a stop, when the set has `place` events before what follows.
  Places onwards(std::int32_t c, const Lane& lane, std::int32_t place) const {
    return Places{lane.onwards.out, hold(c, place, chains_[c].place) + lane.onwards.in};
  }

  // The cheapest walk with the chain produced, or in RAM, at a missing event.
  double through(std::int32_t c, const WalkStop& stop) const {
    const ChainState& state = chains_[c];
    double least = kNever;
    for (const Lane& lane : state.lanes) {
      if (!lane.open) continue;
      const Places& before = lane.before[state.ahead];
      double here = kNever;
      if (stop.makes) {
        here = before.out + stop.make;
      } else {
        if (state.ahead > 0)
          here =
              before.in + hold(c, state.known[state.ahead - 1].place + 1, stop.place) + stop.stay;
        if (lane.may_read) here = std::min(here, before.out + stop.read);
      }
      least = std::min(least, lane.fixed + here + onwards(c, lane, stop.place).cheapest());
    }
    return least;
  }

  WalkStop missing_stop(std::int32_t c, Event event, std::int32_t place, bool makes,
                        std::int32_t slot) const {
    return prices_.stop_at(c, event, place, false, makes, slot);
  }

  // By how much the event makes walks cheaper than they are without it.
  double worst_deficit(Event event, std::int32_t place) const {
    const StepOperation& operation = step_.operations[event.operation];
    double worst = 0;
    for (std::size_t n = 0; n < operation.outputs.size(); ++n) {
      const std::int32_t c = operation.outputs[n];
      const WalkStop stop = missing_stop(c, event, place, true, static_cast<std::int32_t>(n));
      worst = std::max(worst, chains_[c].cheapest - through(c, stop));
    }
    for (std::size_t n = 0; n < operation.inputs.size(); ++n)
      if (slack(event, place, n) < -tolerance_) return kNever;  // a read by itself pays
    return worst;
  }

  // What being in RAM at the event costs an input beyond its cheapest walk.
  double slack(Event event, std::int32_t place, std::size_t n) const {
    const std::int32_t c = step_.operations[event.operation].inputs[n];
    const auto slot = static_cast<std::int32_t>(n);
    return through(c, missing_stop(c, event, place, false, slot)) - chains_[c].cheapest;
  }

  bool charge_inputs(Event event, std::int32_t place, double deficit) {
    const StepOperation& operation = step_.operations[event.operation];
    if (!charge_ || deficit == kNever || operation.outputs.size() != 1) return false;
    std::vector<double> slacks;
    double sum = 0;
    for (std::size_t n = 0; n < operation.inputs.size(); ++n) {
      const bool may_pay = chains_[operation.inputs[n]].may_pay;
      slacks.push_back(may_pay ? std::min(deficit, std::max(0.0, slack(event, place, n))) : 0.0);
      sum += slacks.back();
    }
    if (sum < deficit) return false;
    for (std::size_t n = 0; n < slacks.size(); ++n)
      multipliers_.other_uses.at(event, static_cast<std::int32_t>(n)) = slacks[n] * (deficit / sum);
    return true;
  }

  void pass_known(std::int32_t c) {
    ChainState& state = chains_[c];
    WalkStop stop = state.known[--state.ahead];
    stop.hold_before = 0;
    pass(c, stop, stop.place + 1);
  }

  void pass_missing(std::int32_t c, Event event, std::int32_t place, bool makes,
                    std::int32_t slot) {
    pass(c, missing_stop(c, event, place, makes, slot), place);
  }

  void pass(std::int32_t c, const WalkStop& stop, std::int32_t place_after) {
    ChainState& state = chains_[c];
    for (Lane& lane : state.lanes)
      if (lane.open) lane.onwards = step_back(stop, lane.may_read, onwards(c, lane, place_after));
    state.place = stop.place;
  }

  const Step& step_;
  const EventSet& events_;
  Multipliers& multipliers_;
  WalkPrices prices_;
  double tolerance_;
  bool charge_;
  std::vector<ChainState> chains_;
  std::vector<PayingEvent> paying_;
};

}  // namespace

std::vector<PayingEvent> lift_missing_events(const Step& step, const EventSet& events,
                                             const std::vector<LaterNeed>& cuts,
                                             Multipliers& multipliers, EventObjective objective,
                                             double tolerance) {
  return Lifter(step, events, cuts, multipliers, objective, tolerance, true).run();
}

std::vector<PayingEvent> paying_events(const Step& step, const EventSet& events,
                                       const std::vector<LaterNeed>& cuts,
                                       const Multipliers& multipliers, EventObjective objective,
                                       double tolerance) {
  Multipliers copy = multipliers;
  return Lifter(step, events, cuts, copy, objective, tolerance, false).run();
}

}  // namespace poet
