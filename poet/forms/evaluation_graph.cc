#include "poet/forms/evaluation_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "poet/autodiff/parameter_choice.h"
#include "poet/autodiff/training_form.h"
#include "poet/base/message_text.h"
#include "poet/model/remove_unused.h"

namespace poet {
namespace {

Failure keep_one_output(Model& model, const std::string& name) {
  if (!name.empty()) {
    const auto found = std::find_if(model.outputs.begin(), model.outputs.end(),
                                    [&name](const NamedTensor& one) { return one.name == name; });
    if (found == model.outputs.end())
      return bad_input(fmt::format("the network has no output {}", in_quotes(name)));
    std::swap(model.outputs.front(), *found);
  }
  model.outputs.resize(1);
  model.graph.outputs = {model.outputs.front().tensor};
  return std::nullopt;
}

void drop_nothing(Graph& graph) {
  for (GraphOperation& operation : graph.operations)
    if (auto* const dropout = std::get_if<DropoutAttributes>(&operation.attributes))
      dropout->probability = 0;
}

// Statistics of norms that are trained follow them, and so are at home like parameters.
std::vector<bool> changing(const Model& model, std::vector<bool> trained) {
  const auto is_trained = [&trained](TensorId id) {
    return trained[static_cast<std::size_t>(index_of(id))];
  };
  std::vector<TensorId> statistics;
  for (const TrainedBatchNorm& norm : model.batch_norms) {
    const std::vector<TensorId>& inputs = at(model.graph.operations, norm.operation).inputs;
    if (!is_trained(inputs[1]) && !is_trained(inputs[2])) continue;
    statistics.push_back(inputs[3]);
    statistics.push_back(inputs[4]);
  }
  for (const TensorId id : statistics) trained[static_cast<std::size_t>(index_of(id))] = true;
  return trained;
}

}  // namespace

Result<Model> evaluation_model(Model model, const TrainingOptions& options) {
  const Result<std::vector<bool>> trained = trained_parameters(model, options.train);
  if (!trained.ok()) return trained.error();
  const std::vector<bool> changes = changing(model, *trained);
  const Home frozen = options.frozen == FrozenPlace::Rom ? Home::Rom : Home::Storage;
  for (std::size_t i = 0; i < model.graph.tensors.size(); ++i) {
    GraphTensor& tensor = model.graph.tensors[i];
    if (tensor.home == Home::Made || tensor.role == TensorRole::Input ||
        tensor.role == TensorRole::Step)
      continue;
    tensor.home = changes[i] ? home_of_trained(options.parameters) : frozen;
  }
  drop_nothing(model.graph);
  if (Failure failure = keep_one_output(model, options.output)) return *failure;
  remove_unused(model);
  return model;
}

}  // namespace poet
