#include "poet/disk/channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace poet {
namespace {

Transfer numbered(std::int64_t number) {
  return {Direction::Read, number, nullptr, 1};
}

// Executes by writing down the number; refuses one.
struct Diary {
  std::vector<std::int64_t> executed;
  std::int64_t refused = -1;

  std::function<Failure(const Transfer&)> pen() {
    return [this](const Transfer& transfer) -> Failure {
      if (transfer.offset_bytes == refused)
        return bad_input("refused " + std::to_string(transfer.offset_bytes));
      executed.push_back(transfer.offset_bytes);
      return std::nullopt;
    };
  }
};

std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

TEST(Channel, ExecutesInOrderOfIssueHoweverSmallTheQueue) {
  for (const std::int64_t capacity : {1, 2, 7, 1000}) {
    Diary diary;
    Channel channel(capacity, diary.pen());
    ASSERT_EQ(channel.begin(), Failure{});
    for (std::int64_t i = 0; i < 500; ++i) {
      if (i % 5 == 0)
        ASSERT_EQ(channel.run(numbered(i)), Failure{});
      else
        ASSERT_EQ(*channel.start(numbered(i)), Ticket{i});
    }
    EXPECT_EQ(channel.wait_all(), Failure{});
    EXPECT_EQ(diary.executed, first_numbers(500)) << capacity;
  }
}

TEST(Channel, ExecutesWithoutBeingWaitedFor) {
  std::atomic<int> executed = 0;
  Channel channel(4, [&](const Transfer&) -> Failure {
    ++executed;
    executed.notify_all();
    return std::nullopt;
  });
  ASSERT_EQ(channel.begin(), Failure{});
  const Ticket ticket = *channel.start(numbered(0));
  executed.wait(0);
  EXPECT_EQ(executed, 1);
  EXPECT_EQ(channel.wait(ticket), Failure{});
  EXPECT_TRUE(channel.is_done(ticket));
}

TEST(Channel, IsNotDoneBeforeItIsExecuted) {
  std::atomic<bool> may_go = false;
  Channel channel(4, [&](const Transfer&) -> Failure {
    may_go.wait(false);
    return std::nullopt;
  });
  ASSERT_EQ(channel.begin(), Failure{});
  const Ticket first = *channel.start(numbered(0));
  const Ticket second = *channel.start(numbered(1));
  EXPECT_FALSE(channel.is_done(first));
  EXPECT_FALSE(channel.is_done(second));
  may_go = true;
  may_go.notify_all();
  EXPECT_EQ(channel.wait(second), Failure{});
  EXPECT_TRUE(channel.is_done(first));
}

TEST(Channel, FinishesWhatWasBegunBeforeItEnds) {
  Diary diary;
  {
    Channel channel(100, diary.pen());
    ASSERT_EQ(channel.begin(), Failure{});
    for (std::int64_t i = 0; i < 100; ++i) ASSERT_TRUE(channel.start(numbered(i)).ok());
  }
  EXPECT_EQ(diary.executed, first_numbers(100));
}

TEST(Channel, AfterAnErrorRefusesAllThatFollowsInTheSameWords) {
  Diary diary;
  diary.refused = 3;
  Channel channel(100, diary.pen());
  ASSERT_EQ(channel.begin(), Failure{});
  std::vector<Ticket> tickets;
  for (std::int64_t i = 0; i < 10; ++i) {
    const Result<Ticket> ticket = channel.start(numbered(i));
    if (ticket.ok()) tickets.push_back(*ticket);
  }
  const Failure refused = bad_input("refused 3");
  EXPECT_EQ(channel.wait_all(), refused);
  for (std::size_t i = 0; i < tickets.size(); ++i)
    EXPECT_EQ(channel.wait(tickets[i]), i < 3 ? Failure{} : refused) << i;
  EXPECT_EQ(channel.start(numbered(11)).error(), *refused);
  EXPECT_EQ(channel.run(numbered(12)), refused);
  EXPECT_TRUE(channel.is_done(Ticket{3}));
  EXPECT_EQ(diary.executed, first_numbers(3));
}

TEST(Channel, ServesSeveralThreads) {
  std::atomic<std::int64_t> running = 0;
  std::atomic<std::int64_t> executed = 0;
  std::atomic<bool> overlapped = false;
  Channel channel(3, [&](const Transfer&) -> Failure {
    if (++running != 1) overlapped = true;
    ++executed;
    --running;
    return std::nullopt;
  });
  ASSERT_EQ(channel.begin(), Failure{});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::int64_t i = 0; i < 200; ++i) {
        if (i % 3 == 0)
          channel.run(numbered(i));
        else
          channel.wait(*channel.start(numbered(i)));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(executed, 800);
}

}  // namespace
}  // namespace poet
