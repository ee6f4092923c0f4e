// Which tensors leave RAM and whether they are swapped or made again, from the times of one pass
// (Peng et al., ASPLOS 2020, sections 4.3 to 4.5).
#include "poet/methods/capuchin_choice.h"

#include <algorithm>
#include <limits>
#include <numeric>
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

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

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

CapuchinChoice::CapuchinChoice(const Problem& problem, const MeasuredPass& pass,
                               CapuchinPolicy policy)
    : problem_(problem),
      pass_(pass),
      policy_(policy),
      makers_(producers(problem)),
      last_accesses_(last_accesses(problem)),
      left_(evictions_across_the_peak(problem, pass)),
      most_(left_.size()),
      hidden_are_done_(policy == CapuchinPolicy::RecomputeAlone),
      decision_on_(problem.tensors.size()) {
  for (std::size_t v = 0; v < problem.operations.size(); ++v)
    inputs_.push_back(ram_inputs(problem, OperationId{static_cast<std::int32_t>(v)}));
}

std::vector<CapuchinDecision> CapuchinChoice::first(std::size_t count) {
  while (decided_.size() < count && decide_next()) continue;
  const auto end = std::min(count, decided_.size());
  return {decided_.begin(), decided_.begin() + static_cast<std::ptrdiff_t>(end)};
}

bool CapuchinChoice::decide_next() {
  if (!hidden_are_done_ && decide_hidden_swap()) return true;
  hidden_are_done_ = true;
  if (left_.empty()) return false;
  if (policy_ != CapuchinPolicy::SwapAlone) return decide_by_saving();
  decide(0, Regeneration::Swap);
  return true;
}

void CapuchinChoice::decide(std::size_t candidate, Regeneration by) {
  decision_on_[index_of(left_[candidate].tensor)] = decided_.size();
  decided_.push_back({left_[candidate], by});
  left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(candidate));
}

bool CapuchinChoice::decide_hidden_swap() {
  for (std::size_t k = 0; k < left_.size(); ++k) {
    if (exposed_s(left_[k]) > 0) continue;
    decide(k, Regeneration::Swap);
    return true;
  }
  return false;
}

// Their algorithm 2 updates times and sources of the candidates with each choice; here they are
// found anew, which comes to the same.
bool CapuchinChoice::decide_by_saving() {
  // Per tensor, how many recomputations start from it so far.
  std::vector<std::int32_t> starts(problem_.tensors.size(), 0);
  for (const CapuchinDecision& decision : decided_)
    if (decision.by == Regeneration::Recompute)
      if (const std::optional<Lineage> lineage = lineage_of(decision.eviction))
        for (const TensorId source : lineage->sources) ++starts[index_of(source)];
  std::size_t best = 0;
  double best_bytes_per_s = -1;
  double best_time_s = kUnlimited;
  for (std::size_t k = 0; k < left_.size(); ++k) {
    const double time_s = recomputation_s(left_[k], starts);
    const double bytes = static_cast<double>(at(problem_.tensors, left_[k].tensor).size_bytes);
    const double bytes_per_s = time_s > 0 ? bytes / time_s : kUnlimited;
    if (bytes_per_s <= best_bytes_per_s) continue;
    best = k;
    best_bytes_per_s = bytes_per_s;
    best_time_s = time_s;
  }
  const bool swaps = policy_ == CapuchinPolicy::Hybrid && exposed_s(left_[best]) < best_time_s;
  if (!swaps && best_time_s == kUnlimited) return false;
  decide(best, swaps ? Regeneration::Swap : Regeneration::Recompute);
  return true;
}

// How long somebody waits for the swap of one more tensor.
double CapuchinChoice::exposed_s(const Eviction& eviction) const {
  if (problem_.time_mode != TimeMode::Overlapped)
    return write_time_s(problem_, eviction.tensor) + read_time_s(problem_, eviction.tensor);
  std::vector<CapuchinDecision> with_it = decided_;
  with_it.push_back({eviction, Regeneration::Swap});
  return std::max(0.0, write_ends_s(problem_, pass_, with_it).back() -
                           read_begins_s(problem_, pass_, with_it).back());
}

