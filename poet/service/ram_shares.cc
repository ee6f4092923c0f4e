#include "poet/service/ram_shares.h"

#include <algorithm>
#include <optional>

#include "poet/problem/facts.h"

namespace poet {
namespace {

std::int64_t& share(RamShares& shares, RamUse use) {
  return shares[static_cast<std::size_t>(use)];
}

// For each tensor, what it is in RAM for.
std::vector<RamUse> uses_of(const Problem& problem) {
  const std::vector<std::optional<OperationId>> made_by = producers(problem);
  std::vector<RamUse> uses;
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    if (problem.tensors[i].home != Home::Made || problem.tensors[i].updates || !made_by[i])
      uses.push_back(RamUse::Parameters);
    else
      uses.push_back(at(problem.operations, *made_by[i]).backward ? RamUse::Gradients
                                                                  : RamUse::Activations);
  }
  return uses;
}

// What is taken and given back when an action begins.
std::vector<RamShares> changes_of(const Plan& plan) {
  const std::vector<RamUse> uses = uses_of(plan.problem);
  std::vector<RamShares> changes(plan.schedule.actions.size() + 1, RamShares{});
  for (const PlanBuffer& buffer : plan.buffers) {
    const std::int64_t from = counted_from(plan, buffer);
    if (from >= buffer.end_action) continue;
    const RamUse use = uses[static_cast<std::size_t>(index_of(buffer.tensor))];
    share(changes[static_cast<std::size_t>(from)], use) += buffer.size_bytes;
    share(changes[static_cast<std::size_t>(buffer.end_action)], use) -= buffer.size_bytes;
  }
  return changes;
}

std::int64_t workspace_bytes(const Problem& problem, const TimedAction& step) {
  if (step.kind != ActionKind::Compute && step.kind != ActionKind::Recompute) return 0;
  return at(problem.operations, OperationId{step.index}).workspace_bytes;
}

void add(RamShares& sum, const RamShares& more) {
  for (std::size_t use = 0; use < kRamUses; ++use) sum[use] += more[use];
}

}  // namespace

std::int64_t counted_from(const Plan& plan, const PlanBuffer& buffer) {
  if (!buffer.shares) return buffer.begin_action;
  return plan.buffers[static_cast<std::size_t>(*buffer.shares)].end_action;
}

std::vector<RamShares> ram_shares(const Plan& plan, const std::vector<TimedAction>& steps) {
  const std::vector<RamShares> changes = changes_of(plan);
  std::vector<RamShares> shares;
  RamShares held = {};
  std::int64_t action = 0;
  for (const TimedAction& step : steps) {
    for (; action <= step.action; ++action) add(held, changes[static_cast<std::size_t>(action)]);
    RamShares now = held;
    share(now, RamUse::Workspace) = workspace_bytes(plan.problem, step);
    std::int64_t known = 0;
    for (const std::int64_t bytes : now) known += bytes;
    share(now, RamUse::InTransfer) = step.moment.ram_bytes - known;
    shares.push_back(now);
  }
  return shares;
}

}  // namespace poet
