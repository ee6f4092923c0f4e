#include <gtest/gtest.h>

#include <cmath>

#include "poet/graph/operators/operator_test_support.h"

namespace poet {
namespace {

using testing::call_text;
using testing::float32;
using testing::flop;
using testing::int64;
using testing::outcome;
using testing::with_outputs;

OperationTypes update(Operator kind, UpdateAttributes attributes, std::vector<TensorType> inputs) {
  return {.kind = kind, .attributes = attributes, .inputs = std::move(inputs)};
}

// Of a parameter of six values; `tensors` of its shape, then the step.
std::vector<TensorType> inputs_of(int tensors) {
  std::vector<TensorType> inputs(static_cast<std::size_t>(tensors), float32({2, 3}));
  inputs.push_back(step_type());
  return inputs;
}

std::vector<TensorType> clipped(std::vector<TensorType> inputs) {
  inputs.push_back(float32({}));
  return inputs;
}

TEST(Updates, GiveTheNewParameterAndItsNewStates) {
  EXPECT_EQ(outcome(update(Operator::Sgd, {}, inputs_of(2))), "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::Momentum, {}, clipped(inputs_of(3)))),
            "float32 (2, 3), float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::Adam, {}, inputs_of(4))),
            "float32 (2, 3), float32 (2, 3), float32 (2, 3)");
}

TEST(Updates, PutNewValuesInThePlaceOfOldOnes) {
  const OperatorEntry& adam = entry_of(Operator::AdamW);
  EXPECT_TRUE(adam.once);
  EXPECT_EQ(adam.updates, (std::vector<SharedPlace>{{0, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(adam.least_inputs, 5);
  EXPECT_EQ(adam.most_inputs, 6);
  EXPECT_EQ(entry_of(Operator::Sgd).updates, (std::vector<SharedPlace>{{0, 0}}));
  EXPECT_EQ(entry_of(Operator::Accumulate).updates, (std::vector<SharedPlace>{{0, 0}}));
  EXPECT_TRUE(entry_of(Operator::Accumulate).once);
}

TEST(Updates, SayWhichInputDoesNotFit) {
  const auto sgd = [](TensorType parameter, TensorType gradient, TensorType step) {
    return outcome(update(Operator::Sgd, {}, {parameter, gradient, step}));
  };
  EXPECT_EQ(sgd(int64({2}), int64({2}), step_type()),
            "the parameter must be float32, not int64 (2)");
  EXPECT_EQ(sgd(float32({2}), float32({3}), step_type()),
            "the gradient must be float32 (2), not float32 (3)");
  EXPECT_EQ(sgd(float32({2}), float32({2}), float32({8})),
            "the step must be int32 (8), not float32 (8)");
  EXPECT_EQ(outcome(update(Operator::Momentum, {},
                           {float32({2}), float32({2}), float32({3}), step_type()})),
            "the state must be float32 (2), not float32 (3)");
  EXPECT_EQ(
      outcome(update(Operator::Sgd, {}, {float32({2}), float32({2}), step_type(), float32({1})})),
      "the clip scale must be float32 (), not float32 (1)");
  EXPECT_EQ(outcome({.kind = Operator::Sgd, .inputs = inputs_of(2)}),
            "takes the attributes of a parameter update, and has none or others");
}

TEST(Updates, SayWhichAttributeIsOutOfRange) {
  const auto adam = [](UpdateAttributes attributes) {
    return outcome(update(Operator::Adam, attributes, inputs_of(4)));
  };
  EXPECT_EQ(adam({.weight_decay = -0.1F}), "the weight decay is -0.1: it must be at least 0");
  EXPECT_EQ(adam({.momentum = -1}), "the momentum is -1: it must be at least 0");
  EXPECT_EQ(adam({.dampening = INFINITY}), "the dampening is inf: it must be finite");
  EXPECT_EQ(adam({.beta1 = 1}), "beta1 is 1: it must be at least 0 and less than 1");
  EXPECT_EQ(adam({.beta2 = -0.5}), "beta2 is -0.5: it must be at least 0 and less than 1");
  EXPECT_EQ(adam({.epsilon = -1}), "epsilon is -1: it must be at least 0");
  EXPECT_EQ(adam({.nesterov = true}), "Nesterov's momentum needs a momentum, and no dampening");
  EXPECT_EQ(adam({.momentum = 0.9F, .dampening = 0.1F, .nesterov = true}),
            "Nesterov's momentum needs a momentum, and no dampening");
}

TEST(Updates, CountWhatTheirAttributesAdd) {
  EXPECT_EQ(flop(update(Operator::Sgd, {}, inputs_of(2))), 12);
  EXPECT_EQ(flop(update(Operator::Sgd, {.weight_decay = 0.1F}, clipped(inputs_of(2)))), 30);
  EXPECT_EQ(flop(update(Operator::Momentum, {.momentum = 0.9F, .nesterov = true}, inputs_of(3))),
            42);
  EXPECT_EQ(flop(update(Operator::AdamW, {.weight_decay = 0.1F}, inputs_of(4))), 84);
}

TEST(Updates, CallTheirKernels) {
  EXPECT_EQ(call_text(with_outputs(update(Operator::Sgd, {.weight_decay = 0.5F}, inputs_of(2)))),
            "poet_sgd_update_f32(0, 1, 2, null -> 0) count=6 weight_decay=0.5");
  EXPECT_EQ(call_text(with_outputs(update(
                Operator::Momentum, {.weight_decay = 0.5F, .momentum = 0.25F, .nesterov = true},
                clipped(inputs_of(3))))),
            "poet_momentum_update_f32(0, 1, 2, 3, 4 -> 0, 1) count=6 momentum=0.25 dampening=0 "
            "weight_decay=0.5 nesterov=1");
  EXPECT_EQ(call_text(with_outputs(update(Operator::Adam, {}, inputs_of(4)))),
            "poet_adam_update_f32(0, 1, 2, 3, 4, null -> 0, 1, 2) count=6 beta1=0.9 "
            "one_minus_beta1=0.1 beta2=0.999 one_minus_beta2=0.001 epsilon=1e-08 weight_decay=0");
}

TEST(NormOfGradients, IsMadeOfPartialSums) {
  EXPECT_EQ(outcome({.kind = Operator::SumOfSquares, .inputs = {float32({2, 3})}}), "float32 ()");
  EXPECT_EQ(
      outcome({.kind = Operator::SumOfPartials, .inputs = {float32({}), float32({}), float32({})}}),
      "float32 ()");
  EXPECT_EQ(outcome(update(Operator::ClipScale, {.largest_norm = 1}, {float32({})})), "float32 ()");
}

TEST(NormOfGradients, SaysWhatDoesNotFit) {
  EXPECT_EQ(outcome({.kind = Operator::SumOfSquares, .inputs = {int64({2})}}),
            "the input must be float32, not int64 (2)");
  EXPECT_EQ(outcome({.kind = Operator::SumOfPartials, .inputs = {float32({}), float32({1})}}),
            "every input must be float32 (), not float32 (1)");
  EXPECT_EQ(outcome(update(Operator::ClipScale, {}, {float32({})})),
            "the largest norm is 0: it must be more than 0");
  EXPECT_EQ(outcome({.kind = Operator::ClipScale, .inputs = {float32({})}}),
            "takes the attributes of a parameter update, and has none or others");
}

TEST(NormOfGradients, CountsFlopByHand) {
  EXPECT_EQ(flop({.kind = Operator::SumOfSquares, .inputs = {float32({2, 3})}}), 12);
  EXPECT_EQ(flop(update(Operator::ClipScale, {.largest_norm = 1}, {float32({}), float32({})})), 6);
}

TEST(NormOfGradients, GivesNullForAbsentPartialSums) {
  EXPECT_EQ(call_text(with_outputs({.kind = Operator::SumOfSquares, .inputs = {float32({6})}})),
            "poet_square_norm_forward_f32(0 -> 0) count=6");
  EXPECT_EQ(call_text(with_outputs(
                {.kind = Operator::SumOfPartials, .inputs = {float32({}), float32({})}})),
            "poet_partials_forward_f32(0, 1, null, null, null, null, null, null -> 0) count=2");
  EXPECT_EQ(
      call_text(with_outputs(update(Operator::ClipScale, {.largest_norm = 0.5F}, {float32({})}))),
      "poet_clip_scale_forward_f32(0, null, null, null, null, null, null, null -> 0) count=1 "
      "limit=0.5");
}

TEST(Accumulate, AddsToWhatIsThere) {
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
