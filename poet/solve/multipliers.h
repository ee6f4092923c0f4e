#pragma once

#include <cstdint>
#include <vector>

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/step.h"

namespace poet {

// sigma for the events that are not in the set: one number per input of each, all 0 at first.
class OtherUses {
 public:
  OtherUses() = default;  // all 0, and none may be set
  explicit OtherUses(const Step& step);

  bool empty() const { return values_.empty(); }
  double at(Event event, std::int32_t input) const {
    return values_.empty() ? 0.0 : values_[place(event, input)];
  }
  double& at(Event event, std::int32_t input) { return values_[place(event, input)]; }
  // Over the inputs of one event.
  double sum(Event event) const;

 private:
  std::size_t place(Event event, std::int32_t input) const {
    return static_cast<std::size_t>(
        begins_[event.operation] +
        std::int64_t{event.stage - event.operation - 1} * inputs_[event.operation] + input);
  }

  std::vector<std::int64_t> begins_ = {};
  std::vector<std::int32_t> inputs_ = {};
  std::vector<double> values_ = {};
};

// One multiplier per relaxed row of the event model, in cost per byte, second or one; all but
// `ties` are >= 0. Any such numbers give a bound for the whole problem: they need not come from a
// solver.
struct Multipliers {
  std::vector<double> memory = {};             // lambda, per event of the set
  std::vector<std::vector<double>> uses = {};  // sigma, per event and position in operation.inputs
  OtherUses other_uses = {};                   // sigma, of events with one output not in the set
  std::vector<std::vector<double>> ties = {};  // tau, per event and position in operation.outputs
  std::vector<double> shared_runs = {};        // alpha, per event: s <= R
  std::vector<double> shared_dies = {};        // beta, per event: s + a_after <= 1
  std::vector<double> shared_moves = {};       // gamma, per event: s + r <= 1, of the input
  std::vector<double> shared_takes = {};       // and of the output
  double deadline = 0;
  double storage_room = 0;
  double write_room = 0;
  std::vector<double> cuts = {};
};

// From the row duals of a relaxation (change of the objective per unit of right-hand side).
Multipliers multipliers_of(const Step& step, const EventSet& events, const EventModel& model,
                           const std::vector<LaterNeed>& cuts, const std::vector<double>& row_duals,
                           double cost_unit);

// With the RAM budget as objective its column costs 1 a byte: the memory multipliers may not offer
// more for it. Scaled down where they do.
Multipliers for_bytes(Multipliers multipliers);

// A number for each event (t, k), k < t <= last_stage of k.
class EventPrices {
 public:
  EventPrices(const Step& step, double initial);
  double& at(Event event) { return prices_[begins_[event.operation] + event.stage]; }
  double at(Event event) const { return prices_[begins_[event.operation] + event.stage]; }
  // Keeps the larger of the two, each with something added.
  void keep_larger(const EventPrices& other, double added);

 private:
  std::vector<std::int64_t>
      begins_;  // of each operation's stages; its own index and one are taken off
  std::vector<double> prices_;
};

}  // namespace poet
