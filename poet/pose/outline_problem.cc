#include "poet/pose/outline_problem.h"

#include "poet/base/check.h"

namespace poet {

Problem outline_problem(const Outline& graph, const CostTable& costs) {
  POET_CHECK(costs.operations.size() == graph.operations.size());
  POET_CHECK(costs.tensors.size() == graph.tensors.size());
  Problem problem;
  problem.name = graph.name;
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    const OutlineOperation& from = graph.operations[v];
    problem.operations.push_back(Operation{.name = from.name,
                                           .inputs = from.inputs,
                                           .outputs = from.outputs,
                                           .compute_j = costs.operations[v].compute_j,
                                           .compute_s = costs.operations[v].compute_s,
                                           .backward = from.backward});
  }
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const OutlineTensor& from = graph.tensors[i];
    const TensorCost& cost = costs.tensors[i];
    problem.tensors.push_back(Tensor{.name = from.name,
                                     .size_bytes = size_bytes(from),
                                     .home = from.home,
                                     .page_in_j = cost.page_in_j,
                                     .page_out_j = cost.page_out_j,
                                     .page_in_s = cost.page_in_s,
                                     .page_out_s = cost.page_out_s});
  }
  return problem;
}

}  // namespace poet
