#include "poet/measure/operation_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "poet/graph/operator.h"
#include "poet/runtime/step.h"

namespace poet {
namespace {

TensorType floats(Shape shape) {
  return {ElementType::Float32, std::move(shape)};
}

// The inputs of an operation, filled.
std::vector<std::vector<std::byte>> filled(const OperationTypes& types) {
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::span<std::byte>> spans;
  for (const TensorType& type : types.inputs)
    inputs.emplace_back(static_cast<std::size_t>(size_bytes(type)));
  for (std::vector<std::byte>& input : inputs) spans.emplace_back(input);
  fill_inputs(types, spans);
  return inputs;
}

template <typename T>
std::vector<T> values(const std::vector<std::byte>& bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  std::memcpy(list.data(), bytes.data(), bytes.size());
  return list;
}

TEST(FillInputs, GivesNumbersOfEitherSignThatAreNotSmall) {
  const auto numbers = values<float>(
      filled({.kind = Operator::Relu, .inputs = {floats({64})}, .outputs = {floats({64})}})[0]);
  int negative = 0;
  for (const float number : numbers) {
    EXPECT_GE(std::abs(number), 0.25F);
    EXPECT_LT(std::abs(number), 1.25F);
    negative += number < 0 ? 1 : 0;
  }
  EXPECT_GT(negative, 16);
  EXPECT_LT(negative, 48);
}

TEST(FillInputs, GivesRootsPositiveNumbers) {
  const auto numbers = values<float>(
      filled({.kind = Operator::Sqrt, .inputs = {floats({64})}, .outputs = {floats({64})}})[0]);
  for (const float number : numbers) EXPECT_GT(number, 0);
}

TEST(FillInputs, KeepsLabelsBelowTheClasses) {
  const auto labels =
      values<std::int64_t>(filled({.kind = Operator::SoftmaxCrossEntropy,
                                   .attributes = LossAttributes{},
                                   .inputs = {floats({64, 3}), {ElementType::Int64, {64}}},
                                   .outputs = {floats({})}})[1]);
  for (const std::int64_t label : labels) {
    EXPECT_GE(label, 0);
    EXPECT_LT(label, 3);
  }
  EXPECT_NE(labels, std::vector<std::int64_t>(64, labels[0]));
}

TEST(FillInputs, TakesLabelsLikeAStepForLabels) {
  const auto labels = values<std::int32_t>(filled({.kind = Operator::SoftmaxCrossEntropy,
                                                   .attributes = LossAttributes{},
                                                   .inputs = {floats({8, 3}), step_type()},
                                                   .outputs = {floats({})}})[1]);
  for (const std::int32_t label : labels) {
    EXPECT_GE(label, 0);
    EXPECT_LT(label, 3);
  }
}

TEST(FillInputs, KeepsIndicesInTheTable) {
  const auto indices =
      values<std::int32_t>(filled({.kind = Operator::GatherGradient,
                                   .attributes = AxisAttributes{.axis = 0},
                                   .inputs = {{ElementType::Int32, {64}}, floats({64, 2})},
                                   .outputs = {floats({5, 2})}})[0]);
  for (const std::int32_t index : indices) {
    EXPECT_GE(index, 0);
    EXPECT_LT(index, 5);
  }
}

TEST(FillInputs, GivesUpdatesAStep) {
  const auto inputs = filled({.kind = Operator::Sgd,
                              .attributes = UpdateAttributes{},
                              .inputs = {floats({4}), floats({4}), step_type()},
                              .outputs = {floats({4})}});
  poet_step_words step;
  std::memcpy(&step, inputs[2].data(), sizeof(step));
  EXPECT_EQ(step.step, 10U);
  EXPECT_GT(step.learning_rate, 0);
}

TEST(FillInputs, GivesTheSameEveryTime) {
  const OperationTypes add{
      .kind = Operator::Add, .inputs = {floats({32}), floats({32})}, .outputs = {floats({32})}};
  EXPECT_EQ(filled(add), filled(add));
  EXPECT_NE(filled(add)[0], filled(add)[1]);
}

}  // namespace
}  // namespace poet
