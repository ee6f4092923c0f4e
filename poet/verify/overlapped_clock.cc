#include "poet/verify/overlapped_clock.h"

#include <algorithm>

namespace poet {
namespace {

// Sums of sizes fit in 62 bits; with lingering buffers admitted below this, sums in 63 bits cannot
// overflow.
constexpr std::int64_t kMostAdmittedBytes = std::int64_t{1} << 62;

}  // namespace

OverlappedClock::OverlappedClock(const Problem& problem, std::int64_t fixed_ram_bytes)
    : problem_(problem),
      limit_bytes_(std::min(problem.ram_budget_bytes, kMostAdmittedBytes)),
      buffers_(problem.tensors.size()),
      held_bytes_(fixed_ram_bytes) {}

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

void OverlappedClock::wait_for_ram(std::int64_t extra_bytes) {
  while (!lingering_.empty() && used_bytes() > limit_bytes_ - extra_bytes)
    wait_until(lingering_.top().first);
}

double OverlappedClock::inputs_ready_s(const Execution& execution) const {
  double ready_s = now_s_;
  for (const TensorId input : execution.inputs)
    ready_s = std::max(ready_s, at(buffers_, input).readable_s);
  for (const TensorId output : execution.old_outputs)
    ready_s = std::max(ready_s, at(buffers_, output).quiet_s);
  if (execution.in_place_input)
    ready_s = std::max(ready_s, at(buffers_, *execution.in_place_input).quiet_s);
  return ready_s;
}

Moment OverlappedClock::compute(const Execution& execution) {
  const Operation& operation = at(problem_.operations, execution.operation);
  wait_until(inputs_ready_s(execution));

  for (const TensorId output : execution.new_outputs) take(output);
  shared_bytes_ = execution.shared_bytes;
  wait_for_ram(operation.workspace_bytes);

  const Moment moment = {used_bytes() + operation.workspace_bytes, now_s_,
                         now_s_ + operation.compute_s};
  wait_until(moment.end_s);
  return moment;
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
  take(tensor);
  wait_for_ram(0);
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
