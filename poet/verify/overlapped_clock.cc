// When actions run where transfers run beside the processor (docs/model/problem.md §3.2).
#include "poet/verify/overlapped_clock.h"

#include <algorithm>

namespace poet {

OverlappedClock::OverlappedClock(const Problem& problem, std::int64_t fixed_ram_bytes)
    : problem_(problem), buffers_(problem.tensors.size()), held_bytes_(fixed_ram_bytes) {}

void OverlappedClock::take(TensorId tensor) {
  held_bytes_ += size_bytes(tensor);
  at(buffers_, tensor) = {.readable_s = now_s_, .quiet_s = now_s_};
}

void OverlappedClock::wait_until(double time_s) {
  now_s_ = std::max(now_s_, time_s);
  while (!lingering_.empty() && lingering_.top().first <= now_s_) {
    lingering_bytes_ -= lingering_.top().second;
    lingering_.pop();
  }
}

// Sums of sizes fit in 62 bits; asking before taking keeps what is in use there too.
void OverlappedClock::wait_for_ram(std::int64_t more_bytes) {
  while (!lingering_.empty() && used_bytes() > problem_.ram_budget_bytes - more_bytes)
    wait_until(lingering_.top().first);
}

double OverlappedClock::inputs_ready_s(const CheckedExecution& execution) const {
  double ready_s = now_s_;
  for (const TensorId input : execution.inputs)
    ready_s = std::max(ready_s, at(buffers_, input).readable_s);
  for (const TensorId output : execution.old_outputs)
    ready_s = std::max(ready_s, at(buffers_, output).quiet_s);
  if (execution.in_place_input)
    ready_s = std::max(ready_s, at(buffers_, *execution.in_place_input).quiet_s);
  return ready_s;
}

Moment OverlappedClock::compute(const CheckedExecution& execution) {
  const Operation& operation = at(problem_.operations, execution.operation);
  std::int64_t more_bytes = operation.workspace_bytes - execution.shared_bytes;
  for (const TensorId output : execution.new_outputs) more_bytes += size_bytes(output);
  wait_until(inputs_ready_s(execution));
  wait_for_ram(more_bytes);

  for (const TensorId output : execution.new_outputs) take(output);
  shared_bytes_ = execution.shared_bytes;
  const std::int64_t running_bytes = used_bytes() + operation.workspace_bytes;
  const double begin_s = now_s_;
  wait_until(begin_s + operation.compute_s);
  return {running_bytes, begin_s, now_s_};
}

Moment OverlappedClock::send(TensorId tensor, double duration_s) {
  const double begin_s = std::max(now_s_, channel_free_s_);
  channel_free_s_ = begin_s + duration_s;
  at(buffers_, tensor).quiet_s = channel_free_s_;
  return {used_bytes(), begin_s, channel_free_s_};
}

Moment OverlappedClock::page_out(TensorId tensor) {
  return send(tensor, at(problem_.tensors, tensor).page_out_s);
}

Moment OverlappedClock::page_in(TensorId tensor, Buffer buffer) {
  const double duration_s = at(problem_.tensors, tensor).page_in_s;
  if (buffer == Buffer::Held) return send(tensor, duration_s);
  wait_for_ram(size_bytes(tensor));
  take(tensor);
  const Moment moment = send(tensor, duration_s);
  at(buffers_, tensor).readable_s = moment.end_s;
  return moment;
}

Moment OverlappedClock::drop(TensorId tensor) {
  held_bytes_ -= size_bytes(tensor);
  shared_bytes_ = 0;  // the only Drop that can find some is that of the in-place input
  const double quiet_s = at(buffers_, tensor).quiet_s;
  if (quiet_s > now_s_) {
    lingering_.emplace(quiet_s, size_bytes(tensor));
    lingering_bytes_ += size_bytes(tensor);
  }
  return nothing();
}

Moment OverlappedClock::nothing() const {
  return {used_bytes(), now_s_, now_s_};
}

double OverlappedClock::time_s() const {
  return std::max(now_s_, channel_free_s_);
}

}  // namespace poet
