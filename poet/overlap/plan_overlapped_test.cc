#include "poet/overlap/plan_overlapped.h"

#include <gtest/gtest.h>

#include "poet/overlap/planner.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// A chain of six operations of 2 s and 1 J, each of which reads the one before and, from the fifth
// on, one of the first two again. 4 bytes each, but for t2 with 8; transfers 1 s and 0.125 J. In 16
// bytes t0 has to leave before operation 3, and may be on its way back while 4 runs.
Problem there_and_back(std::int64_t ram_budget_bytes) {
  Problem problem;
  problem.name = "there and back";
  problem.ram_budget_bytes = ram_budget_bytes;
  problem.time_mode = TimeMode::Overlapped;
  problem.rematerialisation_allowed = false;
  for (std::int32_t v = 0; v < 6; ++v) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(v);
    tensor.size_bytes = v == 2 ? 8 : 4;
    tensor.page_in_s = tensor.page_out_s = 1;
    tensor.page_in_j = tensor.page_out_j = 0.125;
    problem.tensors.push_back(tensor);
    Operation operation;
    operation.name = "make " + tensor.name;
    if (v > 0) operation.inputs.push_back(TensorId{v - 1});
    if (v > 3) operation.inputs.push_back(TensorId{5 - v});
    operation.outputs = {TensorId{v}};
    operation.compute_s = 2;
    operation.compute_j = 1;
    problem.operations.push_back(operation);
  }
  return problem;
}

SolveReport planned(const Problem& problem) {
  SolveOptions options;
  options.gap_ratio = 0;
  return *make_planner()->solve(problem, options, {}, {});
}

TEST(PlanOverlapped, IsOptimalInEnergyWhereTimeDoesNotCount) {
  const SolveReport report = planned(there_and_back(16));
  EXPECT_EQ(report.status, SolveStatus::Optimal);
  EXPECT_EQ(report.objective, 6.25);
  EXPECT_LE(report.lower_bound, 6.25);
  EXPECT_GE(report.lower_bound, 6.25 * (1 - SolveOptions{}.rounding_ratio));
}

TEST(PlanOverlapped, KeepsADeadlineThatWaitingWouldMiss) {
  Problem problem = there_and_back(16);
  problem.deadline_s = 12;
  Problem blocking = problem;
  blocking.time_mode = TimeMode::Blocking;
  EXPECT_EQ(planned(blocking).status, SolveStatus::Infeasible);
  const SolveReport report = planned(problem);
  ASSERT_EQ(report.status, SolveStatus::Optimal);
  const Replay replayed = replay(problem, *report.best);
  EXPECT_TRUE(replayed.valid());
  EXPECT_EQ(replayed.time_s, 12);
}

TEST(PlanOverlapped, MakesTimeLeast) {
  Problem problem = there_and_back(16);
  problem.objective = Objective::Time;
  const SolveReport report = planned(problem);
  EXPECT_EQ(report.status, SolveStatus::Optimal);
  EXPECT_EQ(report.objective, 12);
  EXPECT_EQ(report.lower_bound, 12);
}

TEST(PlanOverlapped, ProvesThatTransfersAloneTakeTooLong) {
  Problem problem = there_and_back(16);
  for (Tensor& tensor : problem.tensors) tensor.page_in_s = tensor.page_out_s = 7.5;
  problem.deadline_s = 13;
  const SolveReport report = planned(problem);
  ASSERT_EQ(report.status, SolveStatus::Infeasible);
  EXPECT_EQ(report.infeasibility->reason,
            "no schedule keeps the deadline of 13 s within the RAM and storage that there are: "
            "computation and transfers take longer even if they never wait for each other");
}

TEST(PlanOverlapped, SeesADeadlineBelowTheCertainTransfersWithoutASearch) {
  Problem problem = there_and_back(100);
  problem.tensors[0].home = Home::Storage;
  problem.tensors[0].page_in_s = 3;  // 1 s longer than the first operation
  problem.operations[0].outputs = {TensorId{6}};
  problem.tensors.push_back(problem.tensors[1]);
  problem.tensors.back().name = "t6";
  problem.deadline_s = 12.5;
  const SolveReport report = planned(problem);
  ASSERT_EQ(report.status, SolveStatus::Infeasible);
  EXPECT_EQ(report.infeasibility->least_time_s, 13);
}

}  // namespace
}  // namespace poet
