// Swaps and recomputations that one watched pass asks for (Peng et al., ASPLOS 2020, sections 4
// and 5), as moves.
#include "poet/methods/capuchin.h"

#include <algorithm>
#include <functional>
#include <variant>

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

// The guided execution.
class GuidedPass {
 public:
  GuidedPass(const Problem& problem, const MeasuredPass& pass,
             const std::vector<CapuchinDecision>& decisions, OnTheWay on_the_way,
             HomeReads home_reads)
      : problem_(problem),
        decisions_(decisions),
        on_the_way_(on_the_way),
        last_accesses_(last_accesses(problem)),
        makers_(producers(problem)),
        triggers_(in_triggers(problem, pass, decisions)),
        decision_on_(problem.tensors.size()),
        leaving_(problem.operations.size()),
        coming_(problem.operations.size()),
        player_(problem, home_reads) {
    for (std::size_t d = 0; d < decisions.size(); ++d) {
      decision_on_[index_of(decisions[d].eviction.tensor)] = d;
      leaving_[index_of(decisions[d].eviction.evicted_access)].push_back(d);
      if (decisions[d].by == Regeneration::Swap) coming_[index_of(triggers_[d])].push_back(d);
    }
  }

  std::optional<Moves> run() {
    for (std::size_t v = 0; v < problem_.operations.size(); ++v) {
      const OperationId operation{static_cast<std::int32_t>(v)};
      for (const std::size_t d : coming_[v])
        if (const TensorId tensor = decisions_[d].eviction.tensor; !player_.holds(tensor))
          player_.read(tensor);
      const std::size_t before = player_.moves().size();
      if (!player_.execute(operation)) return std::nullopt;
      for (const std::size_t d : leaving_[v]) {
        if (decisions_[d].by == Regeneration::Swap) player_.write(decisions_[d].eviction.tensor);
        player_.forget(decisions_[d].eviction.tensor);
      }
      for (const TensorId tensor : touched_since(before))
        if (is_to_leave(tensor, operation)) player_.forget(tensor);
    }
    return player_.moves();
  }

 private:
  std::vector<TensorId> touched_since(std::size_t begin) const {
    std::vector<TensorId> touched;
    for (std::size_t k = begin; k < player_.moves().size(); ++k) {
      const Action& move = player_.moves()[k];
      if (const PageIn* read = std::get_if<PageIn>(&move)) touched.push_back(read->tensor);
      const Compute* compute = std::get_if<Compute>(&move);
      if (!compute) continue;
      for (const TensorId input : ram_inputs(problem_, compute->operation))
        touched.push_back(input);
      for (const TensorId output : made_outputs(problem_, compute->operation))
        touched.push_back(output);
    }
    return touched;
  }

  // Because the framework frees what the program will not access again, or because it came only
  // for a recomputation.
  bool is_to_leave(TensorId tensor, OperationId operation) const {
    if (at(problem_.tensors, tensor).home != Home::Made) return false;
    const bool is_dead = last_accesses_[index_of(tensor)] <= operation;
    if (is_dead && !at(problem_.operations, *makers_[index_of(tensor)]).once) return true;
    const std::optional<std::size_t> d = decision_on_[index_of(tensor)];
    return d && on_the_way_ == OnTheWay::Forgotten &&
           is_absent_at(decisions_[*d].eviction, operation) && operation < triggers_[*d];
  }

  const Problem& problem_;
  const std::vector<CapuchinDecision>& decisions_;
  OnTheWay on_the_way_;
  std::vector<std::optional<OperationId>> last_accesses_;
  std::vector<std::optional<OperationId>> makers_;
  std::vector<OperationId> triggers_;                    // per decision
  std::vector<std::optional<std::size_t>> decision_on_;  // per tensor
  std::vector<std::vector<std::size_t>> leaving_;        // per operation, decisions
  std::vector<std::vector<std::size_t>> coming_;
  Player player_;
};

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

std::optional<Moves> play_capuchin(const Problem& problem, const MeasuredPass& pass,
                                   const std::vector<CapuchinDecision>& decisions,
                                   OnTheWay on_the_way, HomeReads home_reads) {
  return GuidedPass(problem, pass, decisions, on_the_way, home_reads).run();
}

std::unique_ptr<Solver> make_capuchin() {
  return std::make_unique<Capuchin>();
}

}  // namespace poet
