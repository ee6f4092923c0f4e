#include "poet/solve/greedy_paging.h"

#include <gtest/gtest.h>

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

TEST(GreedyPaging, GivesUpWherePagingIsNotAllowed) {
  Problem problem = detour();
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

}  // namespace
}  // namespace poet
