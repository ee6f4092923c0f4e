#include "poet/methods/chen.h"

#include <gtest/gtest.h>

#include "poet/methods/chain_for_tests.h"
#include "poet/problem/facts.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

SolveReport answer(const Solver& method, const Problem& problem) {
  const Result<SolveReport> solved = method.solve(problem, {}, {}, {});
  EXPECT_TRUE(solved.ok());
  return solved.ok() ? *solved : SolveReport();
}

Replay replay_of(const Problem& problem, const SolveReport& report) {
  EXPECT_TRUE(report.best.has_value());
  return report.best ? replay(problem, *report.best) : Replay();
}

// Sixteen operations in four segments: all but the last segment's insides are executed again, three
// at a time (arXiv 1604.06174, section 4.1: one more forward pass at the most).
TEST(Chen, SquareRootExecutesEveryForgottenOperationOnce) {
  const Problem problem = testing::chain(16, 8);
  const Replay replayed = replay_of(problem, answer(*make_chen_sqrt(), problem));
  EXPECT_TRUE(replayed.valid());
  EXPECT_EQ(replayed.recomputed_operations, 9);
}

// Memory grows with the square root: four times the length, about twice the RAM.
TEST(Chen, SquareRootNeedsRamOfTheOrderOfTheSquareRoot) {
  const auto peak = [](std::int32_t length) {
    const Problem problem = testing::chain(length, 1);
    return replay_of(problem, answer(*make_chen_sqrt(), problem)).peak_ram_bytes;
  };
  EXPECT_EQ(plain_peak_bytes(testing::chain(400, 1)), 401);
  EXPECT_LE(peak(100), 10 + 10 + 3);
  EXPECT_LE(peak(400), 20 + 20 + 3);
}

TEST(Chen, GreedyTakesTheCheapestThresholdThatFits) {
  Problem problem = testing::chain(16, 8);
  problem.ram_budget_bytes = 18 * 8;
  EXPECT_EQ(replay_of(problem, answer(*make_chen_greedy(), problem)).recomputed_operations, 0);
  problem.ram_budget_bytes = 12 * 8;
  const Replay tighter = replay_of(problem, answer(*make_chen_greedy(), problem));
  EXPECT_LE(tighter.peak_ram_bytes, 12 * 8);
  EXPECT_GT(tighter.recomputed_operations, 0);
}

TEST(Chen, SaysWhatItWouldNeedWhereNothingFits) {
  Problem problem = testing::chain(16, 8);
  problem.ram_budget_bytes = 3 * 8;
  const SolveReport report = answer(*make_chen_sqrt(), problem);
  EXPECT_EQ(report.status, SolveStatus::Unknown);
  ASSERT_TRUE(report.over_limits.has_value());
  EXPECT_GT(replay(problem, *report.over_limits).peak_ram_bytes, 3 * 8);
}

// x0 is read by forward operations 1 and 4: between them two tensors cross, so no articulation
// point lies there, and only the linearised variants cut.
TEST(Chen, ASkipConnectionLeavesNoArticulationPoint) {
  Problem problem = testing::chain(6, 8);
  problem.operations[5].inputs.push_back(TensorId{0});
  const SolveReport at_points = answer(*make_chen_sqrt(), problem);
  EXPECT_EQ(replay_of(problem, at_points).recomputed_operations, 0);
  const SolveReport anywhere = answer(*make_chen_sqrt_linearised(), problem);
  const Replay replayed = replay_of(problem, anywhere);
  EXPECT_TRUE(replayed.valid());
  EXPECT_GT(replayed.recomputed_operations, 0);
}

TEST(Chen, NeedsABackwardPass) {
  Problem problem = testing::chain(4, 8);
  for (Operation& operation : problem.operations) operation.backward = false;
  const Result<SolveReport> solved = make_chen_sqrt()->solve(problem, {}, {}, {});
  ASSERT_FALSE(solved.ok());
  EXPECT_EQ(solved.error().code, ErrorCode::Unsupported);
}

TEST(Chen, NeedsRecomputation) {
  Problem problem = testing::chain(4, 8);
  problem.rematerialisation_allowed = false;
  EXPECT_FALSE(make_chen_greedy()->solve(problem, {}, {}, {}).ok());
}

}  // namespace
}  // namespace poet
