#include "poet/ask/generate.h"

#include <fmt/core.h>

#include "poet/cost/formula_costs.h"
#include "poet/device/boards.h"
#include "poet/model/generated_networks.h"
#include "poet/problem/facts.h"

namespace poet {
namespace {

CostedNode node_of(const OutlineOperation& operation, const OutlineTensor& output,
                   const OperationCost& compute, const TensorCost& transfer) {
  CostedNode node{.name = operation.name,
                  .output_bytes = size_bytes(output),
                  .duration_s = compute.compute_s,
                  .compute_j = compute.compute_j,
                  .page_in_j = transfer.page_in_j,
                  .page_out_j = transfer.page_out_j,
                  .page_in_s = transfer.page_in_s,
                  .page_out_s = transfer.page_out_s,
                  .backward = operation.backward};
  // The samples lie in storage: to have them again is to read them again.
  if (operation.kind == LayerKind::Input) {
    node.duration_s = transfer.page_in_s;
    node.compute_j = transfer.page_in_j;
  }
  // Operation v makes tensor v.
  for (const TensorId input : operation.inputs) node.inputs.push_back(OperationId{index_of(input)});
  return node;
}

}  // namespace

Result<CostedGraph> generate_graph(const GenerateRequest& request) {
  const Result<Outline> graph = generated_graph(request.kind, request.operations, request.seed);
  if (!graph.ok()) return graph.error();
  const Result<Device> device = load_device(request.platform);
  if (!device.ok()) return device.error();
  const Result<CostTable> costs = released_costs(*graph, *device, 1);
  if (!costs.ok()) return costs.error();

  CostedGraph out;
  out.name = fmt::format("{}_{}_seed{}", request.kind, request.operations, request.seed);
  out.source = fmt::format("poet generate {} --operations {} --seed {} --platform {}", request.kind,
                           request.operations, request.seed, request.platform);
  out.has_energies = out.has_storage = out.has_transfer_times = true;
  for (std::size_t v = 0; v < graph->operations.size(); ++v)
    out.nodes.push_back(
        node_of(graph->operations[v], graph->tensors[v], costs->operations[v], costs->tensors[v]));
  const Problem problem = problem_of(out);
  if (Failure failure = check_problem(problem)) return *failure;
  out.stated_plain_peak_bytes = plain_peak_bytes(problem);
  out.stated_working_set_bytes = largest_working_set(problem).bytes;
  return out;
}

}  // namespace poet
