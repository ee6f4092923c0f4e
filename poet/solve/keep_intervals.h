#pragma once

#include <cstdint>
#include <vector>

#include "poet/solve/step.h"

namespace poet {

// A chain between two neighbouring certain events that use it (docs/model/intervals.md §1): kept in
// RAM all the while, or there again for the second.
struct KeepInterval {
  std::int32_t chain = 0;
  std::int32_t from = 0;  // the stage that makes or reads it
  std::int32_t to = 0;    // the next that reads it
  // In stage `from`, beyond its own room: its buffer cannot be taken over by an output.
  std::int64_t from_bytes = 0;
  // The least that making it again in the stages (from, to] costs: its operation's cost, shared
  // among its outputs. Infinity where no re-execution may do that.
  double make_cost = 0;
  double make_s = 0;
  // Beyond that, where making it again needs a chain that nobody reads any more after `from`:
  // either so many bytes are in RAM in all stages between the two, or at least this cost comes.
  double held_bytes = 0;
  double inputs_cost = 0;
};

// Of a whole step, chain by chain, each chain's in order.
struct KeepIntervals {
  std::vector<KeepInterval> list = {};
  std::vector<std::size_t> begins = {};  // of each chain's in the list, and its end
};
KeepIntervals keep_intervals(const Step& step);

}  // namespace poet
