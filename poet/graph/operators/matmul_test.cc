#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"
#include "poet/runtime/matmul.h"

namespace poet {
namespace {

using testing::float32;
using testing::gradient_types;
using testing::operation;
using testing::outcome;

constexpr Operator kMatMul = Operator::MatMul;

Shape output_shape(const MatMulAttributes& attributes, const std::vector<TensorType>& inputs) {
  return operation(kMatMul, attributes, inputs).outputs[0].shape;
}

std::int32_t field(const KernelCall& call, std::string_view name) {
  for (const KernelWord& word : call.shape)
    if (word.field == name) return std::get<std::int32_t>(word.value);
  ADD_FAILURE() << "no field " << name;
  return 0;
}

KernelCall call_of(const OperationTypes& types) {
  return entry_of(types.kind).kernel(types);
}

TEST(MatMul, HasTheRowsOfTheFirstAndTheColumnsOfTheSecond) {
  EXPECT_EQ(output_shape({}, {float32({2, 3}), float32({3, 4})}), (Shape{2, 4}));
  EXPECT_EQ(output_shape({.transpose_a = true}, {float32({3, 2}), float32({3, 4})}), (Shape{2, 4}));
  EXPECT_EQ(output_shape({.transpose_b = true}, {float32({2, 3}), float32({4, 3})}), (Shape{2, 4}));
}

TEST(MatMul, BroadcastsWhatComesBeforeTheLastTwoDimensions) {
  EXPECT_EQ(output_shape({}, {float32({5, 2, 3}), float32({3, 4})}), (Shape{5, 2, 4}));
  EXPECT_EQ(output_shape({}, {float32({5, 1, 2, 3}), float32({6, 3, 4})}), (Shape{5, 6, 2, 4}));
}

TEST(MatMul, SumsToTheShapeThatItIsTold) {
  const std::vector<TensorType> inputs{float32({5, 6, 2, 3}), float32({5, 6, 3, 4})};
  EXPECT_EQ(output_shape({.sum_to = Shape{}}, inputs), (Shape{2, 4}));
  EXPECT_EQ(output_shape({.sum_to = Shape{6}}, inputs), (Shape{6, 2, 4}));
  EXPECT_EQ(output_shape({.sum_to = Shape{5, 1}}, inputs), (Shape{5, 1, 2, 4}));
}

TEST(MatMul, TakesABiasThatBroadcastsToTheMatrix) {
  for (const Shape& bias : {Shape{}, {1}, {4}, {1, 4}, {2, 1}, {2, 4}, {1, 1}})
    EXPECT_EQ(
        outcome(kMatMul, MatMulAttributes{}, {float32({2, 3}), float32({3, 4}), float32(bias)}),
        "float32 (2, 4)");
  EXPECT_EQ(outcome(kMatMul, MatMulAttributes{}, {float32({2, 3}), float32({3, 4}), float32({2})}),
            "the bias (2) does not broadcast to the matrix (2, 4)");
  EXPECT_EQ(
      outcome(kMatMul, MatMulAttributes{}, {float32({2, 3}), float32({3, 4}), float32({1, 2, 4})}),
      "the bias (1, 2, 4) does not broadcast to the matrix (2, 4)");
}

TEST(MatMul, RefusesWhatDoesNotFit) {
  const MatMulAttributes plain;
  EXPECT_EQ(outcome(kMatMul, AxisAttributes{}, {float32({2, 3}), float32({3, 4})}),
            "takes the attributes of a matrix product, and has none or others");
  EXPECT_EQ(outcome(kMatMul, plain, {float32({2, 3}), {ElementType::Int64, {3, 4}}}),
            "takes float32 values, not int64 (3, 4)");
  EXPECT_EQ(outcome(kMatMul, plain, {float32({3}), float32({3, 4})}),
            "takes matrices of 2 to 8 dimensions, not (3)");
  EXPECT_EQ(outcome(kMatMul, plain, {float32({2, 3}), float32({1, 1, 1, 1, 1, 1, 1, 3, 4})}),
            "takes matrices of 2 to 8 dimensions, not (1, 1, 1, 1, 1, 1, 1, 3, 4)");
  EXPECT_EQ(outcome(kMatMul, plain, {float32({2, 3}), float32({4, 3})}),
            "the matrices (2, 3) and (4, 3) do not fit: 3 columns for 4 rows");
  EXPECT_EQ(
      outcome(kMatMul, MatMulAttributes{.transpose_a = true}, {float32({2, 3}), float32({3, 4})}),
      "the matrices (2, 3) and (3, 4) do not fit: 2 columns for 3 rows");
  EXPECT_EQ(outcome(kMatMul, plain, {float32({2, 2, 3}), float32({5, 3, 4})}),
            "before their last two dimensions, the shapes (2) and (5) do not broadcast: 2 stands "
            "over 5");
  EXPECT_EQ(
      outcome(kMatMul, MatMulAttributes{.sum_to = Shape{3}}, {float32({2, 2, 3}), float32({3, 4})}),
      "the dimensions (2) cannot be summed to (3)");
  EXPECT_EQ(outcome(kMatMul, MatMulAttributes{.sum_to = Shape{1, 2}},
                    {float32({2, 2, 3}), float32({3, 4})}),
            "the dimensions (2) cannot be summed to (1, 2)");
}

TEST(MatMul, RefusesMoreWorkThanCanBeCounted) {
  EXPECT_EQ(outcome(kMatMul, MatMulAttributes{.sum_to = Shape{}},
                    {float32({2147483647, 1, 1, 1}), float32({2147483647, 1, 1})}),
            "is too much work to count: (2147483647, 2147483647, 1, 1, 1) times");
}

TEST(MatMul, CountsMultiplyAddsAndWhatComesAfter) {
  const auto flop = [](const MatMulAttributes& attributes, const std::vector<TensorType>& inputs) {
    return entry_of(kMatMul).flop(operation(kMatMul, attributes, inputs));
  };
  EXPECT_EQ(flop({}, {float32({2, 3}), float32({3, 4})}), 2 * 2 * 3 * 4);
  EXPECT_EQ(flop({.alpha = 2}, {float32({2, 3}), float32({3, 4})}), 48 + 8);
  EXPECT_EQ(flop({}, {float32({2, 3}), float32({3, 4}), float32({4})}), 48 + 8);
  EXPECT_EQ(flop({.beta = 2}, {float32({2, 3}), float32({3, 4}), float32({4})}), 48 + 16);
  EXPECT_EQ(flop({.sum_to = Shape{}}, {float32({5, 2, 3}), float32({5, 3, 4})}), 5 * 48);
}

// In parts: dA = alpha dY B', dB = alpha A' dY.
TEST(MatMul, HasProductsAsGradients) {
  const OperationTypes types =
      operation(kMatMul, MatMulAttributes{.alpha = 3}, {float32({2, 3}), float32({3, 4})});
  const std::vector<GradientPart> parts = entry_of(kMatMul).gradient(types);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0], (GradientPart{.kind = kMatMul,
                                    .attributes = MatMulAttributes{.transpose_b = true, .alpha = 3},
                                    .operands = {OutputGradient{0}, ForwardInput{1}},
                                    .of_inputs = {0}}));
  EXPECT_EQ(parts[1], (GradientPart{.kind = kMatMul,
                                    .attributes = MatMulAttributes{.transpose_a = true, .alpha = 3},
                                    .operands = {ForwardInput{0}, OutputGradient{0}},
                                    .of_inputs = {1}}));
}

