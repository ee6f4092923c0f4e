#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/base/ids.h"
#include "poet/plan/plan.h"
#include "poet/verify/replay.h"

namespace poet {

// A stretch of a plan in which a tensor that was in RAM, and is needed again, is not there: actions
// [left_action, back_action).
struct Absence {
  enum class Return { Read, Recomputed };
  TensorId tensor{};
  Return way = Return::Read;
  std::int64_t left_action = 0;
  std::int64_t back_action = 0;  // that brings it back
  std::int64_t left_stage = 0;
  std::int64_t back_stage = 0;

  bool operator==(const Absence&) const = default;
};

// Of a plan with a valid schedule, in order of back_action.
std::vector<Absence> absences_of(const Plan& plan);

// The moment of an absence at which RAM is tightest, and what lies in it then: why the tensor
// cannot stay.
struct TightMoment {
  OperationId operation{};  // that runs
  std::int64_t used_bytes = 0;
  std::int64_t workspace_bytes = 0;
  std::vector<TensorId> holders = {};  // the largest first

  bool operator==(const TightMoment&) const = default;
};
// Nothing when nothing runs in the meantime. `replayed`: of the plan.
std::optional<TightMoment> tightest_moment(const Plan& plan, const Replay& replayed,
                                           const Absence& absence);

// What the objective pays for one execution, one read or one write (J, or s when time is made
// least; idle power included).
double execution_cost(const Problem& problem, OperationId operation);
double read_cost(const Problem& problem, TensorId tensor);
double write_cost(const Problem& problem, TensorId tensor);

// What brings the tensor back by executing operations again, given what is in RAM and in storage
// when it comes back in the plan: the operations, in order, and their cost with that of reads on
// the way. Nothing where it cannot be. Not always the cheapest way: operations that share inputs
// are weighed one by one.
struct Recomputation {
  std::vector<OperationId> operations = {};
  std::vector<TensorId> reads = {};
  double cost = 0;

  bool operator==(const Recomputation&) const = default;
};
std::optional<Recomputation> recomputation_of(const Plan& plan, const Absence& absence);

}  // namespace poet
