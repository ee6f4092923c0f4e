#include <fmt/format.h>

#include "poet/model/onnx/operators.h"

namespace poet {
namespace {

// y = alpha a b + beta c, with matrices a and b, possibly transposed.
void import_gemm(NodeImport& node) {
  node.expect_inputs(2, 3);
  if (node.opset() < 7) node.ignore("broadcast");
  const MatMulAttributes attributes{.transpose_a = node.flag("transA", false),
                                    .transpose_b = node.flag("transB", false),
                                    .alpha = node.number("alpha", 1),
                                    .beta = node.number("beta", 1)};
  for (int i = 0; i < 2; ++i)
    if (node.rank(i) != 2 && !node.failed())
      node.refuse(fmt::format("takes matrices of two dimensions, not {}", to_text(node.type(i))));
  std::vector<TensorId> inputs{node.tensor(0), node.weight(1)};
  if (node.has_input(2)) inputs.push_back(node.weight(2));
  node.output(0, node.add(Operator::MatMul, attributes, inputs));
}

// A list is a row on the left and a column on the right; its dimension of 1 is not in the result.
void import_matmul(NodeImport& node) {
  node.expect_inputs(2, 2);
  TensorId a = node.tensor(0);
  TensorId b = node.rank(1) >= 2 ? node.weight(1) : node.tensor(1);
  if (node.failed()) return;
  const bool row = node.rank(0) == 1;
  const bool column = node.rank(1) == 1;
  if (row) a = node.reshaped(a, {1, node.shape(0)[0]});
  if (column) b = node.reshaped(b, {node.shape(1)[0], 1});
  const TensorId y = node.add(Operator::MatMul, MatMulAttributes{}, {a, b});
  if (node.failed()) return;
  Shape shape = node.shape_of(y);
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  node.output(0, node.reshaped(y, shape));
}

}  // namespace

std::vector<OnnxOperator> matrix_onnx_operators() {
  return {{"Gemm", import_gemm}, {"MatMul", import_matmul}};
}

}  // namespace poet
