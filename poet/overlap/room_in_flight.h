#pragma once

#include "poet/problem/problem.h"

namespace poet {

// `asked`, in which every operation needs more workspace: room for `part` of the bytes that the
// channel of `overlapped` carries while the operation runs, as far as the RAM budget has it
// (docs/model/overlap.md §2.1). Every schedule of it is one of `asked`.
Problem with_room_in_flight(Problem asked, const Problem& overlapped, double part);

}  // namespace poet
