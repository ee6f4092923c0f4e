#include "poet/autodiff/update.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "poet/autodiff/step_builder.h"
#include "poet/base/check.h"
#include "poet/base/result.h"
#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

// A state of an optimiser, and the operator that makes its new value.
struct State {
  const char* name = "";
  Operator kind{};
};

// How an optimiser of the user's consists of operators of the table.
struct Rule {
  std::vector<State> states = {};
  Operator kind = Operator::Sgd;  // makes the new parameter
};

Rule rule_of(Optimiser optimiser) {
  const State velocity{"velocity", Operator::Velocity};
  const std::vector<State> moments = {{"first_moment", Operator::FirstMoment},
                                      {"second_moment", Operator::SecondMoment}};
  switch (optimiser) {
    case Optimiser::Sgd:
      return {};
    case Optimiser::Momentum:
      return {.states = {velocity}};
    case Optimiser::Nesterov:
      return {.states = {velocity}, .kind = Operator::Nesterov};
    case Optimiser::Adam:
    case Optimiser::AdamW:
      return {.states = moments, .kind = Operator::Adam};
  }
  check_failed("every optimiser has a rule", __FILE__, __LINE__);
}

// Of a state. Only what the operator has, so that equal operations have equal attributes.
UpdateAttributes state_constants(const TrainingOptions& options, Operator kind) {
  const UpdateAttributes& given = options.constants;
  const bool decays_by_itself = options.optimiser == Optimiser::AdamW;
  UpdateAttributes used{.weight_decay = decays_by_itself ? 0 : given.weight_decay};
  if (kind == Operator::Velocity) {
    used.momentum = given.momentum;
    used.dampening = given.dampening;
  }
  if (kind == Operator::FirstMoment) used.beta1 = given.beta1;
  if (kind == Operator::SecondMoment) used.beta2 = given.beta2;
  return used;
}

// Of the parameter: where states hold the decay already, it is not added twice.
UpdateAttributes parameter_constants(const TrainingOptions& options) {
  const UpdateAttributes& given = options.constants;
  switch (options.optimiser) {
    case Optimiser::Sgd:
      return {.weight_decay = given.weight_decay};
    case Optimiser::Momentum:
      return {};
    case Optimiser::Nesterov:
      return {.weight_decay = given.weight_decay,
              .momentum = given.momentum,
              .dampening = given.dampening};
    case Optimiser::Adam:
      return {.epsilon = given.epsilon};
    case Optimiser::AdamW:
      return {.weight_decay = given.weight_decay, .epsilon = given.epsilon};
  }
  check_failed("every optimiser has constants", __FILE__, __LINE__);
}

std::string name_of(const StepBuilder& builder, TensorId id) {
  return at(builder.step.graph.tensors, id).name;
}

std::vector<TensorId> state_inputs(StepBuilder& builder, const TrainedParameter& trained,
                                   TensorId state, const UpdateAttributes& constants, Operator kind,
                                   std::optional<TensorId> clip_scale) {
  std::vector<TensorId> inputs = {state, *trained.gradient};
  if (constants.weight_decay != 0) inputs.push_back(trained.parameter);
  if (kind == Operator::Velocity) inputs.push_back(step_tensor(builder));
  if (clip_scale) inputs.push_back(*clip_scale);
  return inputs;
}

Failure add_state(StepBuilder& builder, const TrainingOptions& options, TrainedParameter& trained,
                  const State& state, std::optional<TensorId> clip_scale) {
  const std::string name = name_of(builder, trained.parameter) + "." + state.name;
  const TensorId old_value =
      add_zeros(builder, name, trained.parameter, TensorRole::OptimiserState);
  const UpdateAttributes constants = state_constants(options, state.kind);
  const Result<TensorId> new_value = add_late_operation(
      builder,
      {.name = name + ".update",
       .kind = state.kind,
       .attributes = constants,
       .inputs = state_inputs(builder, trained, old_value, constants, state.kind, clip_scale)});
  if (!new_value.ok()) return new_value.error();
  replace(builder, old_value, *new_value);
  trained.states.push_back(old_value);
  trained.new_states.push_back(*new_value);
  return std::nullopt;
}

