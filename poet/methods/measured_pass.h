#pragma once

#include <cstdint>
#include <vector>

#include "poet/problem/problem.h"

namespace poet {

// One step in which everything is kept, as it was watched: the measured execution of Capuchin (Peng
// et al., ASPLOS 2020, section 4). Per operation.
struct MeasuredPass {
  std::vector<double> begin_s = {};
  std::vector<double> end_s = {};
  std::vector<std::int64_t> ram_bytes = {};  // in use while it runs
};
MeasuredPass measure(const Problem& problem);

// A tensor that may be out of RAM between two accesses that follow each other: it leaves after
// `evicted_access` and is back for `back_access`.
struct Eviction {
  TensorId tensor{};
  OperationId evicted_access{};
  OperationId back_access{};
  // From the end of its write to the latest begin of its read (their section 4.3: SwapInStart -
  // SwapOutEnd); negative when the two cannot be hidden.
  double free_time_s = 0;

  bool operator==(const Eviction&) const = default;
};

// For each made tensor that is accessed more than once, the pair of accesses with the most free
// time among those between which the pass needs more RAM than the budget (section 4.5); the most
// free time first.
std::vector<Eviction> evictions_across_the_peak(const Problem& problem, const MeasuredPass& pass);

// As the problem's time mode counts transfers.
double write_time_s(const Problem& problem, TensorId tensor);
double read_time_s(const Problem& problem, TensorId tensor);

}  // namespace poet
