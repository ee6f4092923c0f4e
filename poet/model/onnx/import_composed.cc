#include <cmath>
#include <limits>

#include "poet/model/onnx/operators.h"

// Operators of ONNX, of every value by itself or along one dimension, that are put together of a
// few of ours.

namespace poet {
namespace {

TensorId chosen(NodeImport& node, TensorId condition, TensorId yes, TensorId no) {
  return node.add(Operator::Where, std::monostate{}, {condition, yes, no});
}

void import_gelu(NodeImport& node) {
  node.expect_inputs(1, 1);
  const std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    node.refuse("approximate must be none or tanh");
  node.output(0, node.unary(approximate == "tanh" ? Operator::GeluTanh : Operator::GeluErf,
                            node.tensor(0)));
}

// x tanh(softplus(x))
void import_mish(NodeImport& node) {
  node.expect_inputs(1, 1);
  const TensorId x = node.tensor(0);
  const TensorId gate = node.unary(Operator::Tanh, node.unary(Operator::Softplus, x));
  node.output(0, node.binary(Operator::Mul, x, gate));
}

// x sigmoid(alpha x)
void import_swish(NodeImport& node) {
  node.expect_inputs(1, 1);
  const float alpha = node.number("alpha", 1);
  const TensorId x = node.tensor(0);
  if (alpha == 1) return node.output(0, node.unary(Operator::Silu, x));
  const TensorId inner = node.binary(Operator::Mul, x, node.scalar(alpha));
  node.output(0, node.binary(Operator::Mul, x, node.unary(Operator::Sigmoid, inner)));
}

// x < -lambda: x + bias; x > lambda: x - bias; else 0.
void import_shrink(NodeImport& node) {
  node.expect_inputs(1, 1);
  const float lambda = node.number("lambd", 0.5F);
  const TensorId bias = node.scalar(node.number("bias", 0));
  const TensorId x = node.tensor(0);
  const TensorId below = node.binary(Operator::Less, x, node.scalar(-lambda));
  const TensorId above = node.binary(Operator::Greater, x, node.scalar(lambda));
  const TensorId upper = chosen(node, above, node.binary(Operator::Sub, x, bias), node.scalar(0));
  node.output(0, chosen(node, below, node.binary(Operator::Add, x, bias), upper));
}

void import_tan(NodeImport& node) {
  node.expect_inputs(1, 1);
  const TensorId x = node.tensor(0);
  node.output(
      0, node.binary(Operator::Div, node.unary(Operator::Sin, x), node.unary(Operator::Cos, x)));
}

TensorId hyperbolic_cosine(NodeImport& node, TensorId x) {
  const TensorId up = node.unary(Operator::Exp, x);
  const TensorId sum = node.binary(Operator::Add, up, node.unary(Operator::Reciprocal, up));
  return node.binary(Operator::Mul, sum, node.scalar(0.5F));
}

void import_cosh(NodeImport& node) {
  node.expect_inputs(1, 1);
  node.output(0, hyperbolic_cosine(node, node.tensor(0)));
}

// As tanh(x) cosh(x): a difference of exponentials has no digits left near 0.
void import_sinh(NodeImport& node) {
  node.expect_inputs(1, 1);
  const TensorId x = node.tensor(0);
  node.output(
      0, node.binary(Operator::Mul, node.unary(Operator::Tanh, x), hyperbolic_cosine(node, x)));
}

// A NaN is not even equal to itself.
void import_is_nan(NodeImport& node) {
  node.expect_inputs(1, 1);
  const TensorId x = node.tensor(0);
  node.output(0, node.unary(Operator::Not, node.binary(Operator::Equal, x, x)));
}

void import_is_infinite(NodeImport& node) {
  node.expect_inputs(1, 1);
  const bool positive = node.flag("detect_positive", true);
  const bool negative = node.flag("detect_negative", true);
  if (!positive && !negative) node.refuse("detects neither sign");
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  TensorId x = node.tensor(0);
  if (positive && negative) x = node.unary(Operator::Abs, x);
  node.output(0, node.binary(Operator::Equal, x, node.scalar(positive ? kInfinity : -kInfinity)));
}

// x / the sum of sizes, or the root of the sum of squares, along the axis.
void import_lp_normalization(NodeImport& node) {
  node.expect_inputs(1, 1);
  const std::int64_t p = node.whole("p", 2);
  const ReduceAttributes over{.axes = {node.axis(node.whole("axis", -1), node.rank(0))}};
  if (p != 1 && p != 2) node.refuse("p must be 1 or 2");
  const TensorId x = node.tensor(0);
  const TensorId size = p == 2
                            ? node.add(Operator::ReduceL2, over, {x})
                            : node.add(Operator::ReduceSum, over, {node.unary(Operator::Abs, x)});
  node.output(0, node.binary(Operator::Div, x, size));
}

}  // namespace

std::vector<OnnxOperator> composed_onnx_operators() {
  return {{"Gelu", import_gelu},         {"Mish", import_mish},
          {"Swish", import_swish},       {"Shrink", import_shrink},
          {"Tan", import_tan},           {"Cosh", import_cosh},
          {"Sinh", import_sinh},         {"IsNaN", import_is_nan},
          {"IsInf", import_is_infinite}, {"LpNormalization", import_lp_normalization}};
}

}  // namespace poet
