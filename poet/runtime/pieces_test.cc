#include "poet/runtime/pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace poet {
namespace {

std::vector<std::vector<std::uint32_t>> runs_of(const std::vector<unsigned char>& codes) {
  poet_whole_walk walk;
  poet_whole_run run;
  poet_whole_begin(&walk, codes.data());
  EXPECT_EQ(walk.end, codes.data() + codes.size());
  std::vector<std::vector<std::uint32_t>> runs;
  while (poet_whole_next(&walk, &run) != 0) runs.push_back({run.home, run.first, run.bytes});
  return runs;
}

using Runs = std::vector<std::vector<std::uint32_t>>;

TEST(PieceOffset, FollowsLoopsInEachOther) {
  const poet_piece piece = {
      .first = 7, .run_bytes = 4, .runs = 6, .axes = 2, .counts = {2, 3}, .steps = {100, 10}};
  const std::vector<std::uint32_t> offsets = {7, 17, 27, 107, 117, 127};
  for (std::uint32_t run = 0; run < 6; ++run)
    EXPECT_EQ(poet_piece_offset(&piece, run), offsets[run]);
}

TEST(WholeWalk, OfOnePieceIsOneRun) {
  EXPECT_EQ(runs_of({0, 40, 1, 9}), (Runs{{9, 0, 40}}));
}

// Columns 0 and 1 of three, then the third, of two rows.
TEST(WholeWalk, GoesThroughAllPiecesOfARow) {
  EXPECT_EQ(runs_of({2, 4, 2, 3, 2, 0, 0, 2, 2, 4, 0, 2, 2, 1, 8}),
            (Runs{{4, 0, 8}, {8, 0, 4}, {4, 8, 8}, {8, 4, 4}}));
}

TEST(WholeWalk, EndsWhereNoPieceHasTheNextValue) {
  EXPECT_EQ(runs_of({1, 4, 3, 1, 0, 2, 4}), (Runs{{4, 0, 8}}));
}

}  // namespace
}  // namespace poet
