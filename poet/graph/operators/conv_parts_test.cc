#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::float32;
using testing::int64;
using testing::operation;
using testing::outcome;

// 2 channels in, 4 out, two groups; 3 x 2 windows.
const WindowAttributes kWindow{.kernel = {3, 2},
                               .stride = {2, 1},
                               .padding_begin = {1, 0},
                               .padding_end = {0, 1},
                               .dilation = {1, 2},
                               .groups = 2};
const TensorType kX = float32({5, 2, 8, 6});
const TensorType kWeights = float32({4, 1, 3, 2});
const TensorType kSum = float32({5, 4, 3, 7});

std::string part_refusal(const WindowAttributes& window, const std::vector<TensorType>& inputs) {
  return outcome(Operator::ConvContinued, window, inputs);
}

TEST(ConvContinued, MakesWhatItIsToldTo) {
  WindowAttributes window = kWindow;
  window.padding_begin = {-3, 2};
  window.padding_end = {};
  EXPECT_EQ(part_refusal(window, {kX, kWeights, kSum}), "float32 (5, 4, 3, 7)");
  EXPECT_EQ(part_refusal(window, {kX, kWeights, kSum, float32({4})}), "float32 (5, 4, 3, 7)");
  EXPECT_EQ(outcome(Operator::ConvInputGradientContinued, window, {kSum, kWeights, kX}),
            "float32 (5, 2, 8, 6)");
  EXPECT_EQ(outcome(Operator::ConvWeightGradientContinued, window, {kX, kSum, kWeights}),
            "float32 (4, 1, 3, 2)");
  EXPECT_EQ(outcome(Operator::ConvTransposeContinued, window, {kSum, kWeights, kX, float32({2})}),
            "float32 (5, 2, 8, 6)");
  EXPECT_EQ(outcome(Operator::ConvTransposeInputGradientContinued, window, {kX, kWeights, kSum}),
            "float32 (5, 4, 3, 7)");
  EXPECT_EQ(outcome(Operator::ConvTransposeWeightGradientContinued, window, {kSum, kX, kWeights}),
            "float32 (4, 1, 3, 2)");
  EXPECT_EQ(outcome(Operator::ConvBiasGradientContinued, window, {kSum, float32({4})}),
            "float32 (4)");
}

TEST(ConvContinued, RefusesWhatDoesNotFit) {
  EXPECT_EQ(outcome(Operator::ConvContinued, {}, {kX, kWeights, kSum}),
            "takes the attributes of a window, and has none or others");
  EXPECT_EQ(part_refusal(kWindow, {kX, kWeights, int64({5, 4, 3, 7})}),
            "takes float32 values, not int64 (5, 4, 3, 7)");
  EXPECT_EQ(part_refusal(kWindow, {float32({5, 2}), kWeights, kSum}),
            "takes (N, C) and 1 to 3 spatial dimensions, not (5, 2)");
  EXPECT_EQ(part_refusal(kWindow, {kX, kWeights, float32({5, 4, 3})}),
            "(5, 2, 8, 6) and (5, 4, 3) have not the same number of dimensions");
  EXPECT_EQ(part_refusal(kWindow, {kX, kWeights, float32({4, 4, 3, 7})}),
            "(5, 2, 8, 6) and (4, 4, 3, 7) are not of as many images");
  EXPECT_EQ(part_refusal(kWindow, {kX, kWeights, float32({5, 6, 3, 7})}),
            "the weights must be float32 (6, 1, 3, 2), not float32 (4, 1, 3, 2)");
  EXPECT_EQ(part_refusal(kWindow, {kX, float32({4, 1, 3, 3}), kSum}),
            "the weights must be float32 (4, 1, 3, 2), not float32 (4, 1, 3, 3)");
  EXPECT_EQ(part_refusal(kWindow, {float32({5, 3, 8, 6}), kWeights, kSum}),
            "2 groups do not divide the 3 channels of (5, 3, 8, 6)");
  EXPECT_EQ(part_refusal(kWindow, {kX, kWeights, kSum, float32({2})}),
            "the bias must be float32 (4), not float32 (2)");
  EXPECT_EQ(outcome(Operator::ConvBiasGradientContinued, kWindow, {kSum, float32({3})}),
            "the sum must be float32 (4), not float32 (3)");
}

TEST(ConvContinued, RefusesWhat32BitsDoNotHold) {
  WindowAttributes window = kWindow;
  window.padding_begin = {0, -300'000'000};
  EXPECT_EQ(part_refusal(window, {kX, kWeights, kSum}),
            "the window moves too far in spatial dimension 1: it covers 11 values of 6, from "
            "300000000 on");
  window.padding_begin = {0, 2147483648};
  EXPECT_EQ(part_refusal(window, {kX, kWeights, kSum}),
            "padding_begin must be from -2147483647 to 2147483647, not 2147483648");
  window = kWindow;
  window.stride = {1'000'000'000, 1};
  EXPECT_EQ(part_refusal(window, {kX, kWeights, kSum}),
            "the window moves too far in spatial dimension 0: it covers 3000000003 values of 8, "
            "from -1 on");
}

TEST(ConvContinued, PassesTheSumBeforeTheBias) {
  const auto inputs_of = [](Operator kind, const std::vector<TensorType>& inputs) {
    const OperationTypes types = operation(kind, kWindow, inputs);
    return entry_of(kind).kernel(types).inputs;
  };
  using Pointers = std::vector<std::optional<int>>;
  EXPECT_EQ(inputs_of(Operator::ConvContinued, {kX, kWeights, kSum}),
            (Pointers{0, 1, 2, std::nullopt}));
  EXPECT_EQ(inputs_of(Operator::ConvContinued, {kX, kWeights, kSum, float32({4})}),
            (Pointers{0, 1, 2, 3}));
  EXPECT_EQ(inputs_of(Operator::ConvInputGradientContinued, {kSum, kWeights, kX}),
            (Pointers{0, 1, 2, std::nullopt}));
  EXPECT_EQ(inputs_of(Operator::ConvTransposeWeightGradientContinued, {kSum, kX, kWeights}),
            (Pointers{1, 0, 2}));
}

}  // namespace
}  // namespace poet
