#include "poet/solve/greedy_paging.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace poet {
namespace {

// A chain a -> b -> c, and d that reads a and c. Sizes 6 4 5 1; at 12 bytes a cannot stay while c
// is made from b (6 + 4 + 5) and must come back for d (6 + 5 + 1).
Problem detour() {
  Problem problem;
  const std::vector<std::int64_t> sizes = {6, 4, 5, 1};
  const std::vector<double> costs = {3, 1, 1, 1};
  for (std::int32_t i = 0; i < 4; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    problem.tensors.push_back(
        {.name = name, .size_bytes = sizes[i], .page_in_j = 1, .page_out_j = 1.5});
    problem.operations.push_back({.name = "make " + name,
                                  .outputs = {TensorId{i}},
                                  .compute_j = costs[i],
                                  .compute_s = costs[i]});
  }
  problem.operations[1].inputs = {TensorId{0}};
  problem.operations[2].inputs = {TensorId{1}};
  problem.operations[3].inputs = {TensorId{0}, TensorId{2}};
  problem.ram_budget_bytes = 12;
  problem.time_mode = TimeMode::Free;
  return problem;
}

// a is written when it is made and read back for d.
EventChoice paged() {
  return {.executions = {{{0, 0}}, {{1, 1}}, {{2, 2}}, {{3, 3}, {0}}},
          .stored = {true, false, false, false},
          .resident = std::vector<bool>(4)};
}

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
