#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/problem/schedule.h"

namespace poet {

// Where a plan came from, for people and for making it again.
struct PlanOrigin {
  std::string model = {};
  std::string platform = {};  // empty: none was named
  std::string graph = {};     // "real", "released"; "file": anyone's costed graph
  std::string command = {};   // the command line, with the flags that matter
  // Operations are in parts that need at most so much RAM each; none: they are whole.
  std::optional<std::int64_t> part_bytes = {};

  bool operator==(const PlanOrigin&) const = default;
};

// What the solver said; the figures are re-derived by the verifier and not stored here.
struct PlanProof {
  std::string status = {};  // "optimal" or "feasible"
  std::string method = {};
  std::string backend = {};
  double lower_bound = 0;  // in the unit of the problem's objective
  // Of a plan that is kept for later and not proved best: the time limit of its search, and whether
  // that ended it.
  std::optional<double> time_limit_s = {};
  bool ended_by_clock = false;

  bool operator==(const PlanProof&) const = default;
};

// One stretch of a root tensor's presence in RAM: actions [begin_action, end_action) of the
// schedule. The buffer is taken by action `begin_action` (a Compute that makes it or a PageIn) and
// free from `end_action` on (after its Drop, or at the end). In-place sharing: `shares` is the
// index of the buffer whose bytes it takes over.
struct PlanBuffer {
  TensorId tensor{};
  std::int64_t size_bytes = 0;
  std::int64_t begin_action = 0;
  std::int64_t end_action = 0;
  std::optional<std::int64_t> shares = {};
  MemoryId memory = kFastRam;  // where it lies; it shares bytes only there

  bool operator==(const PlanBuffer&) const = default;
};

// A schedule ready to be laid out, run or emitted: the instance, its answer, and every buffer's
// lifetime.
struct Plan {
  PlanOrigin origin = {};
  PlanProof proof = {};
  Problem problem = {};
  Schedule schedule = {};
  std::vector<PlanBuffer> buffers = {};  // in order of begin_action

  bool operator==(const Plan&) const = default;
};

// The buffers of a valid schedule. Residents and tensors with home Resident have one buffer over
// all actions.
std::vector<PlanBuffer> buffers_of(const Problem& problem, const Schedule& schedule);

}  // namespace poet
