#pragma once

#include "poet/solve/event_set.h"
#include "poet/solve/multipliers.h"
#include "poet/solve/step.h"

namespace poet {

// Of the right sizes, and all 0.
inline Multipliers no_multipliers(const Step& step, const EventSet& events) {
  Multipliers zero;
  const std::size_t count = events.events().size();
  for (auto* list :
       {&zero.memory, &zero.shared_runs, &zero.shared_dies, &zero.shared_moves, &zero.shared_takes})
    list->assign(count, 0.0);
  zero.ties.resize(count);
  for (const Event& event : events.events())
    zero.uses.emplace_back(step.operations[event.operation].inputs.size(), 0.0);
  return zero;
}

}  // namespace poet
