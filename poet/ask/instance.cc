#include "poet/ask/instance.h"

#include <fmt/core.h>

#include <set>
#include <string_view>
#include <utility>

#include "poet/base/message_text.h"
#include "poet/cost/formula_costs.h"
#include "poet/graph/operator.h"
#include "poet/model/released_networks.h"
#include "poet/pose/graph_problem.h"
#include "poet/pose/training_problem.h"
#include "poet/problem/facts.h"
#include "poet/problem/uncertainty.h"

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

// What the device says of a rate and a power, for each byte.
std::vector<FurtherMemory> further_memories(const Device& device) {
  std::vector<FurtherMemory> all;
  for (const DeviceMemory& memory : device.memories)
    all.push_back({.name = memory.name,
                   .size_bytes = memory.size_bytes,
                   .read_s_per_byte = 1 / memory.read_rate_bytes_per_s,
                   .read_j_per_byte = memory.read_power_w / memory.read_rate_bytes_per_s,
                   .write_s_per_byte = 1 / memory.write_rate_bytes_per_s,
                   .write_j_per_byte = memory.write_power_w / memory.write_rate_bytes_per_s});
  return all;
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
                  what, grouped_digits(*stated_bytes), grouped_digits(bytes)));
}

Result<Instance> file_instance(const Question& question) {
  Result<Problem> problem = costed_graph_problem(question);
  if (!problem.ok()) return problem.error();
  return Instance{.device = question.device, .problem = *std::move(problem), .warnings = {}};
}

Result<Instance> released_instance(const Question& question) {
  const Outline& graph = std::get<Outline>(question.graph);
  const Result<CostTable> costs =
      released_costs(graph, *question.device, question.memory_power_scale);
  if (!costs.ok()) return costs.error();
  Instance instance{.device = question.device,
                    .problem = outline_problem(graph, *costs),
                    .warnings = {},
                    .costs = to_text(costs->source)};
  instance.problem.time_mode = TimeMode::Free;  // the released code has no transfer times
  return instance;
}

void set_options(const Question& question, Problem& problem) {
  problem.time_mode = question.io.value_or(problem.time_mode);
  problem.objective = question.objective;
  problem.paging_allowed = problem.paging_allowed && question.paging;
  problem.rematerialisation_allowed = question.rematerialisation;
}

Failure set_limits(const Question& question, Instance& instance) {
  Problem& problem = instance.problem;
  problem.uncertainty = question.uncertainty;
  if (question.deadline) {
    const Result<double> seconds = deadline_s(*question.deadline, problem);
    if (!seconds.ok()) return seconds.error();
    set_deadline(problem, *seconds);
  }
  problem.write_budget_bytes = question.write_budget_bytes;
  if (!instance.device) return std::nullopt;
  problem.ram_budget_bytes = instance.device->ram_bytes;
  problem.further_memories = further_memories(*instance.device);
  problem.storage_capacity_bytes = instance.device->storage.capacity_bytes;
  problem.idle_w = instance.device->idle_w;
  return std::nullopt;
}

void add_warnings(const Question& question, Instance& instance) {
  if (kind_of(question) == GraphKind::File)
    for (std::string& warning : costed_graph_warnings(question, instance.problem))
      instance.warnings.push_back(std::move(warning));
  if (question.batch_size == 1 || kind_of(question) != GraphKind::Released) return;
  for (const ReleasedNetwork& network : released_network_table())
    if (network.name == question.origin.model && network.batch_size == BatchSize::Ignored)
      instance.warnings.push_back(fmt::format(
          "the released graph of {} is the same at every batch size", question.origin.model));
}

// Everything that is the same whatever the graph is.
Result<Instance> completed(const Question& question, Instance instance) {
  if (Failure failure = check_problem(instance.problem)) return *failure;
  set_options(question, instance.problem);
  if (Failure failure = set_limits(question, instance)) return *failure;
  if (Failure failure = check_problem(instance.problem)) return *failure;
  add_warnings(question, instance);
  return instance;
}

