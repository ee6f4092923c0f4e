#include "poet/autodiff/training_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "poet/autodiff/erase_from_step.h"
#include "poet/autodiff/joined_updates.h"
#include "poet/autodiff/loss.h"
#include "poet/autodiff/parameter_choice.h"
#include "poet/autodiff/reverse_mode.h"
#include "poet/autodiff/step_builder.h"
#include "poet/autodiff/training_form.h"
#include "poet/autodiff/training_options.h"
#include "poet/autodiff/update.h"
#include "poet/base/message_text.h"

namespace poet {
namespace {

bool is_of_trained(const TrainingGraph& step, TensorId new_value) {
  return std::any_of(
      step.trained.begin(), step.trained.end(), [new_value](const TrainedParameter& trained) {
        return trained.new_value == new_value ||
               std::count(trained.new_states.begin(), trained.new_states.end(), new_value) > 0;
      });
}

// What the operations that are not in `removed` read and make.
std::set<TensorId> named_by(const Graph& graph, const std::set<std::size_t>& removed) {
  std::set<TensorId> named;
  for (std::size_t v = 0; v < graph.operations.size(); ++v) {
    if (removed.count(v) > 0) continue;
    const GraphOperation& operation = graph.operations[v];
    named.insert(operation.inputs.begin(), operation.inputs.end());
    named.insert(operation.outputs.begin(), operation.outputs.end());
  }
  return named;
}

// Operations that no new value of a parameter or a state comes from.
std::set<std::size_t> not_for_updates(const TrainingGraph& step) {
  std::set<TensorId> needed;
  for (const Replacement& replacement : step.replacements) needed.insert(replacement.new_value);
  std::set<std::size_t> others;
  for (std::size_t v = step.graph.operations.size(); v-- > 0;) {
    const GraphOperation& operation = step.graph.operations[v];
    const bool is_needed = std::any_of(operation.outputs.begin(), operation.outputs.end(),
                                       [&needed](TensorId made) { return needed.count(made) > 0; });
    if (is_needed)
      needed.insert(operation.inputs.begin(), operation.inputs.end());
    else
      others.insert(v);
  }
  return others;
}

// The largest first, each to the part that has least: by places in `trained`, in which part it is.
std::vector<int> parts_of(const TrainingGraph& step, int count) {
  const auto bytes = [&step](std::size_t place) {
    return size_bytes(at(step.graph.tensors, step.trained[place].parameter).type);
  };
  std::vector<std::size_t> order(step.trained.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&bytes](std::size_t a, std::size_t b) { return bytes(a) > bytes(b); });
  std::vector<int> parts(order.size());
  std::vector<std::int64_t> sums(static_cast<std::size_t>(count));
  for (const std::size_t place : order) {
    const auto least = std::min_element(sums.begin(), sums.end());
    parts[place] = static_cast<int>(least - sums.begin());
    *least += bytes(place);
  }
  return parts;
}

void leave_out_other_parts(TrainingGraph& step, const UpdatePart& part) {
  if (std::ssize(step.trained) < part.count) return;
  const std::vector<int> parts = parts_of(step, part.count);
  std::vector<TrainedParameter> own;
  for (std::size_t place = 0; place < parts.size(); ++place)
    if (parts[place] == part.own) own.push_back(std::move(step.trained[place]));
  step.trained = std::move(own);
}

// Of a step of form Update what makes new parameters and optimiser states of the summed gradients:
// no forward pass, no backward pass, no loss. With a part, of its parameters alone; where there are
// fewer parameters than parts, every part is all of them.
TrainingGraph only_updates(TrainingGraph step, const std::optional<UpdatePart>& part) {
  if (part) leave_out_other_parts(step, *part);
  std::erase_if(step.replacements, [&step](const Replacement& replacement) {
    return !is_of_trained(step, replacement.new_value);
  });
  const std::set<std::size_t> operations = not_for_updates(step);
  const std::set<TensorId> named = named_by(step.graph, operations);
  std::set<TensorId> tensors;
  for (std::size_t i = 0; i < step.graph.tensors.size(); ++i)
    if (named.count(static_cast<TensorId>(i)) == 0) tensors.insert(static_cast<TensorId>(i));

  step.graph.outputs.clear();
  step.inputs.clear();
  step.labels.clear();
  step.share.reset();
  step.loss = {};
  if (step.step && tensors.count(*step.step) > 0) step.step.reset();
  std::erase_if(step.initial, [&](const auto& value) { return tensors.count(value.first) > 0; });
  erase_operations(step.graph, operations);
  erase_tensors(step, tensors);
  step.loss = {};
  return step;
}

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
