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

// So many tensors of six values.
std::vector<TensorType> tensors(int count) {
  return std::vector<TensorType>(static_cast<std::size_t>(count), float32({2, 3}));
}

std::vector<TensorType> with_step(std::vector<TensorType> inputs) {
  inputs.push_back(step_type());
  return inputs;
}

std::vector<TensorType> clipped(std::vector<TensorType> inputs) {
  inputs.push_back(float32({}));
  return inputs;
}

constexpr Operator kAll[] = {Operator::Sgd,         Operator::Velocity,     Operator::Nesterov,
                             Operator::FirstMoment, Operator::SecondMoment, Operator::Adam};

TEST(Updates, MakeOneNewValueInThePlaceOfTheOldOne) {
  for (const Operator kind : kAll) {
    const OperatorEntry& entry = entry_of(kind);
    EXPECT_TRUE(entry.once) << entry.name;
    EXPECT_EQ(entry.updates, (std::vector<SharedPlace>{{0, 0}})) << entry.name;
  }
}

TEST(Updates, TakeWhatTheirKernelsRead) {
  EXPECT_EQ(outcome(update(Operator::Sgd, {}, with_step(tensors(2)))), "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::Velocity, {}, with_step(tensors(2)))), "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::Nesterov, {.momentum = 0.9F}, clipped(with_step(tensors(3))))),
            "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::FirstMoment, {}, tensors(2))), "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::SecondMoment, {}, clipped(tensors(2)))), "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::Adam, {}, with_step(tensors(3)))), "float32 (2, 3)");
}

