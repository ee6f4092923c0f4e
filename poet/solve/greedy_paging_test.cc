#include "poet/solve/greedy_paging.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

TEST(GreedyPaging, SendsAwayWhatIsNotNeededAndReadsItBack) {
  EXPECT_EQ(greedy_paging(make_step(detour())), paged());
}

TEST(GreedyPaging, MovesNothingThatFits) {
  Problem problem = detour();
  problem.ram_budget_bytes = 15;
  const std::optional<EventChoice> choice = greedy_paging(make_step(problem));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->stored, std::vector<bool>(4));
  EXPECT_EQ(figures_of(make_step(problem), *choice).cost, 6);
}

// Paging a costs 2.5, and making it again 2.
TEST(GreedyPaging, MakesAgainWhatCostsLessSo) {
  Problem problem = detour();
  problem.operations[0].compute_j = 2;
  EXPECT_EQ(greedy_paging(make_step(problem)), repeated());
}

TEST(GreedyPaging, MakesAgainWherePagingIsNotAllowed) {
  Problem problem = detour();
  problem.paging_allowed = false;
  EXPECT_EQ(greedy_paging(make_step(problem)), repeated());
}

// Without paging a home is read again all the same, and what is made of it is not made again.
TEST(GreedyPaging, GivesUpWherePagingIsNotAllowed) {
  Problem problem = detour_from_storage();
  problem.paging_allowed = false;
  EXPECT_EQ(greedy_paging(make_step(problem)), std::nullopt);
}

TEST(GreedyPaging, GivesUpOnAWorkingSetAboveTheBudget) {
  Problem problem = detour();
  problem.ram_budget_bytes = 11;
  EXPECT_EQ(greedy_paging(make_step(problem)), std::nullopt);
}

TEST(GreedyPaging, KeepsTheWriteBudget) {
  Problem problem = detour();
  problem.write_budget_bytes = 5;  // a has 6
  EXPECT_EQ(greedy_paging(make_step(problem)), std::nullopt);
}

// 5 bytes of c, 6 of a and the workspace: while a is made again in stage 3.
TEST(GreedyPaging, CountsTheWorkspaceOfWhatIsMadeAgain) {
  Problem problem = detour();
  problem.operations[0].compute_j = 2;
  problem.operations[0].workspace_bytes = 1;
  EXPECT_EQ(greedy_paging(make_step(problem)), repeated());
  problem.operations[0].workspace_bytes = 2;
  EXPECT_EQ(greedy_paging(make_step(problem)), paged());
}

TEST(GreedyPaging, MakesNothingAgainThatRunsOnce) {
  Problem problem = detour();
  problem.operations[0].compute_j = 2;
  problem.operations[0].once = true;
  EXPECT_EQ(greedy_paging(make_step(problem)), paged());
}

// a is made from a resident that has its new value before d reads a.
TEST(GreedyPaging, MakesNothingAgainFromAValueThatIsUpdated) {
  Problem problem = detour();
  problem.ram_budget_bytes = 13;  // of which the resident has one
  problem.tensors.push_back({.name = "w", .size_bytes = 1, .home = Home::Resident});
  problem.tensors.push_back(
      {.name = "new w", .size_bytes = 1, .home = Home::Resident, .updates = TensorId{4}});
  problem.operations[0].compute_j = 2;
  problem.operations[0].inputs = {TensorId{4}};
  problem.operations.insert(
      problem.operations.begin() + 3,
      {.name = "update w", .inputs = {TensorId{4}}, .outputs = {TensorId{5}}, .once = true});
  ASSERT_EQ(check_problem(problem), std::nullopt);
  const std::optional<EventChoice> choice = greedy_paging(make_step(problem));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->executions.back(), (Execution{{4, 4}, {0}}));
  problem.paging_allowed = false;
  EXPECT_EQ(greedy_paging(make_step(problem)), std::nullopt);
}

TEST(GreedyPaging, MakesNothingAgainBesideAnotherOutput) {
  Problem problem = detour();
  problem.operations[0].compute_j = 2;
  problem.tensors.push_back({.name = "e", .size_bytes = 0});
  problem.operations[0].outputs.push_back(TensorId{4});
  const std::optional<EventChoice> choice = greedy_paging(make_step(problem));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->executions, paged().executions);
}

// Both leave for c, and come again for e, which reads d too: what is there or came for e does not
// leave for what is still to come.
TEST(GreedyPaging, MakesSeveralAgainInTheirOrder) {
  Problem problem;
  const std::vector<std::int64_t> sizes = {4, 3, 8, 2, 1};
  for (std::int32_t i = 0; i < 5; ++i) {
    problem.tensors.push_back({.size_bytes = sizes[i], .page_in_j = 1, .page_out_j = 1});
    problem.operations.push_back({.outputs = {TensorId{i}}, .compute_j = 1});
  }
  problem.operations[3].inputs = {TensorId{2}};
  problem.operations[4].inputs = {TensorId{1}, TensorId{3}, TensorId{0}};
  problem.ram_budget_bytes = 10;
  const EventChoice again = {
      .executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}}, {{4, 0}}, {{4, 1}}, {{4, 4}}},
      .stored = std::vector<bool>(5),
      .resident = std::vector<bool>(5)};
  EXPECT_EQ(greedy_paging(make_step(problem)), again);
  problem.ram_budget_bytes = 9;
  EXPECT_EQ(greedy_paging(make_step(problem)), std::nullopt);
}

}  // namespace
}  // namespace poet
