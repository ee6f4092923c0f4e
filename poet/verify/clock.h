#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/verify/replay.h"

namespace poet {

// One Compute as a clock sees it: roots that have a buffer of their own, so neither views nor rom
// nor residents.
struct CheckedExecution {
  OperationId operation{};
  std::vector<TensorId> inputs;       // each once
  std::vector<TensorId> new_outputs;  // take a buffer
  std::vector<TensorId> old_outputs;  // in RAM already: overwritten with the same bits
  // The input that the next action drops and whose buffer an output takes over, and the bytes they
  // share.
  std::optional<TensorId> in_place_input;
  std::int64_t shared_bytes = 0;
};

// Whether a tensor that is read in is in RAM already, or takes a buffer.
enum class Buffer { Held, Taken };

// Tells when each action of a step runs and how much RAM is in use then. Actions come in the order
// of the schedule; a clock knows no rules: what it is told happens.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Moment compute(const CheckedExecution& execution) = 0;
  virtual Moment page_out(TensorId tensor) = 0;
  virtual Moment page_in(TensorId tensor, Buffer buffer) = 0;
  virtual Moment drop(TensorId tensor) = 0;
  virtual Moment nothing() const = 0;      // an action that cannot be done
  virtual double processor_s() const = 0;  // when the processor comes to the next action
  virtual double time_s() const = 0;       // of the step, if it ended now
};

// The clock of the problem's time mode, at the beginning of a step with so much RAM in use for
// good.
std::unique_ptr<Clock> make_clock(const Problem& problem, std::int64_t fixed_ram_bytes);

}  // namespace poet
