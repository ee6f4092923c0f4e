#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/solve/chain_walk.h"
#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/multipliers.h"
#include "poet/solve/step.h"

namespace poet {

// What multipliers make of the costs of a step: all that the walks of different chains share. What
// it is made of must outlive it.
class WalkPrices {
 public:
  WalkPrices(const Step& step, const EventSet& events, const std::vector<LaterNeed>& cuts,
             const Multipliers& multipliers, EventObjective objective);

  // Of staying in RAM through the first `place` events of the set, per byte.
  double memory_before(std::int32_t place) const { return memory_before_[place]; }
  double total_memory() const { return memory_before_.back(); }

  // Charge of running the event, without its outputs' own bytes. `known`: its position in the set.
  double charge(Event event, std::optional<std::int32_t> known) const;

  // The events that make or read the chain, in order. hold_before is from each to the next of them.
  std::vector<WalkStop> stops_of(std::int32_t chain) const;
  // Of them, those in the set.
  std::vector<WalkStop> known_stops_of(std::int32_t chain) const;
  // One of them, hold_before left at 0. `slot` is the chain's position in the operation's outputs,
  // when the operation makes it, or inputs.
  WalkStop stop_at(std::int32_t chain, Event event, std::int32_t place, bool is_known, bool makes,
                   std::int32_t slot) const;

  // Cost of o[i] = 1, and of writing a new value.
  double storing(std::int32_t chain) const;
  double writing(std::int32_t chain) const;

 private:
  std::vector<WalkStop> list_stops(std::int32_t chain, bool known_only) const;
  double output_share(Event event, std::optional<std::int32_t> known, std::int32_t output) const;
  void sum_memory();
  void charge_operations();
  void gather_gains(const std::vector<LaterNeed>& cuts);
  void add_gain(std::vector<double>& gains, std::int32_t begin, std::int32_t end, double gain);

  const Step& step_;
  const EventSet& events_;
  const Multipliers& multipliers_;
  double cost_weight_ = 1;
  std::vector<double> memory_before_;           // sum of lambda over the events before a position
  std::vector<double> charges_;                 // per event of the set
  std::vector<double> stored_gain_;             // per chain
  std::vector<std::vector<double>> make_gain_;  // per chain and stage; empty: none
  std::vector<std::vector<double>> read_gain_;
};

}  // namespace poet
