#include "poet/verify/replay.h"

#include <gtest/gtest.h>

#include "poet/problem/uncertainty.h"

namespace poet {
namespace {

// x -> a -> b, of which x is read twice: 4 s and 12 J, of which the reads take 1 s and 8 J.
Problem chain(std::optional<std::int64_t> deviations) {
  Problem problem;
  problem.ram_budget_bytes = 100;
  problem.tensors = {{.size_bytes = 4, .home = Home::Storage, .page_in_j = 4, .page_in_s = 0.5},
                     {.size_bytes = 8},
                     {.size_bytes = 6}};
  problem.operations = {
      {.inputs = {TensorId{0}}, .outputs = {TensorId{1}}, .compute_j = 1, .compute_s = 2},
      {.inputs = {TensorId{1}}, .outputs = {TensorId{2}}, .compute_j = 3, .compute_s = 1}};
  problem.uncertainty = Uncertainty{.ratio = 0.5, .deviations = deviations};
  return problem;
}

const Schedule kReadTwice{.actions = {PageIn{TensorId{0}}, Compute{OperationId{0}},
                                      Drop{TensorId{0}}, PageIn{TensorId{0}},
                                      Compute{OperationId{1}}}};

WorstCase worst_of(const Problem& problem) {
  return *replay(problem, kReadTwice).worst_case;
}

TEST(WorstCase, IsEveryCostAboveItsFigure) {
  EXPECT_EQ(worst_of(chain(std::nullopt)), (WorstCase{6, 18}));
}

TEST(WorstCase, IsOfTheCostsThatWeighMostEachTimeTheyArePaid) {
  EXPECT_EQ(worst_of(chain(1)), (WorstCase{5, 16}));
  EXPECT_EQ(worst_of(chain(2)), (WorstCase{5.5, 17.5}));
  EXPECT_EQ(worst_of(chain(3)), (WorstCase{6, 18}));
  EXPECT_EQ(worst_of(chain(100)), (WorstCase{6, 18}));
}

TEST(WorstCase, CountsIdlePowerDuringTheDelay) {
  Problem problem = chain(1);
  problem.idle_w = 10;  // a takes 1 + 20 J of 52 J
  EXPECT_EQ(worst_of(problem), (WorstCase{5, 62.5}));
}

TEST(WorstCase, TakesNoTimeForTransfersWhereTheyTakeNone) {
  Problem problem = chain(2);
  problem.time_mode = TimeMode::Free;
  EXPECT_EQ(worst_of(problem), (WorstCase{4.5, 17.5}));
}

TEST(WorstCase, IsAtMostAllCostsAboveBesideTheProcessor) {
  Problem problem = chain(100);
  problem.time_mode = TimeMode::Overlapped;  // the second read takes 0.5 s of the second operation
  EXPECT_EQ(replay(problem, kReadTwice).time_s, 3.5);
  EXPECT_EQ(worst_of(problem).time_s, 5.25);
  EXPECT_EQ(worst_of(chain(1)).time_s, 5);
}

TEST(WorstCase, IsNoneWithoutAnUncertainty) {
  EXPECT_FALSE(replay(by_the_figures(chain(1)), kReadTwice).worst_case);
}

TEST(Replay, RefusesAStepThatIsLateInTheWorstCaseOnly) {
  Problem problem = chain(1);
  problem.deadline_s = 4.5;
  problem.uncertainty->deadline_s = 4.9;
  const Replay replayed = replay(problem, kReadTwice);
  ASSERT_EQ(replayed.findings.size(), 1u);
  EXPECT_EQ(replayed.findings[0].rule, Rule::WorstCaseDeadline);
  EXPECT_EQ(replayed.findings[0].message,
            "in the worst case the step takes 5 s; the deadline is 4.9 s");
  EXPECT_TRUE(breaks_only_limits(replayed));
  problem.uncertainty->deadline_s = 5;
  EXPECT_TRUE(replay(problem, kReadTwice).valid());
}

}  // namespace
}  // namespace poet
