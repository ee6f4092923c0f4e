#include "poet/solve/rebuild_search.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace poet {
namespace {

// Operation v reads what operation v - 1 makes; their sizes repeat with a period of 2.
Problem chain_of_blocks(std::int32_t operations) {
  Problem problem;
  for (std::int32_t v = 0; v < operations; ++v) {
    problem.tensors.push_back(
        {.name = "t" + std::to_string(v), .size_bytes = v % 2 == 0 ? 4 : 7, .page_in_j = 1});
    Operation operation{.name = "make " + std::to_string(v), .outputs = {TensorId{v}}};
    if (v > 0) operation.inputs = {TensorId{v - 1}};
    operation.compute_j = operation.compute_s = 1;
    problem.operations.push_back(std::move(operation));
  }
  problem.ram_budget_bytes = 100;
  return problem;
}

std::vector<std::int32_t> begins(const std::vector<StageRange>& ranges) {
  std::vector<std::int32_t> list;
  for (const StageRange& range : ranges) list.push_back(range.begin);
  return list;
}

// Within three edges of either end the chain looks as it does nowhere else.
TEST(AlikeStages, FindsTheOtherBlocks) {
  const AlikeStages alike(make_step(chain_of_blocks(16)));
  EXPECT_EQ(begins(alike.twins_of({4, 6})), (std::vector<std::int32_t>{6, 8, 10}));
  EXPECT_EQ(begins(alike.twins_of({8, 10})), (std::vector<std::int32_t>{4, 6, 10}));
  EXPECT_EQ(begins(alike.twins_of({5, 6})), (std::vector<std::int32_t>{7, 9, 11}));
  EXPECT_TRUE(alike.twins_of({0, 2}).empty());
}

TEST(AlikeStages, AreApartFromEachOther) {
  const AlikeStages alike(make_step(chain_of_blocks(16)));
  EXPECT_EQ(begins(alike.twins_of({4, 8})), std::vector<std::int32_t>{8});
  EXPECT_TRUE(alike.twins_of({3, 13}).empty());
}

TEST(AlikeStages, DifferWhereACostOrASizeDiffers) {
  for (const bool by_cost : {true, false}) {
    Problem problem = chain_of_blocks(24);
    if (by_cost)
      problem.operations[12].compute_j = 2;
    else
      problem.tensors[12].size_bytes = 5;
    const AlikeStages alike(make_step(problem));
    EXPECT_TRUE(alike.twins_of({12, 13}).empty());
    EXPECT_TRUE(alike.twins_of({11, 12}).empty());  // next to it
    EXPECT_FALSE(alike.twins_of({6, 8}).empty());
  }
}

TEST(AlikeStages, DifferWhereTheWiringDiffers) {
  Problem problem = chain_of_blocks(24);
  problem.operations[12].inputs.push_back(TensorId{9});
  const AlikeStages alike(make_step(problem));
  EXPECT_TRUE(alike.twins_of({12, 13}).empty());
  EXPECT_TRUE(alike.twins_of({9, 10}).empty());
}

}  // namespace
}  // namespace poet
