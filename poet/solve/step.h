#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"

namespace poet {

// A tensor that may enter and leave RAM during the step, as the exact methods see it: views folded
// into their root, rom and resident tensors left out. Chains and operations are named by their
// index in Step.
struct Chain {
  TensorId tensor{};
  std::int64_t size_bytes = 0;
  std::optional<std::int32_t> producer = {};   // none: it is at home in storage
  std::vector<std::int32_t> readers = {};      // operations, ascending
  bool may_be_written = false;                 // the solver chooses whether (o[i])
  bool must_be_written = false;                // a new value: o[i] = 1 unless it is resident
  bool may_be_read = false;                    // from storage
  bool may_be_resident = false;                // r[i]; on the old value of an update
  std::optional<std::int32_t> new_value = {};  // on an old value: the chain that takes its place
  std::optional<std::int32_t> old_value = {};  // on a new value: the chain whose place it takes
  std::int32_t last_stage = 0;  // the last stage with an event that makes or reads it
  // In the unit of the objective; idle power included.
  double read_cost = 0;
  double write_cost = 0;
  // As the deadline counts them: 0 when transfers take no time.
  double read_s = 0;
  double write_s = 0;
};

struct StepOperation {
  std::vector<std::int32_t> inputs = {};   // chains, each once
  std::vector<std::int32_t> outputs = {};  // chains
  std::int64_t workspace_bytes = 0;
  double cost = 0;
  double time_s = 0;
  std::int32_t last_stage = 0;  // events (t, k) exist for k <= t <= last_stage
  bool backward = false;
  // Positions in `inputs` and `outputs` that may share a buffer.
  struct Sharing {
    std::int32_t input = 0;
    std::int32_t output = 0;
  };
  std::optional<Sharing> in_place = {};
};

// A Problem prepared for methods that reason about events (t, k): "operation k runs in stage t"
// (docs/model/event-model.md §1). Costs are in the unit of the objective.
struct Step {
  std::vector<StepOperation> operations = {};
  std::vector<Chain> chains = {};
  std::int64_t budget_bytes =
      0;  // for chains, outputs and workspace: residents are already taken off
  std::optional<double> deadline_s = {};  // latest_end_s(): the tolerance is in it
  std::optional<std::int64_t> storage_room_bytes =
      {};  // for copies of made tensors: homes are taken off
  std::optional<std::int64_t> write_room_bytes = {};
  double once_cost = 0;  // of one execution of every operation
  double once_s = 0;

  std::int32_t stages() const { return static_cast<std::int32_t>(operations.size()); }
};

// In Overlapped mode transfers count as in Blocking.
Step make_step(const Problem& problem);

// The least RAM that the operation can run in: a new value needs no room of its own when its old
// value may be resident, and in-place sharing is taken (F of the cover inequalities, later_need.h).
std::int64_t least_room_bytes(const Step& step, const StepOperation& operation);

// What sizes are counted in by a linear model: whole units where a solver's tolerances allow it.
double byte_unit_of(const Step& step);

// All events (t, k) with k < t that a schedule of the class may contain.
std::int64_t count_reexecutions(const Step& step);

}  // namespace poet
