#include <fmt/format.h>

#include "poet/model/onnx/operators.h"

namespace poet {
namespace {

LossAttributes read_loss(NodeImport& node) {
  node.expect_inputs(2, 3);
  const std::string reduction = node.text("reduction", "mean");
  if (!value_of(kReductions, reduction)) node.refuse("reduction must be none, sum or mean");
  LossAttributes loss{.reduction = value_of(kReductions, reduction).value_or(Reduction::Mean)};
  if (node.has_attribute("ignore_index")) loss.ignored_label = node.whole("ignore_index", 0);
  return loss;
}

std::vector<TensorId> scores_labels_weights(NodeImport& node) {
  std::vector<TensorId> inputs{node.tensor(0), node.tensor(1)};
  if (node.has_input(2)) inputs.push_back(node.tensor(2));
  return inputs;
}

// The logarithms of the probabilities are only calculated where somebody reads them.
void import_softmax_cross_entropy(NodeImport& node) {
  const LossAttributes loss = read_loss(node);
  node.output(0, node.add(Operator::SoftmaxCrossEntropy, loss, scores_labels_weights(node)));
  if (node.is_needed(1))
    node.output(1, node.add(Operator::LogSoftmax, AxisAttributes{1}, {node.tensor(0)}));
}

void import_negative_log_likelihood(NodeImport& node) {
  const LossAttributes loss = read_loss(node);
  node.output(0, node.add(Operator::NegativeLogLikelihood, loss, scores_labels_weights(node)));
}

}  // namespace

std::vector<OnnxOperator> loss_onnx_operators() {
  return {{"SoftmaxCrossEntropyLoss", import_softmax_cross_entropy},
          {"NegativeLogLikelihoodLoss", import_negative_log_likelihood}};
}

}  // namespace poet
