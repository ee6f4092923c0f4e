#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/attributes.h"
#include "poet/graph/graph.h"
#include "poet/graph/kernel.h"
#include "poet/graph/operator_id.h"
#include "poet/graph/stated.h"
#include "poet/graph/tensor_type.h"

namespace poet {

// What an operator's rules are told of an operation.
struct OperationTypes {
  Operator kind = {};
  Attributes attributes = {};
  std::vector<TensorType> inputs = {};
  std::vector<TensorType> outputs = {};  // empty for the shape rule

  bool operator==(const OperationTypes&) const = default;
};
OperationTypes types_of(const Graph& graph, const GraphOperation& operation);

// What a gradient reads, besides constants: the gradient of output k, input k, or output k of the
// operation that it differentiates.
struct OutputGradient {
  int output = 0;
  bool operator==(const OutputGradient&) const = default;
};
struct ForwardInput {
  int input = 0;
  bool operator==(const ForwardInput&) const = default;
};
struct ForwardOutput {
  int output = 0;
  bool operator==(const ForwardOutput&) const = default;
};
using GradientOperand = std::variant<OutputGradient, ForwardInput, ForwardOutput>;

// One operation of an operator's gradient. Its outputs are gradients by the inputs `of_inputs`, in
// that order, each of the type of that input.
struct GradientPart {
  Operator kind = {};
  Attributes attributes = {};
  std::vector<GradientOperand> operands = {};
  std::vector<int> of_inputs = {};

  bool operator==(const GradientPart&) const = default;
};

// One field of a kernel's shape struct, by name ("stride[0]"), in the order of the struct: all are
// of four bytes.
struct KernelWord {
  std::string field;
  std::variant<std::int32_t, std::uint32_t, float> value;

  bool operator==(const KernelWord&) const = default;
};

// The call of a C function of poet/runtime that executes an operation:
// function(&shape, inputs..., outputs..., workspace).
struct KernelCall {
  Kernel function = {};
  std::vector<KernelWord> shape = {};
  // Which input of the operation each pointer is; none: a null pointer. Then the same of outputs.
  std::vector<std::optional<int>> inputs = {};
  std::vector<std::optional<int>> outputs = {};
  std::int64_t workspace_bytes = 0;  // 0: the function has no such parameter

  bool operator==(const KernelCall&) const = default;
};

// An output that may have the same place as an input: an output that takes over an input's buffer
// when that dies with the operation, or a new value that takes the place of an old one.
struct SharedPlace {
  int input = 0;
  int output = 0;