TEST(MatMul, SumsTheBiasGradientTimesBeta) {
  const OperationTypes types = operation(kMatMul, MatMulAttributes{.beta = 0.5F},
                                         {float32({2, 3}), float32({3, 4}), float32({4})});
  const std::vector<GradientPart> parts = entry_of(kMatMul).gradient(types);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[2], (GradientPart{.kind = Operator::BroadcastSum,
                                    .attributes = ScalarAttributes{.alpha = 0.5F},
                                    .operands = {OutputGradient{0}},
                                    .of_inputs = {2}}));
}

TEST(MatMul, GradientsHaveTheTypesOfTheirOperands) {
  for (const bool turned_a : {false, true})
    for (const bool turned_b : {false, true}) {
      const OperationTypes types =
          operation(kMatMul, MatMulAttributes{.transpose_a = turned_a, .transpose_b = turned_b},
                    {turned_a ? float32({5, 1, 3, 2}) : float32({5, 1, 2, 3}),
                     turned_b ? float32({6, 4, 3}) : float32({6, 3, 4})});
      for (std::size_t part = 0; part < 2; ++part) {
        const OperationTypes by = gradient_types(types, part);
        EXPECT_EQ(operation(kMatMul, by.attributes, by.inputs).outputs, by.outputs)
            << turned_a << turned_b << part;
      }
    }
}

