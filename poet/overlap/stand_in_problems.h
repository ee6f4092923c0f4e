#pragma once

#include "poet/problem/problem.h"

namespace poet {

// An Overlapped step lasts at least as long as its computation C, and at least as long as its
// transfers X, because the channel does one at a time. So for any share s of 0..1
//
//   time >= s C + (1 - s) X
//
// and every RAM in use is at least that of a step whose transfers take no time. This is the problem
// in which the right-hand side is the time, in Blocking mode: no schedule of the Overlapped problem
// costs less than the best of this one, and where this one has none there is none. A share of 1 is
// Free mode.
Problem with_shared_time(const Problem& overlapped, double compute_share);

// `asked`, in which every operation needs more workspace: room for `part` of the bytes that the
// channel of `overlapped` carries while the operation runs, as far as the RAM budget has it
// (docs/model/overlap.md §2.1). Every schedule of it is one of `asked`.
Problem with_room_in_flight(Problem asked, const Problem& overlapped, double part);

}  // namespace poet
