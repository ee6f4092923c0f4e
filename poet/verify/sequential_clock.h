#pragma once

#include "poet/verify/clock.h"

namespace poet {

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

}  // namespace poet
