#include "poet/autodiff/step_builder.h"

#include <utility>

namespace poet {

std::string fresh_name(StepBuilder& builder, const std::string& name) {
  if (builder.names.insert(name).second) return name;
  for (std::int64_t number = 2;; ++number) {
    std::string candidate = name + "." + std::to_string(number);
    if (builder.names.insert(candidate).second) return candidate;
  }
}

TensorId add_given(StepBuilder& builder, GraphTensor tensor) {
  tensor.name = fresh_name(builder, tensor.name);
  return add_tensor(builder.step.graph, std::move(tensor));
}

TensorId add_made(StepBuilder& builder, GraphTensor tensor) {
  tensor.home = Home::Made;
  return add_given(builder, std::move(tensor));
}

Result<std::vector<TensorId>> add_forward_operation(StepBuilder& builder,
                                                    GraphOperation operation) {
  operation.name = fresh_name(builder, operation.name);
  Result<std::vector<TensorId>> outputs = add_operation(builder.step.graph, std::move(operation));
  if (!outputs.ok()) return outputs.error();
  for (const TensorId output : *outputs)
    builder.names.insert(at(builder.step.graph.tensors, output).name);
  return outputs;
}

void add_backward_operation(StepBuilder& builder, GraphOperation operation,
                            const std::vector<TensorId>& outputs) {
  operation.name = fresh_name(builder, operation.name);
  operation.outputs = outputs;
  operation.backward = true;
  builder.step.graph.operations.push_back(std::move(operation));
}

TensorId step_tensor(StepBuilder& builder) {
  if (!builder.step.step)
    builder.step.step = add_given(
        builder,
        {.name = "step", .type = step_type(), .role = TensorRole::Step, .home = Home::Resident});
  return *builder.step.step;
}

}  // namespace poet
