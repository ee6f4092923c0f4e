#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/deadline.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// The rules of docs/model/problem.md §2.2, one enumerator per way to break them.
enum class Rule {
  UnknownName,  // an action names an operation or tensor that does not exist, or a view instead of
                // its root
  InputNotInRam,        // rule 1
  NeverExecuted,        // rule 1
  ExecutedTwice,        // rule 1: a `once` operation
  OrderOfFirsts,        // rule 2
  PageOutNotInRam,      // rule 3
  PageInWithoutCopy,    // rule 3
  DropNotInRam,         // nothing to free
  FixedTensorMoved,     // a rom or resident tensor was paged or dropped
  OldValueRead,         // after its update (docs/model/problem.md §1.5)
  RamBudget,            // rule 4
  MemoryFull,           // rule 4, of a further memory (docs/model/memories.md §2.2)
  WrongPlace,           // Schedule::placed names what is not there (docs/model/memories.md §2.1)
  Deadline,             // rule 5
  WorstCaseDeadline,    // rule 5, where costs may be above their figures
  StorageCapacity,      // rule 5
  WriteBudget,          // rule 5
  UpdateNotInStorage,   // rule 6
  TechniqueNotAllowed,  // paging or rematerialisation although the problem forbids it
  NotResident,          // Schedule::resident names a tensor that may not be
};

// One broken rule. `action` is the position in Schedule::actions; its size at the end of the step.
struct Finding {
  Rule rule = Rule::UnknownName;
  std::int64_t action = 0;
  std::optional<OperationId> operation = {};
  std::optional<TensorId> tensor = {};
  std::int64_t bytes = 0;    // in use, missing or too many, as the message says
  std::string message = {};  // one sentence with names and figures

  bool operator==(const Finding&) const = default;
};

// RAM in use while an action runs, and from when to when it ran. Of a Drop: after it. Of a transfer
// in Overlapped mode: RAM when the processor issues it, and the times at which the channel works on
// it.
struct Moment {
  std::int64_t ram_bytes = 0;
  double begin_s = 0;
  double end_s = 0;

  bool operator==(const Moment&) const = default;
};

// What a step takes at the most when costs are above their figures, time and energy each by itself
// (docs/model/problem.md §4.2).
struct WorstCase {
  double time_s = 0;
  double energy_j = 0;

  bool operator==(const WorstCase&) const = default;
};

// The figures of one replayed step, re-derived from the problem alone.
struct Replay {
  std::vector<Finding> findings = {};  // empty: the schedule is valid
  std::vector<Moment> moments = {};    // one per action
  // When the processor has come to each action and waited for what it needs: from then on what the
  // action takes is taken.
  std::vector<double> taken_s = {};

  double energy_j = 0;  // sum of the five below
  double compute_j = 0;
  double page_in_j = 0;
  double page_out_j = 0;
  double access_j = 0;  // of reading and writing memories that are slower than the RAM
  double idle_j = 0;
  double time_s = 0;
  double compute_s = 0;
  double access_s = 0;  // of operations that read and write such memories, beside compute_s
  double stall_s = 0;   // time in which the processor waits: Blocking: all transfers; Overlapped:
                        // time_s - compute_s - access_s
  std::int64_t peak_ram_bytes = 0;
  std::vector<std::int64_t> further_peak_bytes = {};  // of memories 1, 2, ...
  std::int64_t storage_bytes =
      0;  // homes and every copy written; a new value lies in its old value's place
  std::int64_t written_bytes = 0;
  std::int64_t read_bytes = 0;
  std::int64_t recomputed_operations = 0;  // executions beyond the first of each operation
  std::int64_t paged_tensors =
      0;  // distinct Made tensors (not new values) that were written to storage
  std::optional<WorstCase> worst_case = {};  // where the problem has an uncertainty

  bool valid() const { return findings.empty(); }
};

// What the problem makes least: J or s.
double objective_of(const Problem& problem, const Replay& replayed);

struct ReplayOptions {
  double deadline_tolerance_ratio = kDeadlineToleranceRatio;  // rule 5
};

// Limits are what a user sets: RAM, deadline, storage, writes. A schedule that breaks another rule
// is none at all. True of a valid one.
bool breaks_only_limits(const Replay& replayed);

// Replays a schedule in the problem's time mode. Independent of every solver. After a broken rule
// it goes on as well as it can (a missing input is taken as present), so that all findings are
// reported.
Replay replay(const Problem& problem, const Schedule& schedule, const ReplayOptions& options = {});

// How often a step paid each of its costs.
struct PaidCosts {
  explicit PaidCosts(const Problem& problem)
      : executions(problem.operations.size()),
        reads(problem.tensors.size()),
        writes(problem.tensors.size()) {}

  std::vector<std::int64_t> executions;  // by operation
  std::vector<std::int64_t> reads;       // by tensor
  std::vector<std::int64_t> writes;
};

// What a step that takes `time_s` and `energy_j` by the figures takes at the most when costs are
// above them as the problem's uncertainty says (docs/model/problem.md §4.2).
WorstCase worst_case(const Problem& problem, const PaidCosts& paid, double time_s, double energy_j);

}  // namespace poet
