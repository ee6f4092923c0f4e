#include "poet/train/step_words.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(StepWords, TellTheStepAndAdamsCorrections) {
  const UpdateAttributes constants{.beta1 = 0.5, .beta2 = 0.75};
  const poet_step_words words =
      step_words(0x1'0000'0002, {.step = 3, .micro_batch = 1}, 0.25F, constants);
  EXPECT_EQ(words.seed_low, 2U);
  EXPECT_EQ(words.seed_high, 1U);
  EXPECT_EQ(words.step, 3U);
  EXPECT_EQ(words.micro_batch, 1U);
  EXPECT_EQ(words.learning_rate, 0.25F);
  EXPECT_EQ(words.first_correction, 0.875F);
  EXPECT_EQ(words.second_correction, 0.578125F);
  EXPECT_EQ(words.loss_scale, 1);
}

TEST(StepWords, CorrectionsEndAtOne) {
  EXPECT_EQ(step_words(1, {.step = 1'000'000}, 0, {}).first_correction, 1);
}

}  // namespace
}  // namespace poet