TEST(MatMul, CallsItsKernelWithTheStridesOfDenseMatrices) {
  const KernelCall call = call_of(operation(kMatMul, MatMulAttributes{.alpha = 2, .beta = 3},
                                            {float32({2, 3}), float32({3, 4}), float32({2, 1})}));
  EXPECT_EQ(call.function, POET_KERNEL(poet_matmul_forward_f32));
  EXPECT_EQ(call.inputs, (std::vector<std::optional<int>>{0, 1, 2}));
  EXPECT_EQ(call.outputs, (std::vector<std::optional<int>>{0}));
  EXPECT_EQ(call.shape.size(), 55U);
  EXPECT_EQ(call.shape[0], (KernelWord{"rows", 2}));
  EXPECT_EQ(call.shape[1], (KernelWord{"columns", 4}));
  EXPECT_EQ(call.shape[2], (KernelWord{"inner", 3}));
  EXPECT_EQ(field(call, "batch_rank"), 0);
  EXPECT_EQ(field(call, "sum_rank"), 0);
  EXPECT_EQ(field(call, "a_row_stride"), 3);
  EXPECT_EQ(field(call, "a_inner_stride"), 1);
  EXPECT_EQ(field(call, "b_inner_stride"), 4);
  EXPECT_EQ(field(call, "b_column_stride"), 1);
  EXPECT_EQ(field(call, "bias_row_stride"), 1);
  EXPECT_EQ(field(call, "bias_column_stride"), 0);
  EXPECT_EQ(call.shape[53], (KernelWord{"alpha", 2.0F}));
  EXPECT_EQ(call.shape[54], (KernelWord{"beta", 3.0F}));
}

TEST(MatMul, ReadsTransposedOperandsInPlace) {
  const KernelCall call =
      call_of(operation(kMatMul, MatMulAttributes{.transpose_a = true, .transpose_b = true},
                        {float32({3, 2}), float32({4, 3})}));
  EXPECT_EQ(call.inputs, (std::vector<std::optional<int>>{0, 1, std::nullopt}));
  EXPECT_EQ(field(call, "a_row_stride"), 1);
  EXPECT_EQ(field(call, "a_inner_stride"), 2);
  EXPECT_EQ(field(call, "b_inner_stride"), 1);
  EXPECT_EQ(field(call, "b_column_stride"), 3);
}

TEST(MatMul, IsOneLargeProductWhereTheSecondMatrixIsTheSame) {
  const KernelCall call =
      call_of(operation(kMatMul, MatMulAttributes{}, {float32({5, 6, 2, 3}), float32({3, 4})}));
  EXPECT_EQ(field(call, "rows"), 60);
  EXPECT_EQ(field(call, "batch_rank"), 0);
  // A bias that differs between rows keeps the matrices apart.
  const KernelCall with_bias = call_of(operation(
      kMatMul, MatMulAttributes{}, {float32({5, 6, 2, 3}), float32({3, 4}), float32({2, 1})}));
  EXPECT_EQ(field(with_bias, "rows"), 2);
  EXPECT_EQ(field(with_bias, "batch_rank"), 1);
  EXPECT_EQ(field(with_bias, "batch_extents[0]"), 30);
}

