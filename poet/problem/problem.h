#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/home.h"
#include "poet/base/ids.h"
#include "poet/base/named.h"
#include "poet/base/result.h"
#include "poet/base/time_mode.h"

namespace poet {

// A tensor as the planner sees it: bytes that somebody makes and somebody reads.
struct Tensor {
  std::string name = {};
  std::int64_t size_bytes = 0;
  Home home = Home::Made;
  // A home in storage that the solver may choose to keep in RAM for the whole step instead
  // (Schedule::resident).
  bool may_be_resident = false;
  // Set for the output of a view: the tensor whose bytes these are. Always an earlier tensor's root
  // (never itself a view), of the same home; its size and transfer costs here are the root's and
  // are not looked at.
  std::optional<TensorId> view_of = {};
  // Set for a new value: the tensor (home Storage or Resident, same size) whose place it takes. Its
  // own home is Made when the old value's home is Storage, and Resident when that is Resident. Its
  // producer must be `once`.
  std::optional<TensorId> updates = {};
  // One transfer of the whole tensor between storage and RAM.
  double page_in_j = 0;
  double page_out_j = 0;
  double page_in_s = 0;
  double page_out_s = 0;

  bool operator==(const Tensor&) const = default;
};

// An input that may share its buffer with an output, when the input dies with the execution.
struct InPlace {
  TensorId input{};
  TensorId output{};  // not larger than the input

  bool operator==(const InPlace&) const = default;
};

// One operation of the training step. Pure unless `once`: executed again it gives the same bits.
struct Operation {
  std::string name = {};
  std::vector<TensorId> inputs = {};   // each at most once
  std::vector<TensorId> outputs = {};  // at least one
  std::int64_t workspace_bytes = 0;
  // Of all that it does: an operation may read and write parts of what lies in storage by itself.
  double compute_j = 0;
  double compute_s = 0;
  std::int64_t written_bytes = 0;  // to storage, by itself; such an operation is `once`
  bool once = false;               // must not be executed twice
  bool view = false;  // its only output is its only input under another shape: no cost, no memory
  bool backward = false;  // part of the backward pass; a hint, and for pictures
  std::optional<InPlace> in_place = {};

  bool operator==(const Operation&) const = default;
};

enum class Objective { Energy, Time };

inline constexpr Named<Objective> kObjectives[] = {{"energy", Objective::Energy},
                                                   {"time", Objective::Time}};

// How far costs may be from their figures (docs/model/problem.md §4): an operation, a read or a
// write of a tensor may take up to (1 + ratio) times its time and its energy, each time it is done.
struct Uncertainty {
  double ratio = 0;  // above 0, at most kMostUncertainty
  // At most so many of these costs are above their figures; none: all may be.
  std::optional<std::int64_t> deviations = {};
  // That the step keeps in the worst case; set exactly when Problem::deadline_s is.
  std::optional<double> deadline_s = {};

  bool operator==(const Uncertainty&) const = default;
};

inline constexpr double kMostUncertainty = 10;

// A memory beside the fast RAM that operations reach by address (docs/model/memories.md §1): on top
// of what an operation or a transfer costs, it pays for each byte of a buffer that it reads there,
// and for each that it writes there.
struct FurtherMemory {
  std::string name = {};
  std::int64_t size_bytes = 0;
  double read_s_per_byte = 0;
  double read_j_per_byte = 0;
  double write_s_per_byte = 0;
  double write_j_per_byte = 0;

  bool operator==(const FurtherMemory&) const = default;
};

// A training step and what it must fit into: the whole instance, as numbers only.
// Operations are in a topological order, which first executions follow; ids are positions in these
// lists.
struct Problem {
  std::string name = {};
  std::vector<Operation> operations = {};
  std::vector<Tensor> tensors = {};

  std::int64_t ram_budget_bytes = 0;
  // Behind the RAM of the budget, which is memory 0: these are memories 1, 2, ...
  std::vector<FurtherMemory> further_memories = {};
  // By the figures. With an uncertainty it is what the deadline of the worst case leaves at the
  // most: figures_deadline_s() (uncertainty.h).
  std::optional<double> deadline_s = {};
  std::optional<Uncertainty> uncertainty = {};
  std::optional<std::int64_t> storage_capacity_bytes = {};  // homes and every copy written
  std::optional<std::int64_t> write_budget_bytes = {};      // per step: flash wear
  double idle_w = 0;  // drawn during the whole step, whatever happens
  TimeMode time_mode = TimeMode::Blocking;
  Objective objective = Objective::Energy;
  // What a schedule may do. Without paging only tensors with a copy that they need anyway are read
  // (homes in storage) and only updated values are written.
  bool paging_allowed = true;
  bool rematerialisation_allowed = true;

  bool operator==(const Problem&) const = default;
};

// Nothing when the problem is well formed; otherwise the first rule it breaks, naming the operation
// or tensor: ids in range, inputs made before they are read, one producer per made tensor and none
// for other homes, sizes and costs not negative, finite and within figure_range.h, views, updates
// and in-place marks as described above, no read of an old value after its update.
Failure check_problem(const Problem& problem);

}  // namespace poet
