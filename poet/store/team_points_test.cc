// In a database, as team_store_test.cc. Nothing here waits for a lease or a pause: leases are ended
// by hand, and the clock of a process stands still until it is set.
#include "poet/store/team_points.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <thread>

#include "poet/store/team_jobs.h"

namespace poet {
namespace {

constexpr std::int64_t kPoints = 4;
constexpr PointRange kAll{0, kPoints};
using Taken = std::optional<std::int64_t>;

class SharedSweep : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const uri = std::getenv("POET_TEST_DATABASE");
    if (uri == nullptr) GTEST_SKIP() << "POET_TEST_DATABASE names no database";
    uri_ = uri;
    Result<std::unique_ptr<PostgresConnection>> opened = PostgresConnection::open(uri_);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    hand_ = *std::move(opened);
    ASSERT_FALSE(hand_->run_script("DROP SCHEMA IF EXISTS poet CASCADE"));
  }

  Result<std::unique_ptr<TeamPoints>> try_to_join(const std::string& process,
                                                  const std::string& question = "why") {
    return TeamPoints::join(pool(), {.name = "s", .process = process, .lease_s = 60}, question,
                            kPoints);
  }
  std::unique_ptr<TeamPoints> join(const std::string& process) {
    Result<std::unique_ptr<TeamPoints>> joined = try_to_join(process);
    EXPECT_TRUE(joined.ok()) << (joined.ok() ? "" : joined.error().message);
    return *std::move(joined);
  }
  std::unique_ptr<PostgresPool> pool() {
    return std::make_unique<PostgresPool>(uri_, [this] { return now_s_; });
  }

  void end_leases() {
    ASSERT_FALSE(hand_->tell(
        "UPDATE poet.sweep_points SET lease_until = clock_timestamp() - interval '1 second' "
        "WHERE lease_until IS NOT NULL"));
  }
  std::string asked(const char* sql) {
    const Result<PostgresRows> rows = hand_->ask(sql);
    EXPECT_TRUE(rows.ok());
    return rows->text(0, 0);
  }

  std::string uri_;
  std::unique_ptr<PostgresConnection> hand_;
  double now_s_ = 0;
};

TEST_F(SharedSweep, APointIsOnesAtATime) {
  const auto one = join("one");
  const auto two = join("two");
  EXPECT_EQ(*one->take(kAll), Taken(0));
  EXPECT_EQ(*two->take(kAll), Taken(1));
  EXPECT_EQ(*two->take({3, 4}), Taken(3));
  EXPECT_EQ(*one->take(kAll), Taken(2));
  EXPECT_EQ(*one->take(kAll), Taken());
  EXPECT_EQ(one->look(kAll)->elsewhere, 2);
  EXPECT_EQ(*two->keep(1, "b"), "b");
  now_s_ += 10;
  const Result<SweepPoints::Now> now = one->look(kAll);
  EXPECT_EQ(now->elsewhere, 1);
  EXPECT_EQ(now->done, 1);
  EXPECT_EQ(**one->find(1), "b");
  EXPECT_FALSE(one->find(0)->has_value());
}

TEST_F(SharedSweep, WhatALostProcessHadAnotherTakesAndTheFirstAnswerStands) {
  const auto lost = join("lost");
  ASSERT_EQ(*lost->take(kAll), Taken(0));
  end_leases();
  const auto other = join("other");
  EXPECT_EQ(*other->take(kAll), Taken(0));
  EXPECT_EQ(asked("SELECT lost FROM poet.sweep_points WHERE point = 0"), "1");
  EXPECT_EQ(*lost->keep(0, "late, and first"), "late, and first");
  EXPECT_EQ(*other->keep(0, "second"), "late, and first");
}

TEST_F(SharedSweep, ALeaseIsRenewedByLooking) {
  const auto one = join("one");
  ASSERT_EQ(*one->take(kAll), Taken(0));
  end_leases();
  constexpr const char* kHolds =
      "SELECT lease_until > clock_timestamp() FROM poet.sweep_points WHERE point = 0";
  ASSERT_TRUE(one->look(kAll).ok());
  EXPECT_EQ(asked(kHolds), "f") << "a fifth of it has not passed";
  now_s_ = 13;
  ASSERT_TRUE(one->look(kAll).ok());
  EXPECT_EQ(asked(kHolds), "t");
}

