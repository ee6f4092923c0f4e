#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// What follows from a well-formed problem alone, before anybody schedules anything.

// The tensor whose bytes `tensor` is: itself, unless it is a view.
TensorId root_of(const Problem& problem, TensorId tensor);

// For each tensor its producer; nothing for tensors that are not made. Views have a producer of
// their own.
std::vector<std::optional<OperationId>> producers(const Problem& problem);

// For each root the operations that read it or any view of it, in order; empty for views.
std::vector<std::vector<OperationId>> readers(const Problem& problem);

// The distinct roots that an operation reads and that take room in RAM (homes Made, Storage and
// Resident).
std::vector<TensorId> ram_inputs(const Problem& problem, OperationId operation);

// The roots that an operation makes (nothing for a view).
std::vector<TensorId> made_outputs(const Problem& problem, OperationId operation);

// Bytes of tensors with home Resident. A new value of a resident tensor takes its place and is not
// counted again.
std::int64_t resident_bytes(const Problem& problem);

// What all operations write to storage by themselves: each of them is executed once.
std::int64_t bytes_written_by_operations(const Problem& problem);

// What no step can help writing: that, and every new value of what has to lie in storage.
std::int64_t unavoidable_written_bytes(const Problem& problem);

// What may be written besides, by transfers; below 0 where that is too much already. Nothing: there
// is no write budget.
std::optional<std::int64_t> write_room_bytes(const Problem& problem);

// What an operation needs at the least: residents, inputs, outputs and workspace; in-place sharing
// taken, views once, the new value of a tensor that may be resident in its place.
std::int64_t working_set_bytes(const Problem& problem, OperationId operation);

// The operation with the largest working set (the first of several), a lower bound on any RAM
// budget.
struct WorkingSet {
  OperationId operation{};
  std::int64_t bytes = 0;
};
WorkingSet largest_working_set(const Problem& problem);

// The schedule that keeps everything: no recomputation, no paging but reads of homes in storage
// before their first use and writes of updated values right after they are made; every tensor
// leaves RAM at its last use, in-place sharing taken. Tensors that nobody reads leave right after
// they are made.
Schedule plain_schedule(const Problem& problem);

// RAM in use at the worst moment of plain_schedule: the plain peak.
std::int64_t plain_peak_bytes(const Problem& problem);

// Whether there is an energy to speak of: graphs from files need not state any, and 0 in all
// operations is no figure then.
bool knows_energies(const Problem& problem);

// What no schedule can save (docs/model/problem.md §2.5): one execution of each operation and idle
// power for that time, one read of each used tensor with its home in storage, one write of each
// updated one. Tensors that may be resident are left out: they need not be transferred.
struct Unavoidable {
  double energy_j = 0;
  double compute_s = 0;
  // compute_s, and in Blocking mode the transfers above; in Overlapped mode least_overlapped_s()
  double time_s = 0;
};
Unavoidable unavoidable(const Problem& problem);

// Of these, what the problem makes least, in its unit: no schedule has less.
double unavoidable_objective(const Problem& problem);

}  // namespace poet
