#pragma once

#include <cstddef>
#include <cstdint>
#include <dnnl.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "poet/kernels/kernel_call.h"

namespace poet {

// A tensor of a sequence, by number.
enum class SequenceValue : std::int32_t {};

// Ours, between primitives: what they call by other names. `values` are those of the step.
struct SequenceLoop {
  void (*function)(const SequenceLoop& loop, std::span<float* const> values) = nullptr;
  std::int64_t count = 0;
  float parameter = 0;
};

// oneDNN's processor, and the queue that primitives are put into; they end before the next one
// begins.
struct OnednnDevice {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  // What factors of products are rounded to before they are multiplied; sums are float32 always.
  dnnl::memory::data_type factors = dnnl::memory::data_type::f32;
};

// What executes one kernel: primitives of oneDNN one after the other, on arrays that the kernel is
// passed and on others in its workspace. Arrays are looked up when it is built; running it sets
// their addresses and allocates nothing itself.
class CallSequence {
 public:
  explicit CallSequence(const OnednnDevice& device) : device_(device) {}

  const dnnl::engine& engine() const { return device_.engine; }
  dnnl::memory::data_type factors() const { return device_.factors; }

  // An array that the kernel is passed, by its place among the kernel's inputs or outputs.
  SequenceValue input(std::size_t position, const dnnl::memory::desc& desc);
  SequenceValue output(std::size_t position, const dnnl::memory::desc& desc);
  // One in the workspace.
  SequenceValue scratch(const dnnl::memory::desc& desc);
  // `value` as `desc` has it: itself where that is the same, otherwise a copy in the workspace.
  SequenceValue as(SequenceValue value, const dnnl::memory::desc& desc);
  // Where to make what copy() then brings to `output`: itself where its format is `desc`.
  SequenceValue instead_of(SequenceValue output, const dnnl::memory::desc& desc);
  void copy(SequenceValue from, SequenceValue to);  // nothing when they are the same

  // Calls of primitives made with attributes().
  using Arguments = std::vector<std::pair<int, SequenceValue>>;
  void call(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
            const Arguments& arguments);
  void call(const SequenceLoop& loop, std::vector<SequenceValue> values);
  static dnnl::primitive_attr attributes();

  std::int64_t workspace_bytes() const;

  // In the kernel's order, as Kernel::call has them, but for the workspace.
  void run(const void* const* inputs, void* const* outputs, void* workspace);

 private:
  enum class Place { Input, Output, Workspace, Scratchpad };
  struct Value {
    dnnl::memory memory = {};
    Place place = Place::Input;
    std::size_t position = 0;  // or the offset in the workspace
    void* data = nullptr;      // as it is set in `memory`
  };
  struct PrimitiveCall {
    dnnl::primitive primitive = {};
    std::vector<dnnl_exec_arg_t> arguments = {};
  };
  struct LoopCall {
    SequenceLoop loop = {};
    std::vector<SequenceValue> values = {};
    std::vector<float*> data = {};
  };

  SequenceValue add(const dnnl::memory::desc& desc, Place place, std::size_t position);
  Value& at(SequenceValue value) { return values_[static_cast<std::size_t>(value)]; }
  void make(PrimitiveCall& call);
  void make(LoopCall& call);

  OnednnDevice device_;
  std::vector<Value> values_;
  std::vector<std::variant<PrimitiveCall, LoopCall>> calls_;
  std::int64_t values_bytes_ = 0;
  std::int64_t scratchpad_bytes_ = 0;
};

// What oneDNN does in place of a C function of poet/runtime, for the shape of a call.
struct SequenceRow {
  std::string_view function = {};
  // Adds to an empty sequence what executes the call, with the kernel's inputs and outputs. False
  // when oneDNN has nothing for that shape, or nothing better than the function itself. May throw
  // dnnl::error, which means the same when its status is "unimplemented" or
  // "invalid arguments".
  bool (*build)(const PreparedCall& call, CallSequence& sequence) = nullptr;
};

// One family each, in the file of that name.
std::vector<SequenceRow> convolution_sequences();
std::vector<SequenceRow> matrix_product_sequences();
std::vector<SequenceRow> layer_norm_sequences();
std::vector<SequenceRow> softmax_sequences();
std::vector<SequenceRow> elementwise_sequences();

// None where the reference kernel must do it.
std::optional<CallSequence> onednn_sequence(const PreparedCall& call, const OnednnDevice& device);

}  // namespace poet
