#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "poet/base/ids.h"
#include "poet/problem/problem.h"
#include "poet/verify/replay.h"

namespace poet {

// A buffer that an action takes, and where it lies.
struct TakenBuffer {
  TensorId tensor{};
  MemoryId memory = kFastRam;

  bool operator==(const TakenBuffer&) const = default;
};

// What is in use of each memory: buffers that are taken and not freed, each in full, less what two
// of them share while the bytes of one pass to the other.
class UsedMemory {
 public:
  // `fixed_bytes`, by memory, are in use for good.
  UsedMemory(const Problem& problem, std::vector<std::int64_t> fixed_bytes);

  void take(const TakenBuffer& buffer);
  void share(MemoryId memory, std::int64_t size_bytes);  // until the next free()
  void free(TensorId tensor);

  // Of a tensor that has a buffer.
  MemoryId memory_of(TensorId tensor) const { return at(memory_of_, tensor); }
  std::int64_t bytes(MemoryId memory) const;

 private:
  const Problem& problem_;
  std::vector<std::int64_t> held_bytes_;  // by memory
  std::vector<MemoryId> memory_of_;       // by tensor
  MemoryId shared_memory_ = kFastRam;
  std::int64_t shared_bytes_ = 0;
};

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

// One action after the other: Blocking, and Free, in which transfers take no time.
class SequentialClock final : public Clock {
 public:
  SequentialClock(const Problem& problem, const std::vector<std::int64_t>& fixed_bytes)
      : problem_(problem), used_(problem, fixed_bytes) {}

  Moment compute(const CheckedExecution& execution) override;
  Moment page_out(const CheckedTransfer& transfer) override;
  Moment page_in(const CheckedTransfer& transfer) override;
  Moment drop(TensorId tensor) override;
  Moment nothing() const override { return {used_.bytes(kFastRam), now_s_, now_s_}; }
  double processor_s() const override { return now_s_; }
  double time_s() const override { return now_s_; }
  std::int64_t used_bytes(MemoryId memory) const override { return used_.bytes(memory); }

 private:
  Moment move(double duration_s);
  Moment pass(double duration_s, std::int64_t extra_bytes);

  const Problem& problem_;
  UsedMemory used_;
  double now_s_ = 0;
};

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
//   exceeded, waiting cannot help: the action goes on, and its Moment shows the excess. Where there
//   are several memories, that is said of each by itself.
// - A Moment holds the RAM in use when the action begins for the processor. The times of a transfer
//   are those at which the channel works on it.
class OverlappedClock final : public Clock {
 public:
  OverlappedClock(const Problem& problem, const std::vector<std::int64_t>& fixed_bytes);

  Moment compute(const CheckedExecution& execution) override;
  Moment page_out(const CheckedTransfer& transfer) override;
  Moment page_in(const CheckedTransfer& transfer) override;
  Moment drop(TensorId tensor) override;
  Moment nothing() const override;
  double processor_s() const override { return now_s_; }
  double time_s() const override;
  std::int64_t used_bytes(MemoryId memory) const override { return at(running_bytes_, memory); }

 private:
  struct BufferTimes {
    double readable_s = 0;  // its value is there
    double quiet_s = 0;     // no transfer touches it any more
  };
  struct Lingering {
    double until_s = 0;
    std::int64_t size_bytes = 0;
    MemoryId memory = kFastRam;
    auto operator<=>(const Lingering&) const = default;
  };
  struct LingeringSum {
    std::int64_t buffers = 0;
    std::int64_t size_bytes = 0;
  };
  using BytesByMemory = std::vector<std::int64_t>;

  std::int64_t size_bytes(TensorId tensor) const { return at(problem_.tensors, tensor).size_bytes; }
  std::int64_t bytes_now(MemoryId memory) const {
    return used_.bytes(memory) + at(lingering_sums_, memory).size_bytes;
  }
  void note_running();
  void take(const TakenBuffer& buffer);
  void wait_until(double time_s);
  bool waiting_helps(const BytesByMemory& more_bytes) const;
  void wait_for_room(const BytesByMemory& more_bytes);
  double inputs_ready_s(const CheckedExecution& execution) const;
  Moment send(TensorId tensor, double duration_s);

  const Problem& problem_;
  std::vector<BufferTimes> buffers_;  // by tensor; of the buffer that it holds now
  std::priority_queue<Lingering, std::vector<Lingering>, std::greater<>> lingering_;
  UsedMemory used_;                           // by buffers taken and not dropped
  std::vector<LingeringSum> lingering_sums_;  // by memory
  BytesByMemory running_bytes_;               // in use when the last action began
  double now_s_ = 0;                          // the processor's
  double channel_free_s_ = 0;
};

}  // namespace poet
