#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "poet/base/result.h"
#include "poet/graph/attributes.h"
#include "poet/graph/graph.h"
#include "poet/graph/operator.h"
#include "poet/graph/tensor_type.h"

namespace poet {

// What an operator's rules are told of an operation.
struct OperationTypes {
  Operator kind = Operator::Relu;
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
  Operator kind = Operator::Relu;
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
  std::string_view function;  // "poet_relu_forward_f32"
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

// Everything about one operator. What is not a fact of its own has a default.
struct OperatorEntry {
  Operator id{};
  std::string_view name = {};  // "relu": in names of operations and for people
  int least_inputs = 1;
  int most_inputs = 1;
  // The types of the outputs, or in one sentence what is wrong with inputs or attributes, without
  // the operation's name. Null for gradients: their outputs have the types of what they are
  // gradients by, and who adds them says so.
  Result<std::vector<TensorType>> (*output_types)(const OperationTypes& types) = nullptr;
  // Exact additions, multiplications and other arithmetic of values for one execution; a
  // multiply-add counts 2, an exponential or the like 1. Never more than 2^62 for checked types.
  std::int64_t (*flop)(const OperationTypes& types) = nullptr;
  // Bytes read and written. Null: all bytes of inputs and outputs, the usual case.
  std::int64_t (*moved_bytes)(const OperationTypes& types) = nullptr;
  // The parts of the gradient by all inputs that have one (indices and masks have none). Null: the
  // operator has no gradient; gradients themselves are not differentiated again.
  std::vector<GradientPart> (*gradient)(const OperationTypes& types) = nullptr;
  // Null for views, which do nothing.
  KernelCall (*kernel)(const OperationTypes& types) = nullptr;
  bool view = false;  // the only output is the first input's bytes under another shape
  bool once = false;  // must not be executed twice: it replaces values
  std::vector<SharedPlace> in_place = {};  // allowed where the types have the same size
  std::vector<SharedPlace> updates = {};   // the output is the new value of the input, in its place
};

const OperatorEntry& entry_of(Operator id);
const std::vector<OperatorEntry>& operator_table();  // in the order of the enumerators

}  // namespace poet
