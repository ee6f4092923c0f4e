#include "poet/autodiff/update.h"

#include <algorithm>
#include <utility>

#include "poet/autodiff/optimiser_update.h"
#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"

namespace poet {
namespace {

constexpr std::ptrdiff_t kMostPartials = 8;  // inputs of SumOfPartials and ClipScale

std::string name_of(const StepBuilder& builder, TensorId id) {
  return at(builder.step.graph.tensors, id).name;
}

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
