#include "poet/autodiff/learning_rate.h"

#include <gtest/gtest.h>

#include <vector>

namespace poet {
namespace {

std::vector<float> rates(const LearningRate& rate) {
  std::vector<float> all;
  for (std::int64_t step = 1; step <= rate.steps; ++step) all.push_back(rate_at(rate, step));
  return all;
}

TEST(LearningRate, StaysWhereItIs) {
  EXPECT_EQ(rates({.peak = 0.5F, .steps = 3}), (std::vector<float>{0.5F, 0.5F, 0.5F}));
}

TEST(LearningRate, WarmsUpAndFallsInALine) {
  EXPECT_EQ(rates({.shape = RateShape::Linear,
                   .peak = 1,
                   .warm_up_steps = 2,
                   .steps = 7,
                   .last_ratio = 0.5F}),
            (std::vector<float>{0.5F, 1, 1, 0.875F, 0.75F, 0.625F, 0.5F}));
}

TEST(LearningRate, FallsAsHalfACosine) {
  const std::vector<float> all = rates({.shape = RateShape::Cosine, .peak = 2, .steps = 5});
  const std::vector<float> wanted = {2, 1.7071068F, 1, 0.29289323F, 0};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(all[i], wanted[i], 1e-6F);
}

TEST(LearningRate, FallsInSteps) {
  EXPECT_EQ(rates({.shape = RateShape::Step,
                   .peak = 8,
                   .warm_up_steps = 1,
                   .steps = 6,
                   .every_steps = 2,
                   .factor = 0.5F}),
            (std::vector<float>{8, 8, 8, 4, 4, 2}));
}

TEST(LearningRate, IsRefusedWhereItMakesNoSense) {
  EXPECT_EQ(check_rate({.peak = -1})->message, "the learning rate is -1: it must be at least 0");
  EXPECT_EQ(check_rate({.shape = RateShape::Step, .every_steps = 0})->message,
            "a learning rate in steps needs at least 1 step between them");
  EXPECT_FALSE(check_rate({}));
}

}  // namespace
}  // namespace poet
