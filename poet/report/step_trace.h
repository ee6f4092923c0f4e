#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/report/timed_actions.h"
#include "poet/verify/replay.h"

namespace poet {

// One action of a form of the step that takes work, as the plan has it.
struct TracedAction {
  ActionKind kind = ActionKind::Compute;
  std::string name = {};    // of the operation or tensor
  std::int64_t action = 0;  // its position in the schedule
  double begin_s = 0;       // by the replay, from the beginning of the form
  double end_s = 0;
  double energy_j = 0;
  std::int64_t moved_bytes = 0;  // of a transfer

  bool operator==(const TracedAction&) const = default;
};

// An operation that waits for a transfer to bring what it reads, or a transfer for the operation
// that makes what it takes away: positions in the schedule.
struct TracedLink {
  std::int64_t from = 0;
  std::int64_t to = 0;

  bool operator==(const TracedLink&) const = default;
};

// A form of the step: the whole one, or the first, a middle or the last of micro-batches.
struct TracedForm {
  std::string name = {};  // empty where there is only one
  std::vector<TracedAction> actions = {};
  std::vector<TracedLink> links = {};
  // By action of the schedule: when the processor has come to it, and RAM in use then, both by the
  // replay; and as the buffers are laid out (empty: they never were).
  std::vector<double> taken_s = {};
  std::vector<std::int64_t> planned_ram_bytes = {};
  std::vector<std::int64_t> arena_ram_bytes = {};
  double time_s = 0;  // by the replay

  bool operator==(const TracedForm&) const = default;
};

// When the executor was at an action; seconds since any moment.
struct TracedTime {
  double begin_s = 0;
  double wait_s = 0;  // of that, at its beginning, for transfers to end
  double end_s = 0;

  bool operator==(const TracedTime&) const = default;
};

// One run of a form: times by action of its schedule.
struct TracedRun {
  std::size_t form = 0;
  std::vector<TracedTime> times = {};

  bool operator==(const TracedRun&) const = default;
};

// A step of a training: runs [first_run, end_run).
struct TracedStep {
  std::int64_t step = 0;
  double begin_s = 0;
  double end_s = 0;
  double loss = 0;
  std::size_t first_run = 0;
  std::size_t end_run = 0;

  bool operator==(const TracedStep&) const = default;
};

// What is predicted of a step and, where some were taken, what was measured.
struct StepTrace {
  std::string title = {};   // the command, or the name of the problem
  bool overlapped = false;  // transfers are issued, and go on beside the processor
  std::int64_t ram_budget_bytes = 0;
  std::vector<TracedForm> forms = {};
  std::vector<TracedStep> steps = {};  // none: only predicted
  std::vector<TracedRun> runs = {};

  bool operator==(const StepTrace&) const = default;
};

// Whether it moves a tensor between RAM and storage.
bool is_transfer(ActionKind kind);

// `replay` is of that schedule. What lies in an arena is not known here.
TracedForm traced_form(std::string name, const Problem& problem, const Schedule& schedule,
                       const Replay& replay);

}  // namespace poet
