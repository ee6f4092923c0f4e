#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/verify/replay.h"
#include "poet/verify/used_memory.h"

namespace poet {

// One Compute as a clock sees it: roots that have a buffer of their own, so neither views nor rom
// nor residents.
struct CheckedExecution {
  OperationId operation{};
  std::vector<TensorId> inputs;  // each once
  std::vector<TakenBuffer> new_outputs;
  std::vector<TensorId> old_outputs;  // in RAM already: overwritten with the same bits
  // The input that the next action drops and whose buffer an output takes over, and the bytes they
  // share.
  std::optional<TensorId> in_place_input;
  MemoryId shared_memory = kFastRam;  // both lie there
  std::int64_t shared_bytes = 0;
  double access_s = 0;  // in memories that are slower than the RAM, beside its own time
};

// Whether a tensor that is read in is in RAM already, or takes a buffer.
enum class Buffer { Held, Taken };

// One PageOut or PageIn as a clock sees it.
struct CheckedTransfer {
  TensorId tensor{};
  Buffer buffer = Buffer::Held;
  MemoryId memory = kFastRam;  // of a buffer that is taken
  double access_s = 0;         // beside the time of the transfer
};

// Tells when each action of a step runs and how much RAM is in use then. Actions come in the order
// of the schedule; a clock knows no rules: what it is told happens.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment compute(const CheckedExecution& execution) = 0;
  virtual Moment page_out(const CheckedTransfer& transfer) = 0;
  virtual Moment page_in(const CheckedTransfer& transfer) = 0;
  virtual Moment drop(TensorId tensor) = 0;
  virtual Moment nothing() const = 0;      // an action that cannot be done
  virtual double processor_s() const = 0;  // when the processor comes to the next action
  virtual double time_s() const = 0;       // of the step, if it ended now
  // In use of a further memory by the action that was told last, while it runs.
  virtual std::int64_t used_bytes(MemoryId memory) const = 0;
};

// The clock of the problem's time mode, at the beginning of a step with so much of each memory in
// use for good.
std::unique_ptr<Clock> make_clock(const Problem& problem,
                                  const std::vector<std::int64_t>& fixed_bytes);

}  // namespace poet
