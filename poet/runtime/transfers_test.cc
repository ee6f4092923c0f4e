#include "poet/runtime/transfers.h"

#include <gtest/gtest.h>
#include <sys/time.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <vector>

#include "poet/runtime/card_for_tests.h"

namespace poet {
namespace {

using testing::TestCard;

constexpr std::uint32_t kBytes = 4;

// A card behind a channel that does a transfer only when it is told to.
struct ChannelOfCard {
  TestCard card = {.bytes = std::vector<unsigned char>(256)};
  poet_storage storage = card.callbacks();
  std::array<poet_transfer, 4> queue = {};
  poet_transfers transfers = {};
  poet_channel channel = {};
  const poet_transfer* begun = nullptr;
  int most_under_way = 0;
  bool at_once = false;

  ChannelOfCard() {
    channel = {this, begin, idle, nullptr};
    transfers.storage = &storage;
    transfers.channel = &channel;
    transfers.queue = queue.data();
    transfers.size = 4;
  }
  ChannelOfCard(const ChannelOfCard&) = delete;
  ChannelOfCard& operator=(const ChannelOfCard&) = delete;

  void end() {
    const poet_transfer move = *begun;
    begun = nullptr;
    const std::int32_t failed =
        move.to_storage != 0 ? storage.write(storage.user, move.offset, move.memory, move.bytes)
                             : storage.read(storage.user, move.offset, move.memory, move.bytes);
    poet_transfers_ended(&transfers, failed);
  }

  static void begin(void* user, const poet_transfer* transfer) {
    auto& self = *static_cast<ChannelOfCard*>(user);
    EXPECT_EQ(self.begun, nullptr) << "two transfers at one time";
    self.begun = transfer;
    if (self.at_once) self.end();
  }
  static void idle(void* user) {
    auto& self = *static_cast<ChannelOfCard*>(user);
    ASSERT_NE(self.begun, nullptr) << "nothing is under way, and it waits";
    self.end();
  }

  poet_status write(std::uint32_t block, const unsigned char* from) {
    const poet_transfer move = {const_cast<unsigned char*>(from), block * kBytes, kBytes, 1};
    return poet_transfers_issue(&transfers, &move);
  }
  poet_status read(std::uint32_t block, unsigned char* into) {
    const poet_transfer move = {into, block * kBytes, kBytes, 0};
    return poet_transfers_issue(&transfers, &move);
  }
};

TEST(Transfers, HappenNoEarlierThanTheChannelEndsThem) {
  ChannelOfCard late;
  std::array<unsigned char, kBytes> value = {1, 2, 3, 4};
  ASSERT_EQ(late.write(2, value.data()), POET_OK);
  value = {5, 6, 7, 8};  // before it has ended: what is written is what is there then
  ASSERT_EQ(poet_transfers_wait(&late.transfers, 0), POET_OK);
  EXPECT_EQ(late.card.bytes[8], 5);
}

TEST(Transfers, EndInTheirOrderAndAreWaitedForByCount) {
  ChannelOfCard late;
  const std::array<unsigned char, kBytes> first = {1, 1, 1, 1};
  std::array<unsigned char, kBytes> back = {};
  ASSERT_EQ(late.write(0, first.data()), POET_OK);
  ASSERT_EQ(late.read(0, back.data()), POET_OK);
  ASSERT_EQ(poet_transfers_wait(&late.transfers, 1), POET_OK);
  EXPECT_EQ(late.card.bytes[0], 1);
  EXPECT_EQ(back[0], 0);
  ASSERT_EQ(poet_transfers_wait(&late.transfers, 0), POET_OK);
  EXPECT_EQ(back[0], 1);
}

TEST(Transfers, WaitWhereTheQueueIsFull) {
  ChannelOfCard late;
  const std::array<unsigned char, kBytes> value = {9, 9, 9, 9};
  for (std::uint32_t block = 0; block < 4; ++block)
    ASSERT_EQ(late.write(block, value.data()), POET_OK);
  EXPECT_EQ(late.card.bytes[0], 0);
  ASSERT_EQ(late.write(4, value.data()), POET_OK);
  EXPECT_EQ(late.card.bytes[0], 9);
  EXPECT_EQ(late.card.bytes[4], 0);
  ASSERT_EQ(poet_transfers_wait(&late.transfers, 0), POET_OK);
  EXPECT_EQ(late.card.bytes[19], 9);
}

TEST(Transfers, MayEndWhereTheyBegin) {
  ChannelOfCard early;
  early.at_once = true;
  const std::array<unsigned char, kBytes> value = {7, 7, 7, 7};
  for (std::uint32_t block = 0; block < 9; ++block) {
    ASSERT_EQ(early.write(block, value.data()), POET_OK);
    EXPECT_EQ(early.card.bytes[kBytes * block], 7);
  }
  EXPECT_EQ(poet_transfers_wait(&early.transfers, 0), POET_OK);
}

TEST(Transfers, AreDoneWhenTheyAreIssuedWithoutAChannel) {
  ChannelOfCard none;
  none.transfers.channel = nullptr;
  const std::array<unsigned char, kBytes> value = {7, 7, 7, 7};
  ASSERT_EQ(none.write(1, value.data()), POET_OK);
  EXPECT_EQ(none.card.bytes[4], 7);
  none.card.failing_read = 0;
  std::array<unsigned char, kBytes> back = {};
  EXPECT_EQ(none.read(1, back.data()), POET_READ_FAILED);
  poet_transfers_drain(&none.transfers);
}

TEST(Transfers, BeginNothingBehindOneThatFailed) {
  ChannelOfCard late;
  late.card.failing_read = 0;
  std::array<unsigned char, kBytes> back = {};
  const std::array<unsigned char, kBytes> value = {3, 3, 3, 3};
  ASSERT_EQ(late.read(5, back.data()), POET_OK);
  ASSERT_EQ(late.write(6, value.data()), POET_OK);
  EXPECT_EQ(poet_transfers_wait(&late.transfers, 0), POET_READ_FAILED);
  EXPECT_EQ(late.card.errors, std::vector<poet_status>{POET_READ_FAILED});
  EXPECT_EQ(late.write(7, value.data()), POET_READ_FAILED);
  poet_transfers_drain(&late.transfers);
  EXPECT_EQ(late.card.bytes[24], 0);
  ASSERT_EQ(late.write(7, value.data()), POET_OK);  // it begins anew
  ASSERT_EQ(poet_transfers_wait(&late.transfers, 0), POET_OK);
  EXPECT_EQ(late.card.bytes[28], 3);
}

TEST(Transfers, AreGivenUpButForTheOneUnderWay) {
  ChannelOfCard late;
  const std::array<unsigned char, kBytes> value = {3, 3, 3, 3};
  ASSERT_EQ(late.write(0, value.data()), POET_OK);
  ASSERT_EQ(late.write(1, value.data()), POET_OK);
  poet_transfers_drain(&late.transfers);
  EXPECT_EQ(late.card.bytes[0], 3);
  EXPECT_EQ(late.card.bytes[4], 0);
  EXPECT_EQ(late.begun, nullptr);
  EXPECT_EQ(poet_transfers_wait(&late.transfers, 0), POET_OK);
}

TEST(Transfers, AreLookedAtWhileOneIsUnderWay) {
  ChannelOfCard late;
  late.channel.look = [](void* user) { static_cast<ChannelOfCard*>(user)->end(); };
  poet_transfers_look(&late.transfers);  // nothing is
  const std::array<unsigned char, kBytes> value = {3, 3, 3, 3};
  ASSERT_EQ(late.write(0, value.data()), POET_OK);
  poet_transfers_look(&late.transfers);
  EXPECT_EQ(late.card.bytes[0], 3);
  poet_transfers_look(&late.transfers);
}

TEST(Transfers, CountAroundTheEndOfTheirNumbers) {
  ChannelOfCard late;
  constexpr std::uint32_t kNearTheEnd = 0xFFFFFFFDU;
  late.transfers.issued = kNearTheEnd;
  late.transfers.begun = kNearTheEnd;
  late.transfers.ended = kNearTheEnd;
  std::array<std::array<unsigned char, kBytes>, 12> values = {};  // there until they are written
  for (unsigned char k = 1; k < 12; ++k) {
    values[k].fill(k);
    ASSERT_EQ(late.write(k, values[k].data()), POET_OK);
    ASSERT_EQ(poet_transfers_wait(&late.transfers, k % 2U), POET_OK);
  }
  ASSERT_EQ(poet_transfers_wait(&late.transfers, 0), POET_OK);
  EXPECT_EQ(late.card.bytes[44], 11);
}

// --- From an interrupt: a signal comes between any two instructions of one thread, and runs to its
// end, as an interrupt does on one processor.

struct InterruptedChannel {
  std::array<poet_transfer, 4> queue = {};
  poet_transfers transfers = {};
  poet_channel channel = {nullptr, begin, [](void*) {}, nullptr};
  const poet_transfer* volatile begun = nullptr;
  volatile std::uint32_t ended = 0;
  volatile std::uint32_t out_of_order = 0;