  bool operator==(const SharedPlace&) const = default;
};

// How a call is divided among threads: along a dimension over which nothing is summed, so that the
// parts do together what the call does, to the last bit.
struct Division {
  std::string along = {};     // the field of the shape with the extent; empty: it is made whole
  std::int64_t multiple = 1;  // parts begin at multiples of it
  std::int64_t repeats = 1;   // so often the bytes of a step are worked on
  std::string begin = {};     // the field, where there is one, that says where a part begins
  std::string rest = {};      // and the one that says how many places other parts have
  // How far apart the places lie in every array that the call is passed, in the order of its
  // pointers; 0 for an array that all parts read.
  std::vector<std::int64_t> input_steps_bytes = {};
  std::vector<std::int64_t> output_steps_bytes = {};
};

struct Range;          // poet/graph/tensor_piece.h
struct PartAxis;       // poet/graph/part_axes.h
struct PartOperation;  // poet/graph/part_axes.h

// Along what an operation can be done in parts (poet/graph/part_axes.h), and what these are.
struct InParts {
  // Null: it is done whole.
  std::vector<PartAxis> (*axes)(const OperationTypes& types) = nullptr;
  // What goes on with its sum where an earlier part left it.
  std::optional<Operator> continued = {};
  // The part of ranges of the axes, as if it stood alone. Null: the same operation, on pieces.
  PartOperation (*part)(const OperationTypes& types, const std::vector<PartAxis>& axes,
                        const std::vector<Range>& ranges) = nullptr;
};
inline constexpr InParts kDoneWhole = {};

// What an operator's inputs may hold, for whoever makes some up to time it.
struct InputDomain {
  enum class Sign { Either, Positive };
  Sign sign = Sign::Either;  // of floats, whose sizes lie in [least, least + range)
  float least = 0.25F;
  float range = 1;
  // Where input `position` holds labels or indices: the extent that they stay below.
  std::optional<std::int64_t> (*index_extent)(const OperationTypes& types,
                                              std::size_t position) = nullptr;
  bool takes_step = false;  // inputs of step_type() hold the step's words
};
inline constexpr InputDomain kAnyNumbers = {};
inline constexpr InputDomain kPositiveNumbers = {.sign = InputDomain::Sign::Positive};
inline constexpr InputDomain kStepAndNumbers = {.takes_step = true};

// What an input is to its operator, as far as anybody asks: what is trained is chosen by it
// (poet/autodiff/parameter_choice.cc).
enum class InputRole {
  Value,
  NormScale,
  NormBias,
  Bias,
  Addend,  // of a sum, which a bias may be
  Table,   // of which rows are looked up
};
// By position; what comes behind is a Value.
using InputRoles = std::array<InputRole, 3>;
inline constexpr InputRoles kPlainInputs = {};
inline constexpr InputRoles kBiasIsThird = {InputRole::Value, InputRole::Value, InputRole::Bias};
inline constexpr InputRoles kTableIsFirst = {InputRole::Table};
inline constexpr InputRoles kNormInputs = {InputRole::Value, InputRole::NormScale,
                                           InputRole::NormBias};

// What ONNX calls it, where it has the operator, and since when.
struct OnnxName {
  enum class Form {
    None,       // no node of ONNX is this operator alone
    Plain,      // a node without attributes, of the same inputs
    Reduction,  // a node with axes, and `keepdims`
    Special,    // poet/model reads and writes its attributes
  };
  std::string_view name = {};
  int since = 0;  // the first operator set that has it; newer than what is written: spelled out
  Form form = Form::None;
};
constexpr OnnxName plain_in_onnx(std::string_view name, int since) {
  return {name, since, OnnxName::Form::Plain};
}
constexpr OnnxName reduction_in_onnx(std::string_view name, int since) {
  return {name, since, OnnxName::Form::Reduction};
}
constexpr OnnxName special_in_onnx(std::string_view name, int since) {
  return {name, since, OnnxName::Form::Special};
}
inline constexpr OnnxName kNotInOnnx = {};

// Where pictures of a network draw it.
enum class DrawnAs {
  Layer,   // a layer begins with it
  PartOf,  // of the layer that it continues, where there is one
};

// Everything about one operator: what is Stated every row says, the rest has a usual case.
struct OperatorEntry {
  Stated<Operator> id;
  Stated<std::string_view> name;  // "relu": in names of operations and for people
  Stated<int> least_inputs;
  Stated<int> most_inputs;
  Stated<InputRoles> roles;
  // The types of the outputs, or in one sentence what is wrong with inputs or attributes, without
  // the operation's name. Null for gradients: their outputs have the types of what they are
  // gradients by, and who adds them says so.
  Stated<Result<std::vector<TensorType>> (*)(const OperationTypes& types)> output_types;
  // Exact additions, multiplications and other arithmetic of values for one execution; a
  // multiply-add counts 2, an exponential or the like 1. Never more than 2^62 for checked types.
  Stated<std::int64_t (*)(const OperationTypes& types)> flop;
  // Bytes read and written. Null: all bytes of inputs and outputs, the usual case.
  std::int64_t (*moved_bytes)(const OperationTypes& types) = nullptr;
  // The parts of the gradient by all inputs that have one (indices and masks have none). Null: the
  // operator has no gradient; gradients themselves are not differentiated again.
  Stated<std::vector<GradientPart> (*)(const OperationTypes& types)> gradient;
  // Null for views, which do nothing.
  Stated<KernelCall (*)(const OperationTypes& types)> kernel;
  // Of such a call. Null: it is not divided.
  Stated<Division (*)(const KernelCall& call)> divides;
  Stated<InParts> parts;
  Stated<InputDomain> domain;
  Stated<OnnxName> onnx;
  DrawnAs drawn = DrawnAs::PartOf;
  bool view = false;  // the only output is the first input's bytes under another shape
  bool once = false;  // must not be executed twice: it replaces values
  std::vector<SharedPlace> in_place = {};  // allowed where the types have the same size
  std::vector<SharedPlace> updates = {};   // the output is the new value of the input, in its place
};

const OperatorEntry& entry_of(Operator id);
const std::vector<OperatorEntry>& operator_table();  // in the order of the enumerators

}  // namespace poet
