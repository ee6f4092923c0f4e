#include <fmt/format.h>

#include <utility>

#include "poet/base/check.h"
#include "poet/kernels/kernel_call.h"
#include "poet/kernels/kernel_set.h"
#include "poet/kernels/threads.h"

namespace poet {
namespace {

template <typename Pointer, std::size_t size>
std::array<Pointer, size> moved(std::array<Pointer, size> pointers,
                                const std::vector<std::int64_t>& offsets_bytes) {
  using Byte = std::conditional_t<std::is_same_v<Pointer, void*>, std::byte, const std::byte>;
  for (std::size_t k = 0; k < offsets_bytes.size(); ++k)
    if (pointers[k] != nullptr) pointers[k] = static_cast<Byte*>(pointers[k]) + offsets_bytes[k];
  return pointers;
}

class ReferenceOperation final : public ReadyOperation {
 public:
  ReferenceOperation(PreparedCall call, int threads)
      : call_(std::move(call)), parts_(divided(call_, threads)) {}

  std::int64_t workspace_bytes() const override { return call_.workspace_bytes; }

  void run(std::span<const void* const> inputs, std::span<void* const> outputs,
           void* workspace) override {
    const KernelPointers pointers = pointers_of(call_, inputs, outputs, workspace);
    run_in_parts(static_cast<int>(parts_.size()), [&](int number) {
      const CallPart& part = parts_[static_cast<std::size_t>(number)];
      call_.kernel.call(part.shape.data(), moved(pointers.inputs, part.input_offsets_bytes).data(),
                        moved(pointers.outputs, part.output_offsets_bytes).data());
    });
  }

 private:
  PreparedCall call_;
  std::vector<CallPart> parts_;
};

class ReferenceKernels final : public KernelSet {
 public:
  explicit ReferenceKernels(int threads) : threads_(threads) { POET_CHECK(threads >= 1); }

  std::string name() const override { return name_with_threads("reference", threads_); }

  std::unique_ptr<ReadyOperation> ready(const OperationTypes& types) const override {
    return std::make_unique<ReferenceOperation>(prepared(types), threads_);
  }

  std::int64_t workspace_bytes(const OperationTypes& types) const override {
    return entry_of(types.kind).kernel(types).workspace_bytes;
  }

 private:
  int threads_;
};

}  // namespace

std::string name_with_threads(std::string_view name, int threads) {
  return threads == 1 ? std::string(name) : fmt::format("{} on {} threads", name, threads);
}

std::unique_ptr<KernelSet> reference_kernels(int threads) {
  return std::make_unique<ReferenceKernels>(threads);
}

const KernelSet& plain_kernels() {
  static const ReferenceKernels kernels(1);
  return kernels;
}

}  // namespace poet
