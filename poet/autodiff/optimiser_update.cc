#include "poet/autodiff/optimiser_update.h"

#include <utility>
#include <vector>

#include "poet/base/check.h"
#include "poet/graph/operator.h"

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

}  // namespace

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

}  // namespace poet
