#pragma once

#include <cstdint>
#include <optional>

#include "poet/base/stop.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

struct AnnealingOptions {
  std::uint64_t seed = 1;
  std::int64_t moves_per_run = 100'000;  // that are tried; slower cooling finds more
  std::int64_t most_rounds = 1;          // of several runs each
  int threads = 1;
};

// Better schedules by simulated annealing: single moves (greedy_moves.h) at random places of a
// draft, which may need too much RAM meanwhile, at a price that goes up and down so that it does
// now and then. Several runs begin with the same schedule, each with another temperature and
// another way to move the price; in a further round again, from the best of them, as long as that
// is better than the last. The cheapest schedule that keeps every limit; nothing when there is none
// cheaper than `from`, or when that has something resident. The same for any number of threads.
std::optional<EventChoice> anneal(const Step& step, const EventChoice& from,
                                  const AnnealingOptions& options, const Stop& stop);

}  // namespace poet
