#include "poet/pose/training_problem.h"

#include <algorithm>

#include "poet/cost/formula_costs.h"
#include "poet/pose/graph_problem.h"

namespace poet {
namespace {

void leave_out_parameters(const TrainingGraph& step, Problem& problem) {
  for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
    const bool is_counted =
        step.graph.tensors[i].role == TensorRole::Step || problem.tensors[i].home != Home::Resident;
    if (!is_counted) problem.tensors[i].size_bytes = 0;
  }
}

// By an operation that writes to storage by itself.
bool is_made_in_storage(const Problem& problem, TensorId tensor) {
  return std::any_of(problem.operations.begin(), problem.operations.end(), [&](const Operation& o) {
    return o.written_bytes > 0 && o.outputs[0] == tensor;
  });
}

// New values that no row of the operator table makes.
void mark_replacements(const TrainingGraph& step, Problem& problem) {
  for (const Replacement& replacement : step.replacements) {
    Tensor& fresh = at(problem.tensors, replacement.new_value);
    if (fresh.updates || is_made_in_storage(problem, replacement.new_value)) continue;
    fresh.updates = replacement.old_value;
    if (at(problem.tensors, replacement.old_value).home == Home::Resident)
      fresh.home = Home::Resident;
    for (Operation& operation : problem.operations)
      if (std::count(operation.outputs.begin(), operation.outputs.end(), replacement.new_value) > 0)
        operation.once = true;
  }
}

bool reads(const Operation& operation, TensorId tensor) {
  return std::count(operation.inputs.begin(), operation.inputs.end(), tensor) > 0;
}

// Of which some operation reads rows from there, and not the whole.
bool must_be_in_storage(const TrainingGraph& step, const Problem& problem, TensorId tensor) {
  for (std::size_t v = 0; v < problem.operations.size(); ++v) {
    const std::vector<TensorId>& inputs = step.graph.operations[v].inputs;
    const bool is_input = std::count(inputs.begin(), inputs.end(), tensor) > 0;
    if (is_input && !problem.operations[v].view && !reads(problem.operations[v], tensor))
      return true;
  }
  return false;
}

void offer_places_in_ram(const TrainingGraph& step, Problem& problem) {
  const auto offer = [&](TensorId id) {
    Tensor& tensor = at(problem.tensors, id);
    tensor.may_be_resident = tensor.home == Home::Storage && !must_be_in_storage(step, problem, id);
  };
  for (const TrainedParameter& trained : step.trained) {
    offer(trained.parameter);
    for (const TensorId state : trained.states) offer(state);
  }
}

}  // namespace

Result<Problem> training_problem(const TrainingGraph& step, const Device& device,
                                 double memory_power_scale, std::int64_t alignment_bytes,
                                 const KernelSet& kernels) {
  const Result<CostTable> costs = formula_costs(step.graph, device, memory_power_scale);
  if (!costs.ok()) return costs.error();
  return training_problem(step, *costs, device, memory_power_scale, alignment_bytes, kernels);
}

Problem training_problem(const TrainingGraph& step, const CostTable& costs, const Device& device,
                         double memory_power_scale, std::int64_t alignment_bytes,
                         const KernelSet& kernels) {
  Problem problem =
      graph_problem(step.graph, costs, device, memory_power_scale, alignment_bytes, kernels);
  mark_replacements(step, problem);
  if (step.parameters == ParameterPlace::Excluded) leave_out_parameters(step, problem);
  if (step.parameters == ParameterPlace::Chosen) offer_places_in_ram(step, problem);
  return problem;
}

}  // namespace poet
