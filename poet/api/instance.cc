#include "poet/api/instance.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "poet/api/budget_text.h"
#include "poet/api/graph_file.h"
#include "poet/api/step_costs.h"
#include "poet/api/training_problem.h"
#include "poet/api/training_step.h"
#include "poet/api/update_levels.h"
#include "poet/api/updates_that_fit.h"
#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/cost/released_costs.h"
#include "poet/device/boards.h"
#include "poet/model/real_networks.h"
#include "poet/model/released_networks.h"
#include "poet/problem/facts.h"
#include "poet/report/figure_text.h"

namespace poet {
namespace {

Failure check_graph_name(const PlanRequest& request) {
  const std::string graph = graph_of(request);
  if (graph == "real" || graph == "released") return std::nullopt;
  const std::string near = suggestion(graph, {"real", "released"});
  return bad_input(fmt::format("unknown graph {}{}", in_quotes(graph),
                               near.empty() ? "; use real or released" : near));
}

std::string exact_bytes(std::int64_t bytes) {
  return count_figure(bytes) + " bytes";
}

// Nothing when it does not fit in 62 bits.
std::optional<std::int64_t> resolve(const RamBudget& budget, const Problem& problem) {
  if (const RamBytes* const fixed = std::get_if<RamBytes>(&budget)) return fixed->bytes;
  const std::int64_t peak_bytes = plain_peak_bytes(problem);
  if (const RamOfPlainPeak* const part = std::get_if<RamOfPlainPeak>(&budget))
    return part_of_bytes(part->ratio, peak_bytes);
  const std::int64_t least_bytes = largest_working_set(problem).bytes;
  const std::optional<std::int64_t> way =
      part_of_bytes(std::get<RamOnTheWay>(budget).ratio, peak_bytes - least_bytes);
  if (!way) return std::nullopt;
  return least_bytes + *way;
}

double resolve(const Deadline& deadline, const Problem& problem) {
  if (const DeadlineSeconds* const fixed = std::get_if<DeadlineSeconds>(&deadline))
    return fixed->seconds;
  return std::get<DeadlineRatio>(deadline).ratio * unavoidable(problem).compute_s;
}

Failure set_limits(const PlanRequest& request, Instance& instance) {
  Problem& problem = instance.problem;
  if (request.deadline) {
    problem.deadline_s = resolve(*request.deadline, problem);
    if (!std::isfinite(*problem.deadline_s))
      return bad_input("the deadline is too long to compute");
  }
  problem.write_budget_bytes = request.write_budget_bytes;
  if (!instance.device) return std::nullopt;
  problem.ram_budget_bytes = instance.device->ram_bytes;
  problem.storage_capacity_bytes = instance.device->storage.capacity_bytes;
  problem.idle_w = instance.device->idle_w;
  return std::nullopt;
}

Failure set_ram_budget(const PlanRequest& request, Instance& instance) {
  if (!request.ram_budget && !instance.device)
    return bad_input(
        "a graph file alone says nothing of the RAM: give --ram-budget, such as 0.9x of the plain "
        "peak, or --platform for the RAM of a device");
  if (!request.ram_budget) return std::nullopt;
  const Result<std::int64_t> bytes = budget_bytes(*request.ram_budget, instance.problem);
  if (!bytes.ok()) return bytes.error();
  instance.problem.ram_budget_bytes = *bytes;
  return check_problem(instance.problem);
}

void set_options(const PlanRequest& request, Problem& problem) {
  problem.time_mode = request.io.value_or(problem.time_mode);
  problem.objective = objective_of(request);
  problem.paging_allowed = problem.paging_allowed && request.paging;
  problem.rematerialisation_allowed = request.rematerialisation;
}

void warn_of_the_budget(Instance& instance) {
  const std::int64_t budget = instance.problem.ram_budget_bytes;
  const std::optional<Device>& device = instance.device;
  if (!device || budget <= device->ram_bytes) return;
  instance.warnings.insert(
      instance.warnings.begin(),
      fmt::format("the RAM budget of {} is more than the {} that {} has", exact_bytes(budget),
                  exact_bytes(device->ram_bytes), device->name));
}

void add_warnings(const PlanRequest& request, Instance& instance) {
  if (request.costed_graph)
    for (std::string& warning : costed_graph_warnings(request, instance.device, instance.problem))
      instance.warnings.push_back(std::move(warning));
  if (request.batch_size == 1 || graph_of(request) != "released") return;
  for (const ReleasedNetwork& network : released_network_table())
    if (network.name == request.model && network.batch_size == BatchSize::Ignored)
      instance.warnings.push_back(
          fmt::format("the released graph of {} is the same at every batch size", request.model));
}

Result<Device> named_device(const PlanRequest& request) {
  Result<Device> device = load_device(request.platform);
  if (device.ok() && request.storage_block_bytes)
    device->storage.block_bytes = *request.storage_block_bytes;
  return device;
}

// Without options and budgets, as are the next two.
Result<Instance> real_instance(const PlanRequest& request) {
  Result<Device> device = named_device(request);
  if (!device.ok()) return device.error();
  const Result<TrainingGraph> step = training_step(request);
  if (!step.ok()) return step.error();
  const Result<std::unique_ptr<KernelSet>> kernels = make_kernels(request.kernels);
  if (!kernels.ok()) return kernels.error();
  const Result<CostTable> costs = step_costs(request, step->graph, *device);
  if (!costs.ok()) return costs.error();
  Problem problem = training_problem(*step, *costs, *device, request.memory_power_scale,
                                     request.alignment_bytes, **kernels);
  Instance instance{.device = *std::move(device),
                    .problem = std::move(problem),
                    .warnings = step->notes,
                    .costs = to_text(costs->source),
                    .updates = updates_of(step->graph, request.training.updates)};
  for (std::string& warning : cost_warnings(request, costs->source))
    instance.warnings.push_back(std::move(warning));
  return instance;
}

Result<Instance> released_instance(const PlanRequest& request) {
  const Result<Outline> graph = released_graph(request.model, request.batch_size);
  if (!graph.ok()) return graph.error();
  Result<Device> device = named_device(request);
  if (!device.ok()) return device.error();
  const Result<CostTable> costs = released_costs(*graph, *device, request.memory_power_scale);
  if (!costs.ok()) return costs.error();
  Instance instance{.device = *std::move(device),
                    .problem = costed_problem(*graph, *costs),
                    .warnings = {},
                    .costs = to_text(costs->source)};
  instance.problem.time_mode = TimeMode::Free;  // the released code has no transfer times
  return instance;
}

Result<Instance> file_instance(const PlanRequest& request) {
  Instance instance;
  if (!request.platform.empty()) {
    Result<Device> device = named_device(request);
    if (!device.ok()) return device.error();
    instance.device = *std::move(device);
  }
  Result<Problem> problem = costed_graph_problem(request, instance.device);
  if (!problem.ok()) return problem.error();
  instance.problem = *std::move(problem);
  return instance;
}

// Where the request does not say which graph it means, a name may be of either kind.
Failure check_model_name(const PlanRequest& request) {
  if (!request.graph.empty() || names_onnx_file(request.model)) return std::nullopt;
  std::vector<std::string_view> names;
  for (const RealNetwork& row : real_network_table()) names.push_back(row.name);
  for (const ReleasedNetwork& row : released_network_table()) names.push_back(row.name);
  if (std::find(names.begin(), names.end(), request.model) != names.end()) return std::nullopt;
  const std::string near = suggestion(request.model, names);
  return Error{ErrorCode::NotFound,
               fmt::format("unknown model {}{}", in_quotes(request.model),
                           near.empty() ? "; 'poet models' lists them" : near),
               {}};
}

// With the updates that the budget of `separate` asks for.
Result<Instance> with_updates_that_fit(const PlanRequest& request, Instance separate) {
  const std::int64_t budget_bytes = separate.problem.ram_budget_bytes;
  const Problem* const problem = &separate.problem;
  const std::optional<PlanRequest> fitting =
      with_updates_that_fit(request, {&problem, 1}, budget_bytes);
  if (!fitting) return separate;
  Result<Instance> sliced = instance_at_any_budget(*fitting);
  if (!sliced.ok()) return sliced;
  if (largest_working_set(sliced->problem).bytes > budget_bytes) {
    Result<std::vector<UpdateLevel>> levels = update_levels(request);
    if (!levels.ok()) return levels.error();
    *sliced = std::move(levels->back().instance);
  }
  sliced->problem.ram_budget_bytes = budget_bytes;
  if (Failure failure = check_problem(sliced->problem)) return *failure;
  return sliced;
}

// A cost table is of operations of real networks.
Failure check_costs(const PlanRequest& request) {
  if (!request.costs_path && request.missing_costs != MissingCosts::Refused)
    return bad_input("--costs-missing is about a cost table; name one with --costs");
  if (!request.costs_path || graph_of(request) == "real") return std::nullopt;
  return bad_input(fmt::format(
      "--costs is for real networks, and this is {}",
      request.costed_graph ? "a graph file, which has its own costs" : "a released graph"));
}

// What says how a real network is made, trained and executed, and whether a request says it.
struct RealOption {
  std::string_view name;
  bool (*is_given)(const PlanRequest& request);
};
constexpr RealOption kRealOptions[] = {
    {"--image-size", [](const PlanRequest& r) { return r.network.image_size.has_value(); }},
    {"--sequence-length",
     [](const PlanRequest& r) { return r.network.sequence_length.has_value(); }},
    {"--classes", [](const PlanRequest& r) { return r.network.classes.has_value(); }},
    {"--dimensions", [](const PlanRequest& r) { return !r.dimensions.empty(); }},
    {"--kernels", [](const PlanRequest& r) { return r.kernels.library != KernelChoice{}.library; }},
    {"--train", [](const PlanRequest& r) { return r.training.train != TrainingOptions{}.train; }},
    {"--parameters",
     [](const PlanRequest& r) { return r.training.parameters != TrainingOptions{}.parameters; }},
    {"--frozen",
     [](const PlanRequest& r) { return r.training.frozen != TrainingOptions{}.frozen; }},
    {"--updates",
     [](const PlanRequest& r) { return r.training.updates != TrainingOptions{}.updates; }},
    {"--optimiser",
     [](const PlanRequest& r) { return r.training.optimiser != TrainingOptions{}.optimiser; }},
    {"--loss", [](const PlanRequest& r) { return r.training.loss != TrainingOptions{}.loss; }},
    {"--largest-gradient-norm",
     [](const PlanRequest& r) { return r.training.largest_gradient_norm.has_value(); }},
};

// A released graph and a graph file are what they are.
Failure check_real_options(const PlanRequest& request) {
  if (graph_of(request) == "real") return std::nullopt;
  for (const RealOption& option : kRealOptions)
    if (option.is_given(request))
      return bad_input(fmt::format("{} is for real networks, and this is {}", option.name,
                                   request.costed_graph ? "a graph file" : "a released graph"));
  return std::nullopt;
}

Result<Instance> lookup(const PlanRequest& request) {
  if (Failure failure = check_costs(request)) return *failure;
  if (Failure failure = check_real_options(request)) return *failure;
  if (request.costed_graph) return file_instance(request);
  if (Failure failure = check_graph_name(request)) return *failure;
  if (Failure failure = check_model_name(request)) return *failure;
  return graph_of(request) == "real" ? real_instance(request) : released_instance(request);
}

}  // namespace

Problem costed_problem(const Outline& graph, const CostTable& costs) {
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

Result<std::int64_t> budget_bytes(const RamBudget& budget, const Problem& problem) {
  const std::optional<std::int64_t> bytes = resolve(budget, problem);
  if (!bytes) return bad_input("the RAM budget does not fit in 62 bits");
  return *bytes;
}

Result<Instance> instance_at_any_budget(const PlanRequest& request) {
  Result<Instance> made = lookup(request);
  if (!made.ok()) return made.error();
  Instance instance = *std::move(made);
  if (Failure failure = check_problem(instance.problem)) return *failure;
  set_options(request, instance.problem);
  if (Failure failure = set_limits(request, instance)) return *failure;
  if (Failure failure = check_problem(instance.problem)) return *failure;
  add_warnings(request, instance);
  return instance;
}

Result<Instance> make_instance(const PlanRequest& request) {
  Result<Instance> instance = instance_at_any_budget(request);
  if (!instance.ok()) return instance.error();
  if (Failure failure = set_ram_budget(request, *instance)) return *failure;
  Result<Instance> fitting = with_updates_that_fit(request, *std::move(instance));
  if (fitting.ok()) warn_of_the_budget(*fitting);
  return fitting;
}

Result<Problem> make_problem(const PlanRequest& request) {
  Result<Instance> instance = make_instance(request);
  if (!instance.ok()) return instance.error();
  return std::move(instance->problem);
}

}  // namespace poet
