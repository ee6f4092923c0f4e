#include "poet/overlap/least_in_memories.h"

#include <gtest/gtest.h>

#include "poet/problem/facts.h"
#include "poet/problem/memories.h"
#include "poet/verify/replay.h"

namespace poet {
namespace {

// a -> b -> c, of 100, 80 and 10 bytes; b is made with 20 bytes of workspace.
Problem chain_beside(std::int64_t slow_bytes) {
  Problem problem;
  const std::int64_t sizes[] = {100, 80, 10};
  for (std::int32_t i = 0; i < 3; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    problem.tensors.push_back({.name = name,
                               .size_bytes = sizes[i],
                               .page_in_j = 1,
                               .page_out_j = 1,
                               .page_in_s = 1,
                               .page_out_s = 1});
    problem.operations.push_back(
        {.name = "make " + name, .outputs = {TensorId{i}}, .compute_j = 1, .compute_s = 1});
    if (i > 0) problem.operations.back().inputs = {TensorId{i - 1}};
  }
  problem.operations[1].workspace_bytes = 20;
  problem.time_mode = TimeMode::Blocking;
  if (slow_bytes > 0)
    problem.further_memories.push_back({.name = "slow",
                                        .size_bytes = slow_bytes,
                                        .read_s_per_byte = 0.01,
                                        .read_j_per_byte = 0.01,
                                        .write_s_per_byte = 0.01,
                                        .write_j_per_byte = 0.01});
  return problem;
}

LeastBudget least_of(const Problem& problem) {
  SolveOptions options;
  options.gap_ratio = 0;
  Result<BudgetReport> report = least_ram_in_memories(problem, options, {}, {});
  EXPECT_TRUE(report.ok()) << report.error().message;
  const LeastBudget least = report->least;
  if (least.schedule) {
    Problem at_least = problem;
    at_least.ram_budget_bytes = *least.found_bytes;
    EXPECT_TRUE(replay(at_least, *least.schedule).valid());
  }
  return least;
}

TEST(LeastInMemories, IsTheWorkspaceWhereEverythingElseFitsElsewhere) {
  EXPECT_EQ(largest_need_of_ram(chain_beside(1000)).bytes, 20);
  const LeastBudget least = least_of(chain_beside(1000));
  EXPECT_EQ(least.status, SolveStatus::Optimal);
  EXPECT_EQ(least.proved_bytes, 20);
  EXPECT_EQ(least.found_bytes, 20);
}

// What no further memory has room for has to lie in the RAM, with the workspace.
TEST(LeastInMemories, HoldsWhatIsTooLargeForAllOthers) {
  EXPECT_EQ(largest_need_of_ram(chain_beside(90)).bytes, 120);
  const LeastBudget least = least_of(chain_beside(90));
  EXPECT_EQ(least.status, SolveStatus::Optimal);
  EXPECT_EQ(least.found_bytes, 120);
}

// a + b + 20 bytes in 180 of the slow memory and 20 of the RAM, but no buffer lies in both.
TEST(LeastInMemories, DoesNotDivideABuffer) {
  const LeastBudget least = least_of(chain_beside(110));
  EXPECT_EQ(least.proved_bytes, 90);  // 200 - 110
  EXPECT_EQ(least.found_bytes, 100);  // b and the workspace
  EXPECT_EQ(least.status, SolveStatus::Feasible);
}

TEST(LeastInMemories, KeepsADeadline) {
  Problem problem = chain_beside(1000);
  problem.deadline_s = 3;  // nothing may be read or written in the slow memory
  const LeastBudget least = least_of(problem);
  EXPECT_EQ(least.found_bytes, 200);
  EXPECT_EQ(least.proved_bytes, 200);
  EXPECT_EQ(least.status, SolveStatus::Optimal);
  problem.deadline_s = 3.3;  // c may: 10 bytes written
  EXPECT_LE(*least_of(problem).found_bytes, 200);
  problem.deadline_s = 2.9;
  EXPECT_EQ(least_of(problem).status, SolveStatus::Infeasible);
}

TEST(LargestNeedOfRam, IsTheLargestWorkingSetOfOneMemory) {
  const Problem one = chain_beside(0);
  EXPECT_EQ(largest_need_of_ram(one).bytes, largest_working_set(one).bytes);
  EXPECT_EQ(largest_need_of_ram(one).operation, largest_working_set(one).operation);
}

}  // namespace
}  // namespace poet
