#pragma once

#include <optional>

#include "poet/base/stop.h"
#include "poet/solve/interval_prices.h"
#include "poet/solve/keep_intervals.h"
#include "poet/solve/linear_backend.h"
#include "poet/solve/step.h"

namespace poet {

// The prices with the best bound, by the linear program whose dual they are
// (docs/model/intervals.md §2.4), and that bound, which is added up from the prices alone and holds
// whatever the backend answers. Nothing where the program would have too many terms, or is not
// solved.
std::optional<PricedIntervals> price_by_program(const Step& step, const KeepIntervals& intervals,
                                                const LinearBackend& backend, const Stop& stop);

}  // namespace poet