// A step of SGD is along the gradient or, with momentum, along the velocity, in which clipping is
// done with.
std::vector<TensorId> parameter_inputs(StepBuilder& builder, const TrainedParameter& trained,
                                       Operator kind, std::optional<TensorId> clip_scale) {
  std::vector<TensorId> inputs = {trained.parameter};
  inputs.insert(inputs.end(), trained.new_states.begin(), trained.new_states.end());
  const bool reads_gradient = trained.states.empty() || kind == Operator::Nesterov;
  if (reads_gradient) inputs.push_back(*trained.gradient);
  inputs.push_back(step_tensor(builder));
  if (reads_gradient && clip_scale) inputs.push_back(*clip_scale);
  return inputs;
}

// Adds what an optimiser does with the whole gradient of one parameter, one operation for each new
// value: its states first, then the parameter. No operation has an input that its constants leave
// unused, and nothing comes between them. Gradients are multiplied with the clip scale, if there is
// one.
Failure add_optimiser_update(StepBuilder& builder, const TrainingOptions& options,
                             TrainedParameter& trained, std::optional<TensorId> clip_scale) {
  const Rule rule = rule_of(options.optimiser);
  for (const State& state : rule.states)
    if (Failure failure = add_state(builder, options, trained, state, clip_scale)) return failure;
  const Result<TensorId> new_value = add_late_operation(
      builder, {.name = name_of(builder, trained.parameter) + ".update",
                .kind = rule.kind,
                .attributes = parameter_constants(options),
                .inputs = parameter_inputs(builder, trained, rule.kind, clip_scale)});
  if (!new_value.ok()) return new_value.error();
  trained.new_value = *new_value;
  replace(builder, trained.parameter, *new_value);
  return std::nullopt;
}

constexpr std::ptrdiff_t kMostPartials = 8;  // inputs of SumOfPartials and ClipScale

// --- Micro-batches

// Whether a tensor has bytes that nothing else has: it is made, not by a view, and is not the
// gradient of another parameter, too.
bool has_its_own_bytes(const StepBuilder& builder, TensorId gradient) {
  for (const TrainedParameter& other : builder.step.trained)
    if (other.gradient == gradient) return false;
  for (const GraphOperation& operation : builder.step.graph.operations)
    if (std::find(operation.outputs.begin(), operation.outputs.end(), gradient) !=
        operation.outputs.end())
      return !entry_of(operation.kind).view;
  return false;
}

// A sum of one: the same values at a place of their own.
void copy_gradient(StepBuilder& builder, TrainedParameter& trained) {
  const std::string name = name_of(builder, trained.parameter) + ".grad.copy";
  const TensorId copy =
      add_made(builder, {.name = name,
                         .type = at(builder.step.graph.tensors, trained.parameter).type,
                         .role = TensorRole::Gradient});
  add_backward_operation(builder,
                         {.name = name,
                          .kind = Operator::BroadcastSum,
                          .attributes = ScalarAttributes{.alpha = 1},
                          .inputs = {*trained.gradient}},
                         {copy});
  trained.gradient = copy;
}

// The gradient takes the place of an accumulator that nobody reads.
Failure keep(StepBuilder& builder, TrainedParameter& trained) {
  if (!has_its_own_bytes(builder, *trained.gradient)) copy_gradient(builder, trained);
  builder.step.replacements.push_back({*trained.accumulator, *trained.gradient});
  return std::nullopt;
}

Failure accumulate(StepBuilder& builder, TrainedParameter& trained) {
  const Result<TensorId> sum =
      add_late_operation(builder, {.name = name_of(builder, trained.parameter) + ".accumulate",
                                   .kind = Operator::Accumulate,
                                   .inputs = {*trained.accumulator, *trained.gradient}});
  if (!sum.ok()) return sum.error();
  replace(builder, *trained.accumulator, *sum);
  trained.gradient = *sum;
  return std::nullopt;
}

