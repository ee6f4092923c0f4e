#include "poet/problem/costed_graph.h"

namespace poet {
namespace {

TensorId output_of(OperationId node) {
  return TensorId{index_of(node)};
}

Operation operation_of(const CostedNode& node, TensorId output) {
  Operation operation{.name = node.name,
                      .outputs = {output},
                      .compute_j = node.compute_j,
                      .compute_s = node.duration_s,
                      .backward = node.backward};
  for (const OperationId input : node.inputs) operation.inputs.push_back(output_of(input));
  return operation;
}

Tensor tensor_of(const CostedNode& node) {
  return {.name = node.name,
          .size_bytes = node.output_bytes,
          .page_in_j = node.page_in_j,
          .page_out_j = node.page_out_j,
          .page_in_s = node.page_in_s,
          .page_out_s = node.page_out_s};
}

}  // namespace

Problem problem_of(const CostedGraph& graph) {
  Problem problem;
  problem.name = graph.name;
  for (const CostedNode& node : graph.nodes) {
    const TensorId output{static_cast<std::int32_t>(problem.tensors.size())};
    problem.operations.push_back(operation_of(node, output));
    problem.tensors.push_back(tensor_of(node));
  }
  problem.objective = graph.has_energies ? Objective::Energy : Objective::Time;
  problem.time_mode = graph.has_transfer_times ? TimeMode::Blocking : TimeMode::Free;
  problem.paging_allowed = graph.has_storage;
  return problem;
}

}  // namespace poet
