// The bound over every event, by one walk for each chain (docs/model/bounds.md §1.3), and the price
// of every re-execution (§2.1).
#include "poet/solve/tensor_walk.h"

#include <algorithm>
#include <cmath>

#include "poet/solve/sum_rounding.h"
#include "poet/solve/walk_prices.h"

namespace poet {
namespace {

class Bounder {
 public:
  Bounder(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
          const Multipliers& multipliers, EventObjective objective)
      : step_(step),
        events_(events),
        multipliers_(multipliers),
        prices_(step, events, cuts, multipliers, objective),
        result_{0, EventPrices(step, 0)} {
    add_right_hand_sides(objective);
  }

  WalkBound run() {
    price_shared_operations();
    for (std::size_t c = 0; c < step_.chains.size(); ++c) {
      if (step_.chains[c].old_value && step_.chains[*step_.chains[c].old_value].may_be_resident)
        continue;  // walked with its old value
      walk(static_cast<std::int32_t>(c));
    }
    add_sharing();
    // Where a byte is worth as much as an operation, the budget is worth a hundred million of them,
    // and what is left of the sum is what its terms' rounding leaves.
    result_.bound -= kSumRounding * sizes_;
    return std::move(result_);
  }

 private:
  void add(double term) {
    result_.bound += term;
    if (std::isfinite(term)) sizes_ += std::abs(term);
  }

  // What the walk of a chain adds up, the prices of staying being differences of sums.
  void count_terms(std::int32_t c, const std::vector<WalkStop>& stops) {
    sizes_ += static_cast<double>(step_.chains[c].size_bytes) * prices_.total_memory();
    for (const WalkStop& stop : stops)
      for (const double term : {stop.hold_before, stop.stay, stop.make, stop.read})
        if (std::isfinite(term)) sizes_ += std::abs(term);
  }

  void add_right_hand_sides(EventObjective objective) {
    if (objective == EventObjective::Cost)
      add(-static_cast<double>(step_.budget_bytes) * prices_.total_memory());
    if (step_.deadline_s) add(-multipliers_.deadline * (*step_.deadline_s - step_.once_s));
    if (step_.storage_room_bytes)
      add(-multipliers_.storage_room * static_cast<double>(*step_.storage_room_bytes));
    if (step_.write_room_bytes)
      add(-multipliers_.write_room * static_cast<double>(*step_.write_room_bytes));
    for (const double mu : multipliers_.cuts) add(mu);
  }

  // Operations whose charge no single chain bears: several outputs, or none.
  void price_shared_operations() {
    for (std::int32_t e = 0; e < events_.size(); ++e) {
      const Event& event = events_.events()[e];
      if (step_.operations[event.operation].outputs.size() == 1) continue;
      double charge = prices_.charge(event, e);
      if (event.certain()) {
        add(charge);
        continue;
      }
      for (const double tau : multipliers_.ties[e]) charge -= tau;
      add(std::min(0.0, charge));
      result_.run_price.at(event) += std::max(0.0, charge);
    }
  }

  // s[e]: happens when that is cheaper than not.
  void add_sharing() {
    for (std::int32_t e = 0; e < events_.size(); ++e) {
      const StepOperation& operation = step_.operations[events_.events()[e].operation];
      if (!operation.in_place) continue;
      const Chain& output = step_.chains[operation.outputs[operation.in_place->output]];
      const double excluded =
          multipliers_.shared_dies[e] + multipliers_.shared_moves[e] + multipliers_.shared_takes[e];
      const double rent = multipliers_.shared_runs[e] + excluded -
                          multipliers_.memory[e] * static_cast<double>(output.size_bytes);
      add(std::min(0.0, rent));
      add(-excluded);
    }
  }

  void walk(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    if (chain.may_be_resident) {
      walk_resident(c);
      return;
    }
    const std::vector<WalkStop> stops = prices_.stops_of(c);
    if (stops.empty()) return;
    count_terms(c, stops);
    const bool has_copy = !chain.producer || chain.must_be_written;
    const double fixed = chain.must_be_written ? prices_.writing(c) : 0;
    const ChainWalk plain(stops, has_copy);
    double best = plain.cheapest() + fixed;
    if (!chain.may_be_written) {
      add(best);
      price(stops, plain, fixed, nullptr, 0, kNever, best);
      return;
    }
    const double storing = prices_.storing(c);
    const ChainWalk stored(stops, true);
    best = std::min(best, stored.cheapest() + storing);
    add(best);
    price(stops, plain, fixed, &stored, storing, kNever, best);
  }