// What was summed before is only read: nobody needs it after the step.
Failure add_accumulated(StepBuilder& builder, TrainedParameter& trained) {
  const Result<TensorId> sum =
      add_late_operation(builder, {.name = name_of(builder, trained.parameter) + ".grad.total",
                                   .kind = Operator::Add,
                                   .inputs = {*trained.gradient, *trained.accumulator}});
  if (!sum.ok()) return sum.error();
  at(builder.step.graph.tensors, *sum).role = TensorRole::Gradient;
  trained.gradient = *sum;
  return std::nullopt;
}

// Whether a form makes new parameters.
bool updates(StepForm form) {
  return form == StepForm::Whole || form == StepForm::Last || form == StepForm::Update;
}

Failure add_micro_batch(StepBuilder& builder, TrainedParameter& trained) {
  if (builder.step.form == StepForm::Whole) return std::nullopt;
  trained.accumulator =
      add_zeros(builder, name_of(builder, trained.parameter) + ".grad.accumulated",
                trained.parameter, TensorRole::Gradient);
  switch (builder.step.form) {
    case StepForm::First:
      return keep(builder, trained);
    case StepForm::Middle:
      return accumulate(builder, trained);
    case StepForm::Update:  // what was summed is all
      trained.gradient = trained.accumulator;
      return std::nullopt;
    default:
      return add_accumulated(builder, trained);
  }
}

// --- The norm of all gradients

// The partial sums of every eight, and again, until eight are left.
Result<std::vector<TensorId>> few_partials(StepBuilder& builder, std::vector<TensorId> partials) {
  while (std::ssize(partials) > kMostPartials) {
    std::vector<TensorId> sums;
    for (auto first = partials.begin(); first != partials.end();) {
      const auto end = first + std::min(kMostPartials, partials.end() - first);
      const Result<TensorId> sum = add_late_operation(builder, {.name = "clip.sum_of_partials",
                                                                .kind = Operator::SumOfPartials,
                                                                .inputs = {first, end}});
      if (!sum.ok()) return sum.error();
      sums.push_back(*sum);
      first = end;
    }
    partials = std::move(sums);
  }
  return partials;
}

}  // namespace

Failure add_gradient_use(StepBuilder& builder, const TrainingOptions& options, TensorId parameter,
                         TensorId gradient) {
  TrainedParameter trained{.parameter = parameter, .gradient = gradient};
  if (Failure failure = add_micro_batch(builder, trained)) return failure;
  if (updates(builder.step.form) && !options.largest_gradient_norm)
    if (Failure failure = add_optimiser_update(builder, options, trained, std::nullopt))
      return failure;
  builder.step.trained.push_back(std::move(trained));
  return std::nullopt;
}

Failure add_waiting_updates(StepBuilder& builder, const TrainingOptions& options) {
  if (!updates(builder.step.form) || !options.largest_gradient_norm) return std::nullopt;
  std::vector<TensorId> squares;
  for (const TrainedParameter& trained : builder.step.trained) {
    const Result<TensorId> square =
        add_late_operation(builder, {.name = name_of(builder, trained.parameter) + ".grad.square",
                                     .kind = Operator::SumOfSquares,
                                     .inputs = {*trained.gradient}});
    if (!square.ok()) return square.error();
    squares.push_back(*square);
  }
  Result<std::vector<TensorId>> partials = few_partials(builder, std::move(squares));
  if (!partials.ok()) return partials.error();
  const Result<TensorId> scale = add_late_operation(
      builder, {.name = "clip_scale",
                .kind = Operator::ClipScale,
                .attributes = UpdateAttributes{.largest_norm = *options.largest_gradient_norm},
                .inputs = *std::move(partials)});
  if (!scale.ok()) return scale.error();
  for (TrainedParameter& trained : builder.step.trained)
    if (Failure failure = add_optimiser_update(builder, options, trained, *scale)) return failure;
  return std::nullopt;
}

}  // namespace poet
