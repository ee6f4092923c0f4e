#include "poet/parts/loss_stages.h"

#include <algorithm>

#include "poet/graph/operator.h"
#include "poet/graph/operator_table.h"
#include "poet/runtime/row_parts.h"

namespace poet {
namespace {

// Labels of which so many fit with the scores of all classes, as they are and as a gradient, are
// not cut by classes, which takes each score three times.
constexpr std::int64_t kFewLabels = 8;

bool is_class_loss(Operator kind) {
  return kind == Operator::SoftmaxCrossEntropy || kind == Operator::SoftmaxCrossEntropyGradient ||
         kind == Operator::NegativeLogLikelihood || kind == Operator::NegativeLogLikelihoodGradient;
}

bool is_value_loss(Operator kind) {
  return kind == Operator::MeanSquaredError || kind == Operator::BinaryCrossEntropy;
}

bool is_value_gradient(Operator kind) {
  return kind == Operator::MeanSquaredErrorGradient || kind == Operator::BinaryCrossEntropyGradient;
}

const LossAttributes& loss_of(const GraphOperation& operation) {
  return std::get<LossAttributes>(operation.attributes);
}

Attributes with_reduction(const GraphOperation& operation, Reduction reduction) {
  LossAttributes loss = loss_of(operation);
  loss.reduction = reduction;
  return loss;
}

// Scores (N, C, ...), or a gradient of them.
TensorId scores_of(const GraphOperation& operation) {
  return operation.kind == Operator::NegativeLogLikelihoodGradient ? operation.outputs[0]
                                                                   : operation.inputs[0];
}

std::size_t labels_place(Operator kind) {
  return kind == Operator::NegativeLogLikelihoodGradient ? 0 : 1;
}

// What stands behind labels and dloss.
std::optional<TensorId> weights_of(const GraphOperation& operation) {
  const std::size_t place = operation.kind == Operator::SoftmaxCrossEntropyGradient ? 3 : 2;
  if (operation.inputs.size() <= place) return std::nullopt;
  return operation.inputs[place];
}

Shape places_of(Shape scores) {
  scores.erase(scores.begin() + 1);
  return scores;
}

}  // namespace

bool LossStages::are_wanted(const GraphOperation& operation) const {
  if (is_class_loss(operation.kind)) {
    const bool is_one_number = loss_of(operation).reduction == Reduction::Mean;
    const std::int64_t bytes = size_bytes(at(graph_.tensors, scores_of(operation)).type);
    return 2 * bytes > most_bytes_ && (is_one_number || is_by_classes(operation));
  }
  if (!is_value_loss(operation.kind) && !is_value_gradient(operation.kind)) return false;
  if (loss_of(operation).reduction == Reduction::None) return false;
  const bool is_sum = loss_of(operation).reduction == Reduction::Sum;
  return !(is_sum && is_value_gradient(operation.kind)) &&
         bytes_at_once(graph_, operation) > most_bytes_;
}

void LossStages::add(StageList& stages) {
  switch (stages.whole().kind) {
    case Operator::SoftmaxCrossEntropy:
    case Operator::NegativeLogLikelihood:
      return add_class_loss(stages);
    case Operator::SoftmaxCrossEntropyGradient:
    case Operator::NegativeLogLikelihoodGradient:
      return add_class_gradient(stages);
    case Operator::MeanSquaredErrorGradient:
    case Operator::BinaryCrossEntropyGradient:
      return add_value_gradient(stages);
    default:
      return add_value_loss(stages);
  }
}

// Scores in blocks of classes are for losses without weights.
bool LossStages::is_by_classes(const GraphOperation& operation) const {
  if (operation.kind != Operator::SoftmaxCrossEntropy &&
      operation.kind != Operator::SoftmaxCrossEntropyGradient)
    return false;
  const TensorType& scores = at(graph_.tensors, scores_of(operation)).type;
  const std::int64_t labels = value_count(places_of(scores.shape));
  return !weights_of(operation) &&
         2 * size_bytes(scores) / labels * std::min(labels, kFewLabels) > most_bytes_;
}

TensorId LossStages::label_count(StageList& stages, const Counted& counted, std::int64_t classes) {
  const auto known = counts_.find(counted);
  if (known != counts_.end()) return known->second;
  const auto& [labels, weights, ignored_label] = counted;
  std::vector<TensorId> inputs{labels};
  if (weights) inputs.push_back(*weights);
  const TensorId made =
      stages.add("count", Operator::LabelCount,
                 ClassPartAttributes{.ignored_label = ignored_label, .classes = classes},
                 std::move(inputs), {});
  return counts_.emplace(counted, made).first->second;
}

LossStages::ClassSums LossStages::class_sums(StageList& stages, TensorId scores) {
  const auto known = sums_.find(scores);
  if (known != sums_.end()) return known->second;
  const Shape places = places_of(stages.shape(scores));
  ClassSums made;
  made.largest =
      stages.add("largest", Operator::SoftmaxLargestPart, AxisAttributes{1}, {scores}, places);
  made.sum = stages.add("exponentials", Operator::SoftmaxSumPart, AxisAttributes{1},
                        {scores, made.largest}, places);
  return sums_.emplace(scores, made).first->second;
}

// Scores, labels, and perhaps weights, to the loss.
void LossStages::add_class_loss(StageList& stages) {
  const GraphOperation& whole = stages.whole();
  const LossAttributes& loss = loss_of(whole);
  const TensorId scores = whole.inputs[0];
  const TensorId labels = whole.inputs[1];
  const bool is_mean = loss.reduction == Reduction::Mean;
  const Shape shape = stages.shape(scores);
  ClassPartAttributes part{.reduction = is_mean ? Reduction::Sum : loss.reduction,
                           .ignored_label = loss.ignored_label,
                           .label_smoothing = loss.label_smoothing,
                           .classes = shape[1]};
  std::vector<TensorId> inputs = whole.inputs;
  Operator kind = whole.kind;
  Attributes attributes = with_reduction(whole, part.reduction);
  if (is_by_classes(whole)) {
    const ClassSums sums = class_sums(stages, scores);
    const TensorId own =
        stages.add("own", Operator::LabelScorePart, part, {scores, labels}, places_of(shape));
    inputs = {own, sums.largest, sums.sum, labels};
    if (loss.label_smoothing != 0)
      inputs.push_back(stages.add("all", Operator::ClassScoreSumPart, part,
                                  {scores, sums.largest, sums.sum}, places_of(shape)));
    kind = Operator::SoftmaxCrossEntropyEnd;
    attributes = part;
  }
  if (!is_mean) return stages.make("end", kind, attributes, std::move(inputs), whole.outputs);
  const TensorId sum = stages.add("sum", kind, attributes, std::move(inputs), {});
  const TensorId count =
      label_count(stages, {labels, weights_of(whole), loss.ignored_label}, shape[1]);
  stages.make("mean", Operator::LossMean, {}, {sum, count}, whole.outputs);
}

// Scores, labels, dloss, and perhaps weights, to the gradient of the scores; of a likelihood
// without the scores.
void LossStages::add_class_gradient(StageList& stages) {
  const GraphOperation& whole = stages.whole();
  const LossAttributes& loss = loss_of(whole);
  const std::size_t place = labels_place(whole.kind);
  const TensorId labels = whole.inputs[place];
  const std::int64_t classes = stages.shape(scores_of(whole))[1];
  std::vector<TensorId> inputs = whole.inputs;
  TensorId& dloss = inputs[place + 1];
  const bool is_mean = loss.reduction == Reduction::Mean;
  const Reduction reduction = is_mean ? Reduction::Sum : loss.reduction;
  if (is_mean) {
    const TensorId count =
        label_count(stages, {labels, weights_of(whole), loss.ignored_label}, classes);
    dloss = stages.add("each", Operator::LossMeanGradient, {}, {dloss, count}, {});
  }
  if (!is_by_classes(whole))
    return stages.make("scores", whole.kind, with_reduction(whole, reduction), std::move(inputs),
                       whole.outputs);
  const ClassSums sums = class_sums(stages, inputs[0]);
  stages.make("scores", Operator::SoftmaxCrossEntropyGradientBlock,
              ClassPartAttributes{.reduction = reduction,
                                  .ignored_label = loss.ignored_label,
                                  .label_smoothing = loss.label_smoothing,
                                  .classes = classes},
              {inputs[0], sums.largest, sums.sum, labels, dloss}, whole.outputs);
}

// The loss of every value, and their sum in the order of a row.
void LossStages::add_value_loss(StageList& stages) const {
  const GraphOperation& whole = stages.whole();
  const Shape shape = stages.shape(whole.inputs[0]);
  const RowPartAttributes part{.extent = value_count(shape)};
  const TensorId each =
      stages.add("each", whole.kind, with_reduction(whole, Reduction::None), whole.inputs, shape);
  const TensorId sum = stages.add("sum", Operator::RowSumPart, part, {each}, {POET_ROW_STATE});
  const bool is_mean = loss_of(whole).reduction == Reduction::Mean;
  stages.make(is_mean ? "mean" : "total", is_mean ? Operator::RowMean : Operator::RowTotal, part,
              {sum}, whole.outputs);
}

// Prediction, target, dloss: of a mean.
void LossStages::add_value_gradient(StageList& stages) const {
  const GraphOperation& whole = stages.whole();
  std::vector<TensorId> inputs = whole.inputs;
  const TensorId count =
      stages.number("count", static_cast<double>(value_count(stages.shape(inputs[0]))), inputs[2]);
  inputs[2] = stages.add("each", Operator::LossMeanGradient, {}, {inputs[2], count}, {});
  stages.make("values", whole.kind, with_reduction(whole, Reduction::Sum), std::move(inputs),
              whole.outputs);
}

}  // namespace poet
