#include "poet/autodiff/training_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "poet/autodiff/reverse_mode.h"
#include "poet/base/check.h"
#include "poet/base/closest_name.h"
#include "poet/base/message_text.h"
#include "poet/graph/operator.h"

namespace poet {
namespace {

Result<TensorId> chosen_output(const Model& model, const std::string& name) {
  if (name.empty()) return model.outputs.front().tensor;
  std::vector<std::string_view> names;
  for (const NamedTensor& output : model.outputs) {
    if (output.name == name) return output.tensor;
    names.push_back(output.name);
  }
  const std::string near = suggestion(name, names);
  return bad_input(fmt::format("the network has no output {}{}", in_quotes(name),
                               near.empty() ? ": it has " + alternatives(names) : near));
}

// A flag for each operation that `output` needs.
std::vector<bool> needed_operations(const Graph& graph, TensorId output) {
  std::vector<bool> tensor_is_needed(graph.tensors.size());
  std::vector<bool> needed(graph.operations.size());
  tensor_is_needed[static_cast<std::size_t>(index_of(output))] = true;
  for (std::size_t v = graph.operations.size(); v-- > 0;) {
    for (const TensorId made : graph.operations[v].outputs)
      if (tensor_is_needed[static_cast<std::size_t>(index_of(made))]) needed[v] = true;
    if (!needed[v]) continue;
    for (const TensorId read : graph.operations[v].inputs)
      tensor_is_needed[static_cast<std::size_t>(index_of(read))] = true;
  }
  return needed;
}

// What is copied, and what is known of it.
struct Source {
  const Model& model;
  const std::vector<bool>& trained;
  const TrainingOptions& options;
  std::vector<std::optional<TrainedBatchNorm>> batch_norms = {};  // of each operation

  bool is_trained(TensorId id) const { return trained[static_cast<std::size_t>(index_of(id))]; }
};

bool every_parameter_is_trained(const Source& source) {
  const std::vector<GraphTensor>& tensors = source.model.graph.tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].role == TensorRole::Parameter && !source.trained[i]) return false;
  return true;
}

// Neither scale nor bias can be trained.
bool has_no_parameters(const Graph& graph, const GraphOperation& norm) {
  return at(graph.tensors, norm.inputs[1]).role != TensorRole::Parameter &&
         at(graph.tensors, norm.inputs[2]).role != TensorRole::Parameter;
}

// The batch norms whose running statistics follow the batch.
std::vector<std::optional<TrainedBatchNorm>> norms_in_training(const Source& source) {
  const Graph& graph = source.model.graph;
  const std::vector<GraphOperation>& operations = graph.operations;
  if (source.model.batch_norms.empty())
    return std::vector<std::optional<TrainedBatchNorm>>(operations.size());
  const bool trains_all = every_parameter_is_trained(source);
  const std::vector<bool> depends = depends_on_trained(graph, source.trained);
  std::vector<std::optional<TrainedBatchNorm>> norms(operations.size());
  for (const TrainedBatchNorm& norm : source.model.batch_norms) {
    const GraphOperation& operation = at(operations, norm.operation);
    const bool goes_with_network =
        has_no_parameters(graph, operation) &&
        (trains_all || depends[static_cast<std::size_t>(index_of(operation.inputs[0]))]);
    if (goes_with_network || source.is_trained(operation.inputs[1]) ||
        source.is_trained(operation.inputs[2]))
      norms[static_cast<std::size_t>(index_of(norm.operation))] = norm;
  }
  return norms;
}

// Of a tensor that no operation makes. Statistics that a step replaces get theirs later.
Home home_in_step(const Source& source, TensorId id) {
  const GraphTensor& tensor = at(source.model.graph.tensors, id);
  switch (tensor.role) {
    case TensorRole::Input:
      return Home::Storage;
    case TensorRole::Step:
      return Home::Resident;
    default:
      return source.is_trained(id) ? home_of_trained(source.options.parameters)
                                   : home_of_frozen(source.options);
  }
}

// Where a tensor of the model is in the step, where it is put now if it is not there yet. Its name
// is in use already: it was taken for it.
TensorId placed(StepBuilder& builder, const Source& source, ForwardPass& pass, TensorId id) {
  const auto known = pass.place.find(id);
  if (known != pass.place.end()) return known->second;
  GraphTensor tensor = at(source.model.graph.tensors, id);
  if (tensor.home != Home::Made) tensor.home = home_in_step(source, id);
  const TensorId here = add_tensor(builder.step.graph, std::move(tensor));
  pass.place.emplace(id, here);
  const auto initial = source.model.initial.find(id);
  if (initial != source.model.initial.end()) builder.step.initial.emplace(here, initial->second);
  if (source.model.step == id) builder.step.step = here;
  return here;
}

GraphOperation copied(StepBuilder& builder, const Source& source, ForwardPass& pass,
                      const GraphOperation& operation) {
  GraphOperation copy = operation;
  for (TensorId& input : copy.inputs) input = placed(builder, source, pass, input);
  for (TensorId& output : copy.outputs) output = placed(builder, source, pass, output);
  return copy;
}

