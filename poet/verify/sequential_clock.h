#pragma once

#include "poet/verify/clock.h"

namespace poet {

// One action after the other: Blocking, and Free, in which transfers take no time.
class SequentialClock final : public Clock {
 public:
  SequentialClock(const Problem& problem, std::int64_t fixed_ram_bytes)
      : problem_(problem), used_bytes_(fixed_ram_bytes) {}

  Moment compute(const CheckedExecution& execution) override;
  Moment page_out(TensorId tensor) override;
  Moment page_in(TensorId tensor, Buffer buffer) override;
  Moment drop(TensorId tensor) override;
  Moment nothing() const override { return {used_bytes_ - shared_bytes_, now_s_, now_s_}; }
  double processor_s() const override { return now_s_; }
  double time_s() const override { return now_s_; }

 private:
  std::int64_t size_bytes(TensorId tensor) const { return at(problem_.tensors, tensor).size_bytes; }
  Moment transfer(double duration_s);
  Moment pass(double duration_s, std::int64_t extra_bytes);

  const Problem& problem_;
  std::int64_t used_bytes_;        // every buffer counted in full
  std::int64_t shared_bytes_ = 0;  // counted twice in used_bytes_, until the Drop of the input
  double now_s_ = 0;
};

}  // namespace poet
