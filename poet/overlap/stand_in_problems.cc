// Problems in the place of an overlapped one: one in blocking time that bounds it
// (docs/model/overlap.md §1.1), and one with room for transfers where there is time for them
// (docs/model/overlap.md §2.1).
#include "poet/overlap/stand_in_problems.h"

#include <algorithm>
#include <cstddef>

#include "poet/problem/facts.h"

namespace poet {

Problem with_shared_time(const Problem& overlapped, double compute_share) {
  Problem shared = overlapped;
  if (compute_share == 1) {
    shared.time_mode = TimeMode::Free;
    return shared;
  }
  shared.time_mode = TimeMode::Blocking;
  for (Operation& operation : shared.operations) operation.compute_s *= compute_share;
  for (Tensor& tensor : shared.tensors) {
    tensor.page_in_s *= 1 - compute_share;
    tensor.page_out_s *= 1 - compute_share;
  }
  return shared;
}

namespace {

// Of reads and writes together, over all tensors that can be moved; 0 when none takes time.
double channel_bytes_per_s(const Problem& problem) {
  double bytes = 0, time_s = 0;
  for (const Tensor& tensor : problem.tensors) {
    if (tensor.page_in_s <= 0 && tensor.page_out_s <= 0) continue;
    bytes += 2 * static_cast<double>(tensor.size_bytes);
    time_s += tensor.page_in_s + tensor.page_out_s;
  }
  return time_s > 0 ? bytes / time_s : 0;
}

}  // namespace

Problem with_room_in_flight(Problem asked, const Problem& overlapped, double part) {
  const double bytes_per_s = part * channel_bytes_per_s(overlapped);
  for (std::size_t v = 0; v < asked.operations.size(); ++v) {
    const OperationId operation{static_cast<std::int32_t>(v)};
    const std::int64_t free_bytes =
        std::max<std::int64_t>(0, asked.ram_budget_bytes - working_set_bytes(asked, operation));
    const double carried_bytes = bytes_per_s * overlapped.operations[v].compute_s;
    asked.operations[v].workspace_bytes += carried_bytes < static_cast<double>(free_bytes)
                                               ? static_cast<std::int64_t>(carried_bytes)
                                               : free_bytes;
  }
  return asked;
}

}  // namespace poet
