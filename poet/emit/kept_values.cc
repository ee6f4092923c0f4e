#include "poet/emit/kept_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "poet/base/check.h"
#include "poet/runtime/checkpoint.h"
#include "poet/runtime/crc32.h"

namespace poet {
namespace {

// Those of a form that have a home and are neither inputs nor the step itself.
using Values = std::map<std::string, EmittedValue>;

void add_value(const EmittedForm& form, const TensorPlace& home, Values& values) {
  const GraphTensor& tensor = at(form.step->graph.tensors, home.tensor);
  const auto initial = form.initial->find(home.tensor);
  EmittedValue value{.name = tensor.name,
                     .type = tensor.type,
                     .role = tensor.role,
                     .home = tensor.home,
                     .offset_bytes = home.place.offset_bytes,
                     .memory = home.place.memory,
                     .initial = initial == form.initial->end() ? nullptr : &initial->second,
                     .form = &form,
                     .tensor = home.tensor};
  if (form.pieces != nullptr)
    if (const auto piece = form.pieces->find(home.tensor); piece != form.pieces->end())
      value.piece = piece->second;
  if (home.place.space == AddressSpace::Arena) value.home = Home::Resident;
  // Each is a constant with a name.
  if (home.place.space == AddressSpace::Rom) value.offset_bytes = 0;
  values.emplace(tensor.name, std::move(value));
}

Values all_values(const std::vector<EmittedForm>& forms, const std::vector<StepProgram>& programs) {
  Values values;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    for (const TensorPlace& home : programs[k].kept) add_value(forms[k], home, values);
    for (const TensorPlace& home : programs[k].rom) add_value(forms[k], home, values);
  }
  return values;
}

std::vector<std::int64_t> first_value(const EmittedValue& value) {
  std::vector<std::int64_t> place;
  if (value.piece)
    for (const Range& range : value.piece->values) place.push_back(range.begin);
  return place;
}

bool is_before(const EmittedValue& a, const EmittedValue& b) {
  return std::pair(whole_name(a), first_value(a)) < std::pair(whole_name(b), first_value(b));
}

std::int64_t whole_blocks(std::int64_t bytes, std::int64_t block_bytes) {
  return (bytes + block_bytes - 1) / block_bytes * block_bytes;
}

}  // namespace

const std::string& whole_name(const EmittedValue& value) {
  return value.piece ? value.piece->whole : value.name;
}

std::vector<EmittedValue> kept_values(const std::vector<EmittedForm>& forms,
                                      const std::vector<StepProgram>& programs) {
  std::vector<EmittedValue> kept;
  for (const auto& [name, value] : all_values(forms, programs))
    if (value.home != Home::Rom && value.role != TensorRole::Gradient) kept.push_back(value);
  return kept;
}

std::vector<EmittedValue> parameter_values(const std::vector<EmittedForm>& forms,
                                           const std::vector<StepProgram>& programs) {
  std::vector<EmittedValue> parameters;
  for (const auto& [name, value] : all_values(forms, programs))
    if (value.role == TensorRole::Parameter) parameters.push_back(value);
  std::stable_sort(parameters.begin(), parameters.end(), is_before);
  return parameters;
}

Result<StorageMap> storage_map(const std::vector<EmittedValue>& kept, std::int64_t pages_bytes,
                               std::int64_t block_bytes, std::int64_t erase_bytes) {
  constexpr std::int64_t kHeaderBytes = POET_CHECKPOINT_WORDS * 4;
  StorageMap map{.block_bytes = block_bytes,
                 .erase_bytes = erase_bytes,
                 .header_bytes = whole_blocks(kHeaderBytes, block_bytes),
                 .pages_bytes = pages_bytes};
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
  text += request.settings;
  return poet_crc32(0, text.data(), static_cast<std::uint32_t>(text.size()));
}

}  // namespace poet
