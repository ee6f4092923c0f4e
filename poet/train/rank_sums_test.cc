#include "poet/train/rank_sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "poet/train/rank_conference.h"
#include "poet/train/thread_ranks_for_tests.h"

namespace poet {
namespace {

using Floats = std::vector<float>;

// A value that lies in these numbers.
HeldValue held(Floats& numbers) {
  const auto bytes = std::as_writable_bytes(std::span(numbers));
  return {.name = "v",
          .type = {ElementType::Float32, {std::ssize(numbers)}},
          .role = TensorRole::Gradient,
          .read =
              [bytes](std::int64_t offset, std::span<std::byte> into) {
                std::memcpy(into.data(), bytes.data() + offset, into.size());
                return Failure();
              },
          .write =
              [bytes](std::int64_t offset, std::span<const std::byte> from) {
                std::memcpy(bytes.data() + offset, from.data(), from.size());
                return Failure();
              }};
}

// Of one rank: summands[s][v] are the numbers of value v of summand s; the last are where the
// values lie, as accumulators do.
using Summands = std::vector<std::vector<Floats>>;

Failure add_up_of(Ranks& ranks, Summands& summands) {
  std::vector<HeldValue> values;
  for (Floats& numbers : summands.back()) values.push_back(held(numbers));
  const OwnSummands own{
      .count = std::ssize(summands),
      .read = [&](std::int64_t summand, std::size_t value, std::int64_t offset,
                  std::span<std::byte> into) {
        return held(summands[static_cast<std::size_t>(summand)][value]).read(offset, into);
      }};
  RankBuffers buffers(12);
  Failure failure = add_up(ranks, values, own, buffers);
  if (!failure) failure = pass_on(ranks, ranks.place().count - 1, values, buffers);
  return failure;
}

// The additions of one process, one after the other.
std::vector<Floats> sums_of(const std::vector<Summands>& ranks) {
  std::vector<Floats> sums;
  for (const Summands& rank : ranks)
    for (const std::vector<Floats>& summand : rank) {
      if (sums.empty()) {
        sums = summand;
        continue;
      }
      for (std::size_t v = 0; v < sums.size(); ++v)
        for (std::size_t i = 0; i < sums[v].size(); ++i) sums[v][i] += summand[v][i];
    }
  return sums;
}

TEST(AddUp, GivesTheBitsOfOneProcess) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<Summands> ranks(2 + random() % 3);
    const std::vector<std::size_t> sizes = {1 + random() % 9, 1, 3, 2 + random() % 20};
    std::normal_distribution<float> number(0, 1e3F);
    for (Summands& rank : ranks) {
      rank.resize(1 + random() % 3);
      for (std::vector<Floats>& summand : rank)
        for (const std::size_t size : sizes) {
          summand.emplace_back(size);
          for (float& one : summand.back())
            one = number(random) / static_cast<float>(random() % 97 + 1);
        }
    }
    const std::vector<Floats> wanted = sums_of(ranks);
    run_ranks(static_cast<int>(ranks.size()), [&](Ranks& of) {
      EXPECT_EQ(add_up_of(of, ranks[static_cast<std::size_t>(of.place().own)]), std::nullopt);
    });
    for (const Summands& rank : ranks) EXPECT_EQ(rank.back(), wanted);
  }
}

TEST(AddUp, AFailureKeepsNobodyWaiting) {
  std::vector<Summands> ranks(3, Summands{{Floats(40, 1.0F)}});
  run_ranks(3, [&](Ranks& of) {
    Floats& numbers = ranks[static_cast<std::size_t>(of.place().own)].back().back();
    const HeldValue value = held(numbers);
    const OwnSummands own{
        .count = 1,
        .read = [&](std::int64_t, std::size_t, std::int64_t offset, std::span<std::byte> into) {
          if (of.place().own == 1 && offset > 0) return Failure(bad_input("the disk is gone"));
          return value.read(offset, into);
        }};
    RankBuffers buffers(16);
    const Failure failure = add_up(of, {value}, own, buffers);
    EXPECT_EQ(failure.has_value(), of.place().own == 1);
  });
}

