#include "poet/forms/step_comparison.h"

#include <gtest/gtest.h>

#include "poet/forms/sample_planned_form.h"

namespace poet {
namespace {

// Every action takes so long, and waits a quarter of that.
std::vector<ActionTime> run_of(double seconds) {
  return std::vector<ActionTime>(
      7, ActionTime{.begin_s = 1, .wait_s = seconds / 4, .end_s = 1 + seconds, .work_s = 0.5});
}

TEST(StepComparison, PredictsByOperationAndTensor) {
  const std::vector<ComparedWork> works =
      StepComparison(sample::one_form(), {"whole"}, {1}).works();
  ASSERT_EQ(works.size(), 4U);
  EXPECT_EQ(works[0].name, "make a");
  EXPECT_EQ(works[0].predicted_s, 1);
  EXPECT_EQ(works[1].work, ActionWork::Write);
  EXPECT_EQ(works[1].predicted_s, 3);
  EXPECT_EQ(works[1].moved_bytes, 8);
  EXPECT_EQ(works[2].work, ActionWork::Read);
  EXPECT_EQ(works[3].name, "make b");
  EXPECT_EQ(works[3].planned_ram_bytes, 8 + 8 + 4);
  for (const ComparedWork& work : works) EXPECT_EQ(work.planned_ram_bytes, work.arena_ram_bytes);
}

TEST(StepComparison, LeavesTheFirstRunOutWhereThereAreOthers) {
  StepComparison comparison(sample::one_form(), {"whole"}, {1});
  EXPECT_TRUE(comparison.is_empty());
  comparison.add(0, run_of(100));
  EXPECT_EQ(comparison.works()[0].measured_s, 75);
  comparison.add(0, run_of(4));
  comparison.add(0, run_of(8));
  EXPECT_EQ(comparison.works()[0].measured_s, (3 + 6) / 2.0);
  EXPECT_EQ(comparison.works()[0].waited_s, (1 + 2) / 2.0);
  EXPECT_EQ(comparison.works()[0].worked_s, 0.5);
}

TEST(StepComparison, CountsAFormAsOftenAsItRunsInAStep) {
  StepComparison comparison(sample::one_form(), {"middle"}, {3});
  comparison.add(0, run_of(4));
  EXPECT_EQ(comparison.works()[0].times, 3);
  EXPECT_EQ(comparison.works()[0].predicted_s, 3);
  EXPECT_EQ(comparison.works()[0].measured_s, 9);
}

}  // namespace
}  // namespace poet
