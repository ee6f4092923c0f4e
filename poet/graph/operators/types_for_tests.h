#pragma once

#include <string>
#include <utility>
#include <vector>

#include "poet/graph/operator_table.h"

namespace poet::testing {

// For tests: literal operations, without a graph.

inline TensorType f32(Shape shape) {
  return {ElementType::Float32, std::move(shape)};
}

// What graph.cc tells an operator's rules of an operation on these inputs: the outputs are those of
// the shape rule.
inline OperationTypes operation(Operator kind, Attributes attributes,
                                std::vector<TensorType> inputs) {
  OperationTypes types{
      .kind = kind, .attributes = std::move(attributes), .inputs = std::move(inputs)};
  types.outputs = *entry_of(kind).output_types(types);
  return types;
}

// The sentence with which the shape rule refuses; "accepted" where it does not.
inline std::string refusal(Operator kind, Attributes attributes, std::vector<TensorType> inputs) {
  const Result<std::vector<TensorType>> outputs = entry_of(kind).output_types(
      {.kind = kind, .attributes = std::move(attributes), .inputs = std::move(inputs)});
  return outputs.ok() ? "accepted" : outputs.error().message;
}

// The types of part number `part` of an operation's gradient.
inline OperationTypes gradient_types(const OperationTypes& forward, std::size_t part) {
  const GradientPart given = entry_of(forward.kind).gradient(forward)[part];
  OperationTypes types{.kind = given.kind, .attributes = given.attributes};
  for (const GradientOperand& operand : given.operands) {
    if (const auto* const input = std::get_if<ForwardInput>(&operand))
      types.inputs.push_back(forward.inputs[static_cast<std::size_t>(input->input)]);
    if (const auto* const output = std::get_if<ForwardOutput>(&operand))
      types.inputs.push_back(forward.outputs[static_cast<std::size_t>(output->output)]);
    if (const auto* const gradient = std::get_if<OutputGradient>(&operand))
      types.inputs.push_back(forward.outputs[static_cast<std::size_t>(gradient->output)]);
  }
  for (const int input : given.of_inputs)
    types.outputs.push_back(forward.inputs[static_cast<std::size_t>(input)]);
  return types;
}

}  // namespace poet::testing
