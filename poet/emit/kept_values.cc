#include "poet/emit/kept_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "poet/base/check.h"
#include "poet/runtime/checkpoint.h"
#include "poet/runtime/crc32.h"

namespace poet {
namespace {

bool is_resident(const RunnableStep& step, TensorId tensor) {
  const std::vector<TensorId>& chosen = step.plan.schedule.resident;
  return at(step.graph.tensors, tensor).home == Home::Resident ||
         std::find(chosen.begin(), chosen.end(), tensor) != chosen.end();
}

std::int64_t arena_offset(const RunnableStep& step, TensorId tensor) {
  for (std::size_t b = 0; b < step.plan.buffers.size(); ++b)
    if (step.plan.buffers[b].tensor == tensor) return step.layout.buffer_offset_bytes[b];
  check_failed("a resident has a buffer", __FILE__, __LINE__);
}

// Those of a form that have a home and are neither inputs nor the step itself.
using Values = std::map<std::string, EmittedValue>;

void add_values(const EmittedForm& form, const std::vector<std::int64_t>& slots, Values& values) {
  const RunnableStep& step = *form.step;
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i) {
    const auto id = static_cast<TensorId>(i);
    const GraphTensor& tensor = step.graph.tensors[i];
    if (tensor.home == Home::Made || tensor.role == TensorRole::Input ||
        tensor.role == TensorRole::Step)
      continue;
    const auto initial = form.initial->find(id);
    EmittedValue value{.name = tensor.name,
                       .type = tensor.type,
                       .role = tensor.role,
                       .home = tensor.home,
                       .initial = initial == form.initial->end() ? nullptr : &initial->second};
    if (tensor.home == Home::Storage) value.offset_bytes = slots[i];
    if (tensor.home != Home::Rom && is_resident(step, id)) {
      value.home = Home::Resident;
      value.offset_bytes = arena_offset(step, id);
    }
    values.emplace(tensor.name, std::move(value));
  }
}

Values all_values(const std::vector<EmittedForm>& forms, const StorageSlots& slots) {
  Values values;
  for (std::size_t k = 0; k < forms.size(); ++k)
    add_values(forms[k], slots.slot_offset_bytes[k], values);
  return values;
}

std::int64_t whole_blocks(std::int64_t bytes, std::int64_t block_bytes) {
  return (bytes + block_bytes - 1) / block_bytes * block_bytes;
}

}  // namespace

std::vector<EmittedValue> kept_values(const std::vector<EmittedForm>& forms,
                                      const StorageSlots& slots) {
  std::vector<EmittedValue> kept;
  for (const auto& [name, value] : all_values(forms, slots))
    if (value.home != Home::Rom && value.role != TensorRole::Gradient) kept.push_back(value);
  return kept;
}

std::vector<EmittedValue> parameter_values(const std::vector<EmittedForm>& forms,
                                           const StorageSlots& slots) {
  std::vector<EmittedValue> parameters;
  for (const auto& [name, value] : all_values(forms, slots))
    if (value.role == TensorRole::Parameter) parameters.push_back(value);
  return parameters;
}

Result<StorageMap> storage_map(const std::vector<EmittedValue>& kept, const StorageSlots& slots,
                               std::int64_t block_bytes, std::int64_t erase_bytes) {
  constexpr std::int64_t kHeaderBytes = POET_CHECKPOINT_WORDS * 4;
  StorageMap map{.block_bytes = block_bytes,
                 .erase_bytes = erase_bytes,
                 .header_bytes = whole_blocks(kHeaderBytes, block_bytes),
                 .pages_bytes = slots.bytes};
  for (const EmittedValue& value : kept)
    map.values_bytes += whole_blocks(size_bytes(value.type), block_bytes);
  map.slot_bytes = whole_blocks(map.header_bytes + map.values_bytes, erase_bytes);
  if (map.bytes() > std::numeric_limits<std::uint32_t>::max())
    return bad_input(fmt::format(
        "the plan and two checkpoints take {} bytes of storage, and emitted C addresses 4 GiB",
        map.bytes()));
  return map;
}

std::uint32_t fingerprint_of(const EmitRequest& request, const std::vector<EmittedValue>& kept) {
  std::string text = fmt::format("{} {} {}\n", request.model, request.board.storage_block_bytes,
                                 request.board.storage_erase_bytes);
  for (const EmittedValue& value : kept)
    text += fmt::format("{} {}\n", value.name, to_text(value.type));
  return poet_crc32(0, text.data(), static_cast<std::uint32_t>(text.size()));
}

}  // namespace poet
