#pragma once

#include <cstdint>
#include <vector>

#include "poet/base/stop.h"
#include "poet/solve/keep_intervals.h"
#include "poet/solve/step.h"

namespace poet {

// What a byte in RAM costs in each stage, and what each of the other limits does: any that are at
// least 0 bound the cost of every schedule (docs/model/intervals.md §2).
struct IntervalPrices {
  std::vector<double> byte = {};  // per stage, in the unit of the objective
  double second = 0;              // of the deadline
  double storage_byte = 0;        // of the storage capacity
  double written_byte = 0;        // of the write budget
};

// No schedule of the class costs less beyond Step::once_cost.
double interval_bound(const Step& step, const KeepIntervals& intervals,
                      const IntervalPrices& prices);

struct PricedIntervals {
  IntervalPrices prices = {};
  double bound = 0;  // by them
};

// What the sums of such a bound may be above it.
double rounding_of(const Step& step, const PricedIntervals& priced);

// Prices with a good bound, by subgradient steps: each costs a pass over the intervals. `value`:
// what a schedule costs beyond Step::once_cost, or infinity where none is known. `stop` ends it
// early, with the best so far.
PricedIntervals price_intervals(const Step& step, const KeepIntervals& intervals, double value,
                                int most_steps, const Stop& stop);

}  // namespace poet
