#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/verify/replay.h"

namespace poet {

enum class ActionKind { Compute, Recompute, PageIn, PageOut };

// One action that takes work: a Drop is none. Stage t holds what happens after the first execution
// of operation t - 1 up to and including that of operation t; what follows the last first execution
// is stage T.
struct TimedAction {
  ActionKind kind = ActionKind::Compute;
  std::int32_t index = 0;  // of the operation or tensor
  std::int64_t action = 0;
  std::int64_t stage = 0;
  bool backward = false;  // at or after the first execution of a backward operation
  Moment moment;
};

// The steps of a schedule in order; `replay` is of that schedule. Actions that name nothing in the
// problem are left out.
std::vector<TimedAction> timed_actions(const Problem& problem, const Schedule& schedule,
                                       const Replay& replay);

// The name of the operation or tensor that an action of this kind is about.
const std::string& subject_name(const Problem& problem, ActionKind kind, std::int32_t index);

// All steps of one kind about one operation or tensor, with what they cost together.
struct ExtraWork {
  ActionKind kind = ActionKind::Recompute;
  std::int32_t index = 0;
  std::int64_t count = 0;
  std::vector<std::int64_t> stages;
  std::int64_t size_bytes = 0;  // outputs of the operation, or the tensor, once
  double energy_j = 0;
  double time_s = 0;
};

// What is recomputed or paged, most energy first; equal ones by kind and index.
std::vector<ExtraWork> extra_work(const Problem& problem, const std::vector<TimedAction>& steps);

// Energy of one kind of step, transfers counted as the problem prices them.
double energy_j(const Problem& problem, const TimedAction& step);

}  // namespace poet