// A state's update reads the parameter for weight decay, and only then.
TEST(Updates, TakeTheParameterOfAStateWhereThereIsWeightDecay) {
  const UpdateAttributes decay{.weight_decay = 0.1F};
  EXPECT_EQ(outcome(update(Operator::Velocity, decay, with_step(tensors(3)))), "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::FirstMoment, decay, clipped(tensors(3)))), "float32 (2, 3)");
  EXPECT_EQ(outcome(update(Operator::FirstMoment, decay, tensors(2))),
            "takes 3 inputs with these attributes, or a clip scale more, and has 2");
  EXPECT_EQ(outcome(update(Operator::FirstMoment, {}, clipped(tensors(3)))),
            "takes 2 inputs with these attributes, or a clip scale more, and has 4");
  EXPECT_EQ(outcome(update(Operator::Adam, decay, tensors(3))),
            "takes 4 inputs with these attributes, and has 3");
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
  EXPECT_EQ(
      outcome(update(Operator::Adam, {}, {float32({2}), float32({2}), float32({3}), step_type()})),
      "the second moment must be float32 (2), not float32 (3)");
  EXPECT_EQ(outcome(update(Operator::FirstMoment, {.weight_decay = 1},
                           {float32({2}), float32({2}), float32({})})),
            "the parameter must be float32 (2), not float32 ()");
  EXPECT_EQ(
      outcome(update(Operator::Sgd, {}, {float32({2}), float32({2}), step_type(), float32({1})})),
      "the clip scale must be float32 (), not float32 (1)");
  EXPECT_EQ(outcome({.kind = Operator::Sgd, .inputs = with_step(tensors(2))}),
            "takes the attributes of a parameter update, and has none or others");
}

TEST(Updates, SayWhichAttributeIsOutOfRange) {
  const auto moment = [](UpdateAttributes attributes) {
    return outcome(update(Operator::FirstMoment, attributes, tensors(2)));
  };
  EXPECT_EQ(moment({.weight_decay = -0.1F}), "the weight decay is -0.1: it must be at least 0");
  EXPECT_EQ(moment({.momentum = -1}), "the momentum is -1: it must be at least 0");
  EXPECT_EQ(moment({.dampening = INFINITY}), "the dampening is inf: it must be finite");
  EXPECT_EQ(moment({.beta1 = 1}), "beta1 is 1: it must be at least 0 and less than 1");
  EXPECT_EQ(moment({.beta2 = -0.5}), "beta2 is -0.5: it must be at least 0 and less than 1");
  EXPECT_EQ(moment({.epsilon = -1}), "epsilon is -1: it must be at least 0");
  const auto nesterov = [](UpdateAttributes attributes) {
    return outcome(update(Operator::Nesterov, attributes, with_step(tensors(3))));
  };
  EXPECT_EQ(nesterov({}), "Nesterov's momentum needs a momentum, and no dampening");
  EXPECT_EQ(nesterov({.momentum = 0.9F, .dampening = 0.1F}),
            "Nesterov's momentum needs a momentum, and no dampening");
}

TEST(Updates, CountWhatTheirAttributesAdd) {
  const UpdateAttributes decay{.weight_decay = 0.1F, .momentum = 0.9F};
  EXPECT_EQ(flop(update(Operator::Sgd, {}, with_step(tensors(2)))), 6 * 2);
  EXPECT_EQ(flop(update(Operator::Sgd, decay, clipped(with_step(tensors(2))))), 6 * 5);
  EXPECT_EQ(flop(update(Operator::Velocity, {}, with_step(tensors(2)))), 6 * 3);
  EXPECT_EQ(flop(update(Operator::Velocity, decay, clipped(with_step(tensors(3))))), 6 * 6);
  EXPECT_EQ(flop(update(Operator::Nesterov, {.momentum = 0.9F}, with_step(tensors(3)))), 6 * 4);
  EXPECT_EQ(flop(update(Operator::FirstMoment, {}, clipped(tensors(2)))), 6 * 4);
  EXPECT_EQ(flop(update(Operator::SecondMoment, decay, tensors(3))), 6 * 6);
  EXPECT_EQ(flop(update(Operator::Adam, {}, with_step(tensors(3)))), 6 * 6);
  EXPECT_EQ(flop(update(Operator::Adam, decay, with_step(tensors(3)))), 6 * 7);
}

std::string call(Operator kind, UpdateAttributes attributes, std::vector<TensorType> inputs) {
  return call_text(with_outputs(update(kind, attributes, std::move(inputs))));
}

TEST(Updates, CallTheirKernels) {
  EXPECT_EQ(call(Operator::Sgd, {.weight_decay = 0.5F}, with_step(tensors(2))),
            "poet_sgd_update_f32(0, 1, 2, null -> 0) count=6 weight_decay=0.5");
  EXPECT_EQ(call(Operator::Velocity, {.momentum = 0.25F}, clipped(with_step(tensors(2)))),
            "poet_velocity_update_f32(0, 1, null, 2, 3 -> 0) count=6 momentum=0.25 dampening=0 "
            "weight_decay=0");
  EXPECT_EQ(
      call(Operator::Nesterov, {.weight_decay = 0.5F, .momentum = 0.25F}, with_step(tensors(3))),
      "poet_nesterov_update_f32(0, 1, 2, 3, null -> 0) count=6 momentum=0.25 "
      "weight_decay=0.5");
  EXPECT_EQ(call(Operator::FirstMoment, {}, tensors(2)),
            "poet_first_moment_update_f32(0, 1, null, null -> 0) count=6 beta=0.9 "
            "one_minus_beta=0.1 weight_decay=0");
  EXPECT_EQ(call(Operator::SecondMoment, {.weight_decay = 0.5F}, clipped(tensors(3))),
            "poet_second_moment_update_f32(0, 1, 2, 3 -> 0) count=6 beta=0.999 "
            "one_minus_beta=0.001 weight_decay=0.5");
  EXPECT_EQ(call(Operator::Adam, {.weight_decay = 0.5F}, with_step(tensors(3))),
            "poet_adam_update_f32(0, 1, 2, 3 -> 0) count=6 epsilon=1e-08 weight_decay=0.5");
}

}  // namespace
}  // namespace poet
