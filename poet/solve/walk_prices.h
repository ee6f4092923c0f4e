#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/later_need.h"
#include "poet/solve/multipliers.h"
#include "poet/solve/step.h"

namespace poet {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Where a chain is before or after an event, and the cheapest way to be there.
struct Places {
  double out = 0;
  double in = kNever;

  double cheapest() const { return in < out ? in : out; }
};

// One event that makes or reads the chain, with what each way through it costs.
struct WalkStop {
  Event event;
  std::optional<std::int32_t> known = {};  // the event's position in the set, when it is there
  std::int32_t place = 0;                  // events of the set before it
  std::int32_t slot = 0;                   // position in the operation's inputs or outputs
  bool makes = false;                      // the event produces the chain; others read it
  bool first_production = false;           // happens in every schedule
  double hold_before = 0;                  // staying in RAM from the stop before to here
  double stay = 0;                         // being in RAM during the event, and what that earns
  double make = kNever;                    // being produced by it
  double read = kNever;                    // being read just before it (stay included)
  double keep_after = 0;                   // charged for staying in RAM afterwards
};

// The cheapest walk of one chain through its stops, and through each stop in particular.
class ChainWalk {
 public:
  // `may_read`: a copy is in storage. `stops` must outlive the walk.
  ChainWalk(const std::vector<WalkStop>& stops, bool may_read);

  double cheapest() const { return before_.back().cheapest(); }
  // Of the walks in which the chain is produced, or read, at stop n, or is in RAM during it.
  double cheapest_making(std::size_t n) const;
  double cheapest_reading(std::size_t n) const;
  double cheapest_present(std::size_t n) const;

  // Over the first n stops.
  const Places& up_to(std::size_t n) const { return before_[n]; }

 private:
  double onwards(std::size_t n) const;

  const std::vector<WalkStop>& stops_;
  bool may_read_;
  std::vector<Places> before_;
  std::vector<Places> after_;
};

// Places before a stop's hold to places before the next: leaving RAM is free, right after a stop.
Places step_over(const WalkStop& stop, bool may_read, const Places& from);
// The other way: what is left to pay before a stop's hold, from what is left after it.
Places step_back(const WalkStop& stop, bool may_read, const Places& to);

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
