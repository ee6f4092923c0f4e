#pragma once

#include <cstdint>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/verify/replay.h"

namespace poet {

// An action at its place in the schedule: what most findings are about.
struct ActionAt {
  const Problem& problem;
  std::int64_t position = 0;
  const Action& action;
};

// The findings, one function per sentence. A tensor given here is always a root; "the action's"
// operation or tensor is the one that the action names.

// An operation or tensor out of range, or a view where its root must be named.
Finding unknown_name(const ActionAt& at);
Finding input_not_in_ram(const ActionAt& at, TensorId input, bool copied);
Finding new_value_not_ready(const ActionAt& at, TensorId input);
Finding executed_twice(const ActionAt& at);
Finding order_of_firsts(const ActionAt& at, OperationId expected);
Finding page_out_not_in_ram(const ActionAt& at);
Finding page_in_without_copy(const ActionAt& at);
Finding drop_not_in_ram(const ActionAt& at);
Finding fixed_tensor_moved(const ActionAt& at);
Finding old_value_read(const ActionAt& at, TensorId old_value, TensorId new_value);
Finding ram_budget(const ActionAt& at, std::int64_t used_bytes);
Finding memory_full(const ActionAt& at, MemoryId memory, std::int64_t used_bytes);
Finding storage_capacity(const ActionAt& at, std::int64_t used_bytes);
Finding write_budget(const ActionAt& at, std::int64_t written_bytes);
Finding paging_not_allowed(const ActionAt& at);
Finding rematerialisation_not_allowed(const ActionAt& at);

// About the step as a whole; `end` is the number of actions.
Finding resident_unknown(const Problem& problem, TensorId named);
Finding not_resident(const Problem& problem, TensorId named);
// A buffer that is placed in a memory that there is not, of what has none, or twice.
Finding wrong_place(const Problem& problem, const PlacedBuffer& placed);
Finding placed_without_buffer(const Problem& problem, const PlacedBuffer& placed);
Finding homes_exceed_capacity(const Problem& problem, std::int64_t used_bytes);
Finding never_executed(const Problem& problem, std::int64_t end, OperationId operation);
Finding update_not_in_storage(const Problem& problem, std::int64_t end, TensorId new_value);
Finding deadline(const Problem& problem, std::int64_t end, double time_s);
Finding worst_case_deadline(const Problem& problem, std::int64_t end, double time_s);

}  // namespace poet
