#include "poet/autodiff/training_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "poet/autodiff/joined_updates.h"
#include "poet/autodiff/loss.h"
#include "poet/autodiff/only_updates.h"
#include "poet/autodiff/parameter_choice.h"
#include "poet/autodiff/reverse_mode.h"
#include "poet/autodiff/step_builder.h"
#include "poet/autodiff/training_form.h"
#include "poet/autodiff/update.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

std::size_t place_of(TensorId id) {
  return static_cast<std::size_t>(index_of(id));
}

Failure check_options(const TrainingOptions& options) {
  if (options.micro_batches < 1)
    return bad_input(
        fmt::format("a step has at least 1 micro-batch, not {}", options.micro_batches));
  const bool whole = options.form == StepForm::Whole;
  if (whole && options.micro_batches > 1)
    return bad_input(
        fmt::format("a step of {} micro-batches has the forms first, middle and last, not whole",
                    options.micro_batches));
  if (!whole && options.micro_batches == 1)
    return bad_input(fmt::format("a step of 1 micro-batch has the form whole, not {}",
                                 name_of(kStepForms, options.form)));
  return std::nullopt;
}

// One flag for each tensor of the step.
std::vector<bool> trained_here(const Graph& graph, const std::vector<bool>& trained,
                               const ForwardPass& pass) {
  std::vector<bool> flags(graph.tensors.size());
  for (const auto& [in_model, here] : pass.place)
    if (trained[place_of(in_model)]) flags[place_of(here)] = true;
  return flags;
}

// The gradient that the loss begins with: its part of the mean over micro-batches. Where labels may
// be ignored, means are of different numbers of them, and who runs the step says which part it is.
TensorId add_seed(StepBuilder& builder, const TrainingOptions& options) {
  const GraphTensor loss = at(builder.step.graph.tensors, builder.step.loss);
  if (options.ignored_label && options.micro_batches > 1 && options.loss == Loss::CrossEntropy) {
    builder.step.share = add_given(builder, {.name = "loss.share",
                                             .type = loss.type,
                                             .role = TensorRole::Input,
                                             .home = Home::Storage});
    return *builder.step.share;
  }
  const TensorId seed = add_given(builder, {.name = loss.name + ".grad",
                                            .type = loss.type,
                                            .role = TensorRole::Constant,
                                            .home = home_of_frozen(options)});
  builder.step.initial.emplace(seed, FilledWith{1 / static_cast<double>(options.micro_batches)});
  return seed;
}

// How many forward operations read each tensor.
std::vector<int> reader_counts(const Graph& graph) {
  std::vector<int> counts(graph.tensors.size());
  for (const GraphOperation& operation : graph.operations)
    for (const TensorId input :
         std::set<TensorId>(operation.inputs.begin(), operation.inputs.end()))
      ++counts[place_of(input)];
  return counts;
}

// Walks back over the forward operations. A parameter's gradient is whole when the last operation
// that reads it has been walked over: all later operations that read its old value are there by
// then.
Failure add_backward_pass(StepBuilder& builder, const TrainingOptions& options,
                          const std::vector<bool>& trained) {
  Graph& graph = builder.step.graph;
  Adjoints adjoints{.wanted = depends_on_trained(graph, trained)};
  if (!adjoints.wanted[place_of(builder.step.loss)])
    return bad_input("the loss does not depend on any parameter that is to be trained");
  adjoints.of.resize(graph.tensors.size());
  std::vector<int> readers = reader_counts(graph);
  const std::size_t forward_operations = graph.operations.size();
  adjoints.of[place_of(builder.step.loss)] = add_seed(builder, options);
  for (std::size_t v = forward_operations; v-- > 0;) {
    if (Failure failure = add_gradient_of(builder, adjoints, static_cast<OperationId>(v)))
      return failure;
    const std::vector<TensorId> inputs = graph.operations[v].inputs;
    for (const TensorId input : std::set<TensorId>(inputs.begin(), inputs.end())) {
      if (--readers[place_of(input)] > 0 || !trained[place_of(input)]) continue;
      const std::optional<TensorId> gradient = adjoints.of[place_of(input)];
      if (!gradient) continue;
      if (Failure failure = add_gradient_use(builder, options, input, *gradient)) return failure;
    }
  }
  return add_waiting_updates(builder, options);
}

// "the network has 2 outputs: 'y' is trained, and 'h' is left out". A loss is of one output.
std::vector<std::string> notes_of(const Model& model, const TrainingOptions& options) {
  std::vector<std::string> notes = model.notes;
  if (model.outputs.size() < 2) return notes;
  const std::string trained = options.output.empty() ? model.outputs.front().name : options.output;
  std::string others;
  for (const NamedTensor& output : model.outputs)
    if (output.name != trained) others += (others.empty() ? "" : ", ") + in_quotes(output.name);
  notes.push_back(fmt::format("the network has {} outputs: the loss is of {}, and {} left out",
                              model.outputs.size(), in_quotes(trained),
                              others + (model.outputs.size() == 2 ? " is" : " are")));
  return notes;
}

}  // namespace

Result<TrainingGraph> training_graph(const Model& model, const TrainingOptions& options) {
  if (Failure failure = check_model(model)) return *failure;
  if (Failure failure = check_options(options)) return *failure;
  const Result<std::vector<bool>> trained = trained_parameters(model, options.train);
  if (!trained.ok()) return trained.error();

  StepBuilder builder;
  builder.step.graph.name = model.graph.name;
  builder.step.parameters = options.parameters;
  builder.step.form = options.form;
  builder.step.notes = notes_of(model, options);
  const Result<ForwardPass> pass = add_forward_pass(builder, model, *trained, options);
  if (!pass.ok()) return pass.error();
  const Result<TensorId> loss = add_loss(builder, pass->output, options);
  if (!loss.ok()) return loss.error();
  builder.step.loss = *loss;
  builder.step.graph.outputs = {*loss};
  if (Failure failure =
          add_backward_pass(builder, options, trained_here(builder.step.graph, *trained, *pass)))
    return *failure;
  std::sort(builder.step.trained.begin(), builder.step.trained.end(),
            [](const TrainedParameter& a, const TrainedParameter& b) {
              return a.parameter < b.parameter;
            });
  if (options.form == StepForm::Update)
    return only_updates(std::move(builder.step), options.update_part);
  return with_joined_updates(std::move(builder.step), options);
}

}  // namespace poet
