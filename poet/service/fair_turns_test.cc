#include "poet/service/fair_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

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

// Whoever waits in a thread of its own, until its turn comes or there is none.
std::future<LookTurns::Turn> wait_as(LookTurns& turns, const std::string& who,
                                     const std::function<bool()>& is_given_up = {}) {
  const int before = turns.waiting();
  auto turn = std::async(std::launch::async,
                         [&turns, who, is_given_up] { return turns.take(who, is_given_up); });
  while (turns.waiting() == before) std::this_thread::yield();
  return turn;
}

TEST(LookTurns, OneShareLeavesRoomForOthers) {
  LookTurns turns({.most = 2});
  const LookTurns::Turn first = turns.take("ada", {});
  ASSERT_TRUE(first);
  std::vector<std::future<LookTurns::Turn>> more;
  for (int k = 0; k < 5; ++k) more.push_back(wait_as(turns, "ada"));
  EXPECT_TRUE(turns.take("bob", {}));
  EXPECT_EQ(turns.waiting(), 5);
  turns.stop();
  for (auto& one : more) EXPECT_FALSE(one.get());
}

TEST(LookTurns, AreTakenInTurn) {
  LookTurns turns({.most = 1});
  LookTurns::Turn first = turns.take("ada", {});
  auto second_of_ada = wait_as(turns, "ada");
  auto third_of_ada = wait_as(turns, "ada");
  auto first_of_bob = wait_as(turns, "bob");
  first.reset();
  LookTurns::Turn second = second_of_ada.get();
  EXPECT_TRUE(second);
  second.reset();
  // Ada's third was asked before.
  LookTurns::Turn of_bob = first_of_bob.get();
  EXPECT_TRUE(of_bob);
  EXPECT_EQ(turns.waiting(), 1);
  of_bob.reset();
  EXPECT_TRUE(third_of_ada.get());
}

TEST(LookTurns, WhoHasGoneLosesThePlace) {
  LookTurns turns({.most = 1, .most_waiting = 1});
  LookTurns::Turn first = turns.take("ada", {});
  std::atomic<bool> gone = false;
  auto leaving = wait_as(turns, "bob", [&gone] { return gone.load(); });
  EXPECT_FALSE(turns.take("eve", {})) << "there is one place to wait";
  gone = true;
  EXPECT_FALSE(leaving.get());
  auto next = wait_as(turns, "eve");
  first.reset();
  EXPECT_TRUE(next.get());
}

TEST(LookTurns, WaitsOfOneShareAreBounded) {
  LookTurns turns({.most = 1, .most_waiting = 3, .most_waiting_each = 2});
  const LookTurns::Turn first = turns.take("ada", {});
  auto one = wait_as(turns, "ada");
  auto other = wait_as(turns, "ada");
  EXPECT_FALSE(turns.take("ada", {}));
  auto of_bob = wait_as(turns, "bob");
  EXPECT_FALSE(turns.take("eve", {})) << "and those of all";
  turns.stop();
  EXPECT_FALSE(one.get());
  EXPECT_FALSE(other.get());
  EXPECT_FALSE(of_bob.get());
  EXPECT_FALSE(turns.take("bob", {})) << "nobody after its end";
}

}  // namespace

}  // namespace poet
