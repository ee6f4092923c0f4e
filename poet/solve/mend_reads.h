#pragma once

#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

// A choice that needs too much RAM somewhere, with tensors of which storage has a copy leaving
// there and being read again for their next use, the cheapest for their bytes first. As it was
// where that does not help.
EventChoice mend_with_reads(const Step& step, EventChoice choice);

}  // namespace poet
