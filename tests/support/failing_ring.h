#pragma once

#include <memory>
#include <utility>

#include "poet/disk/io_calls.h"
#include "tests/support/failing_file_calls.h"

// io_uring, of which one call fails: calls of the ring count together with those of files.
namespace poet::testing {

class FailingRing final : public Ring {
 public:
  FailingRing(std::unique_ptr<Ring> real, FailingFileCalls& calls)
      : real_(std::move(real)), calls_(calls) {}

  void prepare(int file, const Transfer& piece, std::int64_t slot) override {
    real_->prepare(file, piece, slot);
  }
  int submit_and_wait() override {
    return calls_.fails("submit") ? error_of(calls_.fault()) : real_->submit_and_wait();
  }
  // The piece was moved, whole or in part; what is reported is the fault.
  std::optional<RingCompletion> next_completion() override {
    std::optional<RingCompletion> completion = real_->next_completion();
    if (!completion || !calls_.fails("completion", completion->result > 1)) return completion;
    completion->result =
        calls_.fault() == Fault::Short ? completion->result / 2 : error_of(calls_.fault());
    return completion;
  }

 private:
  std::unique_ptr<Ring> real_;
  FailingFileCalls& calls_;
};

// What a store is given: both kinds of calls, counted together.
inline IoCalls failing_calls(FailingFileCalls& calls) {
  return {calls, [&calls](std::int64_t depth) -> Result<std::unique_ptr<Ring>> {
            if (calls.fails("open_ring"))
              return Error{ErrorCode::Unsupported, "the kernel refuses io_uring: a test", {}};
            Result<std::unique_ptr<Ring>> real = open_kernel_ring(depth);
            if (!real) return real.error();
            return std::unique_ptr<Ring>(std::make_unique<FailingRing>(*std::move(real), calls));
          }};
}

// A kernel without io_uring.
inline IoCalls calls_without_ring() {
  return {system_file_calls(), [](std::int64_t) -> Result<std::unique_ptr<Ring>> {
            return Error{ErrorCode::Unsupported, "the kernel refuses io_uring: a test", {}};
          }};
}

}  // namespace poet::testing
