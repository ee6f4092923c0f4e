#include <gtest/gtest.h>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::int64;
using testing::outcome;
using testing::with_outputs;

OperationTypes clip_scale(UpdateAttributes attributes, std::vector<TensorType> partials) {
  return {.kind = Operator::ClipScale, .attributes = attributes, .inputs = std::move(partials)};
}

TEST(NormOfGradients, IsMadeOfPartialSums) {
  EXPECT_EQ(outcome({.kind = Operator::SumOfSquares, .inputs = {float32({2, 3})}}), "float32 ()");
  EXPECT_EQ(
      outcome({.kind = Operator::SumOfPartials, .inputs = {float32({}), float32({}), float32({})}}),
      "float32 ()");
  EXPECT_EQ(outcome(clip_scale({.largest_norm = 1}, {float32({})})), "float32 ()");
}

TEST(NormOfGradients, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome({.kind = Operator::SumOfSquares, .inputs = {int64({2})}}),
            "the input must be float32, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::SumOfPartials, .inputs = {float32({}), float32({1})}}),
            "every input must be float32 (), not float32 (1)");
  EXPECT_EQ(outcome(clip_scale({}, {float32({})})),
            "the largest norm is 0: it must be more than 0");
  EXPECT_EQ(outcome({.kind = Operator::ClipScale, .inputs = {float32({})}}),
            "takes the attributes of a parameter update, and has none or others");
}

TEST(NormOfGradients, CountsFlopByHand) {
  EXPECT_EQ(flop({.kind = Operator::SumOfSquares, .inputs = {float32({2, 3})}}), 12);
  EXPECT_EQ(flop(clip_scale({.largest_norm = 1}, {float32({}), float32({})})), 6);
}

TEST(NormOfGradients, GivesNullForAbsentPartialSums) {
  EXPECT_EQ(call_text(with_outputs({.kind = Operator::SumOfSquares, .inputs = {float32({6})}})),
            "poet_square_norm_forward_f32(0 -> 0) count=6");
  EXPECT_EQ(call_text(with_outputs(
                {.kind = Operator::SumOfPartials, .inputs = {float32({}), float32({})}})),
            "poet_partials_forward_f32(0, 1, null, null, null, null, null, null -> 0) count=2");
  EXPECT_EQ(call_text(with_outputs(clip_scale({.largest_norm = 0.5F}, {float32({})}))),
            "poet_clip_scale_forward_f32(0, null, null, null, null, null, null, null -> 0) count=1 "
            "limit=0.5");
}

TEST(Accumulate, AddsToWhatIsThere) {
  EXPECT_EQ(entry_of(Operator::Accumulate).updates, (std::vector<SharedPlace>{{0, 0}}));
  EXPECT_TRUE(entry_of(Operator::Accumulate).once);
  const OperationTypes types{.kind = Operator::Accumulate,
                             .inputs = {float32({2, 3}), float32({2, 3})}};
  EXPECT_EQ(outcome(types), "float32 (2, 3)");
  EXPECT_EQ(flop(types), 6);
  EXPECT_EQ(call_text(with_outputs(types)), "poet_accumulate_forward_f32(0, 1 -> 0) count=6");
  EXPECT_EQ(outcome({.kind = Operator::Accumulate, .inputs = {float32({2}), float32({1})}}),
            "the second input must be float32 (2), not float32 (1)");
  EXPECT_EQ(outcome({.kind = Operator::Accumulate, .inputs = {int64({2}), int64({2})}}),
            "the first input must be float32, not int64 (2)");
}

}  // namespace
}  // namespace poet