  // A parameter that may be resident, with its new value: both in RAM for the whole step, or both
  // not.
  void walk_resident(std::int32_t c) {
    const Chain& chain = step_.chains[c];
    const std::vector<WalkStop> stops = prices_.stops_of(c);
    count_terms(c, stops);
    const ChainWalk moving(stops, true);
    double move_cost = moving.cheapest();
    double stay_cost =
        static_cast<double>(chain.size_bytes) * prices_.total_memory() + resident_rent(c, stops);
    if (!chain.new_value) {
      add(std::min(move_cost, stay_cost));
      price(stops, moving, 0, nullptr, 0, stay_cost, std::min(move_cost, stay_cost));
      return;
    }
    const std::int32_t next = *chain.new_value;
    const std::vector<WalkStop> next_stops = prices_.stops_of(next);
    count_terms(next, next_stops);
    const ChainWalk next_moving(next_stops, true);
    const double next_cost = next_moving.cheapest() + prices_.writing(next);
    stay_cost += resident_rent(next, next_stops) + unshared(next);
    const double best = std::min(move_cost + next_cost, stay_cost);
    add(best);
    price(stops, moving, next_cost, nullptr, 0, stay_cost, best);
    price(next_stops, next_moving, prices_.writing(next) + move_cost, nullptr, 0, stay_cost, best);
  }

  // A resident's update in its own place shares nothing: it has no room to share. Its charge
  // counted on sharing.
  double unshared(std::int32_t next) const {
    const std::int32_t v = *step_.chains[next].producer;
    const StepOperation& operation = step_.operations[v];
    if (!operation.in_place || operation.outputs[operation.in_place->output] != next ||
        operation.inputs[operation.in_place->input] != step_.chains[next].old_value)
      return 0;
    return multipliers_.shared_runs[*events_.find(Event{v, v})];
  }

  // What uses earn a chain that is always there, and its production without room of its own.
  double resident_rent(std::int32_t c, const std::vector<WalkStop>& stops) const {
    const double size = static_cast<double>(step_.chains[c].size_bytes);
    double rent = 0;
    for (const WalkStop& stop : stops) {
      const std::optional<std::int32_t> place = stop.known;
      if (!place) {
        if (!stop.makes) rent += stop.stay;
        continue;
      }
      const double hold = size * multipliers_.memory[*place];
      rent += stop.first_production ? stop.make - hold : stop.stay - hold;
      const StepOperation& operation = step_.operations[stop.event.operation];
      if (!operation.in_place) continue;
      if (operation.inputs[operation.in_place->input] == c)
        rent += multipliers_.shared_moves[*place];
      if (operation.outputs[operation.in_place->output] == c)
        rent += multipliers_.shared_takes[*place];
    }
    return rent;
  }

  // The walks through each re-execution against the cheapest of all: the event makes the chain, or
  // needs it in RAM. `always_there`: the cost when the chain never leaves RAM.
  void price(const std::vector<WalkStop>& stops, const ChainWalk& plain, double fixed,
             const ChainWalk* stored, double storing, double always_there, double best) {
    for (std::size_t n = 0; n < stops.size(); ++n) {
      const WalkStop& stop = stops[n];
      if (stop.event.certain()) continue;
      const auto through = [&](const ChainWalk& walk) {
        return stop.makes ? walk.cheapest_making(n) : walk.cheapest_present(n);
      };
      double least = fixed + through(plain);
      if (stored) least = std::min(least, storing + through(*stored));
      if (!stop.makes) least = std::min(least, always_there);
      result_.run_price.at(stop.event) += std::max(0.0, least - best);
    }
  }

  const Step& step_;
  const EventSet& events_;
  const Multipliers& multipliers_;
  WalkPrices prices_;
  WalkBound result_;
  double sizes_ = 0;  // of the terms of the bound
};

}  // namespace

WalkBound walk_bound(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
                     const Multipliers& multipliers, EventObjective objective) {
  return Bounder(step, events, cuts, multipliers, objective).run();
}

}  // namespace poet
