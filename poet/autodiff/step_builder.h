#pragma once

#include <set>
#include <string>
#include <vector>

#include "poet/autodiff/training_graph.h"

namespace poet {

// A training step under construction, in the order in which it will be executed.
struct StepBuilder {
  TrainingGraph step = {};
  std::set<std::string> names = {};  // of tensors and operations
};

// The name itself, or with ".2" and so on behind it; from now on in use.
std::string fresh_name(StepBuilder& builder, const std::string& name);

// A tensor that is there before the step.
TensorId add_given(StepBuilder& builder, GraphTensor tensor);

// An operation by its operator's own rule, under a fresh name.
Result<std::vector<TensorId>> add_forward_operation(StepBuilder& builder, GraphOperation operation);

// A part of the backward pass whose operands are known to fit: `outputs` are made by it.
void add_backward_operation(StepBuilder& builder, GraphOperation operation,
                            const std::vector<TensorId>& outputs);
TensorId add_made(StepBuilder& builder, GraphTensor tensor);

// Where trained parameters, and what is kept for them, are at home.
Home home_of_trained(ParameterPlace place);

// A tensor like the parameter, of zeros before the first step, at home where parameters are.
TensorId add_zeros(StepBuilder& builder, const std::string& name, TensorId parameter,
                   TensorRole role);

// An operation of one output at the end of a step, by its operator's own rule.
Result<TensorId> add_late_operation(StepBuilder& builder, GraphOperation operation);

// Makes a tensor the new value of another: under its name, with ".new" behind it.
void replace(StepBuilder& builder, TensorId old_value, TensorId new_value);

// poet_step_words, added when something asks for it.
TensorId step_tensor(StepBuilder& builder);

}  // namespace poet
