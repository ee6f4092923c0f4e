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

Home home_of_trained(ParameterPlace place) {
  return place == ParameterPlace::Planned || place == ParameterPlace::Chosen ? Home::Storage
                                                                             : Home::Resident;
}

TensorId add_zeros(StepBuilder& builder, const std::string& name, TensorId parameter,
                   TensorRole role) {
  const TensorId id = add_given(builder, {.name = name,
                                          .type = at(builder.step.graph.tensors, parameter).type,
                                          .role = role,
                                          .home = home_of_trained(builder.step.parameters)});
  builder.step.initial.emplace(id, FilledWith{0});
  return id;
}

Result<TensorId> add_late_operation(StepBuilder& builder, GraphOperation operation) {
  operation.backward = true;
  const Result<std::vector<TensorId>> outputs =
      add_forward_operation(builder, std::move(operation));
  if (!outputs.ok()) return outputs.error();
  return outputs->front();
}

void replace(StepBuilder& builder, TensorId old_value, TensorId new_value) {
  const std::string name =
      fresh_name(builder, at(builder.step.graph.tensors, old_value).name + ".new");
  GraphTensor& tensor = at(builder.step.graph.tensors, new_value);
  tensor.name = name;
  tensor.role = at(builder.step.graph.tensors, old_value).role;
  builder.step.replacements.push_back({old_value, new_value});
}

TensorId step_tensor(StepBuilder& builder) {
  if (!builder.step.step)
    builder.step.step = add_given(
        builder,
        {.name = "step", .type = step_type(), .role = TensorRole::Step, .home = Home::Resident});
  return *builder.step.step;
}

}  // namespace poet
