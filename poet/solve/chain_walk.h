#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "poet/solve/event_set.h"

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

}  // namespace poet
