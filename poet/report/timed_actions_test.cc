#include "poet/report/timed_actions.h"

#include <gtest/gtest.h>

#include "poet/report/sample_step.h"

namespace poet {
namespace {

TEST(TimedActions, LeaveOutDropsAndKnowRecomputations) {
  const ReportInput input = sample::five_answer();
  ASSERT_TRUE(input.replay.valid());
  const std::vector<TimedAction> actions =
      timed_actions(input.problem, *input.schedule, input.replay);
  ASSERT_EQ(actions.size(), 9U);
  EXPECT_EQ(actions[5].kind, ActionKind::Recompute);
  EXPECT_EQ(actions[5].action, 7);
  EXPECT_EQ(actions[5].stage, 3);
  EXPECT_FALSE(actions[5].backward);
  EXPECT_TRUE(actions[6].backward);
}

TEST(TimedActions, LeaveOutWhatNamesNothing) {
  const Problem problem = sample::five_operations();
  const Schedule schedule{{Compute{OperationId{7}}, PageIn{TensorId{-1}}, Compute{OperationId{0}}},
                          {}};
  Replay figures;
  figures.moments.resize(3);
  EXPECT_EQ(timed_actions(problem, schedule, figures).size(), 1U);
}

TEST(ExtraWork, IsAddedUpPerTensorAndOperationDearestFirst) {
  const ReportInput input = sample::five_answer();
  const std::vector<ExtraWork> works =
      extra_work(input.problem, timed_actions(input.problem, *input.schedule, input.replay));
  ASSERT_EQ(works.size(), 3U);
  EXPECT_EQ(works[0].kind, ActionKind::Recompute);
  EXPECT_EQ(works[0].energy_j, 0.001);
  EXPECT_EQ(works[1].kind, ActionKind::PageIn);
  EXPECT_EQ(works[1].count, 2);
  EXPECT_EQ(works[1].energy_j, 0.0004);
  EXPECT_EQ(works[1].stages, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(works[2].kind, ActionKind::PageOut);
}

}  // namespace
}  // namespace poet
