#pragma once

#include <cstdint>
#include <vector>

#include "poet/solve/event_model.h"
#include "poet/solve/event_set.h"
#include "poet/solve/step.h"
#include "poet/solve/window_model.h"

namespace poet {

// The largest sum, at most `limit`, of some of the sizes, each taken once at most. Sizes are >= 0
// and so is the limit. Networks have few distinct sizes, most of them multiples of each other: then
// there are few sums, and often none near the limit. Where there are too many to go through, the
// limit itself.
std::int64_t largest_reachable_sum(std::vector<std::int64_t> sizes, std::int64_t limit);

// Lowers what rows on bytes allow (RAM, storage, writes) to the most that the sizes in the row can
// add up to (largest_reachable_sum()). What each schedule says of the columns stays: they are 0 or
// 1 in it, those that need not be whole as well. Fractions that fill up what no schedule can fill
// are cut off. Models that ask for the least RAM budget are left as they are.
void lower_to_reachable_sums(WindowModel& model);

// A chain takes its bytes once at an event, whether it stays or is read, and an input of a certain
// event takes them surely. For integer programs: walks (tensor_walk.h) count the whole budget, so
// that multipliers from the lowered rows prove less.
void lower_to_reachable_sums(const Step& step, const EventSet& events, EventModel& model);

}  // namespace poet
