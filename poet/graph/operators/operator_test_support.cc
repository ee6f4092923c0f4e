#include "poet/graph/operators/operator_test_support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "poet/base/check.h"

namespace poet::testing {
namespace {

std::string numbered(std::string_view name, int number) {
  return number == 0 ? std::string(name) : fmt::format("{}{}", name, number);
}

std::string operand_text(const GradientOperand& operand) {
  if (const auto* const input = std::get_if<ForwardInput>(&operand))
    return fmt::format("x{}", input->input);
  if (const auto* const output = std::get_if<ForwardOutput>(&operand))
    return numbered("y", output->output);
  return numbered("dy", std::get<OutputGradient>(operand).output);
}

TensorType type_of(const GradientOperand& operand, const OperationTypes& types) {
  if (const auto* const input = std::get_if<ForwardInput>(&operand))
    return types.inputs[static_cast<std::size_t>(input->input)];
  if (const auto* const output = std::get_if<ForwardOutput>(&operand))
    return types.outputs[static_cast<std::size_t>(output->output)];
  return types.outputs[static_cast<std::size_t>(std::get<OutputGradient>(operand).output)];
}

std::string pointers_text(const std::vector<std::optional<int>>& pointers) {
  std::vector<std::string> texts;
  for (const std::optional<int>& pointer : pointers)
    texts.push_back(pointer ? fmt::format("{}", *pointer) : "null");
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string value_text(const KernelWord& word) {
  return std::visit([](const auto value) { return fmt::format("{}", value); }, word.value);
}

// The values from `begin` on that belong to one field, ended by ".." where the last ones repeat.
std::string field_text(const std::vector<KernelWord>& words, std::size_t begin, std::size_t end) {
  const std::string name = words[begin].field.substr(0, words[begin].field.find('['));
  std::vector<std::string> values;
  for (std::size_t i = begin; i < end; ++i) values.push_back(value_text(words[i]));
  const bool repeats = values.size() > 1 && values.back() == values[values.size() - 2];
  while (values.size() > 1 && values.back() == values[values.size() - 2]) values.pop_back();
  return fmt::format(" {}={}{}", name, fmt::join(values, ","), repeats ? ".." : "");
}

}  // namespace

TensorType float32(Shape shape) {
  return {ElementType::Float32, std::move(shape)};
}
TensorType int64(Shape shape) {
  return {ElementType::Int64, std::move(shape)};
}
TensorType int32(Shape shape) {
  return {ElementType::Int32, std::move(shape)};
}
TensorType boolean(Shape shape) {
  return {ElementType::Bool, std::move(shape)};
}

std::string outcome(const OperationTypes& types) {
  const Result<std::vector<TensorType>> outputs = entry_of(types.kind).output_types(types);
  if (!outputs.ok()) return outputs.error().message;
  std::vector<std::string> texts;
  for (const TensorType& output : *outputs) texts.push_back(to_text(output));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string outcome(Operator kind, Attributes attributes, std::vector<TensorType> inputs) {
  return outcome({.kind = kind, .attributes = std::move(attributes), .inputs = std::move(inputs)});
}

OperationTypes with_outputs(OperationTypes types) {
  types.outputs = *entry_of(types.kind).output_types(types);
  return types;
}

OperationTypes operation(Operator kind, Attributes attributes, std::vector<TensorType> inputs) {
  return with_outputs(
      {.kind = kind, .attributes = std::move(attributes), .inputs = std::move(inputs)});
}

std::int64_t flop(const OperationTypes& types) {
  return entry_of(types.kind).flop(with_outputs(types));
}

std::int64_t moved_bytes(const OperationTypes& types) {
  return entry_of(types.kind).moved_bytes(with_outputs(types));
}

std::vector<std::string> gradient_texts(const OperationTypes& types) {
  std::vector<std::string> texts;
  for (const GradientPart& part : entry_of(types.kind).gradient(with_outputs(types))) {
    std::vector<std::string> operands;
    for (const GradientOperand& operand : part.operands) operands.push_back(operand_text(operand));
    texts.push_back(fmt::format("{}({}) by {}", entry_of(part.kind).name, fmt::join(operands, ", "),
                                fmt::join(part.of_inputs, ", ")));
  }
  return texts;
}

std::vector<OperationTypes> gradient_operations(const OperationTypes& asked) {
  const OperationTypes types = with_outputs(asked);
  std::vector<OperationTypes> operations;
  for (const GradientPart& part : entry_of(types.kind).gradient(types)) {
    OperationTypes operation{.kind = part.kind, .attributes = part.attributes};
    for (const GradientOperand& operand : part.operands)
      operation.inputs.push_back(type_of(operand, types));
    for (const int input : part.of_inputs)
      operation.outputs.push_back(types.inputs[static_cast<std::size_t>(input)]);
    operations.push_back(operation);
  }
  return operations;
}

OperationTypes gradient_types(const OperationTypes& types, std::size_t part) {
  return gradient_operations(types)[part];
}

std::string call_text(const OperationTypes& types) {
  const KernelCall call = entry_of(types.kind).kernel(types);
  std::string text = fmt::format("{}({} -> {})", call.function.name, pointers_text(call.inputs),
                                 pointers_text(call.outputs));
  for (std::size_t begin = 0; begin < call.shape.size();) {
    std::size_t end = begin + 1;
    while (end < call.shape.size() && call.shape[begin].field.find("[0]") != std::string::npos &&
           call.shape[end].field.find('[') != std::string::npos &&
           call.shape[end].field.find("[0]") == std::string::npos)
      ++end;
    text += field_text(call.shape, begin, end);
    begin = end;
  }
  return text;
}

}  // namespace poet::testing