// Its own, and once more for each tensor whose recomputation starts from it so far.
double CapuchinChoice::recomputation_s(const Eviction& eviction,
                                       const std::vector<std::int32_t>& starts) const {
  const std::optional<Lineage> own = lineage_of(eviction);
  if (!own) return kUnlimited;
  return own->time_s * (1 + starts[index_of(eviction.tensor)]);
}

bool CapuchinChoice::can_run_again(TensorId tensor) const {
  return at(problem_.tensors, tensor).home == Home::Made &&
         !at(problem_.operations, *makers_[index_of(tensor)]).once;
}

std::optional<Lineage> CapuchinChoice::lineage_of(const Eviction& eviction) const {
  if (!can_run_again(eviction.tensor)) return std::nullopt;
  Lineage lineage;
  std::vector<bool> seen(problem_.tensors.size(), false);
  std::vector<TensorId> open = {eviction.tensor};
  while (!open.empty()) {
    const OperationId maker = *makers_[index_of(open.back())];
    open.pop_back();
    lineage.time_s += at(problem_.operations, maker).compute_s;
    for (const TensorId input : inputs_[index_of(maker)]) {
      if (seen[index_of(input)]) continue;
      seen[index_of(input)] = true;
      const std::optional<std::size_t> decision = decision_on_[index_of(input)];
      const bool is_evicted =
          decision && eviction.back_access <= decided_[*decision].eviction.back_access;
      const bool is_dead = last_accesses_[index_of(input)] < eviction.back_access;
      if (is_evicted && decided_[*decision].by == Regeneration::Swap)
        lineage.time_s += read_time_s(problem_, input);
      else if ((is_dead || is_evicted) && can_run_again(input))
        open.push_back(input);
      else
        lineage.sources.push_back(input);
    }
  }
  return lineage;
}

// From the last to the first each read ends before its tensor is needed and before the next begins.
std::vector<double> read_begins_s(const Problem& problem, const MeasuredPass& pass,
                                  const std::vector<CapuchinDecision>& decisions) {
  std::vector<std::size_t> order(decisions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return decisions[a].eviction.back_access > decisions[b].eviction.back_access;
  });
  std::vector<double> begins_s(decisions.size(), 0);
  double free_until_s = kUnlimited;
  for (const std::size_t d : order) {
    if (decisions[d].by != Regeneration::Swap) continue;
    const Eviction& eviction = decisions[d].eviction;
    const double needed_s = pass.begin_s[index_of(eviction.back_access)];
    begins_s[d] = std::min(needed_s, free_until_s) - read_time_s(problem, eviction.tensor);
    free_until_s = begins_s[d];
  }
  return begins_s;
}

// In the order of the accesses that they follow.
std::vector<double> write_ends_s(const Problem& problem, const MeasuredPass& pass,
                                 const std::vector<CapuchinDecision>& decisions) {
  std::vector<std::size_t> order(decisions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return decisions[a].eviction.evicted_access < decisions[b].eviction.evicted_access;
  });
  std::vector<double> ends_s(decisions.size(), 0);
  double free_from_s = 0;
  for (const std::size_t d : order) {
    if (decisions[d].by != Regeneration::Swap) continue;
    const Eviction& eviction = decisions[d].eviction;
    const double made_s = pass.end_s[index_of(eviction.evicted_access)];
    ends_s[d] = std::max(made_s, free_from_s) + write_time_s(problem, eviction.tensor);
    free_from_s = ends_s[d];
  }
  return ends_s;
}

std::vector<std::optional<OperationId>> last_accesses(const Problem& problem) {
  std::vector<std::optional<OperationId>> last(problem.tensors.size());
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    const OperationId operation{static_cast<std::int32_t>(v)};
    for (const TensorId output : made_outputs(problem, operation))
      last[index_of(output)] = operation;
    for (const TensorId input : ram_inputs(problem, operation)) last[index_of(input)] = operation;
  }
  return last;
}

}  // namespace poet
