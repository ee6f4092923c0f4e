#include "poet/onednn/onednn_kernels.h"

#include <optional>
#include <utility>

#include "poet/kernels/kernel_call.h"
#include "poet/kernels/threads.h"
#include "poet/onednn/chain_table.h"

namespace poet {
namespace {

class OnednnOperation final : public ReadyOperation {
 public:
  OnednnOperation(PreparedCall call, CallChain chain, int threads)
      : call_(std::move(call)), chain_(std::move(chain)), threads_(threads) {}

  std::int64_t workspace_bytes() const override { return chain_.workspace_bytes(); }

  // The function's own workspace, if it has one, is nothing to oneDNN.
  void run(std::span<const void* const> inputs, std::span<void* const> outputs,
           void* workspace) override {
    use_threads(threads_);
    const KernelPointers pointers = pointers_of(call_, inputs, outputs, nullptr);
    chain_.run(pointers.inputs.data(), pointers.outputs.data(), workspace);
  }

 private:
  PreparedCall call_;
  CallChain chain_;
  int threads_;
};

class OnednnKernels final : public KernelSet {
 public:
  explicit OnednnKernels(int threads) : threads_(threads), others_(reference_kernels(threads)) {}

  std::string name() const override { return name_with_threads("onednn", threads_); }

  std::unique_ptr<ReadyOperation> ready(const OperationTypes& types) const override {
    // Scratchpads are as large as the number of threads wants them.
    use_threads(threads_);
    PreparedCall call = prepared(entry_of(types.kind).kernel(types));
    if (std::optional<CallChain> chain = onednn_chain(call, device_))
      return std::make_unique<OnednnOperation>(std::move(call), *std::move(chain), threads_);
    return others_->ready(types);
  }

 private:
  int threads_;
  std::unique_ptr<KernelSet> others_;
  OnednnDevice device_;
};

}  // namespace

Result<std::unique_ptr<KernelSet>> onednn_kernels(int threads) {
  return std::unique_ptr<KernelSet>(std::make_unique<OnednnKernels>(threads));
}

}  // namespace poet
