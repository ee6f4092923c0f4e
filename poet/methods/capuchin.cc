#include "poet/methods/capuchin.h"

#include <algorithm>
#include <functional>

#include "poet/methods/needs.h"
#include "poet/methods/proposals.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

// Reads are issued this part of their time earlier than needed, as their feedback does (section
// 4.4).
constexpr double kEarlierPart = 0.05;
// So many numbers of decisions are tried at most.
constexpr std::size_t kMostTrials = 100;

bool is_absent_at(const Eviction& eviction, OperationId operation) {
  return eviction.evicted_access < operation && operation < eviction.back_access;
}

// Before which operation the read of each swapped tensor is issued ("in-trigger"): in time, and
// not while RAM is at its peak. By decision; its back access where there is no earlier place.
std::vector<OperationId> in_triggers(const Problem& problem, const MeasuredPass& pass,
                                     const std::vector<CapuchinDecision>& decisions) {
  std::vector<OperationId> triggers;
  for (const CapuchinDecision& decision : decisions)
    triggers.push_back(decision.eviction.back_access);
  if (problem.time_mode != TimeMode::Overlapped) return triggers;
  std::vector<std::int64_t> ram_bytes = pass.ram_bytes;
  for (const CapuchinDecision& decision : decisions)
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(ram_bytes.size()); ++v)
      if (is_absent_at(decision.eviction, OperationId{v}))
        ram_bytes[v] -= at(problem.tensors, decision.eviction.tensor).size_bytes;
  const std::vector<double> begins_s = read_begins_s(problem, pass, decisions);
  for (std::size_t d = 0; d < decisions.size(); ++d) {
    if (decisions[d].by != Regeneration::Swap) continue;
    const Eviction& eviction = decisions[d].eviction;
    const std::int64_t bytes = at(problem.tensors, eviction.tensor).size_bytes;
    const double begin_s = begins_s[d] - kEarlierPart * read_time_s(problem, eviction.tensor);
    std::int32_t v = index_of(eviction.back_access);
    while (v - 1 > index_of(eviction.evicted_access) && pass.begin_s[v] > begin_s &&
           ram_bytes[v - 1] + bytes <= problem.ram_budget_bytes)
      ram_bytes[--v] += bytes;
    triggers[d] = OperationId{v};
  }
  return triggers;
}

std::vector<CapuchinPolicy> policies_for(const Problem& problem) {
  std::vector<CapuchinPolicy> policies;
  if (problem.paging_allowed && problem.rematerialisation_allowed)
    policies.push_back(CapuchinPolicy::Hybrid);
  if (problem.paging_allowed) policies.push_back(CapuchinPolicy::SwapAlone);
  if (problem.rematerialisation_allowed) policies.push_back(CapuchinPolicy::RecomputeAlone);
  return policies;
}

}  // namespace

std::optional<Moves> play_capuchin(const Problem& problem, const MeasuredPass& pass,
                                   const std::vector<CapuchinDecision>& decisions,
                                   OnTheWay on_the_way, HomeReads home_reads) {
  const std::vector<std::int32_t> last = last_accesses(problem);
  const std::vector<std::optional<OperationId>> makers = producers(problem);
  const std::vector<OperationId> triggers = in_triggers(problem, pass, decisions);
  Player player(problem, home_reads);
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(problem.operations.size()); ++v) {
    const OperationId operation{v};
    for (std::size_t d = 0; d < decisions.size(); ++d)
      if (decisions[d].by == Regeneration::Swap && triggers[d] == operation &&
          !player.holds(decisions[d].eviction.tensor))
        player.read(decisions[d].eviction.tensor);
    if (!player.execute(operation)) return std::nullopt;
    for (std::size_t d = 0; d < decisions.size(); ++d) {
      const Eviction& eviction = decisions[d].eviction;
      const bool leaves = eviction.evicted_access == operation;
      if (leaves && decisions[d].by == Regeneration::Swap) player.write(eviction.tensor);
      const bool on_its_way = on_the_way == OnTheWay::Forgotten &&
                              is_absent_at(eviction, operation) && operation < triggers[d];
      if (leaves || on_its_way) player.forget(eviction.tensor);
    }
    // The framework frees what the program will not access again.
    for (std::size_t i = 0; i < last.size(); ++i)
      if (last[i] >= 0 && last[i] <= v && problem.tensors[i].home == Home::Made &&
          !at(problem.operations, *makers[i]).once)
        player.forget(TensorId{static_cast<std::int32_t>(i)});
  }
  return player.moves();
}

namespace {

class Capuchin final : public Solver {
 public:
  std::string_view name() const override { return "capuchin"; }

  Result<SolveReport> solve(const Problem& problem, const SolveOptions&, const Stop& stop,
                            const ProgressSink&) const override {
    const std::vector<CapuchinPolicy> policies = policies_for(problem);
    if (policies.empty()) return *needs_paging(problem);
    const MeasuredPass pass = measure(problem);
    Proposals proposals(problem);
    for (const CapuchinPolicy policy : policies) {
      CapuchinChoice choice(problem, pass, policy);
      for (const HomeReads home_reads : ways_to_read_homes(problem))
        for (const OnTheWay on_the_way : {OnTheWay::Forgotten, OnTheWay::Kept})
          offer_until_one_fits(proposals, choice, stop, [&](const auto& decisions) {
            return play_capuchin(problem, pass, decisions, on_the_way, home_reads);
          });
    }
    return proposals.report(name());
  }

 private:
  // They evict until enough memory is saved, as they count it; here, until the replay keeps the
  // limits.
  static void offer_until_one_fits(
      Proposals& proposals, CapuchinChoice& choice, const Stop& stop,
      const std::function<std::optional<Moves>(const std::vector<CapuchinDecision>&)>& play) {
    const std::size_t stride = choice.most() / kMostTrials + 1;
    for (std::size_t n = 0; n < choice.most() + stride; n += stride) {
      if (stop.requested() && n > 0) return;
      const std::vector<CapuchinDecision> decisions = choice.first(n);
      if (const std::optional<Moves> moves = play(decisions)) {
        proposals.offer(*moves);
        if (proposals.last().valid()) return;
      }
      if (decisions.size() < n) return;
    }
  }
};

}  // namespace

std::unique_ptr<Solver> make_capuchin() {
  return std::make_unique<Capuchin>();
}

}  // namespace poet