  static void begin(void* user, const poet_transfer* transfer) {
    auto& self = *static_cast<InterruptedChannel*>(user);
    if (self.begun != nullptr) self.out_of_order = self.out_of_order + 1;
    self.begun = transfer;
  }
};
InterruptedChannel* interrupted = nullptr;

void on_interrupt(int) {
  InterruptedChannel& self = *interrupted;
  const poet_transfer* const move = self.begun;
  if (move == nullptr) return;
  if (move->offset != self.ended) self.out_of_order = self.out_of_order + 1;
  *static_cast<std::uint32_t*>(move->memory) = move->offset;
  self.ended = self.ended + 1;
  self.begun = nullptr;
  poet_transfers_ended(&self.transfers, 0);
}

TEST(Transfers, EndFromAnInterruptAtAnyMoment) {
  InterruptedChannel self;
  self.channel.user = &self;
  const poet_storage storage = {};
  self.transfers.storage = &storage;
  self.transfers.channel = &self.channel;
  self.transfers.queue = self.queue.data();
  self.transfers.size = 4;
  interrupted = &self;
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = on_interrupt;
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  const itimerval each = {{0, 20}, {0, 20}};  // microseconds
  ASSERT_EQ(setitimer(ITIMER_REAL, &each, nullptr), 0);
  std::array<std::uint32_t, 8> moved = {};
  for (std::uint32_t k = 0; k < 2000; ++k) {
    const poet_transfer move = {&moved[k % 8], k, 4, 0};
    if (poet_transfers_issue(&self.transfers, &move) != POET_OK) break;
    if (k % 3 == 0) {
      if (poet_transfers_wait(&self.transfers, k % 2) != POET_OK) break;
      EXPECT_TRUE(k % 2 != 0 || moved[k % 8] == k);
    }
  }
  const poet_status status = poet_transfers_wait(&self.transfers, 0);
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(status, POET_OK);
  EXPECT_EQ(self.ended, 2000U);
  EXPECT_EQ(self.out_of_order, 0U);
}

}  // namespace
}  // namespace poet
