#include <fmt/format.h>

#include "poet/model/constant_folding.h"
#include "poet/model/onnx/operators.h"

// Of two tensors or more, their shapes broadcast.

namespace poet {
namespace {

using Pair = std::pair<TensorId, TensorId>;

// Before opset 7 shapes were only broadcast where the node said so, and from `axis` on.
TensorId legacy_operand(NodeImport& node, TensorId a, TensorId b) {
  const bool broadcast = node.flag("broadcast", false);
  const std::int64_t axis_given = node.whole("axis", -1);
  if (node.failed() || !broadcast || !node.has_attribute("axis")) return b;
  const auto rank_a = static_cast<std::int64_t>(node.shape_of(a).size());
  const auto rank_b = static_cast<std::int64_t>(node.shape_of(b).size());
  const std::int64_t axis = axis_given < 0 ? rank_a - rank_b : axis_given;
  if (axis < 0 || axis + rank_b > rank_a) {
    node.refuse(fmt::format("axis {} does not place {} within {}", axis_given,
                            to_text(node.shape_of(b)), to_text(node.shape_of(a))));
    return b;
  }
  Shape shape = node.shape_of(b);
  shape.resize(static_cast<std::size_t>(rank_a - axis), 1);
  return node.reshaped(b, shape);
}

// Of any number of tensors, from the left.
template <Operator kKind>
TensorId added_up(NodeImport& node) {
  if (node.input_count() < 1) node.expect_inputs(1, 1 << 20);
  TensorId sum = node.tensor(0);
  for (int i = 1; i < node.input_count() && !node.failed(); ++i)
    sum = node.add(kKind, std::monostate{}, {sum, node.tensor(i)});
  return sum;
}

template <Operator kKind>
void import_many(NodeImport& node) {
  node.ignore("consumed_inputs");
  const TensorId sum = added_up<kKind>(node);
  if (node.input_count() == 1) return node.output_input(0, 0);
  node.output(0, sum);
}

void import_mean(NodeImport& node) {
  node.ignore("consumed_inputs");
  const TensorId sum = added_up<Operator::Add>(node);
  const TensorId count = node.scalar(static_cast<float>(node.input_count()));
  node.output(0, node.add(Operator::Div, std::monostate{}, {sum, count}));
}

// a != b
void import_xor(NodeImport& node) {
  node.expect_inputs(2, 2);
  const TensorId a = node.tensor(0);
  const TensorId b = node.tensor(1);
  const TensorId either = node.add(Operator::Or, std::monostate{}, {a, b});
  const TensorId both = node.add(Operator::And, std::monostate{}, {a, b});
  const TensorId not_both = node.add(Operator::Not, std::monostate{}, {both});
  node.output(0, node.add(Operator::And, std::monostate{}, {either, not_both}));
}

void import_where(NodeImport& node) {
  node.expect_inputs(3, 3);
  node.output(0, node.add(Operator::Where, std::monostate{},
                          {node.tensor(0), node.tensor(1), node.tensor(2)}));
}

template <PairFold kWhat>
void fold_many(NodeImport& node) {
  if (node.opset() < 7) {
    node.ignore("broadcast");
    node.ignore("axis");
  }
  KnownArray result = node.array(0);
  for (int i = 1; i < node.input_count() && !node.failed(); ++i) {
    const KnownArray next = node.array(i);
    if (node.failed()) return;
    Result<KnownArray> both = fold_pair(kWhat, result, next);
    if (!both.ok()) return node.refuse(both.error().message);
    result = *std::move(both);
  }
  node.output(0, result);
}

template <PairFold kWhat>
void fold_two(NodeImport& node) {
  node.expect_inputs(2, 2);
  fold_many<kWhat>(node);
}

void fold_modulo(NodeImport& node) {
  node.ignore("fmod");
  if (node.flag("fmod", false) || node.type(0).element == ElementType::Float32)
    return node.refuse("POET has no modulo of fractions", ErrorCode::Unsupported);
  fold_two<PairFold::Mod>(node);
}

void fold_choice(NodeImport& node) {
  node.expect_inputs(3, 3);
  const KnownArray condition = node.array(0);
  const KnownArray yes = node.array(1);
  const KnownArray no = node.array(2);
  if (node.failed()) return;
  const Result<KnownArray> result = fold_where(condition, yes, no);
  if (!result.ok()) return node.refuse(result.error().message);
  node.output(0, *result);
}

}  // namespace

void import_pair(NodeImport& node) {
  node.expect_inputs(2, 2);
  const TensorId a = node.tensor(0);
  TensorId b = node.tensor(1);
  node.ignore("consumed_inputs");
  if (node.opset() < 7) b = legacy_operand(node, a, b);
  node.output(0, node.add(kind_named_in_onnx(node), std::monostate{}, {a, b}));
}

std::vector<OnnxOperator> pair_onnx_operators() {
  return {{"Add", nullptr, fold_two<PairFold::Add>},
          {"Sub", nullptr, fold_two<PairFold::Sub>},
          {"Mul", nullptr, fold_two<PairFold::Mul>},
          {"Div", nullptr, fold_two<PairFold::Div>},
          {"Mod", nullptr, fold_modulo},
          {"Max", import_many<Operator::Max>, fold_many<PairFold::Max>},
          {"Min", import_many<Operator::Min>, fold_many<PairFold::Min>},
          {"Sum", import_many<Operator::Add>, fold_many<PairFold::Add>},
          {"Mean", import_mean},
          {"Equal", nullptr, fold_two<PairFold::Equal>},
          {"Less", nullptr, fold_two<PairFold::Less>},
          {"LessOrEqual", nullptr, fold_two<PairFold::LessOrEqual>},
          {"Greater", nullptr, fold_two<PairFold::Greater>},
          {"GreaterOrEqual", nullptr, fold_two<PairFold::GreaterOrEqual>},
          {"And", nullptr, fold_two<PairFold::And>},
          {"Or", nullptr, fold_two<PairFold::Or>},
          {"Xor", import_xor},
          {"Where", import_where, fold_choice}};
}

}  // namespace poet
