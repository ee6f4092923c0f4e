#include "poet/solve/greedy_recomputation.h"

#include <gtest/gtest.h>

#include <optional>

#include "poet/solve/detour_for_tests.h"

namespace poet {
namespace {

TEST(GreedyRecomputation, ReadsBackWhereThatIsCheaper) {
  EXPECT_EQ(greedy_recomputation(make_step(detour()), 1, {}), paged());
}

TEST(GreedyRecomputation, MakesAgainWherePagingIsDear) {
  Problem problem = detour();
  problem.tensors[0].page_out_j = 2.5;
  EXPECT_EQ(greedy_recomputation(make_step(problem), 1, {}), repeated());
}

TEST(GreedyRecomputation, MakesAgainWherePagingIsNotAllowed) {
  Problem problem = detour();
  problem.paging_allowed = false;
  EXPECT_EQ(greedy_recomputation(make_step(problem), 1, {}), repeated());
}

TEST(GreedyRecomputation, MovesNothingThatFits) {
  Problem problem = detour();
  problem.ram_budget_bytes = 15;
  EXPECT_EQ(greedy_recomputation(make_step(problem), 1, {}), kept());
}

TEST(GreedyRecomputation, KeepsTheWriteBudget) {
  Problem problem = detour();
  problem.write_budget_bytes = 5;  // a has 6
  EXPECT_EQ(greedy_recomputation(make_step(problem), 1, {}), repeated());
}

TEST(GreedyRecomputation, KeepsTheDeadline) {
  Problem problem = detour();
  problem.paging_allowed = false;
  problem.deadline_s = 8;  // once takes 6, a takes 3
  EXPECT_EQ(greedy_recomputation(make_step(problem), 1, {}), std::nullopt);
}

TEST(GreedyRecomputation, GivesUpOnAWorkingSetAboveTheBudget) {
  Problem problem = detour();
  problem.ram_budget_bytes = 11;
  EXPECT_EQ(greedy_recomputation(make_step(problem), 1, {}), std::nullopt);
}

}  // namespace
}  // namespace poet
