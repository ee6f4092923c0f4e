#pragma once

#include <vector>

#include "poet/problem/problem.h"
#include "poet/report/chart.h"
#include "poet/report/timed_actions.h"
#include "poet/verify/replay.h"

namespace poet {

// The energy of a step by what it was spent on.
struct EnergyParts {
  double compute_once_j = 0;
  double recompute_j = 0;
  double page_in_j = 0;
  double page_out_j = 0;
  double access_j = 0;  // of memories that are slower than the RAM
  double idle_j = 0;

  double total_j() const {
    return compute_once_j + recompute_j + page_in_j + page_out_j + access_j + idle_j;
  }
  bool operator==(const EnergyParts&) const = default;
};

EnergyParts energy_parts(const Problem& problem, const std::vector<TimedAction>& actions,
                         const Replay& replay);

// The whole energy as one bar; below it, to a scale of their own, the parts beside computing
// everything once, which would often be too thin to see.
Chart energy_chart(const EnergyParts& parts, ChartWidth width);

}  // namespace poet
