#include "poet/kernels/evaluate.h"

#include <gtest/gtest.h>

#include <cstring>

#include "poet/graph/operator.h"

namespace poet {
namespace {

TensorId given(Graph& graph, const std::string& name, const Shape& shape) {
  return add_tensor(graph,
                    {.name = name, .type = {ElementType::Float32, shape}, .home = Home::Storage});
}

TensorId made(Graph& graph, const std::string& name, Operator kind,
              const std::vector<TensorId>& inputs, const Attributes& attributes = {}) {
  return (*add_operation(
      graph, {.name = name, .kind = kind, .attributes = attributes, .inputs = inputs}))[0];
}

// y = relu(-x), and what is not wanted.
struct Small {
  Graph graph = {.name = "small"};
  TensorId x = given(graph, "x", {2, 2});
  TensorId other = given(graph, "other", {3});
  TensorId minus = made(graph, "minus", Operator::Neg, {x});
  TensorId y = made(graph, "y", Operator::Relu, {minus});
  TensorId unwanted = made(graph, "unwanted", Operator::Exp, {other});
};

const TensorValue kX = float_tensor({2, 2}, {1, -2, -3, 4});

TEST(Evaluate, MakesWhatIsWantedInItsOrder) {
  const Small small;
  const auto values = evaluate(small.graph, {{small.x, view_of(kX)}}, {small.y, small.x, small.y});
  ASSERT_TRUE(values.ok()) << values.error().message;
  ASSERT_EQ(values->size(), 3U);
  EXPECT_EQ(floats_of((*values)[0]), (std::vector<float>{0, 2, 3, 0}));
  EXPECT_EQ((*values)[1], kX);
  EXPECT_EQ((*values)[2], (*values)[0]);
}

TEST(Evaluate, TakesAMadeTensorThatIsGiven) {
  const Small small;
  const TensorValue minus = float_tensor({2, 2}, {5, -5, 5, -5});
  const auto values = evaluate(small.graph, {{small.minus, view_of(minus)}}, {small.y});
  ASSERT_TRUE(values.ok()) << values.error().message;
  EXPECT_EQ(floats_of((*values)[0]), (std::vector<float>{5, 0, 5, 0}));
}

TEST(Evaluate, RefusesAMissingValueOnlyWhereItIsNeeded) {
  const Small small;
  const auto refused = evaluate(small.graph, {{small.x, view_of(kX)}}, {small.y, small.unwanted});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "other needs a value");
}

TEST(Evaluate, RefusesValuesOfAnotherTypeOrSize) {
  const Small small;
  const TensorValue turned = float_tensor({4}, {1, 2, 3, 4});
  const auto refused = evaluate(small.graph, {{small.x, view_of(turned)}}, {small.y});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "x is float32 (2, 2), and cannot have the value float32 (4)");
  const TensorView cut{kX.type, std::span(kX.bytes).first(12)};
  const auto shorter = evaluate(small.graph, {{small.x, cut}}, {small.y});
  ASSERT_FALSE(shorter.ok());
  EXPECT_EQ(shorter.error().message, "x has 16 bytes, and cannot have a value of 12");
}

TEST(Evaluate, RefusesWhatIsNoGraphAndNoTensorOfIt) {
  Small small;
  const auto none = evaluate(small.graph, {}, {TensorId{17}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "small has no tensor number 17");
  small.graph.operations.pop_back();
  const auto broken = evaluate(small.graph, {}, {});
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().message, "unwanted is made by no operation");
}

TEST(Evaluate, ReadsValuesAtAnyAddress) {
  const Small small;
  std::vector<std::byte> shifted(kX.bytes.size() + 1);
  std::memcpy(shifted.data() + 1, kX.bytes.data(), kX.bytes.size());
  const TensorView view{kX.type, std::span(shifted).subspan(1)};
  const auto values = evaluate(small.graph, {{small.x, view}}, {small.y});
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(floats_of((*values)[0]), (std::vector<float>{0, 2, 3, 0}));
}

TEST(Evaluate, LooksAtTheSameValuesThroughViews) {
  Graph graph;
  const TensorId x = given(graph, "x", {2, 2});
  const TensorId minus = made(graph, "minus", Operator::Neg, {x});
  const TensorId flat = made(graph, "flat", Operator::Reshape, {minus}, ShapeAttributes{{4}});
  const TensorId y = made(graph, "y", Operator::Neg, {flat});
  const auto values = evaluate(graph, {{x, view_of(kX)}}, {y, flat});
  ASSERT_TRUE(values.ok()) << values.error().message;
  EXPECT_EQ((*values)[0], float_tensor({4}, {1, -2, -3, 4}));
  EXPECT_EQ((*values)[1], float_tensor({4}, {-1, 2, 3, -4}));
}

TEST(Evaluate, LeavesTheOldValueOfAnUpdateAsItIs) {
  Graph graph;
  const TensorId sum = given(graph, "sum", {2, 2});
  const TensorId next = made(graph, "next", Operator::Accumulate, {sum, sum});
  const auto values = evaluate(graph, {{sum, view_of(kX)}}, {next, sum});
  ASSERT_TRUE(values.ok()) << values.error().message;
  EXPECT_EQ(floats_of((*values)[0]), (std::vector<float>{2, -4, -6, 8}));
  EXPECT_EQ((*values)[1], kX);
}

TEST(Evaluate, MultipliesMatrices) {
  Graph graph;
  const TensorId a = given(graph, "a", {2, 2});
  const TensorId b = given(graph, "b", {2, 1});
  const TensorId y = made(graph, "y", Operator::MatMul, {a, b}, MatMulAttributes{});
  const TensorValue column = float_tensor({2, 1}, {10, 100});
  const auto values = evaluate(graph, {{a, view_of(kX)}, {b, view_of(column)}}, {y});
  ASSERT_TRUE(values.ok()) << values.error().message;
  EXPECT_EQ((*values)[0], float_tensor({2, 1}, {-190, 370}));
}

}  // namespace
}  // namespace poet
