#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/plan/plan.h"
#include "poet/report/timed_actions.h"

namespace poet {

// What RAM is taken for while an action runs, in the order in which the page stacks it.
enum class RamUse {
  Parameters,   // at home in storage or in RAM for good, and their new values
  Activations,  // made by the forward pass
  Gradients,    // made by the backward pass
  Workspace,
  InTransfer,  // given up by the schedule, but a transfer still touches it (Overlapped mode)
};
inline constexpr std::size_t kRamUses = 5;

using RamShares = std::array<std::int64_t, kRamUses>;  // bytes, by RamUse

// For each of the steps, what the verifier's RAM in use consists of: the sum of the shares is
// `moment.ram_bytes`. The plan's schedule is valid, and the steps are its timed_actions().
std::vector<RamShares> ram_shares(const Plan& plan, const std::vector<TimedAction>& steps);

// The action from which a buffer counts: one that takes over another's bytes counts once that one
// has ended.
std::int64_t counted_from(const Plan& plan, const PlanBuffer& buffer);

// One step of a plan, replayed, as the page draws it: the format "poet-step", version 1
// (docs/formats/service.md). Lists of numbers instead of objects and runs instead of cells, so that
// 10,000 operations take a few megabytes. Refuses a plan whose schedule breaks rules other than
// limits.
Result<std::string> step_view(const Plan& plan);

}  // namespace poet