TEST_F(SharedSweep, WhatTakesEveryProcessIsGivenUpUntilALaterRun) {
  ASSERT_TRUE(join("first")->take({1, 4}).ok());  // somebody is at something else
  const auto watcher = join("watcher");
  for (int k = 0; k < kMostLost; ++k) {
    const auto poor = join("poor" + std::to_string(k));
    ASSERT_EQ(*poor->take({0, 1}), Taken(0)) << k;
    ASSERT_FALSE(hand_->tell(
        "UPDATE poet.sweep_points SET lease_until = clock_timestamp() - interval '1 second' "
        "WHERE point = 0"));
  }
  EXPECT_EQ(*join("last")->take({0, 1}), Taken());
  EXPECT_EQ(watcher->look({0, 1})->elsewhere, 0);
  end_leases();
  EXPECT_EQ(*join("later")->take({0, 1}), Taken(0));
}

TEST_F(SharedSweep, WhatAProcessGivesUpNobodyTakesAndWhatItLeavesAnybody) {
  const auto one = join("one");
  ASSERT_EQ(*one->take(kAll), Taken(0));
  ASSERT_EQ(*one->take(kAll), Taken(1));
  ASSERT_FALSE(one->give_up(0));
  const auto two = join("two");
  EXPECT_EQ(*two->take({0, 2}), Taken());
  one->leave();
  now_s_ += 10;
  EXPECT_EQ(*two->take({0, 2}), Taken(1));
}

TEST_F(SharedSweep, ATakeWhoseAnswerWasLostIsFoundAgain) {
  ASSERT_EQ(*join("one")->take(kAll), Taken(0));
  const auto again = join("one");
  EXPECT_EQ(*again->take(kAll), Taken(0));
  EXPECT_EQ(*again->take(kAll), Taken(1));
}

TEST_F(SharedSweep, WhoWaitsAsksMoreAndMoreSeldom) {
  const auto one = join("one");
  const auto two = join("two");
  for (int k = 0; k < kPoints; ++k) ASSERT_EQ(*one->take(kAll), Taken(k));
  ASSERT_EQ(*two->take(kAll), Taken());
  end_leases();
  EXPECT_EQ(*two->take(kAll), Taken()) << "it has not asked";
  now_s_ += 0.11;
  EXPECT_EQ(*two->take(kAll), Taken(0));
}

TEST_F(SharedSweep, ItIsMadeOnceHoweverManyBegin) {
  std::vector<std::thread> starters;
  for (int k = 0; k < 6; ++k)
    starters.emplace_back([this, k] { join("starter" + std::to_string(k)); });
  for (std::thread& starter : starters) starter.join();
  EXPECT_EQ(asked("SELECT count(*) FROM poet.sweep_points"), std::to_string(kPoints));
}

TEST_F(SharedSweep, AnotherQuestionIsRefused) {
  join("one");
  const Result<std::unique_ptr<TeamPoints>> refused = try_to_join("two", "what");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "the store has the points of another sweep under the name 's'; repeat that sweep's "
            "options, or give this one another --name");
}

TEST_F(SharedSweep, AVisitMakesNothing) {
  const auto visit = [this] { return TeamPoints::visit(pool(), {.name = "s"}, "why"); };
  ASSERT_FALSE(visit().ok());
  EXPECT_EQ(visit().error().message, "the store has no sweep of the name 's'");
  ASSERT_EQ(*join("one")->keep(2, "c"), "c");
  EXPECT_EQ(**(*visit())->find(2), "c");
}

TEST_F(SharedSweep, ThatItWasRemovedIsSaid) {
  const auto one = join("one");
  ASSERT_EQ(*one->take(kAll), Taken(0));
  ASSERT_FALSE(hand_->run_script("DELETE FROM poet.sweeps"));
  const std::string gone = "the sweep 's' is in the store no more: somebody removed it";
  EXPECT_EQ(one->look(kAll).error().message, gone);
  EXPECT_EQ(one->keep(0, "a").error().message, gone);
}

}  // namespace
}  // namespace poet