// Cutting counts on what the largest part of each operation needs; a size that was asked for is
// kept by all of them, or refused. Other kernels, and tensors that are aligned, take more.
Failure check_part_size(const Question& question, const TrainingGraph& step,
                        const Problem& problem) {
  if (!question.training.part_bytes || question.training.parts_by_budget || !step.part_bytes ||
      question.kernels.library != KernelLibrary::Reference || question.alignment_bytes > 1)
    return std::nullopt;
  const WorkingSet largest = largest_working_set(problem);
  const std::int64_t bytes = largest.bytes - resident_bytes(problem);
  if (bytes <= *question.training.part_bytes) return std::nullopt;
  return bad_input(fmt::format("operation '{}' needs {} bytes in parts of {}; ask for larger parts",
                               at(problem.operations, largest.operation).name,
                               grouped_digits(bytes),
                               grouped_digits(*question.training.part_bytes)));
}

}  // namespace

Result<Problem> costed_graph_problem(const Question& question) {
  const CostedGraph& graph = std::get<CostedGraph>(question.graph);
  if (!graph.has_energies && question.objective == Objective::Energy)
    return bad_input(
        "the graph file states no energies ('compute_j'), so only time can be made least");
  if (Failure failure = check_memory_power_scale(question.memory_power_scale)) return *failure;
  Problem problem = problem_of(graph);
  if (question.device) {
    set_transfers(*question.device, question.memory_power_scale, problem);
    problem.further_memories = further_memories(*question.device);
  } else {
    scale_transfers(question.memory_power_scale, problem);
  }
  return problem;
}

std::vector<std::string> costed_graph_warnings(const Question& question, const Problem& problem) {
  const CostedGraph& graph = std::get<CostedGraph>(question.graph);
  const std::optional<Device>& device = question.device;
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

StepUpdates updates_of(const Graph& graph, Updates asked,
                       const std::map<TensorId, TensorPiece>& pieces) {
  std::set<std::string> names;
  for (const GraphOperation& operation : graph.operations) {
    if (operation.kind != Operator::WeightUpdate && operation.kind != Operator::RowUpdate) continue;
    const auto piece = pieces.find(operation.inputs[0]);
    names.insert(piece == pieces.end() ? at(graph.tensors, operation.inputs[0]).name
                                       : piece->second.whole);
  }
  return {.asked = asked, .sliced = {names.begin(), names.end()}};
}

Result<CostTable> costs_of(const Question& question, const Graph& graph, const Device& device) {
  if (!question.costs) return formula_costs(graph, device, question.memory_power_scale);
  Result<CostTable> costs = measured_costs(
      graph, device, question.costs->measured,
      {.kernels = kernel_set_name(question.kernels), .missing = question.missing_costs},
      question.memory_power_scale);
  if (costs.ok()) return costs;
  Error error = costs.error();
  error.where.file = question.costs->path;
  return error;
}

std::vector<std::string> cost_warnings(const Question& question, const CostSource& source) {
  if (!question.costs || source.from_formulas == 0) return {};
  return {fmt::format("{} has no measurement of {} of {} operations: formulas stand for them",
                      in_quotes(question.costs->path), source.from_formulas,
                      source.from_formulas + source.from_measurements)};
}

Result<Instance> instance_of(const Question& question, const TrainingGraph& step) {
  const Device& device = *question.device;
  const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(question.kernels);
  if (!kernels.ok()) return kernels.error();
  const Result<CostTable> costs = costs_of(question, step.graph, device);
  if (!costs.ok()) return costs.error();
  Instance instance{.device = device,
                    .problem = training_problem(step, *costs, device, question.memory_power_scale,
                                                question.alignment_bytes, **kernels),
                    .warnings = step.notes,
                    .costs = to_text(costs->source),
                    .updates = updates_of(step.graph, question.training.updates, step.pieces)};
  if (Failure failure = check_part_size(question, step, instance.problem)) return *failure;
  if (question.costs) instance.unmeasured_operations = costs->source.from_formulas;
  instance.parts = {.part_bytes = step.part_bytes,
                    .operations = static_cast<std::int64_t>(step.graph.operations.size())};
  for (std::string& warning : cost_warnings(question, costs->source))
    instance.warnings.push_back(std::move(warning));
  return completed(question, std::move(instance));
}

Result<Instance> instance_of_graph(const Question& question) {
  Result<Instance> instance =
      kind_of(question) == GraphKind::File ? file_instance(question) : released_instance(question);
  if (!instance.ok()) return instance.error();
  return completed(question, *std::move(instance));
}

}  // namespace poet
