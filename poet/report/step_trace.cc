#include "poet/report/step_trace.h"

#include <utility>

#include "poet/base/check.h"

namespace poet {

bool is_transfer(ActionKind kind) {
  return kind == ActionKind::PageIn || kind == ActionKind::PageOut;
}

namespace {

bool is_view(const Problem& problem, const TimedAction& timed) {
  return !is_transfer(timed.kind) && at(problem.operations, OperationId{timed.index}).view;
}

TracedAction traced_action(const Problem& problem, const TimedAction& timed) {
  return {.kind = timed.kind,
          .name = subject_name(problem, timed.kind, timed.index),
          .action = timed.action,
          .begin_s = timed.moment.begin_s,
          .end_s = timed.moment.end_s,
          .energy_j = energy_j(problem, timed),
          .moved_bytes =
              is_transfer(timed.kind) ? at(problem.tensors, TensorId{timed.index}).size_bytes : 0};
}

}  // namespace

TracedForm traced_form(std::string name, const Problem& problem, const Schedule& schedule,
                       const Replay& replay) {
  POET_CHECK(replay.valid());
  TracedForm form{.name = std::move(name), .taken_s = replay.taken_s, .time_s = replay.time_s};
  for (const TimedAction& timed : timed_actions(problem, schedule, replay))
    if (!is_view(problem, timed)) form.actions.push_back(traced_action(problem, timed));
  for (const Moment& moment : replay.moments) form.planned_ram_bytes.push_back(moment.ram_bytes);
  return form;
}

}  // namespace poet