TEST(HandOver, GivesWhatOneRankHasToOneOther) {
  std::vector<Floats> numbers = {Floats(7, 0.0F), Floats(7, 1.0F), Floats(7, 2.0F)};
  run_ranks(3, [&](Ranks& of) {
    RankBuffers buffers(8);
    const HeldValue value = held(numbers[static_cast<std::size_t>(of.place().own)]);
    EXPECT_EQ(hand_over(of, 2, 0, {value}, buffers), std::nullopt);
    EXPECT_EQ(hand_over(of, 1, 1, {value}, buffers), std::nullopt);
  });
  EXPECT_EQ(numbers, (std::vector<Floats>{Floats(7, 2.0F), Floats(7, 1.0F), Floats(7, 2.0F)}));
}

TEST(PassOn, GivesWhatOneRankHas) {
  for (int from = 0; from < 3; ++from) {
    std::vector<Floats> numbers = {Floats(7, 0.0F), Floats(7, 1.0F), Floats(7, 2.0F)};
    const Floats wanted = numbers[static_cast<std::size_t>(from)];
    run_ranks(3, [&](Ranks& of) {
      RankBuffers buffers(8);
      EXPECT_EQ(
          pass_on(of, from, {held(numbers[static_cast<std::size_t>(of.place().own)])}, buffers),
          std::nullopt);
    });
    EXPECT_EQ(numbers, std::vector<Floats>(3, wanted));
  }
}

Result<std::string> joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word + ";";
  return all;
}

TEST(RankConference, AllGetOneAnswer) {
  run_ranks(3, [](Ranks& ranks) {
    RankConference conference(ranks);
    const Result<std::string> answer =
        conference.confer(std::string(static_cast<std::size_t>(ranks.place().own), 'a'), joined);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(*answer, ";a;aa;");
    EXPECT_FALSE(conference.is_over());
  });
}

TEST(RankConference, AllGetTheFirstError) {
  run_ranks(3, [](Ranks& ranks) {
    RankConference conference(ranks);
    Result<std::string> word = std::string("fine");
    if (ranks.place().own > 0)
      word = Error{ErrorCode::Io, fmt::format("disk {} is full", ranks.place().own), {}};
    const Result<std::string> answer = conference.confer(word, joined);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error(), (Error{ErrorCode::Io, "rank 1 of 3: disk 1 is full", {}}));
    EXPECT_TRUE(conference.is_over());
  });
}

TEST(RankConference, WhoWaitsReplies) {
  run_ranks(3, [](Ranks& ranks) {
    RankConference conference(ranks);
    const int own = ranks.place().own;
    conference.reply_with([own](const std::string& question) -> Result<std::string> {
      if (question == "?") return bad_input("what?");
      return question + std::to_string(own);
    });
    if (own == 0) {
      EXPECT_EQ(*conference.ask(2, "a"), "a2");
      EXPECT_EQ(*conference.ask(1, "b"), "b1");
      EXPECT_EQ(conference.ask(2, "?").error().message, "rank 2 of 3: what?");
      EXPECT_EQ(*conference.ask(2, ""), "2");
    }
    EXPECT_EQ(*conference.confer("w" + std::to_string(own), joined), "w0;w1;w2;");
    EXPECT_EQ(*conference.confer("x" + std::to_string(own), joined), "x0;x1;x2;");
  });
}

TEST(RankConference, WhoIsAskedMayHaveSomethingWrong) {
  run_ranks(2, [](Ranks& ranks) {
    RankConference conference(ranks);
    if (ranks.place().own == 1) {
      EXPECT_EQ(conference.leave(bad_input("no")).message, "rank 1 of 2: no");
      return;
    }
    const Result<std::string> reply = conference.ask(1, "a");
    EXPECT_EQ(reply.error().message, "rank 1 of 2: no");
    EXPECT_EQ(conference.leave(reply.error()).message, "rank 1 of 2: no");
  });
}

TEST(RankConference, WhoLeavesIsHeardByThoseWhoConfer) {
  run_ranks(2, [](Ranks& ranks) {
    RankConference conference(ranks);
    if (ranks.place().own == 1) {
      EXPECT_EQ(conference.leave(bad_input("no")).message, "rank 1 of 2: no");
      return;
    }
    EXPECT_EQ(conference.confer(std::string("go"), joined).error().message, "rank 1 of 2: no");
    EXPECT_EQ(conference.leave(bad_input("said already")).message, "said already");
  });
}

}  // namespace
}  // namespace poet
