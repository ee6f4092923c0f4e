// When actions run one after the other: free and blocking time (docs/model/problem.md §3.1).
#include "poet/verify/sequential_clock.h"

namespace poet {

Moment SequentialClock::pass(double duration_s, std::int64_t extra_bytes) {
  const double begin_s = now_s_;
  now_s_ += duration_s;
  return {used_bytes_ - shared_bytes_ + extra_bytes, begin_s, now_s_};
}

Moment SequentialClock::compute(const CheckedExecution& execution) {
  for (const TensorId output : execution.new_outputs) used_bytes_ += size_bytes(output);
  shared_bytes_ = execution.shared_bytes;
  const Operation& operation = at(problem_.operations, execution.operation);
  return pass(operation.compute_s, operation.workspace_bytes);
}

Moment SequentialClock::transfer(double duration_s) {
  return pass(problem_.time_mode == TimeMode::Free ? 0.0 : duration_s, 0);
}

Moment SequentialClock::page_out(TensorId tensor) {
  return transfer(at(problem_.tensors, tensor).page_out_s);
}

Moment SequentialClock::page_in(TensorId tensor, Buffer buffer) {
  if (buffer == Buffer::Taken) used_bytes_ += size_bytes(tensor);
  return transfer(at(problem_.tensors, tensor).page_in_s);
}

Moment SequentialClock::drop(TensorId tensor) {
  used_bytes_ -= size_bytes(tensor);
  shared_bytes_ = 0;  // the only Drop that can find some is that of the in-place input
  return pass(0, 0);
}

}  // namespace poet
