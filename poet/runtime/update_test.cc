#include "poet/runtime/update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "poet/runtime/golden_test_support.h"

namespace poet {
namespace {

using Values = std::vector<float>;

// The options and the state of one training run; unused states stay zero.
struct Training {
  const GoldenCase& golden;
  Values parameter = golden.floats("parameter");
  Values first = Values(parameter.size(), 0);
  Values second = Values(parameter.size(), 0);
};

poet_step step_of(const GoldenCase& golden, std::uint32_t number) {
  poet_step step = {};
  step.step = number;
  step.learning_rate = golden.real("learning_rate");
  step.loss_scale = 1;
  if (golden.numbers.count("betas") > 0) {
    const std::vector<double>& betas = golden.numbers.at("betas");
    step.first_correction = static_cast<float>(1 - std::pow(betas[0], number));
    step.second_correction = static_cast<float>(1 - std::pow(betas[1], number));
  }
  return step;
}

poet_adam_shape adam_shape(const GoldenCase& golden, std::int32_t count) {
  const std::vector<double>& betas = golden.numbers.at("betas");
  return {count,
          static_cast<float>(betas[0]),
          static_cast<float>(1 - betas[0]),
          static_cast<float>(betas[1]),
          static_cast<float>(1 - betas[1]),
          golden.real("epsilon"),
          golden.real("weight_decay")};
}

// One step from the first three to the last three pointers, which may be the same.
void update(const GoldenCase& golden, const poet_step& step, const Values& gradient,
            const float* clip, const Training& from, Training& to) {
  const std::int32_t count = static_cast<std::int32_t>(gradient.size());
  const std::string& kind = golden.name;
  if (kind.rfind("sgd", 0) == 0) {
    const poet_sgd_shape shape = {count, golden.real("weight_decay")};
    poet_sgd_update_f32(&shape, from.parameter.data(), gradient.data(), &step, clip,
                        to.parameter.data());
  } else if (kind.rfind("momentum", 0) == 0) {
    const poet_momentum_shape shape = {count, golden.real("momentum"), golden.real("dampening"),
                                       golden.real("weight_decay"), golden.whole("nesterov")};
    poet_momentum_update_f32(&shape, from.parameter.data(), gradient.data(), from.first.data(),
                             &step, clip, to.parameter.data(), to.first.data());
  } else {
    const poet_adam_shape shape = adam_shape(golden, count);
    const auto kernel = kind.rfind("adamw", 0) == 0 ? poet_adamw_update_f32 : poet_adam_update_f32;
    kernel(&shape, from.parameter.data(), gradient.data(), from.first.data(), from.second.data(),
           &step, clip, to.parameter.data(), to.first.data(), to.second.data());
  }
}

constexpr std::uint32_t kSteps = 5;

TEST(Update, FollowsPyTorchOverFiveSteps) {
  const std::vector<GoldenCase> goldens = read_goldens("update");
  ASSERT_EQ(goldens.size(), 10U);
  for (const GoldenCase& golden : goldens) {
    Training run = {golden};
    for (std::uint32_t number = 1; number <= kSteps; ++number) {
      const Values gradient = golden.floats("gradient" + std::to_string(number));
      update(golden, step_of(golden, number), gradient, nullptr, run, run);
      EXPECT_LE(relative_error(run.parameter, golden.floats("parameter" + std::to_string(number))),
                2e-7)
          << golden.name << " step " << number;
    }
    if (golden.has("first")) {
      EXPECT_LE(relative_error(run.first, golden.floats("first")), 3e-7) << golden.name;
    }
    if (golden.has("second")) {
      EXPECT_LE(relative_error(run.second, golden.floats("second")), 3e-7) << golden.name;
    }
  }
}

TEST(Update, OutOfPlaceGivesTheBitsOfInPlaceAndLeavesItsInputsAlone) {
  for (const GoldenCase& golden : read_goldens("update")) {
    Training inplace = {golden};
    const Values gradient = golden.floats("gradient1");
    for (const std::uint32_t number : {1U, 2U}) {
      const Training before = inplace;
      Training after = {golden};
      update(golden, step_of(golden, number), gradient, nullptr, before, after);
      EXPECT_EQ(before.parameter, inplace.parameter) << golden.name;
      update(golden, step_of(golden, number), gradient, nullptr, inplace, inplace);
      EXPECT_EQ(after.parameter, inplace.parameter) << golden.name;
      EXPECT_EQ(after.first, inplace.first) << golden.name;
      EXPECT_EQ(after.second, inplace.second) << golden.name;
    }
  }
}

TEST(Update, ClipMultipliesTheGradient) {
  for (const GoldenCase& golden : read_goldens("update")) {
    const Values gradient = golden.floats("gradient1");
    Values half = gradient;
    for (float& value : half) value *= 0.5F;
    const float clip = 0.5F;
    Training clipped = {golden};
    Training expected = {golden};
    const poet_step step = step_of(golden, 1);
    update(golden, step, gradient, &clip, clipped, clipped);
    update(golden, step, half, nullptr, expected, expected);
    EXPECT_EQ(clipped.parameter, expected.parameter) << golden.name;
    EXPECT_EQ(clipped.first, expected.first) << golden.name;
    EXPECT_EQ(clipped.second, expected.second) << golden.name;
  }
}

TEST(Update, TheFirstStepOfMomentumDoesNotReadTheVelocity) {
  const poet_momentum_shape shape = {1, 0.9F, 0.5F, 0, 0};
  const poet_step step = {0, 0, 1, 0, 1, 0, 0, 1};
  const float parameter = 1;
  const float gradient = 0.25F;
  const float velocity = NAN;
  float new_parameter = 0;
  float new_velocity = 0;
  poet_momentum_update_f32(&shape, &parameter, &gradient, &velocity, &step, nullptr, &new_parameter,
                           &new_velocity);
  EXPECT_EQ(new_velocity, 0.25F);
  EXPECT_EQ(new_parameter, 0.75F);
}

}  // namespace
}  // namespace poet
