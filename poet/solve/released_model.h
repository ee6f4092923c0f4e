#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/result.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"
#include "poet/solve/linear_model.h"

namespace poet {

// A T x T matrix of 0 and 1; rows are stages.
class SolvedMatrix {
 public:
  explicit SolvedMatrix(std::int32_t stages)
      : stages_(stages), cells_(static_cast<std::size_t>(stages) * stages, false) {}

  bool at(std::int32_t stage, std::int32_t operation) const {
    return cells_[place(stage, operation)];
  }
  void set(std::int32_t stage, std::int32_t operation, bool value) {
    cells_[place(stage, operation)] = value;
  }
  std::int32_t stages() const { return stages_; }

  bool operator==(const SolvedMatrix&) const = default;

 private:
  std::size_t place(std::int32_t stage, std::int32_t operation) const {
    return static_cast<std::size_t>(stage) * stages_ + operation;
  }

  std::int32_t stages_;
  std::vector<bool> cells_;
};

// An answer of the released formulation (docs/model/released.md §1.1), by stage t and tensor i.
// Tensors are named by the operation that makes them.
struct SolvedMatrices {
  SolvedMatrix runs;      // R: operation i runs in stage t
  SolvedMatrix in_ram;    // S_ram: i lies in RAM when stage t begins
  SolvedMatrix stored;    // S_sd: i lies in storage when stage t begins
  SolvedMatrix page_in;   // M_in: i is read from storage at the end of stage t
  SolvedMatrix page_out;  // M_out: i is written to storage at the beginning of stage t

  explicit SolvedMatrices(std::int32_t stages)
      : runs(stages), in_ram(stages), stored(stages), page_in(stages), page_out(stages) {}
  bool operator==(const SolvedMatrices&) const = default;
};

// Nothing when the released formulation can state the problem: one made tensor per operation,
// transfers that take no time where a time counts, and none of what docs/model/released.md §1.3
// lists. Otherwise an Error of code Unsupported that names the first feature it cannot state.
Failure check_released(const Problem& problem);

// The released formulation as a linear model. Entries whose value is known are no columns: what is
// above the diagonal, first executions, and what a switched-off technique leaves out.
struct ReleasedModel {
  // By stage and operation; nothing where the value is known.
  using Columns = std::vector<std::vector<std::optional<std::int32_t>>>;

  LinearModel linear = {};
  Columns runs = {};  // the diagonal is 1; nothing else that is known is
  Columns in_ram = {};
  Columns stored = {};
  Columns page_in = {};
  Columns page_out = {};
  double constant_cost = 0;  // of first executions, in the unit of the problem's objective
  double cost_unit = 1;      // the linear model states costs in units of this
};

// `problem` passed check_released.
ReleasedModel make_released_model(const Problem& problem);

// The matrices that values state; nothing when one is further than 1e-6 from a whole number.
std::optional<SolvedMatrices> released_matrices(const ReleasedModel& model,
                                                const std::vector<double>& values);

// The list of actions behind the matrices: in each stage writes, then executions in order, each
// followed by dropping what neither the stage needs any more nor the next stage begins with, then
// reads. What the matrices do in vain (make or read what is in RAM, read what nothing keeps) is
// left out. Nothing when they break a rule of the problem: an input that is not in RAM, a read
// without a copy, the RAM budget.
std::optional<Schedule> released_schedule(const Problem& problem, const SolvedMatrices& matrices);

}  // namespace poet
