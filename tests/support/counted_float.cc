#include "support/counted_float.h"

FlopTally poet_flop_tally{};
