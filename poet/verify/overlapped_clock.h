#pragma once

#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "poet/verify/clock.h"

namespace poet {

// One storage channel, first in first out, beside the processor.
//
//   processor  | compute 0 |    compute 1    | waits |   compute 2   |
//   channel                | write a |     read b    |
//                          ^ PageOut a and PageIn b are issued; that takes the processor no time
//
// The processor walks the list of actions. The fine points of docs/model/problem.md §3.2:
// - A transfer starts when it is issued and the channel is free. In a channel that is first in
//   first out its end is known then, and a read behind a write of the same tensor finds what was
//   written.
// - A read takes its buffer when issued: the processor waits there until RAM admits it.
// - A tensor that is read in again while in RAM gets the same bytes in the same buffer: it stays
//   readable from its first arrival.
// - A tensor that is written while its own read is in flight: the order of the channel sees to it,
//   nobody waits.
// - A buffer that is dropped while a transfer touches it (a write not finished, a read not arrived)
//   lingers: it is charged until the last such transfer has ended. If its tensor is made or read in
//   again meanwhile, that takes another buffer, and both are charged.
// - A Compute that overwrites an output in RAM, or takes over an input's buffer in place, waits
//   until no transfer touches that buffer: while it works the bytes there are nobody's value.
// - The processor waits for RAM only while buffers linger. When none does and the budget is still
//   exceeded, waiting cannot help: the action goes on, and its Moment shows the excess.
// - A Moment holds the RAM in use when the action begins for the processor. The times of a transfer
//   are those at which the channel works on it.
class OverlappedClock final : public Clock {
 public:
  OverlappedClock(const Problem& problem, std::int64_t fixed_ram_bytes);

  Moment compute(const CheckedExecution& execution) override;
  Moment page_out(TensorId tensor) override;
  Moment page_in(TensorId tensor, Buffer buffer) override;
  Moment drop(TensorId tensor) override;
  Moment nothing() const override;
  double processor_s() const override { return now_s_; }
  double time_s() const override;

 private:
  struct BufferTimes {
    double readable_s = 0;  // its value is there
    double quiet_s = 0;     // no transfer touches it any more
  };
  using Lingering = std::pair<double, std::int64_t>;  // until when, bytes

  std::int64_t size_bytes(TensorId tensor) const { return at(problem_.tensors, tensor).size_bytes; }
  std::int64_t used_bytes() const { return held_bytes_ - shared_bytes_ + lingering_bytes_; }
  void take(TensorId tensor);
  void wait_until(double time_s);
  void wait_for_ram(std::int64_t more_bytes);
  double inputs_ready_s(const CheckedExecution& execution) const;
  Moment send(TensorId tensor, double duration_s);

  const Problem& problem_;
  std::vector<BufferTimes> buffers_;  // by tensor; of the buffer that it holds now
  std::priority_queue<Lingering, std::vector<Lingering>, std::greater<>> lingering_;
  std::int64_t held_bytes_;           // buffers taken and not dropped, each in full
  std::int64_t shared_bytes_ = 0;     // counted twice in held_bytes_, until the Drop of the input
  std::int64_t lingering_bytes_ = 0;  // sum over lingering_
  double now_s_ = 0;                  // the processor's
  double channel_free_s_ = 0;
};

}  // namespace poet
