#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poet/base/result.h"
#include "poet/problem/certificate.h"
#include "poet/problem/problem.h"

namespace poet {

// A tensor as a proof speaks of it: by its root. `moves`: it takes room in RAM and may leave it
// (homes Made and Storage); the rest is set only then.
struct ProofTensor {
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
  double read_cost = 0;                        // in the unit of the objective
  double write_cost = 0;
  double read_s = 0;  // as a deadline counts them
  double write_s = 0;
};

struct ProofOperation {
  std::vector<std::int32_t> inputs = {};  // moving roots, each once
  std::vector<std::int32_t> outputs = {};
  std::int64_t workspace_bytes = 0;
  double cost = 0;
  double time_s = 0;
  std::int32_t last_stage = 0;  // the last in which running it again can be of use
  struct Sharing {              // moving roots that may share a buffer
    std::int32_t input = 0;
    std::int32_t output = 0;
  };
  std::optional<Sharing> sharing = {};

  bool reads(std::int32_t tensor) const;
  bool makes(std::int32_t tensor) const;
};

// What a bound is derived from, all of it from the problem. Overlapped problems count a share of
// the time of computation and the rest of that of transfers (Certificate::compute_share). The
// verifier's own reading: it shares nothing with the solvers'.
struct ProofStep {
  std::vector<ProofOperation> operations = {};
  std::vector<ProofTensor> tensors = {};                // by id
  std::int64_t budget_bytes = 0;                        // without residents
  std::optional<double> deadline_s = {};                // latest_end_s(): what a replay lets pass
  std::optional<std::int64_t> storage_room_bytes = {};  // without homes
  std::optional<std::int64_t> write_room_bytes = {};
  double once_cost = 0;  // of one execution of every operation
  double once_s = 0;

  std::int32_t stages() const { return static_cast<std::int32_t>(operations.size()); }
  // The tensor may be resident, or takes the place of one that may.
  bool may_stay(std::int32_t tensor) const;
  // The least RAM that the operation can run in: buffers shared where they can be, and a new value
  // of what may be resident in its place.
  std::int64_t least_room_bytes(const ProofOperation& operation) const;
};

// `problem` is well formed; `compute_share` is looked at only in Overlapped mode.
ProofStep make_proof_step(const Problem& problem, double compute_share = 1);

// One term of a cover inequality from later needs: weight * (comings of the tensor in the stages
// after the cut's and up to `until`).
struct NeedTerm {
  std::int32_t tensor = 0;
  std::int32_t until = 0;
  double weight = 0;
};

// The terms of the inequality "sum >= 1" that a cut's definition gives. `name` is what a message
// calls it.
Result<std::vector<NeedTerm>> terms_of(const ProofStep& step, const NeedCut& cut,
                                       const std::string& name);

}  // namespace poet
