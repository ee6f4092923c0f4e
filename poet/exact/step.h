#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/exact/number.h"
#include "poet/exact/problem.h"

namespace poet::exact {

// A root tensor that may enter and leave RAM during the step (`moves`); the rest is set only then.
struct Chain {
  bool moves = false;
  std::int64_t size_bytes = 0;
  std::optional<std::int32_t> maker = {};      // none: at home in storage
  std::vector<std::int32_t> readers = {};      // operations, ascending
  bool may_be_written = false;                 // a schedule chooses whether to store it
  bool must_be_written = false;                // a new value, unless it is resident
  bool may_be_read = false;                    // from storage
  bool may_be_resident = false;                // with its new value
  std::optional<std::int32_t> new_value = {};  // tensor that takes its place
  std::optional<std::int32_t> old_value = {};  // tensor whose place it takes
  std::int32_t last_stage = 0;                 // with an event that makes or reads it
  Number read_cost;
  Number write_cost;
  Number read_s;  // as a deadline counts them
  Number write_s;

  bool has_copy_anyway() const { return !maker || must_be_written; }
};

struct Sharing {
  std::int32_t input = 0;
  std::int32_t output = 0;
};

struct StepOperation {
  std::vector<std::int32_t> inputs = {};  // chains, each once
  std::vector<std::int32_t> outputs = {};
  std::int64_t workspace_bytes = 0;
  Number cost;
  Number time_s;
  std::int32_t last_stage = 0;  // the last in which running it again can be of use
  std::optional<Sharing> sharing = {};

  bool reads(std::int32_t chain) const;
  bool makes(std::int32_t chain) const;
};

// What bounds are derived from (docs/model/event-model.md §1): chains and operations with exact
// costs.
struct Step {
  std::vector<StepOperation> operations = {};
  std::vector<Chain> chains = {};  // by id of the tensor
  std::int64_t resident_bytes = 0;
  std::int64_t budget_bytes = 0;  // without residents
  std::optional<Number> latest_s = {};
  std::optional<std::int64_t> storage_room_bytes = {};  // without homes
  std::optional<std::int64_t> write_room_bytes = {};
  Number once_cost;  // of one execution of every operation
  Number once_s;

  std::int32_t stages() const { return static_cast<std::int32_t>(operations.size()); }
  // The tensor may be resident, or takes the place of one that may.
  bool may_stay(std::int32_t chain) const;
  // The least RAM that the operation can run in, residents not counted.
  std::int64_t least_room_bytes(const StepOperation& operation) const;
};

struct StepOptions {
  double compute_share = 1;    // of an overlapped problem: Certificate::compute_share
  bool costs_nothing = false;  // the question is only whether there is a schedule
  std::int64_t ram_budget_bytes = 0;
};
Step make_step(const Problem& problem, const StepOptions& options);

// The transfers of every schedule: the first read of each home and the write of each new value, by
// the operation that reads first or makes.
struct CertainTransfers {
  std::vector<std::vector<std::int32_t>> reads = {};
  std::vector<std::vector<std::int32_t>> writes = {};
};
CertainTransfers certain_transfers(const Problem& problem);

// What every schedule has (docs/model/problem.md §2.5), in the unit of the objective, and in
// seconds.
Number unavoidable_objective(const Problem& problem);
Number unavoidable_s(const Problem& problem);

// Why no schedule can be, where sums over the problem alone say so (docs/model/search.md §7.1).
std::optional<std::string> plainly_impossible(const Problem& problem,
                                              std::int64_t ram_budget_bytes);

}  // namespace poet::exact
