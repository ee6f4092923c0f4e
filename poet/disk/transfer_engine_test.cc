#include "poet/disk/transfer_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace poet {
namespace {

// A file in memory behind both seams. Each call asks `answer` what becomes of it: how many bytes
// are moved, or an error number below 0.
struct FakeFile {
  std::vector<std::byte> bytes = std::vector<std::byte>(1000);
  std::function<std::int64_t(const Transfer&)> answer = [](const Transfer& transfer) {
    return transfer.size_bytes;
  };
  std::vector<std::int64_t> asked_bytes = {};

  std::int64_t move(const Transfer& transfer) {
    asked_bytes.push_back(transfer.size_bytes);
    const std::int64_t count = answer(transfer);
    if (count <= 0) return count;
    const auto here = bytes.begin() + transfer.offset_bytes;
    if (transfer.direction == Direction::Read)
      std::copy_n(here, count, transfer.memory);
    else
      std::copy_n(transfer.memory, count, here);
    return count;
  }
};

class FakeCalls final : public FileCalls {
 public:
  explicit FakeCalls(FakeFile& file) : file_(file) {}
  std::int64_t read_at(int, std::int64_t offset, std::span<std::byte> into) override {
    return file_.move({Direction::Read, offset, into.data(), std::ssize(into)});
  }
  std::int64_t write_at(int, std::int64_t offset, std::span<const std::byte> from) override {
    auto* const memory = const_cast<std::byte*>(from.data());  // NOLINT
    return file_.move({Direction::Write, offset, memory, std::ssize(from)});
  }
  int open(const char*, int, mode_t) override { return -ENOSYS; }
  int close(int) override { return -ENOSYS; }
  int status(int, struct stat*) override { return -ENOSYS; }
  int permit(int, mode_t) override { return -ENOSYS; }
  int lock(int) override { return -ENOSYS; }
  int resize(int, std::int64_t) override { return -ENOSYS; }
  int reserve(int, std::int64_t) override { return -ENOSYS; }
  int sync(int) override { return -ENOSYS; }
  int rename(const char*, const char*) override { return -ENOSYS; }
  int unlink(const char*) override { return -ENOSYS; }
  std::int64_t direct_alignment(int) override { return -ENOSYS; }

 private:
  FakeFile& file_;
};

// Completes what is in flight one by one, the latest first.
class FakeRing final : public Ring {
 public:
  FakeRing(FakeFile& file, std::int64_t& in_flight) : file_(file), in_flight_(in_flight) {}

  void prepare(int, const Transfer& piece, std::int64_t slot) override {
    waiting_.push_back({slot, piece});
    ++in_flight_;
  }
  int submit_and_wait() override {
    if (waiting_.empty()) return -EINVAL;
    const Waiting latest = waiting_.back();
    waiting_.pop_back();
    completions_.push_back({latest.slot, file_.move(latest.piece)});
    return 0;
  }
  std::optional<RingCompletion> next_completion() override {
    if (completions_.empty()) return std::nullopt;
    const RingCompletion first = completions_.front();
    completions_.pop_front();
    --in_flight_;
    return first;
  }

 private:
  struct Waiting {
    std::int64_t slot;
    Transfer piece;
  };
  FakeFile& file_;
  std::int64_t& in_flight_;
  std::vector<Waiting> waiting_;
  std::deque<RingCompletion> completions_;
};

// Each engine on a file in memory; the ring's pieces are of 16 bytes, three together.
class EveryEngine : public ::testing::TestWithParam<std::string> {
 protected:
  void make(std::int64_t block_bytes) {
    engine_ = GetParam() == "calls"
                  ? make_call_engine(calls_, {0, block_bytes})
                  : make_ring_engine(calls_, std::make_unique<FakeRing>(file_, in_flight_),
                                     {0, block_bytes}, {3, 16, true});
  }
  std::optional<TransferFault> move(Direction direction, std::int64_t offset, std::int64_t size) {
    const auto fault = engine_->move({direction, offset, memory_.data(), size});
    EXPECT_EQ(in_flight_, 0);
    return fault;
  }
  void SetUp() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<std::byte>(1 + i % 7);
    make(1);
  }

  FakeFile file_;
  FakeCalls calls_{file_};
  std::int64_t in_flight_ = 0;
  std::vector<std::byte> memory_ = std::vector<std::byte>(100);
  std::unique_ptr<TransferEngine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, ::testing::Values("calls", "ring"),
                         [](const auto& param) { return param.param; });

