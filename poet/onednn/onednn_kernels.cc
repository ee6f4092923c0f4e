#include "poet/onednn/onednn_kernels.h"

#include <optional>
#include <utility>

#include "poet/kernels/kernel_call.h"
#include "poet/kernels/threads.h"
#include "poet/onednn/sequence_table.h"

namespace poet {
namespace {

class OnednnOperation final : public ReadyOperation {
 public:
  OnednnOperation(PreparedCall call, CallSequence sequence, int threads)
      : call_(std::move(call)), sequence_(std::move(sequence)), threads_(threads) {}

  std::int64_t workspace_bytes() const override { return sequence_.workspace_bytes(); }

  // The function's own workspace, if it has one, is nothing to oneDNN.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs,
           void* workspace) override {
    use_threads(threads_);
    const KernelPointers pointers = pointers_of(call_, inputs, outputs, nullptr);
    sequence_.run(pointers.inputs.data(), pointers.outputs.data(), workspace);
  }

 private:
  PreparedCall call_;
  CallSequence sequence_;
  int threads_;
};

class OnednnKernels final : public KernelSet {
 public:
  OnednnKernels(int threads, Factors factors)
      : threads_(threads), factors_(factors), others_(reference_kernels(threads)) {
    if (factors == Factors::Bfloat16) device_.factors = dnnl::memory::data_type::bf16;
  }

  std::string name() const override {
    return name_with_threads(factors_ == Factors::Float32 ? "onednn" : "onednn-bf16", threads_);
  }

  std::unique_ptr<ReadyOperation> ready(const OperationTypes& types) const override {
    // Scratchpads are as large as the number of threads wants them.
    use_threads(threads_);
    PreparedCall call = prepared(types);
    if (std::optional<CallSequence> sequence = onednn_sequence(call, device_))
      return std::make_unique<OnednnOperation>(std::move(call), *std::move(sequence), threads_);
    return others_->ready(types);
  }

 private:
  int threads_;
  Factors factors_;
  std::unique_ptr<KernelSet> others_;
  OnednnDevice device_;
};

// oneDNN's sets of instructions are sets of bits, and larger ones have the bits of smaller ones.
bool has_bfloat16() {
  const auto here = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_bf16);
  return (here & wanted) == wanted;
}

}  // namespace

Result<std::unique_ptr<KernelSet>> onednn_kernels(int threads, Factors factors) {
  if (factors == Factors::Bfloat16 && !has_bfloat16())
    return Error{.code = ErrorCode::Unsupported,
                 .message =
                     "this processor has no instructions for bfloat16 that oneDNN uses; use "
                     "--kernels onednn, which multiplies float32"};
  return std::unique_ptr<KernelSet>(std::make_unique<OnednnKernels>(threads, factors));
}

}  // namespace poet
