#include "poet/methods/chain_figures.h"

#include <gtest/gtest.h>

#include "poet/methods/uneven_chain_for_tests.h"
#include "poet/methods/uniform_chain_for_tests.h"

namespace poet {
namespace {

std::vector<BlockFigures> figures_of(const Problem& problem) {
  const Result<ChainBlocks> blocks = chain_of(problem);
  EXPECT_TRUE(blocks.ok());
  return chain_figures(problem, *blocks);
}

TEST(ChainFigures, OfALayerThatSavesSomething) {
  const Problem problem = uneven_chain(
      {{.forward_s = 2, .backward_s = 5, .state_bytes = 10, .saved_bytes = 3, .gradient_bytes = 7},
       {.forward_s = 4, .backward_s = 6, .state_bytes = 20, .saved_bytes = 1, .gradient_bytes = 9}},
      100);
  const std::vector<BlockFigures> figures = figures_of(problem);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].advance_s, 2);
  EXPECT_EQ(figures[0].again_s, 2);
  EXPECT_EQ(figures[0].backward_s, 5);
  EXPECT_EQ(figures[0].state_bytes, 10);
  EXPECT_EQ(figures[0].record_bytes, 3);
  EXPECT_EQ(figures[0].advance_peak_bytes, 23);  // s0 and x1
  EXPECT_EQ(figures[0].passing_peak_bytes, 33);
  EXPECT_EQ(figures[0].record_peak_bytes, 23);
  EXPECT_EQ(figures[0].turn_peak_bytes, 3 + 9 + 7);  // s0, g1, g0
  EXPECT_EQ(figures[0].gradient_bytes, 9);
  EXPECT_EQ(figures[1].turn_peak_bytes, 1 + 9);  // s1, g1
  EXPECT_EQ(figures[1].gradient_bytes, 0);
}

TEST(ChainFigures, AnAdvanceInPlacePassesInOneState) {
  const std::vector<BlockFigures> figures = figures_of(uniform_chain({.steps = 3}));
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].advance_peak_bytes, 1);
  EXPECT_EQ(figures[0].passing_peak_bytes, 1);
  EXPECT_EQ(figures[0].again_s, 0);  // its adjoint reads the state alone
  EXPECT_EQ(figures[0].advance_s, 1);
  EXPECT_EQ(figures[0].record_bytes, 0);
}

}  // namespace
}  // namespace poet
