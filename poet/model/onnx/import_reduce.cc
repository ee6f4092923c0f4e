#include <numeric>
#include <optional>

#include "poet/model/constant_folding.h"
#include "poet/model/onnx/operators.h"

// Sums and the like over some dimensions. Axes are an attribute, or since opset 13 (ReduceSum) and
// 18 (all others) an input.

namespace poet {
namespace {

struct ReduceNode {
  ReduceAttributes attributes = {};
  bool does_nothing = false;
};

ReduceNode read_reduction(NodeImport& node) {
  node.expect_inputs(1, 2);
  const std::int64_t rank = node.rank(0);
  ReduceNode reduction;
  reduction.attributes.keeps_dimensions = node.flag("keepdims", true);
  std::vector<std::int64_t> given =
      node.has_input(1) ? node.known_wholes(1, "its axes") : node.wholes("axes");
  const bool none_means_none = node.flag("noop_with_empty_axes", false);
  if (given.empty() && none_means_none) return {.does_nothing = true};
  if (given.empty()) {
    given.resize(static_cast<std::size_t>(rank));
    std::iota(given.begin(), given.end(), 0);
  }
  reduction.attributes.axes = node.axes(given, rank);
  return reduction;
}

// The sum of the absolute values.
void import_l1(NodeImport& node) {
  const ReduceNode reduction = read_reduction(node);
  const TensorId sizes = node.add(Operator::Abs, std::monostate{}, {node.tensor(0)});
  if (reduction.does_nothing) return node.output(0, sizes);
  node.output(0, node.add(Operator::ReduceSum, reduction.attributes, {sizes}));
}

void import_log_sum(NodeImport& node) {
  const ReduceNode reduction = read_reduction(node);
  TensorId sum = node.tensor(0);
  if (!reduction.does_nothing) sum = node.add(Operator::ReduceSum, reduction.attributes, {sum});
  node.output(0, node.add(Operator::Log, std::monostate{}, {sum}));
}

template <ReduceFold kWhat>
void fold_reduction(NodeImport& node) {
  const ReduceNode reduction = read_reduction(node);
  if (reduction.does_nothing) return node.output_input(0, 0);
  const KnownArray x = node.array(0);
  if (node.failed()) return;
  Result<KnownArray> result = fold_reduce(kWhat, x, reduction.attributes.axes);
  if (!result.ok()) return node.refuse(result.error().message);
  if (reduction.attributes.keeps_dimensions) {
    result->type.shape = x.type.shape;
    for (const std::int64_t axis : reduction.attributes.axes)
      result->type.shape[static_cast<std::size_t>(axis)] = 1;
  }
  node.output(0, *result);
}

}  // namespace

void import_reduction(NodeImport& node) {
  const ReduceNode reduction = read_reduction(node);
  if (reduction.does_nothing) return node.output_input(0, 0);
  node.output(0, node.add(kind_named_in_onnx(node), reduction.attributes, {node.tensor(0)}));
}

std::vector<OnnxOperator> reduce_onnx_operators() {
  return {{"ReduceSum", nullptr, fold_reduction<ReduceFold::Sum>},
          {"ReduceMax", nullptr, fold_reduction<ReduceFold::Max>},
          {"ReduceMin", nullptr, fold_reduction<ReduceFold::Min>},
          {"ReduceProd", nullptr, fold_reduction<ReduceFold::Product>},
          {"ReduceL1", import_l1},
          {"ReduceLogSum", import_log_sum}};
}

}  // namespace poet
