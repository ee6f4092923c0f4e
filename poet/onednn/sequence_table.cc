#include "poet/onednn/sequence_table.h"

#include <algorithm>

#include "poet/base/check.h"

namespace poet {
namespace {

// Where processors like arrays to begin.
constexpr std::int64_t kLineBytes = 64;

std::int64_t rounded(std::size_t bytes) {
  const auto size_bytes = static_cast<std::int64_t>(bytes);
  return (size_bytes + kLineBytes - 1) / kLineBytes * kLineBytes;
}

std::byte* next_line(std::byte* begin) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  return begin + (kLineBytes - address % kLineBytes) % kLineBytes;
}

void demand_success(dnnl_status_t status) {
  POET_CHECK(status == dnnl_success);
}

std::vector<SequenceRow> all_rows() {
  std::vector<SequenceRow> rows;
  for (const auto family : {convolution_sequences, matrix_product_sequences, layer_norm_sequences,
                            softmax_sequences, elementwise_sequences}) {
    const std::vector<SequenceRow> more = family();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

const SequenceRow* row_of(std::string_view function) {
  static const std::vector<SequenceRow> rows = all_rows();
  for (const SequenceRow& row : rows)
    if (row.function == function) return &row;
  return nullptr;
}

bool is_built(const SequenceRow& row, const PreparedCall& call, CallSequence& sequence) {
  try {
    return row.build(call, sequence);
  } catch (const dnnl::error& error) {
    // What oneDNN has no words for, it calls invalid.
    POET_CHECK(error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments);
    return false;
  }
}

}  // namespace

// --- Building

SequenceValue CallSequence::add(const dnnl::memory::desc& desc, Place place, std::size_t position) {
  values_.push_back({.memory = dnnl::memory(desc, device_.engine, DNNL_MEMORY_NONE),
                     .place = place,
                     .position = position});
  return static_cast<SequenceValue>(values_.size() - 1);
}

SequenceValue CallSequence::input(std::size_t position, const dnnl::memory::desc& desc) {
  return add(desc, Place::Input, position);
}

SequenceValue CallSequence::output(std::size_t position, const dnnl::memory::desc& desc) {
  return add(desc, Place::Output, position);
}

SequenceValue CallSequence::scratch(const dnnl::memory::desc& desc) {
  const SequenceValue value = add(desc, Place::Workspace, static_cast<std::size_t>(values_bytes_));
  values_bytes_ += rounded(desc.get_size());
  return value;
}

SequenceValue CallSequence::as(SequenceValue value, const dnnl::memory::desc& desc) {
  if (at(value).memory.get_desc() == desc) return value;
  const SequenceValue copied = scratch(desc);
  copy(value, copied);
  return copied;
}

SequenceValue CallSequence::instead_of(SequenceValue output, const dnnl::memory::desc& desc) {
  return at(output).memory.get_desc() == desc ? output : scratch(desc);
}

void CallSequence::copy(SequenceValue from, SequenceValue to) {
  if (from == to) return;
  const dnnl::reorder::primitive_desc reorder(device_.engine, at(from).memory.get_desc(),
                                              device_.engine, at(to).memory.get_desc(),
                                              attributes());
  call(dnnl::reorder(reorder), reorder.scratchpad_desc(),
       {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

void CallSequence::call(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                        const Arguments& arguments) {
  PrimitiveCall call{.primitive = primitive};
  for (const auto& [name, value] : arguments)
    call.arguments.push_back({name, at(value).memory.get()});
  if (scratchpad.get_size() > 0) {
    const SequenceValue memory = add(scratchpad, Place::Scratchpad, 0);
    scratchpad_bytes_ = std::max(scratchpad_bytes_, rounded(scratchpad.get_size()));
    call.arguments.push_back({DNNL_ARG_SCRATCHPAD, at(memory).memory.get()});
  }
  calls_.emplace_back(std::move(call));
}

void CallSequence::call(const SequenceLoop& loop, std::vector<SequenceValue> values) {
  std::vector<float*> data(values.size());
  calls_.emplace_back(LoopCall{.loop = loop, .values = std::move(values), .data = std::move(data)});
}

// The scratchpad is ours: it lies in the workspace, which the plan counts.
dnnl::primitive_attr CallSequence::attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

// A workspace that begins anywhere has a line in it, too.
std::int64_t CallSequence::workspace_bytes() const {
  const std::int64_t bytes = values_bytes_ + scratchpad_bytes_;
  return bytes == 0 ? 0 : bytes + kLineBytes;
}

// --- Running

void CallSequence::make(PrimitiveCall& call) {
  demand_success(dnnl_primitive_execute(call.primitive.get(), device_.stream.get(),
                                        static_cast<int>(call.arguments.size()),
                                        call.arguments.data()));
}

void CallSequence::make(LoopCall& call) {
  for (std::size_t k = 0; k < call.values.size(); ++k)
    call.data[k] = static_cast<float*>(at(call.values[k]).data);
  call.loop.function(call.loop, call.data);
}

void CallSequence::run(const void* const* inputs, void* const* outputs, void* workspace) {
  std::byte* const begin = next_line(static_cast<std::byte*>(workspace));
  const auto data_of = [&](const Value& value) -> void* {
    switch (value.place) {
      case Place::Input:
        return const_cast<void*>(inputs[value.position]);  // oneDNN only reads it
      case Place::Output:
        return outputs[value.position];
      case Place::Workspace:
        return begin + value.position;
      case Place::Scratchpad:
        return begin + values_bytes_;
    }
    return nullptr;
  };
  for (Value& value : values_) {
    void* const data = data_of(value);
    if (data == value.data) continue;
    value.data = data;
    demand_success(dnnl_memory_set_data_handle(value.memory.get(), data));
  }
  for (auto& call : calls_) std::visit([this](auto& one) { make(one); }, call);
}

std::optional<CallSequence> onednn_sequence(const PreparedCall& call, const OnednnDevice& device) {
  const SequenceRow* const row = row_of(call.kernel.name);
  if (row == nullptr) return std::nullopt;
  CallSequence sequence(device);
  if (!is_built(*row, call, sequence)) return std::nullopt;
  return sequence;
}

}  // namespace poet