TensorId add_statistic(StepBuilder& builder, const std::string& name, const TensorType& type) {
  return add_made(builder, {.name = name, .type = type});
}

// A statistic that follows one batch norm cannot follow another: each would replace the value that
// the other reads.
Failure check_is_not_replaced(const StepBuilder& builder, const GraphOperation& norm,
                              TensorId statistic) {
  for (const Replacement& replacement : builder.step.replacements)
    if (replacement.old_value == statistic)
      return bad_input(fmt::format(
          "{}: its running statistic {} follows another batch norm or its other statistic, too; "
          "to be trained, each batch norm needs a mean and a variance of its own",
          norm.name, at(builder.step.graph.tensors, statistic).name));
  return std::nullopt;
}

// The running statistics after the batch, in the place of those before.
Failure add_running_statistics(StepBuilder& builder, const GraphOperation& norm,
                               const std::vector<TensorId>& old_values,
                               const RunningAttributes& attributes) {
  const Result<std::vector<TensorId>> renewed = add_forward_operation(
      builder, {.name = norm.name + ".running_statistics",
                .kind = Operator::RunningStatistics,
                .attributes = attributes,
                .inputs = {old_values[0], old_values[1], norm.outputs[1], norm.outputs[2]}});
  if (!renewed.ok()) return renewed.error();
  for (std::size_t k = 0; k < old_values.size(); ++k) {
    if (Failure failure = check_is_not_replaced(builder, norm, old_values[k])) return failure;
    GraphTensor& old_tensor = at(builder.step.graph.tensors, old_values[k]);
    old_tensor.home = home_of_trained(builder.step.parameters);
    GraphTensor& new_tensor = at(builder.step.graph.tensors, (*renewed)[k]);
    new_tensor.name = fresh_name(builder, old_tensor.name + ".new");
    new_tensor.role = TensorRole::Statistic;
    builder.step.replacements.push_back({old_values[k], (*renewed)[k]});
  }
  return std::nullopt;
}

// A copied BatchNormInference (x, scale, bias, mean, variance to y) in training.
Failure add_trained_norm(StepBuilder& builder, GraphOperation norm, const TrainedBatchNorm& rule) {
  const std::vector<TensorId> old_values = {norm.inputs[3], norm.inputs[4]};
  const TensorType statistic = at(builder.step.graph.tensors, norm.inputs[1]).type;
  const std::int64_t values =
      value_count(at(builder.step.graph.tensors, norm.inputs[0]).type.shape);
  norm.kind = Operator::BatchNorm;
  norm.inputs.resize(3);
  norm.outputs.push_back(add_statistic(builder, norm.name + ".mean", statistic));
  norm.outputs.push_back(add_statistic(builder, norm.name + ".inverse_std", statistic));
  builder.step.graph.operations.push_back(norm);
  return add_running_statistics(builder, norm, old_values,
                                {.rate = rule.rate,
                                 .unbiased = rule.unbiased,
                                 .epsilon = std::get<NormAttributes>(norm.attributes).epsilon,
                                 .count = values / value_count(statistic.shape)});
}

// So that nothing new takes the name of anything in the model.
void take_names(StepBuilder& builder, const Graph& graph) {
  for (const GraphTensor& tensor : graph.tensors) builder.names.insert(tensor.name);
  for (const GraphOperation& operation : graph.operations) builder.names.insert(operation.name);
}

}  // namespace

Home home_of_frozen(const TrainingOptions& options) {
  return options.frozen == FrozenPlace::Rom || options.parameters == ParameterPlace::Excluded
             ? Home::Rom
             : Home::Storage;
}

Result<ForwardPass> add_forward_pass(StepBuilder& builder, const Model& model,
                                     const std::vector<bool>& trained,
                                     const TrainingOptions& options) {
  const Result<TensorId> output = chosen_output(model, options.output);
  if (!output.ok()) return output.error();
  take_names(builder, model.graph);
  Source source{.model = model, .trained = trained, .options = options};
  source.batch_norms = norms_in_training(source);
  const std::vector<bool> needed = needed_operations(model.graph, *output);
  ForwardPass pass;
  for (std::size_t v = 0; v < needed.size(); ++v) {
    if (!needed[v]) continue;
    GraphOperation operation = copied(builder, source, pass, model.graph.operations[v]);
    if (!source.batch_norms[v]) {
      builder.step.graph.operations.push_back(std::move(operation));
      continue;
    }
    if (Failure failure = add_trained_norm(builder, std::move(operation), *source.batch_norms[v]))
      return *failure;
  }
  for (const NamedTensor& input : model.inputs)
    if (const auto here = pass.place.find(input.tensor); here != pass.place.end())
      builder.step.inputs.push_back({input.name, here->second});
  pass.output = placed(builder, source, pass, *output);
  return pass;
}

}  // namespace poet
