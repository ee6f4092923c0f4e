#include "poet/autodiff/loss.h"

#include <fmt/core.h>

#include <utility>

#include "poet/graph/operator.h"

namespace poet {
namespace {

GraphTensor given(const char* name, TensorType type) {
  return {.name = name, .type = std::move(type), .role = TensorRole::Input, .home = Home::Storage};
}

Result<TensorId> first_of(Result<std::vector<TensorId>> outputs) {
  if (!outputs.ok()) return outputs.error();
  return outputs->front();
}

Result<TensorId> reshaped(StepBuilder& builder, const std::string& name, TensorId x, Shape shape) {
  return first_of(add_forward_operation(builder, {.name = name,
                                                  .kind = Operator::Reshape,
                                                  .attributes = ShapeAttributes{std::move(shape)},
                                                  .inputs = {x}}));
}

// Scores with the classes in dimension 1, and the labels that go with them.
struct ScoresAndLabels {
  TensorId scores{};
  TensorId labels{};
};

Result<ScoresAndLabels> scores_and_labels(StepBuilder& builder, TensorId output) {
  const Shape shape = at(builder.step.graph.tensors, output).type.shape;
  if (shape.size() < 2)
    return bad_input(fmt::format(
        "cross-entropy needs scores (N, C, ...): the output of the network is {}", to_text(shape)));
  const bool classes_last = shape.size() == 3;
  Shape of_labels = shape;
  of_labels.erase(of_labels.begin() + (classes_last ? 2 : 1));
  const TensorId labels = add_given(builder, given("labels", {ElementType::Int64, of_labels}));
  builder.step.labels = {labels};
  if (!classes_last) return ScoresAndLabels{output, labels};
  const std::int64_t rows = shape[0] * shape[1];
  const Result<TensorId> flat = reshaped(builder, "loss.scores", output, {rows, shape[2]});
  if (!flat.ok()) return flat.error();
  const Result<TensorId> flat_labels = reshaped(builder, "loss.labels", labels, {rows});
  if (!flat_labels.ok()) return flat_labels.error();
  return ScoresAndLabels{*flat, *flat_labels};
}

Result<TensorId> add_cross_entropy(StepBuilder& builder, TensorId output,
                                   const TrainingOptions& options) {
  const Result<ScoresAndLabels> operands = scores_and_labels(builder, output);
  if (!operands.ok()) return operands.error();
  return first_of(add_forward_operation(
      builder, {.name = "loss",
                .kind = Operator::SoftmaxCrossEntropy,
                .attributes = LossAttributes{.ignored_label = options.ignored_label,
                                             .label_smoothing = options.label_smoothing},
                .inputs = {operands->scores, operands->labels}}));
}

Result<TensorId> add_loss_of_values(StepBuilder& builder, TensorId output, Operator kind) {
  const TensorType type = at(builder.step.graph.tensors, output).type;
  const TensorId targets = add_given(builder, given("targets", type));
  builder.step.labels = {targets};
  return first_of(add_forward_operation(
      builder,
      {.name = "loss", .kind = kind, .attributes = LossAttributes{}, .inputs = {output, targets}}));
}

Result<TensorId> own_loss(const StepBuilder& builder, TensorId output) {
  const GraphTensor& tensor = at(builder.step.graph.tensors, output);
  if (tensor.home != Home::Made)
    return bad_input(
        fmt::format("without a loss, an operation must make the output of the network: {} is given",
                    tensor.name));
  if (value_count(tensor.type.shape) == 1 && tensor.type.element == ElementType::Float32)
    return output;
  return bad_input(
      fmt::format("without a loss, the output of the network must be one float32 number: {} is {}",
                  tensor.name, to_text(tensor.type)));
}

}  // namespace

Result<TensorId> add_loss(StepBuilder& builder, TensorId output, const TrainingOptions& options) {
  switch (options.loss) {
    case Loss::CrossEntropy:
      return add_cross_entropy(builder, output, options);
    case Loss::MeanSquaredError:
      return add_loss_of_values(builder, output, Operator::MeanSquaredError);
    case Loss::BinaryCrossEntropy:
      return add_loss_of_values(builder, output, Operator::BinaryCrossEntropy);
    case Loss::None:
      return own_loss(builder, output);
  }
  check_failed("every loss is added", __FILE__, __LINE__);
}

}  // namespace poet
