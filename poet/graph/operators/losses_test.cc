#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::gradient_operations;
using testing::gradient_texts;
using testing::int32;
using testing::int64;
using testing::moved_bytes;
using testing::outcome;
using testing::with_outputs;
using Texts = std::vector<std::string>;

OperationTypes loss(Operator kind, LossAttributes attributes, std::vector<TensorType> inputs) {
  return {.kind = kind, .attributes = attributes, .inputs = std::move(inputs)};
}

OperationTypes cross_entropy(LossAttributes attributes, std::vector<TensorType> inputs) {
  return loss(Operator::SoftmaxCrossEntropy, attributes, std::move(inputs));
}

TEST(ClassLosses, AreOneNumberOrOneForEachLabel) {
  EXPECT_EQ(outcome(cross_entropy({}, {float32({4, 10}), int64({4})})), "float32 ()");
  EXPECT_EQ(outcome(cross_entropy({.reduction = Reduction::None},
                                  {float32({4, 10, 2, 3}), int32({4, 2, 3})})),
            "float32 (4, 2, 3)");
  EXPECT_EQ(outcome(loss(Operator::NegativeLogLikelihood, {.reduction = Reduction::Sum},
                         {float32({4, 10}), int64({4}), float32({10})})),
            "float32 ()");
}

