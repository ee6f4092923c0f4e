#pragma once

#include <cstdint>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/verify/replay.h"

namespace poet {

// How often a step paid each of its costs.
struct PaidCosts {
  explicit PaidCosts(const Problem& problem)
      : executions(problem.operations.size()),
        reads(problem.tensors.size()),
        writes(problem.tensors.size()) {}

  std::vector<std::int64_t> executions;  // by operation
  std::vector<std::int64_t> reads;       // by tensor
  std::vector<std::int64_t> writes;
};

// What a step that takes `time_s` and `energy_j` by the figures takes at the most when costs are
// above them as the problem's uncertainty says (docs/model/problem.md §4.2).
WorstCase worst_case(const Problem& problem, const PaidCosts& paid, double time_s, double energy_j);

}  // namespace poet
