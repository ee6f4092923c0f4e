#include "poet/graph/tensor_piece.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

std::vector<RunOfValues> runs_of(const Shape& whole, const std::vector<Range>& piece) {
  std::vector<RunOfValues> runs;
  for_each_run(whole, piece, [&](const RunOfValues& run) { runs.push_back(run); });
  return runs;
}

TEST(TensorPiece, RunsAreAsLongAsTheyCanBe) {
  EXPECT_EQ(runs_of({4, 6}, {{0, 4}, {0, 6}}), (std::vector<RunOfValues>{{0, 0, 24}}));
  EXPECT_EQ(runs_of({4, 6}, {{1, 3}, {0, 6}}), (std::vector<RunOfValues>{{6, 0, 12}}));
  EXPECT_EQ(runs_of({4, 6}, {{1, 3}, {2, 5}}), (std::vector<RunOfValues>{{8, 0, 3}, {14, 3, 3}}));
  EXPECT_EQ(runs_of({2, 3, 4}, {{0, 2}, {1, 3}, {0, 4}}),
            (std::vector<RunOfValues>{{4, 0, 8}, {16, 8, 8}}));
  EXPECT_EQ(runs_of({}, {}), (std::vector<RunOfValues>{{0, 0, 1}}));
}

}  // namespace
}  // namespace poet
