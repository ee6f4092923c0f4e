// When actions run one after the other: free and blocking time (docs/model/problem.md §3.1).
#include "poet/verify/sequential_clock.h"

namespace poet {

Moment SequentialClock::pass(double duration_s, std::int64_t extra_bytes) {
  const double begin_s = now_s_;
  now_s_ += duration_s;
  return {used_.bytes(kFastRam) + extra_bytes, begin_s, now_s_};
}

Moment SequentialClock::compute(const CheckedExecution& execution) {
  for (const TakenBuffer& output : execution.new_outputs) used_.take(output);
  used_.share(execution.shared_memory, execution.shared_bytes);
  const Operation& operation = at(problem_.operations, execution.operation);
  return pass(operation.compute_s + execution.access_s, operation.workspace_bytes);
}

Moment SequentialClock::move(double duration_s) {
  return pass(problem_.time_mode == TimeMode::Free ? 0.0 : duration_s, 0);
}

Moment SequentialClock::page_out(const CheckedTransfer& transfer) {
  return move(at(problem_.tensors, transfer.tensor).page_out_s + transfer.access_s);
}

Moment SequentialClock::page_in(const CheckedTransfer& transfer) {
  if (transfer.buffer == Buffer::Taken) used_.take({transfer.tensor, transfer.memory});
  return move(at(problem_.tensors, transfer.tensor).page_in_s + transfer.access_s);
}

Moment SequentialClock::drop(TensorId tensor) {
  used_.free(tensor);
  return pass(0, 0);
}

}  // namespace poet
