// Matrix products, and the products that are their gradients, as the operator table calls them:
// strides, merged loops and all, against sums over indices.
#include <gtest/gtest.h>

#include <cmath>

#include "poet/kernels/evaluate.h"
#include "support/operator_cases.h"

namespace poet {
namespace {

using testing::CaseGraph;
using testing::graph_of;
using testing::operator_cases;
using testing::OperatorCase;
using testing::values_of;

// A dense array of which single values are asked for.
struct Array {
  Shape shape;
  std::vector<float> values;
};

// The position of the value at `index`, counted from the last dimension: what lies in front of the
// array is not looked at, and an extent of 1 is repeated.
std::size_t position(const Shape& shape, const std::vector<std::int64_t>& index) {
  std::int64_t result = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t i = index[index.size() - shape.size() + d];
    result = result * shape[d] + (shape[d] == 1 ? 0 : i);
  }
  return static_cast<std::size_t>(result);
}

// All indices of `extents`, last one fastest.
std::vector<std::vector<std::int64_t>> indices(const Shape& extents) {
  std::vector<std::vector<std::int64_t>> all{{}};
  for (const std::int64_t extent : extents) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& index : all)
      for (std::int64_t i = 0; i < extent; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    all = longer;
  }
  return all;
}

// `index` with its last two entries replaced.
std::vector<std::int64_t> matrix_index(std::vector<std::int64_t> index, std::int64_t row,
                                       std::int64_t column) {
  index.push_back(row);
  index.push_back(column);
  return index;
}

// The extents of both, broadcast, without the last two.
Shape broadcast_batch(const Shape& a, const Shape& b) {
  Shape batch(std::max(a.size(), b.size()) - 2, 1);
  for (const Shape& shape : {a, b})
    for (std::size_t d = 0; d + 2 < shape.size(); ++d) {
      std::int64_t& extent = batch[batch.size() + 2 - shape.size() + d];
      extent = std::max(extent, shape[d]);
    }
  return batch;
}

std::vector<double> product(const MatMulAttributes& attributes, const std::vector<Array>& inputs,
                            const Shape& y) {
  const Array& a = inputs[0];
  const Array& b = inputs[1];
  const std::int64_t rows = y[y.size() - 2];
  const std::int64_t columns = y.back();
  const std::int64_t inner = attributes.transpose_a ? a.shape[a.shape.size() - 2] : a.shape.back();
  std::vector<double> sums(static_cast<std::size_t>(value_count(y)));
  for (const auto& batch : indices(broadcast_batch(a.shape, b.shape)))
    for (const auto& i : indices({rows, columns, inner})) {
      const auto in_a = attributes.transpose_a ? matrix_index(batch, i[2], i[0])
                                               : matrix_index(batch, i[0], i[2]);
      const auto in_b = attributes.transpose_b ? matrix_index(batch, i[1], i[2])
                                               : matrix_index(batch, i[2], i[1]);
      sums[position(y, matrix_index(batch, i[0], i[1]))] +=
          static_cast<double>(attributes.alpha) *
          static_cast<double>(a.values[position(a.shape, in_a)]) *
          static_cast<double>(b.values[position(b.shape, in_b)]);
    }
  if (inputs.size() < 3) return sums;
  for (const auto& index : indices(y))
    sums[position(y, index)] +=
        static_cast<double>(attributes.beta) *
        static_cast<double>(inputs[2].values[position(inputs[2].shape, index)]);
  return sums;
}

void expect_product(const MatMulAttributes& attributes, const std::vector<TensorValue>& inputs,
                    const TensorValue& found) {
  std::vector<Array> arrays;
  for (const TensorValue& input : inputs) arrays.push_back({input.type.shape, floats_of(input)});
  const std::vector<double> wanted = product(attributes, arrays, found.type.shape);
  const std::vector<float> values = floats_of(found);
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-5) << i;
}

TEST(MatMulCalls, MultiplyMatrices) {
  int tried = 0;
  for (const OperatorCase& one : operator_cases()) {
    if (one.kind != Operator::MatMul) continue;
    const CaseGraph graph = graph_of(one);
    const std::vector<TensorValue> values = values_of(one);
    std::map<TensorId, TensorView> given;
    for (std::size_t i = 0; i < values.size(); ++i) given[graph.inputs[i]] = view_of(values[i]);
    const TensorValue y = (*evaluate(graph.graph, given, {graph.output}))[0];
    // Any values will do for its gradient.
    if (!graph.gradients.empty()) given[graph.output_gradient] = view_of(y);
    for (const GraphOperation& operation : graph.graph.operations) {
      if (operation.kind != Operator::MatMul) continue;
      SCOPED_TRACE(one.name + ", " + operation.name);
      expect_product(std::get<MatMulAttributes>(operation.attributes),
                     *evaluate(graph.graph, given, operation.inputs),
                     (*evaluate(graph.graph, given, {operation.outputs[0]}))[0]);
      ++tried;
    }
  }
  EXPECT_GT(tried, 40);
}

}  // namespace
}  // namespace poet
