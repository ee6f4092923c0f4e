#include <limits>

#include "poet/model/constant_folding.h"
#include "poet/model/onnx/operators.h"

// What is done to every value by itself. Operators that POET does not have are put together from
// those that it has.

namespace poet {
namespace {

// Attributes of the same names in ONNX.
template <Operator kKind>
void import_scaled(NodeImport& node, float alpha, float beta) {
  node.expect_inputs(1, 1);
  node.ignore("consumed_inputs");
  const ScalarAttributes scalars{.alpha = node.number("alpha", alpha),
                                 .beta = node.number("beta", beta)};
  node.output(0, node.add(kKind, scalars, {node.tensor(0)}));
}

void import_leaky_relu(NodeImport& node) {
  import_scaled<Operator::LeakyRelu>(node, 0.01F, 0);
}

void import_elu(NodeImport& node) {
  import_scaled<Operator::Elu>(node, 1, 0);
}

void import_hard_sigmoid(NodeImport& node) {
  import_scaled<Operator::HardSigmoid>(node, 0.2F, 0.5F);
}

// x hard_sigmoid(x), with fixed coefficients
void import_hard_swish(NodeImport& node) {
  node.expect_inputs(1, 1);
  node.output(0, node.add(Operator::HardSwish, ScalarAttributes{.alpha = 1.0F / 6, .beta = 0.5F},
                          {node.tensor(0)}));
}

// Bounds are attributes before opset 11, and inputs since; both may be left out.
void import_clip(NodeImport& node) {
  ScalarAttributes bounds{.alpha = std::numeric_limits<float>::lowest(),
                          .beta = std::numeric_limits<float>::max()};
  if (node.opset() < 11) {
    node.expect_inputs(1, 1);
    bounds.alpha = node.number("min", bounds.alpha);
    bounds.beta = node.number("max", bounds.beta);
  } else {
    node.expect_inputs(1, 3);
    if (node.has_input(1)) bounds.alpha = static_cast<float>(node.known_number(1, "its minimum"));
    if (node.has_input(2)) bounds.beta = static_cast<float>(node.known_number(2, "its maximum"));
  }
  node.output(0, node.add(Operator::Clip, bounds, {node.tensor(0)}));
}

// gamma * elu(x, alpha)
void import_selu(NodeImport& node) {
  node.expect_inputs(1, 1);
  const float alpha = node.number("alpha", 1.67326319217681884765625F);
  const float gamma = node.number("gamma", 1.05070102214813232421875F);
  const TensorId elu = node.add(Operator::Elu, ScalarAttributes{.alpha = alpha}, {node.tensor(0)});
  node.output(0, node.add(Operator::Mul, std::monostate{}, {elu, node.scalar(gamma)}));
}

// alpha * elu(x / alpha, 1)
void import_celu(NodeImport& node) {
  node.expect_inputs(1, 1);
  const TensorId alpha = node.scalar(node.number("alpha", 1));
  const TensorId inner = node.add(Operator::Div, std::monostate{}, {node.tensor(0), alpha});
  const TensorId elu = node.add(Operator::Elu, ScalarAttributes{.alpha = 1}, {inner});
  node.output(0, node.add(Operator::Mul, std::monostate{}, {elu, alpha}));
}

// x / (1 + |x|)
void import_softsign(NodeImport& node) {
  node.expect_inputs(1, 1);
  const TensorId x = node.tensor(0);
  const TensorId size = node.add(Operator::Abs, std::monostate{}, {x});
  const TensorId below = node.add(Operator::Add, std::monostate{}, {size, node.scalar(1)});
  node.output(0, node.add(Operator::Div, std::monostate{}, {x, below}));
}

// x > alpha ? x : 0
void import_thresholded_relu(NodeImport& node) {
  node.expect_inputs(1, 1);
  const TensorId x = node.tensor(0);
  const TensorId threshold = node.scalar(node.number("alpha", 1));
  const TensorId over = node.add(Operator::Greater, std::monostate{}, {x, threshold});
  node.output(0, node.add(Operator::Where, std::monostate{}, {over, x, node.scalar(0)}));
}

// relu(x) - slope * relu(-x); the slope may be trained.
void import_prelu(NodeImport& node) {
  node.expect_inputs(2, 2);
  const TensorId x = node.tensor(0);
  TensorId slope = node.weight(1);
  if (node.failed()) return;
  // Before opset 7 a list of slopes is one for each channel.
  if (node.opset() < 7 && node.rank(1) == 1 && node.rank(0) > 2) {
    Shape shape(static_cast<std::size_t>(node.rank(0) - 1), 1);
    shape[0] = node.shape_of(slope)[0];
    slope = node.reshaped(slope, shape);
  }
  const TensorId above = node.add(Operator::Relu, std::monostate{}, {x});
  const TensorId negative = node.add(Operator::Neg, std::monostate{}, {x});
  const TensorId below = node.add(Operator::Relu, std::monostate{}, {negative});
  const TensorId scaled = node.add(Operator::Mul, std::monostate{}, {slope, below});
  node.output(0, node.add(Operator::Sub, std::monostate{}, {above, scaled}));
}

template <UnaryFold kWhat>
void fold_one(NodeImport& node) {
  node.expect_inputs(1, 1);
  const KnownArray x = node.array(0);
  if (node.failed()) return;
  const Result<KnownArray> result = fold_unary(kWhat, x);
  if (!result.ok()) return node.refuse(result.error().message);
  node.output(0, *result);
}

}  // namespace

void import_plain(NodeImport& node) {
  node.expect_inputs(1, 1);
  node.ignore("consumed_inputs");
  node.output(0, node.add(kind_named_in_onnx(node), std::monostate{}, {node.tensor(0)}));
}

std::vector<OnnxOperator> elementwise_onnx_operators() {
  return {{"LeakyRelu", import_leaky_relu},
          {"PRelu", import_prelu},
          {"Clip", import_clip},
          {"Sqrt", nullptr, fold_one<UnaryFold::Sqrt>},
          {"Neg", nullptr, fold_one<UnaryFold::Neg>},
          {"Abs", nullptr, fold_one<UnaryFold::Abs>},
          {"Floor", nullptr, fold_one<UnaryFold::Floor>},
          {"Ceil", nullptr, fold_one<UnaryFold::Ceil>},
          {"Softsign", import_softsign},
          {"Elu", import_elu},
          {"Selu", import_selu},
          {"Celu", import_celu},
          {"ThresholdedRelu", import_thresholded_relu},
          {"HardSigmoid", import_hard_sigmoid},
          {"HardSwish", import_hard_swish},
          {"Not", nullptr, fold_one<UnaryFold::Not>}};
}

}  // namespace poet
