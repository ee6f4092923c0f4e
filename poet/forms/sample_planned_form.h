#pragma once

#include <cstdint>
#include <utility>

#include "poet/forms/plan_forms.h"
#include "poet/verify/replay.h"

// For tests of this room.
namespace poet::sample {

// 0 makes a, 1 makes b of a; a is written, dropped and read again in between.
inline PlannedForms one_form() {
  Problem problem;
  problem.ram_budget_bytes = 100;
  RunnableStep step;
  for (std::int32_t v = 0; v < 2; ++v) {
    Tensor tensor;
    tensor.name = v == 0 ? "a" : "b";
    tensor.size_bytes = 8;
    tensor.page_in_s = 2;
    tensor.page_out_s = 3;
    problem.tensors.push_back(tensor);
    step.graph.tensors.emplace_back();
    Operation operation;
    operation.name = "make " + tensor.name;
    if (v == 1) operation.inputs = {TensorId{0}};
    operation.outputs = {TensorId{v}};
    operation.workspace_bytes = 4;
    operation.compute_s = 1;
    problem.operations.push_back(operation);
  }
  step.plan.problem = problem;
  step.plan.schedule.actions = {Compute{OperationId{0}}, PageOut{TensorId{0}},    Drop{TensorId{0}},
                                PageIn{TensorId{0}},     Compute{OperationId{1}}, Drop{TensorId{0}},
                                Drop{TensorId{1}}};
  step.plan.buffers = buffers_of(problem, step.plan.schedule);
  PlannedForms planned;
  planned.replays = {replay(problem, step.plan.schedule)};
  planned.steps = {std::move(step)};
  return planned;
}

}  // namespace poet::sample
