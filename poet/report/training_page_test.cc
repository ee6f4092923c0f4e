#include "poet/report/training_page.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TrainingPageInput small_training() {
  return {.title = "a <network>",
          .command = "poet train --model x",
          .story = "It costs nothing.",
          .facts = {{"time per step", "1 s", "2 s", "+100 %"}},
          .losses = {2, 1.5, 1},
          .rows = {{.form = "whole",
                    .work = "compute",
                    .name = "slow",
                    .times = 1,
                    .predicted_s = 1,
                    .measured_s = 0.5},
                   {.form = "whole",
                    .work = "read",
                    .name = "slower",
                    .times = 2,
                    .predicted_s = 1,
                    .measured_s = 1.5,
                    .moved_bytes = 4096}}};
}

TEST(TrainingPage, PutsWhatTakesLongestFirst) {
  const std::string page = training_page(small_training());
  EXPECT_LT(page.find(">slower<"), page.find(">slow<"));
  EXPECT_NE(page.find(">1.50<"), std::string::npos);  // measured by predicted
  EXPECT_NE(page.find(">4,096<"), std::string::npos);
}

TEST(TrainingPage, EscapesNames) {
  const std::string page = training_page(small_training());
  EXPECT_NE(page.find("<h1>a &lt;network&gt;</h1>"), std::string::npos);
}

TEST(TrainingPage, DrawsTheLossWhereThereIsOne) {
  TrainingPageInput input = small_training();
  EXPECT_NE(training_page(input).find("<polyline"), std::string::npos);
  input.losses.clear();
  EXPECT_EQ(training_page(input).find("<polyline"), std::string::npos);
}

}  // namespace
}  // namespace poet