TEST(MatMul, SumsTheWeightGradientOfABatchInOneInnerDimension) {
  const OperationTypes linear =
      operation(kMatMul, MatMulAttributes{}, {float32({5, 2, 3}), float32({3, 4})});
  const KernelCall call = call_of(gradient_types(linear, 1));
  EXPECT_EQ(field(call, "rows"), 3);
  EXPECT_EQ(field(call, "columns"), 4);
  EXPECT_EQ(field(call, "inner"), 10);
  EXPECT_EQ(field(call, "sum_rank"), 0);
}

TEST(MatMul, WalksBroadcastMatrices) {
  const KernelCall call =
      call_of(operation(kMatMul, MatMulAttributes{}, {float32({5, 1, 2, 3}), float32({6, 3, 4})}));
  EXPECT_EQ(field(call, "batch_rank"), 2);
  EXPECT_EQ(field(call, "batch_extents[0]"), 5);
  EXPECT_EQ(field(call, "batch_extents[1]"), 6);
  EXPECT_EQ(field(call, "a_batch_strides[0]"), 6);
  EXPECT_EQ(field(call, "a_batch_strides[1]"), 0);
  EXPECT_EQ(field(call, "b_batch_strides[0]"), 0);
  EXPECT_EQ(field(call, "b_batch_strides[1]"), 12);
  EXPECT_EQ(field(call, "y_batch_strides[0]"), 48);
  EXPECT_EQ(field(call, "y_batch_strides[1]"), 8);
}

TEST(MatMul, WalksWhatIsSummedByTheStridesOfBothOperands) {
  const KernelCall call = call_of(operation(kMatMul, MatMulAttributes{.sum_to = Shape{5, 1}},
                                            {float32({5, 6, 2, 3}), float32({5, 6, 3, 4})}));
  EXPECT_EQ(field(call, "batch_rank"), 1);
  EXPECT_EQ(field(call, "batch_extents[0]"), 5);
  EXPECT_EQ(field(call, "y_batch_strides[0]"), 8);
  EXPECT_EQ(field(call, "sum_rank"), 1);
  EXPECT_EQ(field(call, "sum_extents[0]"), 6);
  EXPECT_EQ(field(call, "a_sum_strides[0]"), 6);
  EXPECT_EQ(field(call, "b_sum_strides[0]"), 12);
}

TEST(MatMulContinued, TakesASumOfTheProductsType) {
  EXPECT_EQ(outcome(Operator::MatMulContinued, MatMulAttributes{},
                    {float32({2, 3}), float32({3, 4}), float32({2, 4})}),
            "float32 (2, 4)");
  EXPECT_EQ(outcome(Operator::MatMulContinued, MatMulAttributes{},
                    {float32({2, 3}), float32({3, 4}), float32({4, 2})}),
            "the sum must be float32 (2, 4), not float32 (4, 2)");
  EXPECT_EQ(outcome(Operator::MatMulContinued, MatMulAttributes{},
                    {float32({2, 3}), float32({5, 4}), float32({2, 4})}),
            "the matrices (2, 3) and (5, 4) do not fit: 3 columns for 5 rows");
  EXPECT_EQ(outcome(Operator::MatMulContinued, MatMulAttributes{},
                    {float32({2, 3}), float32({3, 4}), float32({2, 4}), float32({3})}),
            "the bias (3) does not broadcast to the matrix (2, 4)");
  EXPECT_EQ(
      outcome(Operator::MatMulContinued, {}, {float32({2, 3}), float32({3, 4}), float32({2, 4})}),
      "takes the attributes of a matrix product, and has none or others");
}

TEST(MatMulContinued, PassesTheSumBeforeTheBias) {
  const OperationTypes types =
      operation(Operator::MatMulContinued, MatMulAttributes{.alpha = 2},
                {float32({2, 3}), float32({3, 4}), float32({2, 4}), float32({4})});
  const KernelCall call = entry_of(types.kind).kernel(types);
  EXPECT_EQ(call.function.name, "poet_matmul_continued_f32");
  EXPECT_EQ(call.inputs, (std::vector<std::optional<int>>{0, 1, 2, 3}));
  EXPECT_EQ(entry_of(types.kind).flop(types), 2 * 2 * 4 * 3 + 2 * 2 * 4);
}

}  // namespace
}  // namespace poet
