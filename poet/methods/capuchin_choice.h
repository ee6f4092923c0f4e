#pragma once

#include <cstdint>
#include <optional>
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

// What Capuchin evicts and how it comes back (Peng et al., ASPLOS 2020, sections 4.3 to 4.5).
enum class Regeneration { Swap, Recompute };

struct CapuchinDecision {
  Eviction eviction = {};
  Regeneration by = Regeneration::Swap;

  bool operator==(const CapuchinDecision&) const = default;
};

// Which techniques a policy may take; their section 6 compares the hybrid with each alone.
enum class CapuchinPolicy { Hybrid, SwapAlone, RecomputeAlone };

// Recomputing a tensor for its back access: the time of all operations that have to run, and the
// tensors in RAM that they start from.
struct Lineage {
  double time_s = 0;
  std::vector<TensorId> sources = {};
};

// Decides, one tensor after the other: whatever can be swapped without anybody waiting, in the
// order of free time; then by memory saved per second of recomputation (MSPS), each by the
// technique that costs less time.
class CapuchinChoice {
 public:
  CapuchinChoice(const Problem& problem, const MeasuredPass& pass, CapuchinPolicy policy);

  // So many decisions at most.
  std::size_t most() const { return most_; }
  // The first `count` decisions; fewer where there are no more.
  std::vector<CapuchinDecision> first(std::size_t count);

  // Given what is decided so far. Nothing when an operation would run again that may run only once.
  std::optional<Lineage> lineage_of(const Eviction& eviction) const;

 private:
  bool decide_next();
  bool decide_hidden_swap();
  bool decide_by_saving();
  void decide(std::size_t candidate, Regeneration by);
  double exposed_s(const Eviction& eviction) const;
  double recomputation_s(const Eviction& eviction, const std::vector<std::int32_t>& starts) const;
  bool can_run_again(TensorId tensor) const;

  const Problem& problem_;
  const MeasuredPass& pass_;
  CapuchinPolicy policy_;
  std::vector<std::vector<TensorId>> inputs_;  // per operation
  std::vector<std::optional<OperationId>> makers_;
  std::vector<std::optional<OperationId>> last_accesses_;
  std::vector<Eviction> left_;  // the most free time first
  std::size_t most_ = 0;
  bool hidden_are_done_ = false;
  std::vector<CapuchinDecision> decided_ = {};
  std::vector<std::optional<std::size_t>> decision_on_;  // per tensor
};

// When the reads of swapped tensors have to begin and when their writes end, per decision, on a
// channel that takes one at a time in either direction.
std::vector<double> read_begins_s(const Problem& problem, const MeasuredPass& pass,
                                  const std::vector<CapuchinDecision>& decisions);
std::vector<double> write_ends_s(const Problem& problem, const MeasuredPass& pass,
                                 const std::vector<CapuchinDecision>& decisions);

// For each root the last operation of the program that makes or reads it; -1 where there is none.
std::vector<std::optional<OperationId>> last_accesses(const Problem& problem);

}  // namespace poet