TEST_P(EveryEngine, MovesWhatItIsGiven) {
  ASSERT_FALSE(move(Direction::Write, 10, 100));
  std::vector<std::byte> expected(1000);
  std::copy(memory_.begin(), memory_.end(), expected.begin() + 10);
  EXPECT_EQ(file_.bytes, expected);
  const std::vector<std::byte> written = std::exchange(memory_, std::vector<std::byte>(100));
  ASSERT_FALSE(move(Direction::Read, 10, 100));
  EXPECT_EQ(memory_, written);
}

TEST_P(EveryEngine, ContinuesWhatIsShort) {
  file_.answer = [](const Transfer& transfer) { return (transfer.size_bytes + 1) / 2; };
  ASSERT_FALSE(move(Direction::Write, 0, 100));
  EXPECT_TRUE(std::equal(memory_.begin(), memory_.end(), file_.bytes.begin()));
}

TEST_P(EveryEngine, ContinuesWholeBlocksOnly) {
  make(8);
  std::int64_t misaligned = 0;
  file_.answer = [&](const Transfer& transfer) {
    misaligned += transfer.offset_bytes % 8 + transfer.size_bytes % 8;
    return transfer.size_bytes > 8 ? transfer.size_bytes - 3 : transfer.size_bytes;
  };
  ASSERT_FALSE(move(Direction::Write, 0, 96));
  EXPECT_TRUE(std::equal(memory_.begin(), memory_.begin() + 96, file_.bytes.begin()));
  EXPECT_EQ(misaligned, 0);
}

TEST_P(EveryEngine, RepeatsWhatIsInterrupted) {
  for (const int error : {EINTR, EAGAIN}) {
    int calls = 0;
    file_.answer = [&](const Transfer& transfer) {
      return ++calls % 2 == 1 ? -error : transfer.size_bytes;
    };
    ASSERT_FALSE(move(Direction::Read, 0, 100));
    EXPECT_EQ(memory_[99], std::byte{0});
  }
}

TEST_P(EveryEngine, GivesUpWhatAsksToBeRepeatedForEver) {
  for (const int error : {EINTR, EAGAIN}) {
    file_.answer = [&](const Transfer&) { return -error; };
    const auto fault = move(Direction::Read, 0, 100);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->error_number, error);
  }
}

TEST_P(EveryEngine, NamesTheBytesThatCannotBeMoved) {
  file_.answer = [](const Transfer& transfer) {
    return transfer.offset_bytes + transfer.size_bytes > 60 ? std::int64_t{-EIO}
                                                            : transfer.size_bytes;
  };
  const auto fault = move(Direction::Read, 8, 92);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error_number, EIO);
  EXPECT_EQ(fault->direction, Direction::Read);
  const bool in_pieces = GetParam() == "ring";
  EXPECT_EQ(fault->offset_bytes, in_pieces ? 8 + 3 * 16 : 8);
  EXPECT_EQ(fault->size_bytes, in_pieces ? 16 : 92);
}

TEST_P(EveryEngine, TakesNothingMovedForAnError) {
  file_.answer = [](const Transfer& transfer) {
    return transfer.offset_bytes >= 64 ? 0
                                       : std::min(transfer.size_bytes, 64 - transfer.offset_bytes);
  };
  const auto fault = move(Direction::Read, 0, 100);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error_number, 0);
  EXPECT_EQ(fault->offset_bytes, 64);
}

TEST(RingEngine, UsesTheRingForLargeReadsAndForWritesWhereAsked) {
  FakeFile by_ring;
  FakeFile by_call;
  FakeCalls calls(by_call);
  std::int64_t in_flight = 0;
  std::vector<std::byte> memory(40);
  const auto engine = make_ring_engine(calls, std::make_unique<FakeRing>(by_ring, in_flight),
                                       {0, 1}, {2, 16, false});
  ASSERT_FALSE(engine->move({Direction::Read, 0, memory.data(), 40}));
  ASSERT_FALSE(engine->move({Direction::Read, 0, memory.data(), 16}));
  ASSERT_FALSE(engine->move({Direction::Write, 0, memory.data(), 40}));
  EXPECT_EQ(by_ring.asked_bytes.size(), 3U);
  EXPECT_EQ(by_call.asked_bytes, (std::vector<std::int64_t>{16, 40}));
}

}  // namespace
}  // namespace poet
