// What is in use of each memory (docs/model/problem.md §2.2, docs/model/memories.md §2.2), and when
// actions run: one after the other (docs/model/problem.md §3.1), or with transfers beside the
// processor (docs/model/problem.md §3.2).
#include "poet/verify/clock.h"

#include <algorithm>
#include <utility>

#include "poet/problem/memories.h"

namespace poet {

UsedMemory::UsedMemory(const Problem& problem, std::vector<std::int64_t> fixed_bytes)
    : problem_(problem),
      held_bytes_(std::move(fixed_bytes)),
      memory_of_(problem.tensors.size(), kFastRam) {}

void UsedMemory::take(const TakenBuffer& buffer) {
  at(memory_of_, buffer.tensor) = buffer.memory;
  at(held_bytes_, buffer.memory) += at(problem_.tensors, buffer.tensor).size_bytes;
}

void UsedMemory::share(MemoryId memory, std::int64_t size_bytes) {
  shared_memory_ = memory;
  shared_bytes_ = size_bytes;
}

// The only one that can find something shared is that of the in-place input.
void UsedMemory::free(TensorId tensor) {
  at(held_bytes_, memory_of(tensor)) -= at(problem_.tensors, tensor).size_bytes;
  shared_bytes_ = 0;
}

std::int64_t UsedMemory::bytes(MemoryId memory) const {
  return at(held_bytes_, memory) - (memory == shared_memory_ ? shared_bytes_ : 0);
}

std::unique_ptr<Clock> make_clock(const Problem& problem,
                                  const std::vector<std::int64_t>& fixed_bytes) {
  if (problem.time_mode == TimeMode::Overlapped)
    return std::make_unique<OverlappedClock>(problem, fixed_bytes);
  return std::make_unique<SequentialClock>(problem, fixed_bytes);
}

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

OverlappedClock::OverlappedClock(const Problem& problem,
                                 const std::vector<std::int64_t>& fixed_bytes)
    : problem_(problem),
      buffers_(problem.tensors.size()),
      used_(problem, fixed_bytes),
      lingering_sums_(fixed_bytes.size()),
      running_bytes_(fixed_bytes) {}

void OverlappedClock::note_running() {
  for (std::size_t m = 0; m < running_bytes_.size(); ++m)
    running_bytes_[m] = bytes_now(MemoryId{static_cast<std::int32_t>(m)});
}

void OverlappedClock::take(const TakenBuffer& buffer) {
  used_.take(buffer);
  at(buffers_, buffer.tensor) = {.readable_s = now_s_, .quiet_s = now_s_};
}

void OverlappedClock::wait_until(double time_s) {
  now_s_ = std::max(now_s_, time_s);
  while (!lingering_.empty() && lingering_.top().until_s <= now_s_) {
    LingeringSum& sum = at(lingering_sums_, lingering_.top().memory);
    sum.size_bytes -= lingering_.top().size_bytes;
    --sum.buffers;
    lingering_.pop();
  }
}

// Sums of sizes fit in 62 bits; asking before taking keeps what is in use there too.
bool OverlappedClock::waiting_helps(const BytesByMemory& more_bytes) const {
  for (std::size_t m = 0; m < more_bytes.size(); ++m) {
    const MemoryId memory{static_cast<std::int32_t>(m)};
    const std::int64_t room_bytes = memory_bytes(problem_, memory) - more_bytes[m];
    if (lingering_sums_[m].buffers > 0 && bytes_now(memory) > room_bytes) return true;
  }
  return false;
}

void OverlappedClock::wait_for_room(const BytesByMemory& more_bytes) {
  while (!lingering_.empty() && waiting_helps(more_bytes)) wait_until(lingering_.top().until_s);
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
  BytesByMemory more_bytes(lingering_sums_.size(), 0);
  at(more_bytes, kFastRam) = operation.workspace_bytes;
  at(more_bytes, execution.shared_memory) -= execution.shared_bytes;
  for (const TakenBuffer& output : execution.new_outputs)
    at(more_bytes, output.memory) += size_bytes(output.tensor);
  wait_until(inputs_ready_s(execution));
  wait_for_room(more_bytes);

  for (const TakenBuffer& output : execution.new_outputs) take(output);
  used_.share(execution.shared_memory, execution.shared_bytes);
  note_running();
  const std::int64_t ram_bytes = at(running_bytes_, kFastRam) + operation.workspace_bytes;
  const double begin_s = now_s_;
  wait_until(begin_s + (operation.compute_s + execution.access_s));
  return {ram_bytes, begin_s, now_s_};
}

Moment OverlappedClock::send(TensorId tensor, double duration_s) {
  const double begin_s = std::max(now_s_, channel_free_s_);
  channel_free_s_ = begin_s + duration_s;
  at(buffers_, tensor).quiet_s = channel_free_s_;
  note_running();
  return {at(running_bytes_, kFastRam), begin_s, channel_free_s_};
}

Moment OverlappedClock::page_out(const CheckedTransfer& transfer) {
  return send(transfer.tensor,
              at(problem_.tensors, transfer.tensor).page_out_s + transfer.access_s);
}

Moment OverlappedClock::page_in(const CheckedTransfer& transfer) {
  const double duration_s = at(problem_.tensors, transfer.tensor).page_in_s + transfer.access_s;
  if (transfer.buffer == Buffer::Held) return send(transfer.tensor, duration_s);
  BytesByMemory more_bytes(lingering_sums_.size(), 0);
  at(more_bytes, transfer.memory) = size_bytes(transfer.tensor);
  wait_for_room(more_bytes);
  take({transfer.tensor, transfer.memory});
  const Moment moment = send(transfer.tensor, duration_s);
  at(buffers_, transfer.tensor).readable_s = moment.end_s;
  return moment;
}

Moment OverlappedClock::drop(TensorId tensor) {
  const MemoryId memory = used_.memory_of(tensor);
  used_.free(tensor);
  const double quiet_s = at(buffers_, tensor).quiet_s;
  if (quiet_s > now_s_) {
    lingering_.push({quiet_s, size_bytes(tensor), memory});
    at(lingering_sums_, memory).size_bytes += size_bytes(tensor);
    ++at(lingering_sums_, memory).buffers;
  }
  return nothing();
}

Moment OverlappedClock::nothing() const {
  return {bytes_now(kFastRam), now_s_, now_s_};
}

double OverlappedClock::time_s() const {
  return std::max(now_s_, channel_free_s_);
}

}  // namespace poet
