#include <optional>
#include <vector>

#include "poet/layout/layout.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

std::optional<TensorId> moved_by(const Action& action) {
  if (const PageOut* out = std::get_if<PageOut>(&action)) return out->tensor;
  if (const PageIn* in = std::get_if<PageIn>(&action)) return in->tensor;
  return std::nullopt;
}

}  // namespace

std::vector<PlanBuffer> arena_buffers(const Plan& plan) {
  std::vector<PlanBuffer> buffers = plan.buffers;
  if (plan.problem.time_mode != TimeMode::Overlapped) return buffers;
  const std::vector<Action>& actions = plan.schedule.actions;
  const Replay replayed = replay(plan.problem, plan.schedule);

  // The buffer that each tensor holds, while walking; `buffers` is in order of begin_action.
  std::vector<std::optional<std::size_t>> held(plan.problem.tensors.size());
  std::vector<double> quiet_s(buffers.size(), 0);
  std::size_t next = 0;
  for (std::size_t a = 0; a < actions.size(); ++a) {
    for (; next < buffers.size() && buffers[next].begin_action == static_cast<std::int64_t>(a);
         ++next)
      at(held, buffers[next].tensor) = next;
    const std::optional<TensorId> moved = moved_by(actions[a]);
    if (moved && at(held, *moved)) quiet_s[*at(held, *moved)] = replayed.moments[a].end_s;
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::int64_t& end = buffers[i].end_action;
    while (end < static_cast<std::int64_t>(actions.size()) &&
           replayed.taken_s[static_cast<std::size_t>(end)] < quiet_s[i])
      ++end;
  }
  return buffers;
}

}  // namespace poet
