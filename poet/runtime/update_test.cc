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

poet_step_words step_of(const GoldenCase& golden, std::uint32_t number) {
  poet_step_words step = {};
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

poet_moment_shape moment_shape(const GoldenCase& golden, std::size_t which, std::int32_t count,
                               float weight_decay) {
  const double beta = golden.numbers.at("betas")[which];
  return {count, static_cast<float>(beta), static_cast<float>(1 - beta), weight_decay};
}

bool is_kind(const GoldenCase& golden, const std::string& kind) {
  return golden.name == kind || golden.name.rfind(kind + "_", 0) == 0;
}

// The parameter as a state's update gets it: for weight decay only.
const float* decayed(const Training& from, float weight_decay) {
  return weight_decay == 0 ? nullptr : from.parameter.data();
}

void update_with_momentum(const GoldenCase& golden, const poet_step_words& step,
                          const Values& gradient, const float* clip, const Training& from,
                          Training& to) {
  const std::int32_t count = static_cast<std::int32_t>(gradient.size());
  const float decay = golden.real("weight_decay");
  const poet_velocity_shape velocity = {count, golden.real("momentum"), golden.real("dampening"),
                                        decay};
  poet_velocity_update_f32(&velocity, from.first.data(), gradient.data(), decayed(from, decay),
                           &step, clip, to.first.data());
  if (golden.whole("nesterov") == 1) {
    const poet_nesterov_shape shape = {count, golden.real("momentum"), decay};
    poet_nesterov_update_f32(&shape, from.parameter.data(), to.first.data(), gradient.data(), &step,
                             clip, to.parameter.data());
  } else {
    const poet_sgd_shape shape = {count, 0};
    poet_sgd_update_f32(&shape, from.parameter.data(), to.first.data(), &step, nullptr,
                        to.parameter.data());
  }
}

void update_with_moments(const GoldenCase& golden, const poet_step_words& step,
                         const Values& gradient, const float* clip, const Training& from,
                         Training& to) {
  const std::int32_t count = static_cast<std::int32_t>(gradient.size());
  const bool decays_by_itself = is_kind(golden, "adamw");
  const float decay = decays_by_itself ? 0 : golden.real("weight_decay");
  const poet_moment_shape first = moment_shape(golden, 0, count, decay);
  const poet_moment_shape second = moment_shape(golden, 1, count, decay);
  poet_first_moment_update_f32(&first, from.first.data(), gradient.data(), decayed(from, decay),
                               clip, to.first.data());
  poet_second_moment_update_f32(&second, from.second.data(), gradient.data(), decayed(from, decay),
                                clip, to.second.data());
  const poet_adam_shape shape = {count, golden.real("epsilon"),
                                 decays_by_itself ? golden.real("weight_decay") : 0};
  poet_adam_update_f32(&shape, from.parameter.data(), to.first.data(), to.second.data(), &step,
                       to.parameter.data());
}

// One step of an optimiser, from one state of the training to the next; both may be the same.
void update(const GoldenCase& golden, const poet_step_words& step, const Values& gradient,
            const float* clip, const Training& from, Training& to) {
  if (is_kind(golden, "momentum")) {
    update_with_momentum(golden, step, gradient, clip, from, to);
  } else if (is_kind(golden, "adam") || is_kind(golden, "adamw")) {
    update_with_moments(golden, step, gradient, clip, from, to);
  } else {
    const poet_sgd_shape shape = {static_cast<std::int32_t>(gradient.size()),
                                  golden.real("weight_decay")};
    poet_sgd_update_f32(&shape, from.parameter.data(), gradient.data(), &step, clip,
                        to.parameter.data());
  }
}

// The whole update of one value at once, as the formulas stand in papers.
struct Value {
  float p = 0;
  float first = 0;
  float second = 0;
};

Value whole_momentum(const GoldenCase& golden, const poet_step_words& step, float gradient,
                     float clip, Value value) {
  const float mu = golden.real("momentum");
  const float g = gradient * clip + golden.real("weight_decay") * value.p;
  const float v = step.step == 1 ? g : mu * value.first + (1 - golden.real("dampening")) * g;
  const float along = golden.whole("nesterov") == 1 ? g + mu * v : v;
  return {value.p - step.learning_rate * along, v, 0};
}

Value whole_adam(const GoldenCase& golden, const poet_step_words& step, float gradient, float clip,
                 Value value) {
  const poet_moment_shape first = moment_shape(golden, 0, 1, 0);
  const poet_moment_shape second = moment_shape(golden, 1, 1, 0);
  const float decay = golden.real("weight_decay");
  const bool decays_by_itself = is_kind(golden, "adamw");
  const float g = decays_by_itself ? gradient * clip : gradient * clip + decay * value.p;
  const float p = decays_by_itself ? value.p * (1 - step.learning_rate * decay) : value.p;
  const float m = first.beta * value.first + first.one_minus_beta * g;
  const float v = second.beta * value.second + second.one_minus_beta * (g * g);
  const float root = std::sqrt(v) / std::sqrt(step.second_correction) + golden.real("epsilon");
  return {p - step.learning_rate / step.first_correction * (m / root), m, v};
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
    const poet_step_words step = step_of(golden, 1);
    update(golden, step, gradient, &clip, clipped, clipped);
    update(golden, step, half, nullptr, expected, expected);
    EXPECT_EQ(clipped.parameter, expected.parameter) << golden.name;
    EXPECT_EQ(clipped.first, expected.first) << golden.name;
    EXPECT_EQ(clipped.second, expected.second) << golden.name;
  }
}

// One operation for each new value gives what one for all of them gives, to the last bit.
TEST(Update, InPartsGivesTheBitsOfTheWholeUpdate) {
  for (const GoldenCase& golden : read_goldens("update")) {
    if (is_kind(golden, "sgd")) continue;
    const bool is_momentum = is_kind(golden, "momentum");
    const float clip = 0.7F;
    Training run = {golden};
    std::vector<Value> whole;
    for (const float p : run.parameter) whole.push_back({p});
    for (std::uint32_t number = 1; number <= kSteps; ++number) {
      const poet_step_words step = step_of(golden, number);
      const Values gradient = golden.floats("gradient" + std::to_string(number));
      update(golden, step, gradient, &clip, run, run);
      for (std::size_t i = 0; i < whole.size(); ++i) {
        whole[i] =
            (is_momentum ? whole_momentum : whole_adam)(golden, step, gradient[i], clip, whole[i]);
        EXPECT_EQ(run.parameter[i], whole[i].p) << golden.name << " step " << number;
        EXPECT_EQ(run.first[i], whole[i].first) << golden.name << " step " << number;
        EXPECT_EQ(run.second[i], whole[i].second) << golden.name << " step " << number;
      }
    }
  }
}

TEST(Update, TheFirstStepOfMomentumDoesNotReadTheVelocity) {
  const poet_velocity_shape shape = {1, 0.9F, 0.5F, 0};
  const poet_step_words step = {0, 0, 1, 0, 1, 0, 0, 1};
  const float gradient = 0.25F;
  const float velocity = NAN;
  float new_velocity = 0;
  poet_velocity_update_f32(&shape, &velocity, &gradient, nullptr, &step, nullptr, &new_velocity);
  EXPECT_EQ(new_velocity, 0.25F);
}

}  // namespace
}  // namespace poet
