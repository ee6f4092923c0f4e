#include "poet/ask/question.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "poet/autodiff/joined_updates.h"
#include "poet/autodiff/order.h"
#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/base/text_file.h"
#include "poet/cost/measured_costs.h"
#include "poet/device/boards.h"
#include "poet/graph/operator.h"
#include "poet/model/onnx_import.h"
#include "poet/model/packed_weights.h"
#include "poet/model/released_networks.h"
#include "poet/overlap/planner.h"
#include "poet/plan/plan_file.h"
#include "poet/problem/costed_graph_json.h"

namespace poet {
namespace {

bool is_real_network(const std::string& name) {
  const std::vector<RealNetwork>& table = real_network_table();
  return std::any_of(table.begin(), table.end(),
                     [&name](const RealNetwork& row) { return row.name == name; });
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
    {"--weights", [](const PlanRequest& r) { return r.weights_path.has_value(); }},
    {"--weights-missing",
     [](const PlanRequest& r) { return r.missing_weights != MissingWeights::Refused; }},
    {"--kernels", [](const PlanRequest& r) { return r.kernels.library != KernelChoice{}.library; }},
    {"--threads", [](const PlanRequest& r) { return r.kernels.threads != KernelChoice{}.threads; }},
    {"--adapter", [](const PlanRequest& r) { return r.adapters.has_value(); }},
    {"--adapter-weights", [](const PlanRequest& r) { return r.adapters_path.has_value(); }},
    {"--train", [](const PlanRequest& r) { return r.training.train != TrainingOptions{}.train; }},
    {"--parameters",
     [](const PlanRequest& r) { return r.training.parameters != TrainingOptions{}.parameters; }},
    {"--frozen",
     [](const PlanRequest& r) { return r.training.frozen != TrainingOptions{}.frozen; }},
    {"--updates",
     [](const PlanRequest& r) { return r.training.updates != TrainingOptions{}.updates; }},
    {"--parts",
     [](const PlanRequest& r) {
       return r.training.part_bytes.has_value() || !r.training.parts_by_budget;
     }},
    {"--optimiser",
     [](const PlanRequest& r) { return r.training.optimiser != TrainingOptions{}.optimiser; }},
    {"--loss", [](const PlanRequest& r) { return r.training.loss != TrainingOptions{}.loss; }},
    {"--largest-gradient-norm",
     [](const PlanRequest& r) { return r.training.largest_gradient_norm.has_value(); }},
};

// Where the request does not say which graph it means, a name may be of either kind.
Failure check_model_name(const PlanRequest& request) {
  if (request.graph || names_onnx_file(request.model)) return std::nullopt;
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

// A cost table is of operations of real networks; a released graph and a graph file are what they
// are.
Failure check_options(const PlanRequest& request) {
  if (!request.costs_path && request.missing_costs != MissingCosts::Refused)
    return bad_input("--costs-missing is about a cost table; name one with --costs");
  const GraphKind kind = kind_of(request);
  if (kind == GraphKind::Real) return std::nullopt;
  const bool is_file = kind == GraphKind::File;
  if (!is_file && !request.model.empty())
    if (Failure failure = check_model_name(request)) return failure;
  if (request.costs_path)
    return bad_input(
        fmt::format("--costs is for real networks, and this is {}",
                    is_file ? "a graph file, which has its own costs" : "a released graph"));
  if (const std::optional<std::string_view> option = option_of_real_networks(request))
    return bad_input(fmt::format("{} is for real networks, and this is {}", *option,
                                 is_file ? "a graph file" : "a released graph"));
  return std::nullopt;
}

Failure read_device(const PlanRequest& request, Question& question) {
  Result<Device> device = load_device(request.platform);
  if (!device.ok()) return device.error();
  if (request.storage_block_bytes) device->storage.block_bytes = *request.storage_block_bytes;
  question.device = *std::move(device);
  return std::nullopt;
}

Result<Model> model_as_it_begins(const Question& question, const AskedNetwork& network) {
  if (network.file)
    return import_onnx(*network.file,
                       {.batch_size = question.batch_size, .dimensions = network.dimensions});
  NetworkOptions options = network.options;
  options.batch_size = question.batch_size;
  return real_network(network.name, options);
}

// What its parameters are published by: the networks of files have no name in the zoo.
std::string_view published_name(const AskedNetwork& network) {
  return network.file ? std::string_view() : network.name;
}

// Which weights they are beside goes by the names of the network's.
Failure read_published_adapters(const PlanRequest& request, const Question& question,
                                AskedNetwork& network) {
  if (!request.adapters_path) return std::nullopt;
  if (request.adapters)
    return bad_input("--adapter-weights says itself which adapters there are; leave --adapter out");
  Result<PublishedAdapters> published = open_adapters(*request.adapters_path);
  if (!published.ok()) return published.error();
  const Result<Model> base = model_as_it_begins(question, network);
  if (!base.ok()) return base.error();
  Result<LowRankAdapters> adapters = adapters_for(*published, published_name(network), *base);
  if (!adapters.ok()) return adapters.error();
  network.adapters = *std::move(adapters);
  network.adapter_values = std::make_shared<const PublishedAdapters>(*std::move(published));
  return std::nullopt;
}

// Its sizes are looked at when a model is made of it.
Failure read_network(const PlanRequest& request, Question& question) {
  AskedNetwork network{.name = request.model,
                       .options = request.network,
                       .dimensions = request.dimensions,
                       .missing_weights = request.missing_weights,
                       .adapters = request.adapters};
  if (names_onnx_file(request.model)) {
    Result<OnnxModel> file = read_onnx(request.model);
    if (!file.ok()) return file.error();
    network.file = std::make_shared<const OnnxModel>(*std::move(file));
  } else if (!request.dimensions.empty() && is_real_network(request.model)) {
    return bad_input(
        fmt::format("--dimensions is for ONNX files, and this is POET's own {}", request.model));
  }
  if (request.weights_path) {
    Result<PublishedWeights> weights = open_weights(*request.weights_path);
    if (!weights.ok()) return weights.error();
    network.weights = std::make_shared<const PublishedWeights>(*std::move(weights));
  } else if (request.missing_weights != MissingWeights::Refused) {
    return bad_input("--weights-missing is about published weights; name them with --weights");
  }
  if (Failure failure = read_published_adapters(request, question, network)) return failure;
  question.graph = std::move(network);
  return std::nullopt;
}

Failure read_released_graph(const PlanRequest& request, Question& question) {
  Result<Outline> graph = released_graph(request.model, request.batch_size);
  if (!graph.ok()) return graph.error();
  question.graph = *std::move(graph);
  return std::nullopt;
}

Failure read_costed_graph(const PlanRequest& request, Question& question) {
  if (request.costed_graph) {
    question.graph = *request.costed_graph;
    return std::nullopt;
  }
  const std::string& path = *request.graph_file;
  if (request.graph) return bad_input("--graph-file and --graph name two graphs; give one of them");
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
  question.origin.model = graph->name;
  question.graph = *std::move(graph);
  return std::nullopt;
}

Failure read_costs(const PlanRequest& request, Question& question) {
  if (!request.costs_path) return std::nullopt;
  const Result<std::string> text = read_text_file(*request.costs_path);
  if (!text.ok()) return text.error();
  Result<MeasuredCosts> measured = parse_measured_costs(*text, *request.costs_path);
  if (!measured.ok()) return measured.error();
  question.costs = {.path = *request.costs_path, .measured = *std::move(measured)};
  return std::nullopt;
}

// What is planned, on what device, at what costs.
Failure read_what(const PlanRequest& request, Question& question) {
  switch (kind_of(request)) {
    case GraphKind::File:
      if (Failure failure = read_costed_graph(request, question)) return failure;
      if (Failure failure = check_options(request)) return failure;
      return request.platform.empty() ? std::nullopt : read_device(request, question);
    case GraphKind::Released:
      if (Failure failure = check_options(request)) return failure;
      if (Failure failure = check_model_name(request)) return failure;
      if (Failure failure = read_released_graph(request, question)) return failure;
      return read_device(request, question);
    case GraphKind::Real:
      if (Failure failure = check_options(request)) return failure;
      if (Failure failure = check_model_name(request)) return failure;
      if (Failure failure = read_device(request, question)) return failure;
      if (Failure failure = read_network(request, question)) return failure;
      return read_costs(request, question);
  }
  return std::nullopt;
}

Failure read_search(const PlanRequest& request, Question& question) {
  std::vector<std::string_view> names;
  for (const SolverEntry& entry : planner_table()) {
    if (entry.name == request.formulation) question.formulation = &entry;
    names.push_back(entry.name);
  }
  if (question.formulation == nullptr)
    return Error{ErrorCode::NotFound,
                 fmt::format("unknown formulation '{}'{}", request.formulation,
                             suggestion(request.formulation, names)),
                 {}};
  if (request.uncertainty && request.uncertainty->deviations &&
      question.formulation != &planner_table().front())
    return bad_input(
        fmt::format("the {} formulation counts no deviations: give --uncertainty a part alone, "
                    "which every cost may be above its figure",
                    request.formulation));
  const Result<const SolverName*> solver = solver_named(request.solver);
  if (!solver.ok()) return solver.error();
  question.solver = *solver;
  if (!request.start_path) return std::nullopt;
  Result<Plan> plan = load_plan(*request.start_path);
  if (!plan.ok()) return plan.error();
  question.start = {.path = *request.start_path, .plan = *std::move(plan)};
  return std::nullopt;
}

// What is taken over as it is.
Question values_of(const PlanRequest& request) {
  return {.origin = {.model = request.model,
                     .platform = request.platform,
                     .graph = std::string(name_of(kGraphKinds, kind_of(request))),
                     .command = request.command},
          .batch_size = request.batch_size,
          .training = request.training,
          .kernels = request.kernels,
          .memory_power_scale = request.memory_power_scale,
          .missing_costs = request.missing_costs,
          .alignment_bytes = request.alignment_bytes,
          .ram_budget = request.ram_budget,
          .deadline = request.deadline,
          .uncertainty = request.uncertainty,
          .write_budget_bytes = request.write_budget_bytes,
          .io = request.io,
          .paging = request.paging,
          .rematerialisation = request.rematerialisation,
          .solve = request.solve};
}

bool has_energies(const Question& question) {
  const auto* const file = std::get_if<CostedGraph>(&question.graph);
  return file == nullptr || file->has_energies;
}

}  // namespace

std::optional<std::string_view> option_of_real_networks(const PlanRequest& request) {
  if (kind_of(request) == GraphKind::Real) return std::nullopt;
  for (const RealOption& option : kRealOptions)
    if (option.is_given(request)) return option.name;
  return std::nullopt;
}

Result<Question> read_question(const PlanRequest& request) {
  Question question = values_of(request);
  if (Failure failure = read_what(request, question)) return *failure;
  question.objective =
      request.objective.value_or(has_energies(question) ? Objective::Energy : Objective::Time);
  if (Failure failure = read_search(request, question)) return *failure;
  return question;
}

Result<Question> read_network_question(const PlanRequest& request) {
  Question question = values_of(request);
  if (Failure failure = read_network(request, question)) return *failure;
  if (Failure failure = read_search(request, question)) return *failure;
  return question;
}

GraphKind kind_of(const Question& question) {
  return static_cast<GraphKind>(question.graph.index());
}

GraphKind kind_of(const PlanRequest& request) {
  if (request.costed_graph || request.graph_file) return GraphKind::File;
  if (request.graph) return *request.graph;
  return is_real_network(request.model) || names_onnx_file(request.model) ? GraphKind::Real
                                                                          : GraphKind::Released;
}

bool names_onnx_file(const std::string& model) {
  return model.ends_with(".onnx") || model.find('/') != std::string::npos;
}

Result<Model> base_model_of(const Question& question) {
  const AskedNetwork& network = std::get<AskedNetwork>(question.graph);
  Result<Model> model = model_as_it_begins(question, network);
  if (!model.ok() || !network.weights) return model;
  if (Failure failure =
          load_weights(*network.weights, published_name(network), network.missing_weights, *model))
    return *failure;
  return model;
}

Result<Model> decoded_model_of(const Question& question) {
  Result<Model> base = base_model_of(question);
  const AskedNetwork& network = std::get<AskedNetwork>(question.graph);
  if (!base.ok() || !network.adapters) return base;
  Result<Model> model = with_adapters(*std::move(base), *network.adapters, network.options.seed);
  if (!model.ok() || !network.adapter_values) return model;
  if (Failure failure = load_adapters(*network.adapter_values, published_name(network), *model))
    return *failure;
  return model;
}

Result<Model> model_of(const Question& question) {
  Result<Model> model = decoded_model_of(question);
  if (!model.ok()) return model;
  return with_decoding(*std::move(model));
}

std::optional<LowRankAdapters> adapters_of(const Question& question) {
  const auto* const network = std::get_if<AskedNetwork>(&question.graph);
  return network == nullptr ? std::nullopt : network->adapters;
}

Result<TrainingGraph> whole_step_of(const Question& question, const Model& model) {
  if (question.training.updates == Updates::Sliced &&
      question.kernels.library != KernelLibrary::Reference)
    return bad_input(
        "--updates sliced is for the reference kernels: oneDNN's make gradients as a whole, to "
        "other bits");
  return training_graph(model, question.training);
}

namespace {

// Whether updates of a step in parts are by slices where they can be. Other kernels make gradients
// as a whole.
bool joins_updates(const Question& question) {
  return question.training.updates != Updates::Separate &&
         question.kernels.library == KernelLibrary::Reference;
}

}  // namespace

Result<StepInParts> parts_of(const Question& question, const Model& model, const KnownCuts& known,
                             const Stop& stop) {
  POET_CHECK(question.training.part_bytes);
  Question separate = question;
  separate.training.updates = Updates::Separate;
  Result<TrainingGraph> whole = whole_step_of(separate, model);
  if (!whole.ok()) return whole.error();
  reorder(*whole);
  // A table of which only rows are needed must not be cut between them.
  if (question.training.updates != Updates::Separate) whole = with_row_updates(*std::move(whole));
  return step_in_parts(*whole, *question.training.part_bytes, known, question.most_parts, stop,
                       joins_updates(question));
}

namespace {

bool updates_rows(const Graph& graph) {
  return std::any_of(
      graph.operations.begin(), graph.operations.end(),
      [](const GraphOperation& operation) { return operation.kind == Operator::RowUpdate; });
}

}  // namespace

Result<AskedStep> asked_step(const Question& question, const Model& model, const KnownCuts& known,
                             const Stop& stop) {
  const auto whole = [&]() -> Result<AskedStep> {
    Result<TrainingGraph> step = whole_step_of(question, model);
    if (!step.ok()) return step.error();
    return AskedStep{*std::move(step)};
  };
  if (!question.training.part_bytes) return whole();
  Result<StepInParts> parts = parts_of(question, model, known, stop);
  if (!parts.ok()) return parts.error();
  // A step whose operations are small enough is as it would be without; but rows of tables, or
  // slices that nobody asked for, may be why they are.
  const bool is_as_asked = !parts->needs_slices || question.training.updates == Updates::Sliced;
  if (parts->cuts.operations.empty() && parts->step.pieces.empty() &&
      !updates_rows(parts->step.graph) && is_as_asked)
    return whole();
  AskedStep asked{std::move(parts->step), std::make_shared<const Cuts>(std::move(parts->cuts)),
                  parts->homes};
  if (!joins_updates(question)) return asked;
  TrainingOptions sliced = question.training;
  sliced.updates = Updates::Sliced;
  asked.graph = with_joined_updates(std::move(asked.graph), sliced);
  return asked;
}

Result<TrainingGraph> step_of(const Question& question, const Model& model,
                              const KnownCuts& known) {
  Result<AskedStep> asked = asked_step(question, model, known);
  if (!asked.ok()) return asked.error();
  return std::move(asked->graph);
}

}  // namespace poet
