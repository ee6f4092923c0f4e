#include "poet/api/graph_file.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/cost/released_costs.h"
#include "poet/problem/costed_graph_json.h"
#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"

namespace poet {
namespace {

void set_transfers(const Device& device, double memory_power_scale, Problem& problem) {
  for (Tensor& tensor : problem.tensors) {
    const TensorCost cost = transfer_cost(tensor.size_bytes, device.storage, memory_power_scale);
    tensor.page_in_j = cost.page_in_j;
    tensor.page_out_j = cost.page_out_j;
    tensor.page_in_s = cost.page_in_s;
    tensor.page_out_s = cost.page_out_s;
  }
  problem.paging_allowed = true;
  problem.time_mode = device.time_mode;
}

void scale_transfers(double memory_power_scale, Problem& problem) {
  for (Tensor& tensor : problem.tensors) {
    tensor.page_in_j *= memory_power_scale;
    tensor.page_out_j *= memory_power_scale;
  }
}

void warn_of_statement(std::vector<std::string>& warnings, std::string_view what,
                       const std::optional<std::int64_t>& stated_bytes, std::int64_t bytes) {
  if (!stated_bytes || *stated_bytes == bytes) return;
  warnings.push_back(
      fmt::format("the graph file states a {} of {} bytes, but by its sizes and "
                  "edges it is {} bytes",
                  what, count_figure(*stated_bytes), count_figure(bytes)));
}

}  // namespace

Objective objective_of(const PlanRequest& request) {
  const bool energy = !request.costed_graph || request.costed_graph->has_energies;
  return request.objective.value_or(energy ? Objective::Energy : Objective::Time);
}

Result<PlanRequest> with_graph_file(PlanRequest request, const std::string& path) {
  if (!request.model.empty())
    return bad_input(
        fmt::format("the network {} and the graph file {} are two things to plan; "
                    "name one of them",
                    in_quotes(request.model), in_quotes(path)));
  if (request.batch_size != 1)
    return bad_input("a graph file has the sizes of one batch size; it cannot be given another");
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) return text.error();
  Result<CostedGraph> graph = parse_costed_graph(*text, path);
  if (!graph.ok()) return graph.error();
  request.model = graph->name;
  request.costed_graph = *std::move(graph);
  return request;
}

Result<Problem> costed_graph_problem(const PlanRequest& request,
                                     const std::optional<Device>& device) {
  const CostedGraph& graph = *request.costed_graph;
  if (!graph.has_energies && objective_of(request) == Objective::Energy)
    return bad_input(
        "the graph file states no energies ('compute_j'), so only time can be made least");
  if (Failure failure = check_memory_power_scale(request.memory_power_scale)) return *failure;
  Problem problem = problem_of(graph);
  if (device)
    set_transfers(*device, request.memory_power_scale, problem);
  else
    scale_transfers(request.memory_power_scale, problem);
  return problem;
}

std::vector<std::string> costed_graph_warnings(const PlanRequest& request,
                                               const std::optional<Device>& device,
                                               const Problem& problem) {
  const CostedGraph& graph = *request.costed_graph;
  std::vector<std::string> warnings;
  warn_of_statement(warnings, "plain peak", graph.stated_plain_peak_bytes,
                    plain_peak_bytes(problem));
  warn_of_statement(warnings, "largest working set", graph.stated_working_set_bytes,
                    largest_working_set(problem).bytes);
  if (device && graph.has_storage && problem.paging_allowed)
    warnings.push_back(
        fmt::format("transfers cost what they cost on {}, and not what the graph "
                    "file states",
                    device->name));
  const bool free_transfers =
      problem.time_mode == TimeMode::Free || (!device && !graph.has_transfer_times);
  if (problem.objective == Objective::Time && problem.paging_allowed && free_transfers)
    warnings.push_back(
        "transfers take no time here, so paging costs nothing when time is made least");
  return warnings;
}

}  // namespace poet
