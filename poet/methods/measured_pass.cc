#include "poet/methods/measured_pass.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// Accesses of each root: its maker, then its readers.
std::vector<std::vector<OperationId>> accesses(const Problem& problem) {
  std::vector<std::vector<OperationId>> all = readers(problem);
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    const OperationId operation{static_cast<std::int32_t>(v)};
    for (const TensorId output : made_outputs(problem, operation))
      all[index_of(output)].insert(all[index_of(output)].begin(), operation);
  }
  return all;
}

bool spans_the_peak(const Problem& problem, const MeasuredPass& pass, OperationId from,
                    OperationId to) {
  for (std::int32_t v = index_of(from) + 1; v < index_of(to); ++v)
    if (pass.ram_bytes[v] > problem.ram_budget_bytes) return true;
  return false;
}

}  // namespace

MeasuredPass measure(const Problem& problem) {
  Problem plenty = problem;
  plenty.ram_budget_bytes = std::numeric_limits<std::int64_t>::max() / 2;
  const Schedule schedule = plain_schedule(problem);
  const Replay replayed = replay(plenty, schedule);
  MeasuredPass pass;
  for (std::size_t k = 0; k < schedule.actions.size(); ++k) {
    if (!std::holds_alternative<Compute>(schedule.actions[k])) continue;
    pass.begin_s.push_back(replayed.moments[k].begin_s);
    pass.end_s.push_back(replayed.moments[k].end_s);
    pass.ram_bytes.push_back(replayed.moments[k].ram_bytes);
  }
  return pass;
}

std::vector<Eviction> evictions_across_the_peak(const Problem& problem, const MeasuredPass& pass) {
  const std::vector<std::vector<OperationId>> all = accesses(problem);
  std::vector<Eviction> evictions;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const Tensor& tensor = problem.tensors[i];
    const TensorId id{static_cast<std::int32_t>(i)};
    if (tensor.home != Home::Made || tensor.updates || tensor.size_bytes == 0) continue;
    std::optional<Eviction> best;
    for (std::size_t k = 0; k + 1 < all[i].size(); ++k) {
      if (!spans_the_peak(problem, pass, all[i][k], all[i][k + 1])) continue;
      const double free_time_s = pass.begin_s[index_of(all[i][k + 1])] - read_time_s(problem, id) -
                                 (pass.end_s[index_of(all[i][k])] + write_time_s(problem, id));
      if (best && free_time_s <= best->free_time_s) continue;
      best = Eviction{id, all[i][k], all[i][k + 1], free_time_s};
    }
    if (best) evictions.push_back(*best);
  }
  std::stable_sort(evictions.begin(), evictions.end(), [](const Eviction& a, const Eviction& b) {
    return a.free_time_s > b.free_time_s;
  });
  return evictions;
}

double write_time_s(const Problem& problem, TensorId tensor) {
  return problem.time_mode == TimeMode::Free ? 0 : at(problem.tensors, tensor).page_out_s;
}

double read_time_s(const Problem& problem, TensorId tensor) {
  return problem.time_mode == TimeMode::Free ? 0 : at(problem.tensors, tensor).page_in_s;
}

}  // namespace poet