TEST(ClassLosses, SayWhatDoesNotFit) {
  EXPECT_EQ(outcome(cross_entropy({}, {float32({4, 10}), int64({5})})),
            "the labels of scores (4, 10) have the shape (4), not (5)");
  EXPECT_EQ(outcome(cross_entropy({}, {float32({4, 10}), float32({4})})),
            "the labels must be int32 or int64, not float32 (4)");
  EXPECT_EQ(outcome(cross_entropy({}, {float32({10}), int64({})})),
            "scores have the shape (N, C, ...), not (10)");
  EXPECT_EQ(outcome(cross_entropy({}, {int64({4, 10}), int64({4})})),
            "the first input must be float32, not int64 (4, 10)");
  EXPECT_EQ(outcome(cross_entropy({}, {float32({4, 10}), int64({4}), float32({4})})),
            "the third input must be float32 (10), not float32 (4)");
  EXPECT_EQ(outcome(cross_entropy({.label_smoothing = 1}, {float32({4, 10}), int64({4})})),
            "label smoothing is 1: it must be at least 0 and less than 1");
  EXPECT_EQ(outcome(loss(Operator::NegativeLogLikelihood, {.label_smoothing = 0.5F},
                         {float32({4, 10}), int64({4})})),
            "label smoothing is for softmax cross-entropy only");
  EXPECT_EQ(
      outcome(cross_entropy({.ignored_label = 4'000'000'000}, {float32({4, 10}), int64({4})})),
      "the ignored label is 4000000000: it must fit in 32 bits");
  EXPECT_EQ(
      outcome({.kind = Operator::SoftmaxCrossEntropy, .inputs = {float32({4, 10}), int64({4})}}),
      "takes the attributes of a loss, and has none or others");
}

TEST(ClassLosses, CountFlopByHand) {
  const std::vector<TensorType> inputs = {float32({4, 10}), int64({4})};
  EXPECT_EQ(flop(cross_entropy({}, inputs)), 4 * 40 + 4 * 4);
  EXPECT_EQ(flop(cross_entropy({.label_smoothing = 0.5F}, inputs)), 6 * 40 + 4 * 4);
  EXPECT_EQ(flop(loss(Operator::NegativeLogLikelihood, {}, inputs)), 2 * 4);
}

TEST(NegativeLogLikelihood, ReadsOneScoreForEachLabel) {
  const std::vector<TensorType> inputs = {float32({4, 1000}), int64({4})};
  EXPECT_EQ(moved_bytes(loss(Operator::NegativeLogLikelihood, {}, inputs)), 4 * 4 + 4 * 8 + 4);
}

TEST(ClassLosses, LeaveOutTheScoresWhereTheGradientDoesNotNeedThem) {
  const std::vector<TensorType> plain = {float32({4, 10}), int64({4})};
  const std::vector<TensorType> weighted = {float32({4, 10}), int64({4}), float32({10})};
  EXPECT_EQ(gradient_texts(cross_entropy({}, plain)),
            Texts{"softmax_cross_entropy_gradient(x0, x1, dy) by 0"});
  EXPECT_EQ(gradient_texts(cross_entropy({}, weighted)),
            Texts{"softmax_cross_entropy_gradient(x0, x1, dy, x2) by 0"});
  EXPECT_EQ(gradient_texts(loss(Operator::NegativeLogLikelihood, {}, plain)),
            Texts{"negative_log_likelihood_gradient(x1, dy) by 0"});
  EXPECT_EQ(gradient_texts(loss(Operator::NegativeLogLikelihood, {}, weighted)),
            Texts{"negative_log_likelihood_gradient(x1, dy, x2) by 0"});
}

TEST(ClassLosses, CallTheKernelOfTheirLabels) {
  const OperationTypes plain = cross_entropy({.ignored_label = -100, .label_smoothing = 0.5F},
                                             {float32({4, 10, 2, 3}), int32({4, 2, 3})});
  const std::string words =
      " batch=4 classes=10 pixels=6 ignore_index=-100 reduction=2 label_smoothing=0.5";
  EXPECT_EQ(call_text(with_outputs(plain)),
            "poet_softmax_cross_entropy_forward_f32_i32(0, 1, null -> 0)" + words);
  EXPECT_EQ(call_text(gradient_operations(plain)[0]),
            "poet_softmax_cross_entropy_gradient_f32_i32(0, 1, null, 2 -> 0)" + words);
}

TEST(ClassLosses, GiveWeightsWhereTheKernelWantsThem) {
  const std::vector<TensorType> inputs = {float32({4, 10}), int64({4}), float32({10})};
  const std::string words =
      " batch=4 classes=10 pixels=1 ignore_index=-2147483648 reduction=1 label_smoothing=0";
  const OperationTypes likelihood =
      loss(Operator::NegativeLogLikelihood, {.reduction = Reduction::Sum}, inputs);
  EXPECT_EQ(call_text(with_outputs(likelihood)),
            "poet_negative_log_likelihood_forward_f32_i64(0, 1, 2 -> 0)" + words);
  EXPECT_EQ(call_text(gradient_operations(likelihood)[0]),
            "poet_negative_log_likelihood_gradient_f32_i64(0, 2, 1 -> 0)" + words);
  EXPECT_EQ(call_text(gradient_operations(cross_entropy({.reduction = Reduction::Sum}, inputs))[0]),
            "poet_softmax_cross_entropy_gradient_f32_i64(0, 1, 3, 2 -> 0)" + words);
}

TEST(ValueLosses, CompareTensorsOfOneShape) {
  EXPECT_EQ(outcome(loss(Operator::MeanSquaredError, {}, {float32({2, 3}), float32({2, 3})})),
            "float32 ()");
  EXPECT_EQ(outcome(loss(Operator::BinaryCrossEntropy, {.reduction = Reduction::None},
                         {float32({2, 3}), float32({2, 3})})),
            "float32 (2, 3)");
}

TEST(ValueLosses, SayWhatDoesNotFit) {
  EXPECT_EQ(outcome(loss(Operator::MeanSquaredError, {}, {float32({2, 3}), float32({3})})),
            "the second input must be float32 (2, 3), not float32 (3)");
  EXPECT_EQ(outcome(loss(Operator::BinaryCrossEntropy, {}, {int64({2}), int64({2})})),
            "the first input must be float32, not int64 (2)");
  EXPECT_EQ(
      outcome(loss(Operator::MeanSquaredError, {.ignored_label = 1}, {float32({2}), float32({2})})),
      "has no labels to ignore or to smooth");
  EXPECT_EQ(outcome({.kind = Operator::MeanSquaredError, .inputs = {float32({2}), float32({2})}}),
            "takes the attributes of a loss, and has none or others");
}

TEST(ValueLosses, CountFlopByHand) {
  const std::vector<TensorType> inputs = {float32({2, 3}), float32({2, 3})};
  EXPECT_EQ(flop(loss(Operator::MeanSquaredError, {}, inputs)), 18);
  EXPECT_EQ(flop(loss(Operator::BinaryCrossEntropy, {}, inputs)), 48);
}

TEST(ValueLosses, AreDifferentiated) {
  const std::vector<TensorType> inputs = {float32({2, 3}), float32({2, 3})};
  EXPECT_EQ(gradient_texts(loss(Operator::MeanSquaredError, {}, inputs)),
            (Texts{"mean_squared_error_gradient(x0, x1, dy) by 0",
                   "mean_squared_error_gradient(x1, x0, dy) by 1"}));
  EXPECT_EQ(gradient_texts(loss(Operator::BinaryCrossEntropy, {}, inputs)),
            Texts{"binary_cross_entropy_gradient(x0, x1, dy) by 0"});
}

TEST(ValueLosses, CallTheirKernels) {
  const OperationTypes types = loss(Operator::MeanSquaredError, {.reduction = Reduction::None},
                                    {float32({2, 3}), float32({2, 3})});
  EXPECT_EQ(call_text(with_outputs(types)),
            "poet_squared_error_forward_f32(0, 1 -> 0) count=6 reduction=0");
  EXPECT_EQ(call_text(gradient_operations(types)[1]),
            "poet_squared_error_gradient_f32(0, 1, 2 -> 0) count=6 reduction=0");
}

}  // namespace
}  // namespace poet
