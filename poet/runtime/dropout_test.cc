#include "poet/runtime/dropout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/runtime/counter_random.h"

namespace poet {
namespace {

using Values = std::vector<float>;

poet_step_words some_step() {
  poet_step_words step = {};
  step.seed_low = 11;
  step.seed_high = 12;
  step.step = 3;
  step.micro_batch = 1;
  return step;
}

Values dropped(const poet_dropout_shape& shape, const poet_step_words& step) {
  const Values x(static_cast<std::size_t>(shape.count), 1);
  Values y(x.size(), -99);
  poet_dropout_forward_f32(&shape, x.data(), &step, y.data());
  return y;
}

TEST(Dropout, DropsWhereTheWordOfTheCounterIsBelowTheProbability) {
  const poet_dropout_shape shape = {10, 5, 0.25F, 0};
  const Values y = dropped(shape, some_step());
  for (std::uint32_t i = 0; i < 10; ++i) {
    const poet_philox_block block = poet_philox_4x32({{i / 4, 5, 3, 1}}, {{11, 12}});
    EXPECT_EQ(y[i], block.word[i % 4] < 0x40000000U ? 0.0F : 1 / 0.75F) << i;
  }
}

TEST(Dropout, DropsTheShareThatWasAskedForInAnyStep) {
  const poet_dropout_shape shape = {100000, 5, 0.3F, 0};
  for (std::uint32_t number = 1; number < 4; ++number) {
    poet_step_words step = some_step();
    step.step = number;
    std::int64_t zeros = 0;
    for (const float value : dropped(shape, step)) zeros += value == 0 ? 1 : 0;
    // Five standard deviations are 725.
    EXPECT_NEAR(static_cast<double>(zeros), 30000, 725) << number;
  }
}

TEST(Dropout, EveryPartOfTheStepAndTheOperationChangesTheMask) {
  const poet_dropout_shape shape = {64, 5, 0.5F, 0};
  const Values y = dropped(shape, some_step());
  EXPECT_EQ(dropped(shape, some_step()), y);
  std::vector<poet_step_words> others(4, some_step());
  others[0].seed_low += 1;
  others[1].seed_high += 1;
  others[2].step += 1;
  others[3].micro_batch += 1;
  for (const poet_step_words& other : others) EXPECT_NE(dropped(shape, other), y);
  EXPECT_NE(dropped({64, 6, 0.5F, 0}, some_step()), y);
}

TEST(Dropout, ProbabilityZeroKeepsEverything) {
  EXPECT_EQ(dropped({9, 5, 0, 0}, some_step()), Values(9, 1));
}

TEST(Dropout, APartDropsWhatTheWholeDropsThere) {
  const Values whole = dropped({64, 5, 0.5F, 0}, some_step());
  const Values part = dropped({20, 5, 0.5F, 24}, some_step());
  EXPECT_EQ(part, Values(whole.begin() + 24, whole.begin() + 44));
}

TEST(Dropout, GradientPassesWhereForwardDidAndBothMayBeInPlace) {
  const poet_dropout_shape shape = {11, 5, 0.5F, 0};
  const poet_step_words step = some_step();
  const Values y = dropped(shape, step);
  Values both(11, 3);
  poet_dropout_gradient_f32(&shape, both.data(), &step, both.data());
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(both[i], 3 * y[i]) << i;
}

}  // namespace
}  // namespace poet
