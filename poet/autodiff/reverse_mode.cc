#include "poet/autodiff/reverse_mode.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/base/check.h"
#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

std::vector<GradientPart> parts_of(const Graph& graph, const GraphOperation& operation) {
  const OperatorEntry& entry = entry_of(operation.kind);
  if (entry.gradient == nullptr) return {};
  return entry.gradient(types_of(graph, operation));
}

TensorId input_of(const GraphOperation& operation, int input) {
  return operation.inputs[static_cast<std::size_t>(input)];
}

TensorId output_of(const GraphOperation& operation, int output) {
  return operation.outputs[static_cast<std::size_t>(output)];
}

bool is_wanted(const Adjoints& adjoints, const GraphOperation& operation,
               const GradientPart& part) {
  return std::any_of(part.of_inputs.begin(), part.of_inputs.end(), [&](int input) {
    return adjoints.wanted[place_of(input_of(operation, input))];
  });
}

// The tensor that an operand of a part is; nothing for an output that has no gradient.
std::optional<TensorId> tensor_of(const Adjoints& adjoints, const GraphOperation& operation,
                                  const GradientOperand& operand) {
  if (const auto* const input = std::get_if<ForwardInput>(&operand))
    return input_of(operation, input->input);
  if (const auto* const output = std::get_if<ForwardOutput>(&operand))
    return output_of(operation, output->output);
  const TensorId output = output_of(operation, std::get<OutputGradient>(operand).output);
  return adjoints.of[place_of(output)];
}

// Whether the gradient that a part makes is the one that it reads: that of a sum.
bool passes_on(const Graph& graph, const GraphOperation& operation, const GradientPart& part,
               TensorId gradient) {
  if (part.kind != Operator::BroadcastSum) return false;
  return std::get<ScalarAttributes>(part.attributes).alpha == 1 &&
         at(graph.tensors, input_of(operation, part.of_inputs[0])).type ==
             at(graph.tensors, gradient).type;
}

// Not by reference: adding a tensor moves the others.
GraphTensor gradient_tensor(const Graph& graph, TensorId of) {
  const GraphTensor& tensor = at(graph.tensors, of);
  return {.name = tensor.name + ".grad", .type = tensor.type, .role = TensorRole::Gradient};
}

void add_contribution(StepBuilder& builder, Adjoints& adjoints, TensorId of, TensorId gradient) {
  std::optional<TensorId>& sum = adjoints.of[place_of(of)];
  if (!sum) {
    sum = gradient;
    return;
  }
  const TensorId total = add_made(builder, gradient_tensor(builder.step.graph, of));
  const std::string name = at(builder.step.graph.tensors, of).name + ".grad.add";
  add_backward_operation(builder, {.name = name, .kind = Operator::Add, .inputs = {*sum, gradient}},
                         {total});
  sum = total;
}

// Adds one part; its outputs are new tensors.
std::vector<TensorId> add_part(StepBuilder& builder, const GraphOperation& operation,
                               const GradientPart& part, std::vector<TensorId> operands) {
  std::vector<TensorId> outputs;
  for (const int input : part.of_inputs)
    outputs.push_back(
        add_made(builder, gradient_tensor(builder.step.graph, input_of(operation, input))));
  add_backward_operation(builder,
                         {.name = fmt::format("{}.{}", operation.name, entry_of(part.kind).name),
                          .kind = part.kind,
                          .attributes = part.attributes,
                          .inputs = std::move(operands)},
                         outputs);
  return outputs;
}

// Every gradient that has arrived at an output must be read by a part, or it would be lost.
Failure check_outputs(const Adjoints& adjoints, const GraphOperation& operation,
                      const std::vector<GradientPart>& parts) {
  for (std::size_t k = 0; k < operation.outputs.size(); ++k) {
    if (!adjoints.of[place_of(operation.outputs[k])]) continue;
    const GradientOperand wanted = OutputGradient{static_cast<int>(k)};
    const bool is_read = std::any_of(parts.begin(), parts.end(), [&](const GradientPart& part) {
      return std::find(part.operands.begin(), part.operands.end(), wanted) != part.operands.end();
    });
    if (!is_read)
      return Error{ErrorCode::Unsupported,
                   fmt::format("{} ({}): the loss depends on output {}, which has no gradient",
                               operation.name, entry_of(operation.kind).name, k),
                   {}};
  }
  return std::nullopt;
}

void add_gradient_part(StepBuilder& builder, Adjoints& adjoints, const GraphOperation& operation,
                       const GradientPart& part) {
  std::vector<TensorId> operands;
  for (const GradientOperand& operand : part.operands) {
    const std::optional<TensorId> tensor = tensor_of(adjoints, operation, operand);
    if (!tensor) return;  // the loss does not depend on that output
    operands.push_back(*tensor);
  }
  const std::vector<TensorId> gradients =
      passes_on(builder.step.graph, operation, part, operands[0])
          ? operands
          : add_part(builder, operation, part, operands);
  for (std::size_t k = 0; k < part.of_inputs.size(); ++k) {
    const TensorId input = input_of(operation, part.of_inputs[k]);
    if (adjoints.wanted[place_of(input)]) add_contribution(builder, adjoints, input, gradients[k]);
  }
}

}  // namespace

std::vector<bool> depends_on_trained(const Graph& graph, const std::vector<bool>& trained) {
  std::vector<bool> depends = trained;
  for (const GraphOperation& operation : graph.operations)
    for (const GradientPart& part : parts_of(graph, operation)) {
      const bool leads_on =
          std::any_of(part.of_inputs.begin(), part.of_inputs.end(),
                      [&](int input) { return depends[place_of(input_of(operation, input))]; });
      if (!leads_on) continue;
      for (const TensorId output : operation.outputs) depends[place_of(output)] = true;
    }
  return depends;
}

Failure add_gradient_of(StepBuilder& builder, Adjoints& adjoints, OperationId id) {
  const GraphOperation operation = at(builder.step.graph.operations, id);
  const bool has_gradient =
      std::any_of(operation.outputs.begin(), operation.outputs.end(),
                  [&](TensorId output) { return adjoints.of[place_of(output)].has_value(); });
  if (!has_gradient) return std::nullopt;
  const std::vector<GradientPart> parts = parts_of(builder.step.graph, operation);
  if (Failure failure = check_outputs(adjoints, operation, parts)) return failure;
  for (const GradientPart& part : parts)
    if (is_wanted(adjoints, operation, part)) add_gradient_part(builder, adjoints, operation, part);
  return std::nullopt;
}

}  // namespace poet
