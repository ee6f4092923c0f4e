#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/event_set.h"
#include "poet/solve/step.h"

namespace poet {

// One event that happens, with the chains that are read from storage just before it.
struct Execution {
  Event event;
  std::vector<std::int32_t> reads = {};

  bool operator==(const Execution&) const = default;
};

// An answer in the terms of the event model: what happens, what is stored, what is resident. What
// lies in RAM when follows: a chain stays from one occurrence to the next exactly when the next
// needs it and does not bring it.
struct EventChoice {
  std::vector<Execution> executions = {};  // in order; every certain event is there
  std::vector<bool> stored = {};           // per chain: o[i], for chains that may be written
  std::vector<bool> resident =
      {};  // per chain: r[i], for old values or parameters that may be resident

  bool operator==(const EventChoice&) const = default;
};

// In RAM for the whole step, as itself or as the new value in the place of a resident.
bool is_resident(const Step& step, const EventChoice& choice, std::int32_t chain);

// What a choice costs and needs, in our own arithmetic.
struct ChoiceFigures {
  double cost = 0;    // in the unit of the objective
  double time_s = 0;  // as the deadline counts it
  std::int64_t peak_bytes = 0;
  std::int64_t stored_bytes = 0;   // copies of made tensors
  std::int64_t written_bytes = 0;  // and new values
  bool complete = true;            // every input of every execution is there
};
ChoiceFigures figures_of(const Step& step, const EventChoice& choice);

// Bytes in RAM while each execution runs.
std::vector<std::int64_t> ram_in_use(const Step& step, const EventChoice& choice);

// Complete and within every budget of the step.
bool keeps_budgets(const Step& step, const ChoiceFigures& figures);
// The same with another RAM budget than the step's.
bool keeps_budgets(const Step& step, const ChoiceFigures& figures, std::int64_t budget_bytes);

// The same answer without re-executions, reads and copies that nothing needs: never worse in any
// figure.
EventChoice without_waste(const Step& step, EventChoice choice);

// The list of actions: reads just before the execution that needs them, drops as early as possible.
Schedule to_schedule(const Step& step, const EventChoice& choice);

// The choice behind a valid schedule; nothing when it leaves the class (re-executions of a stage
// out of order or twice, a tensor written again).
std::optional<EventChoice> from_schedule(const Problem& problem, const Step& step,
                                         const Schedule& schedule);

// Whether a valid schedule is in the class that the exact methods search.
bool is_in_class(const Problem& problem, const Schedule& schedule);

}  // namespace poet
