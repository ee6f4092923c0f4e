#include "poet/kernels/kernel_call.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>

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

std::size_t word_of(const PreparedCall& call, const std::string& field) {
  const auto found = std::find(call.fields.begin(), call.fields.end(), field);
  POET_CHECK(found != call.fields.end());
  return static_cast<std::size_t>(found - call.fields.begin());
}

std::int64_t parts_worth_making(const Division& division, std::int64_t extent, int most_parts,
                                std::int64_t least_part_bytes) {
  std::int64_t step_bytes = 0;
  for (const std::int64_t step : division.input_steps_bytes) step_bytes += std::abs(step);
  for (const std::int64_t step : division.output_steps_bytes) step_bytes += std::abs(step);
  const std::int64_t by_size = extent * division.repeats * step_bytes / least_part_bytes;
  return std::clamp<std::int64_t>(std::min(by_size, extent), 1, most_parts);
}

// Of part `k` of `count`; the last one ends where the extent does.
std::int64_t beginning(const Division& division, std::int64_t extent, std::int64_t k,
                       std::int64_t count) {
  return k == count ? extent : extent * k / count / division.multiple * division.multiple;
}

std::vector<std::int64_t> offsets(const std::vector<std::int64_t>& steps_bytes,
                                  std::int64_t begin) {
  std::vector<std::int64_t> result;
  for (const std::int64_t step : steps_bytes) result.push_back(begin * step);
  return result;
}

CallPart whole(const PreparedCall& call) {
  return {.shape = call.shape,
          .input_offsets_bytes = std::vector<std::int64_t>(call.inputs.size()),
          .output_offsets_bytes = std::vector<std::int64_t>(call.outputs.size())};
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

std::vector<CallPart> divided(const PreparedCall& call, int most_parts,
                              std::int64_t least_part_bytes) {
  const Division& division = call.division;
  // Parts would share a workspace.
  if (most_parts == 1 || call.workspace_bytes > 0 || division.along.empty()) return {whole(call)};
  const std::size_t extent_word = word_of(call, division.along);
  const std::int64_t extent = static_cast<std::int32_t>(call.shape[extent_word]);
  const std::int64_t count = parts_worth_making(division, extent, most_parts, least_part_bytes);
  if (count == 1) return {whole(call)};
  std::vector<CallPart> parts;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t begin = beginning(division, extent, k, count);
    const std::int64_t end = beginning(division, extent, k + 1, count);
    CallPart part{.shape = call.shape,
                  .input_offsets_bytes = offsets(division.input_steps_bytes, begin),
                  .output_offsets_bytes = offsets(division.output_steps_bytes, begin)};
    const auto set = [&](const std::string& field, std::int64_t value) {
      part.shape[word_of(call, field)] = static_cast<std::uint32_t>(value);
    };
    set(division.along, end - begin);
    if (!division.begin.empty()) set(division.begin, begin);
    if (!division.rest.empty()) set(division.rest, extent - (end - begin));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace poet
