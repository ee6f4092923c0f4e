#include "poet/kernels/kernel_call.h"

#include <bit>

#include "poet/base/check.h"

namespace poet {
namespace {

template <typename Pointer>
using Pointers = std::array<Pointer, kMostPointers>;

// What a kernel takes, in its order, of what the operation has.
template <typename Pointer>
Pointers<Pointer> picked(const std::vector<std::optional<int>>& choice,
                         std::span<const Pointer> given) {
  Pointers<Pointer> pointers{};
  for (std::size_t i = 0; i < choice.size(); ++i) {
    if (!choice[i]) continue;
    const auto position = static_cast<std::size_t>(*choice[i]);
    POET_CHECK(position < given.size());
    pointers[i] = given[position];
  }
  return pointers;
}

std::uint32_t bits_of(const KernelWord& word) {
  return std::visit([](auto value) { return std::bit_cast<std::uint32_t>(value); }, word.value);
}

}  // namespace

PreparedCall prepared(const KernelCall& call) {
  const Kernel& kernel = call.function;
  POET_CHECK(kernel.call != nullptr);
  const std::size_t written = call.outputs.size() + (call.workspace_bytes > 0 ? 1 : 0);
  POET_CHECK(call.inputs.size() == static_cast<std::size_t>(kernel.inputs));
  POET_CHECK(written == static_cast<std::size_t>(kernel.outputs));
  POET_CHECK(std::max(call.inputs.size(), written) <= kMostPointers);
  PreparedCall result{.kernel = kernel,
                      .inputs = call.inputs,
                      .outputs = call.outputs,
                      .workspace_bytes = call.workspace_bytes};
  for (const KernelWord& word : call.shape) {
    result.shape.push_back(bits_of(word));
    result.fields.push_back(word.field);
  }
  POET_CHECK(result.shape.size() * sizeof(std::uint32_t) ==
             static_cast<std::size_t>(kernel.shape_bytes));
  return result;
}

PreparedCall prepared(const OperationTypes& types) {
  const OperatorEntry& entry = entry_of(types.kind);
  const KernelCall call = entry.kernel(types);
  PreparedCall result = prepared(call);
  if (entry.divides != nullptr) result.division = entry.divides(call);
  return result;
}

KernelPointers pointers_of(const PreparedCall& call, std::span<const void* const> inputs,
                           std::span<void* const> outputs, void* workspace) {
  KernelPointers pointers{picked(call.inputs, inputs), picked(call.outputs, outputs)};
  if (call.workspace_bytes > 0) pointers.outputs[call.outputs.size()] = workspace;
  return pointers;
}

void run(const PreparedCall& call, std::span<const void* const> inputs,
         std::span<void* const> outputs, void* workspace) {
  const KernelPointers pointers = pointers_of(call, inputs, outputs, workspace);
  call.kernel.call(call.shape.data(), pointers.inputs.data(), pointers.outputs.data());
}

void run(const KernelCall& call, std::span<const void* const> inputs,
         std::span<void* const> outputs, void* workspace) {
  run(prepared(call), inputs, outputs, workspace);
}

}  // namespace poet
