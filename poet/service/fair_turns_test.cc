#include "poet/service/fair_turns.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

TEST(FairTurns, GoRoundBetweenPeople) {
  FairTurns turns(100);
  for (std::uint64_t k = 1; k <= 5; ++k) turns.wait("many", k);
  turns.wait("one", 9);
  EXPECT_EQ(turns.next(), 1U);
  EXPECT_EQ(turns.next(), 9U);
  EXPECT_EQ(turns.next(), 2U);
  EXPECT_EQ(turns.next(), 3U);
}

TEST(FairTurns, NobodyTakesMoreThanAShare) {
  FairTurns turns(2);
  for (std::uint64_t k = 1; k <= 4; ++k) turns.wait("many", k);
  EXPECT_EQ(turns.next(), 1U);
  EXPECT_EQ(turns.next(), 2U);
  EXPECT_EQ(turns.next(), std::nullopt);
  turns.wait("one", 9);
  EXPECT_EQ(turns.next(), 9U);
  EXPECT_EQ(turns.next(), std::nullopt);
  turns.done("many");
  EXPECT_EQ(turns.next(), 3U);
  EXPECT_EQ(turns.next(), std::nullopt);
}

TEST(FairTurns, WhoGivesUpHasNoTurn) {
  FairTurns turns(1);
  turns.wait("a", 1);
  turns.wait("b", 2);
  turns.wait("b", 3);
  turns.leave("a", 1);
  turns.leave("b", 3);
  EXPECT_EQ(turns.next(), 2U);
  turns.done("b");
  EXPECT_EQ(turns.next(), std::nullopt);
  turns.wait("a", 4);
  EXPECT_EQ(turns.next(), 4U);
}

}  // namespace
}  // namespace poet
