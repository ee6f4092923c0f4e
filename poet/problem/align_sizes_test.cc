#include "poet/problem/align_sizes.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(AlignSizes, RoundsUpToTheNextMultiple) {
  Problem problem;
  for (const std::int64_t size_bytes : {0, 1, 64, 65})
    problem.tensors.push_back({.size_bytes = size_bytes});
  problem.operations.push_back({.workspace_bytes = 127});
  align_sizes(problem, 64);
  EXPECT_EQ(problem.tensors[0].size_bytes, 0);
  EXPECT_EQ(problem.tensors[1].size_bytes, 64);
  EXPECT_EQ(problem.tensors[2].size_bytes, 64);
  EXPECT_EQ(problem.tensors[3].size_bytes, 128);
  EXPECT_EQ(problem.operations[0].workspace_bytes, 128);
}

TEST(AlignSizes, LeavesEverythingAtOne) {
  Problem problem;
  problem.tensors.push_back({.size_bytes = 7});
  const Problem before = problem;
  align_sizes(problem, 1);
  EXPECT_EQ(problem, before);
}

}  // namespace
}  // namespace poet
