#pragma once

#include <cstdint>
#include <optional>

#include "poet/problem/problem.h"
#include "poet/solve/event_choice.h"
#include "poet/solve/step.h"

namespace poet {

// A schedule that is there without a search, and the RAM (residents included) and time that it
// takes.
struct AtHand {
  EventChoice choice = {};
  std::int64_t ram_bytes = 0;
  double time_s = 0;
};

// The choice, without waste, whatever RAM it needs; nothing when it breaks another limit.
std::optional<AtHand> at_hand(const Problem& problem, Step step,
                              const std::optional<EventChoice>& choice);

// The schedule that keeps everything.
std::optional<AtHand> plain_at_hand(const Problem& problem, const Step& step);

// A schedule in little RAM that keeps every other limit: paging where it will do, or else keeping
// everything.
std::optional<AtHand> small_at_hand(const Problem& problem);

// The quicker of keeping everything and paging, with the RAM that there is and no deadline.
std::optional<AtHand> quick_at_hand(Problem problem);

}  // namespace poet
