#include <gtest/gtest.h>

#include <limits>

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
using testing::outcome;
using testing::with_outputs;

OperationTypes dropout(float probability) {
  return {.kind = Operator::Dropout,
          .attributes = DropoutAttributes{.probability = probability, .number = 7},
          .inputs = {float32({2, 3}), step_type()}};
}

TEST(Dropout, KeepsTheType) {
  EXPECT_EQ(outcome(dropout(0.1F)), "float32 (2, 3)");
  EXPECT_EQ(flop(dropout(0.1F)), 12);
}

TEST(Dropout, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome(dropout(1)), "the probability is 1: it must be at least 0 and less than 1");
  EXPECT_EQ(outcome(dropout(-0.5F)),
            "the probability is -0.5: it must be at least 0 and less than 1");
  EXPECT_EQ(outcome(dropout(std::numeric_limits<float>::quiet_NaN())),
            "the probability is nan: it must be at least 0 and less than 1");
  EXPECT_EQ(outcome({.kind = Operator::Dropout,
                     .attributes = DropoutAttributes{},
                     .inputs = {float32({2}), int32({2})}}),
            "the step must be int32 (8), not int32 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Dropout,
                     .attributes = DropoutAttributes{},
                     .inputs = {int64({2}), step_type()}}),
            "the input must be float32, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::Dropout, .inputs = {float32({2}), step_type()}}),
            "takes the attributes of a dropout, and has none or others");
}

TEST(Dropout, DrawsTheSameMaskAgainForItsGradient) {
  EXPECT_EQ(gradient_texts(dropout(0.25F)),
            std::vector<std::string>{"dropout_gradient(dy, x1) by 0"});
  const std::string words = "(0, 1 -> 0) count=6 operation=7 probability=0.25 first=0";
  EXPECT_EQ(call_text(with_outputs(dropout(0.25F))), "poet_dropout_forward_f32" + words);
  EXPECT_EQ(call_text(gradient_operations(dropout(0.25F))[0]), "poet_dropout_gradient_f32" + words);
}

}  // namespace
}  // namespace poet
