#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// What is true of a root tensor between two actions. Views have no state: they are their root's
// bytes.
struct TensorState {
  // In rom, or resident for the whole step: read where it is, never moved. A new value of a
  // resident is one too.
  bool fixed = false;
  // Its value can be read: it is in RAM, or fixed and (a new value) its update has run.
  bool present = false;
  // Present only because a finding has said that it is missing: it has no buffer.
  bool assumed = false;
  bool copied = false;                  // a copy of its value is in storage
  MemoryId memory = kFastRam;           // of its buffer; of a resident, and of its new value
  std::optional<TensorId> replaced_by;  // the new value, once its update has run
};

// All of it, and what was counted on the way (Replay has the same figures).
struct StepState {
  std::vector<TensorState> tensors;  // by tensor
  std::vector<bool> executed;        // by operation
  std::int32_t next_first = 0;       // the first operation that has not been executed
  std::int64_t storage_bytes = 0;    // homes, and copies written so far
  std::int64_t written_bytes = 0;
  std::int64_t read_bytes = 0;
  std::int64_t recomputed_operations = 0;
  std::int64_t paged_tensors = 0;
};

// Whether a schedule may choose to keep this tensor in RAM for the whole step.
bool may_be_chosen_resident(const Tensor& tensor);

// Before the first action: homes are in storage, residents in RAM, nothing else is anywhere.
// `chosen` marks, by tensor, the roots that the schedule keeps resident.
StepState state_before_step(const Problem& problem, const std::vector<bool>& chosen);

// Of each memory, what residents take, chosen or not. A new value takes its old value's place and
// is not counted again.
std::vector<std::int64_t> fixed_bytes(const Problem& problem, const std::vector<bool>& chosen,
                                      const StepState& state);

}  // namespace poet
