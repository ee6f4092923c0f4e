#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/step.h"

namespace poet {

// One multiplier per relaxed row of the event model, in cost per byte, second or one; all but
// `ties` are >= 0. Any such numbers give a bound for the whole problem: they need not come from a
// solver.
struct Multipliers {
  std::vector<double> memory = {};             // lambda, per event of the set
  std::vector<std::vector<double>> uses = {};  // sigma, per event and position in operation.inputs
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

// A number for each event (t, k), k < t <= last_stage of k.
class EventPrices {
 public:
  EventPrices(const Step& step, double initial);
  double& at(Event event) { return prices_[begins_[event.operation] + event.stage]; }
  double at(Event event) const { return prices_[begins_[event.operation] + event.stage]; }

 private:
  std::vector<std::int64_t>
      begins_;  // of each operation's stages; its own index and one are taken off
  std::vector<double> prices_;
};

// What relaxing the memory, use, sharing and budget rows and the cuts leaves: one walk per chain.
struct WalkBound {
  // No schedule costs less beyond Step::once_cost. With EventObjective::RamBudget: no schedule
  // needs fewer bytes.
  double bound = 0;
  // For an event with k < t: a schedule in which it happens costs at least bound + price.
  EventPrices run_price;
  // The least that a walk gains by the event, its reads without running it included: <= 0 when it
  // may pay to add it.
  EventPrices add_price;
};

// The bound of solver.md section 2, over every event of the class, in the set or not.
WalkBound walk_bound(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
                     const Multipliers& multipliers, EventObjective objective);

}  // namespace poet
