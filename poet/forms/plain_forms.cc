#include "poet/forms/plain_forms.h"

#include "poet/problem/facts.h"

namespace poet {

Replay plain_replay(Problem problem) {
  problem.ram_budget_bytes = plain_peak_bytes(problem);
  problem.deadline_s = {};
  problem.uncertainty = {};
  return replay(problem, plain_schedule(problem));
}

}  // namespace poet
