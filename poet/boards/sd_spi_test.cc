#include "poet/boards/ports/sd_spi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/support/simulated_sd_card.h"

namespace poet {
namespace {

constexpr std::uint32_t kBlocks = 2048;
constexpr std::uint32_t kBlock = POET_SD_BLOCK_BYTES;

// A card, what is written on it, and the driver of it.
struct Card {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(kBlocks * kBlock);
  sim_card sim = {};
  poet_sd_bus bus = {&sim, sim_select, sim_speed, sim_exchange};
  poet_sd_card driver = {};

  Card() {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<std::uint8_t>(i * 7 + i / kBlock);
    sim.bytes = memory.data();
    sim.blocks = kBlocks;
    sim.is_high_capacity = 1;
    sim.busy_bytes = 5;
  }
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  poet_port_status open() { return poet_sd_open(&driver, &bus); }
  poet_port_status read(std::uint32_t first, std::vector<std::uint8_t>& into) {
    return poet_sd_read(&driver, first, into.data(),
                        static_cast<std::uint32_t>(into.size()) / kBlock);
  }
  poet_port_status write(std::uint32_t first, const std::vector<std::uint8_t>& from) {
    return poet_sd_write(&driver, first, from.data(),
                         static_cast<std::uint32_t>(from.size()) / kBlock);
  }
  std::vector<std::uint8_t> blocks(std::uint32_t first, std::uint32_t count) const {
    return {memory.begin() + first * kBlock, memory.begin() + (first + count) * kBlock};
  }
};

std::vector<std::uint8_t> pattern(std::uint32_t count) {
  std::vector<std::uint8_t> bytes(count * kBlock);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 13 + 5);
  return bytes;
}

// The examples of the specification, 4.5.
TEST(SdSpi, HasTheChecksumsOfTheSpecification) {
  const std::uint8_t go_idle[5] = {0x40, 0, 0, 0, 0};
  const std::uint8_t read_block[5] = {0x51, 0, 0, 0, 0};
  const std::uint8_t response[5] = {0x11, 0, 0, 0x09, 0};
  EXPECT_EQ(poet_sd_crc7(go_idle, 5), 0x4A);
  EXPECT_EQ(poet_sd_crc7(read_block, 5), 0x2A);
  EXPECT_EQ(poet_sd_crc7(response, 5), 0x33);
  const std::vector<std::uint8_t> ones(512, 0xFF);
  EXPECT_EQ(poet_sd_crc16(0, ones.data(), 512), 0x7FA1);
}

TEST(SdSpi, OpensCardsOfEveryKind) {
  for (const bool high_capacity : {true, false})
    for (const bool first_version : {true, false}) {
      if (high_capacity && first_version) continue;  // there are none
      Card card;
      card.sim.is_high_capacity = high_capacity;
      card.sim.is_first_version = first_version;
      ASSERT_EQ(card.open(), POET_PORT_OK);
      EXPECT_EQ(card.driver.blocks.count, kBlocks);
      EXPECT_EQ(card.driver.addresses_blocks != 0, high_capacity);
      EXPECT_FALSE(card.sim.too_fast);
      EXPECT_TRUE(card.sim.checks_crc);
      EXPECT_EQ(card.sim.hz, 25'000'000u);
      EXPECT_FALSE(card.sim.is_selected);
      const std::vector<std::uint8_t> wanted = pattern(3);
      ASSERT_EQ(card.write(9, wanted), POET_PORT_OK);
      EXPECT_EQ(card.blocks(9, 3), wanted);
      std::vector<std::uint8_t> read(3 * kBlock);
      ASSERT_EQ(card.read(9, read), POET_PORT_OK);
      EXPECT_EQ(read, wanted);
    }
}

TEST(SdSpi, MovesOneBlockAndMany) {
  for (const std::uint32_t count : {1u, 2u, 64u}) {
    Card card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    std::vector<std::uint8_t> read(count * kBlock);
    ASSERT_EQ(card.read(kBlocks - count, read), POET_PORT_OK);
    EXPECT_EQ(read, card.blocks(kBlocks - count, count));
    const std::vector<std::uint8_t> wanted = pattern(count);
    const std::vector<std::uint8_t> before = card.blocks(0, 5);
    ASSERT_EQ(card.write(5, wanted), POET_PORT_OK);
    EXPECT_EQ(card.blocks(5, count), wanted);
    EXPECT_EQ(card.blocks(0, 5), before);
  }
}

TEST(SdSpi, SaysThatThereIsNoCard) {
  Card card;
  card.sim.is_absent = 1;
  EXPECT_EQ(card.open(), POET_PORT_NO_CARD);
  std::vector<std::uint8_t> read(kBlock);
  EXPECT_EQ(card.read(0, read), POET_PORT_NO_CARD);
  card.sim.is_absent = 0;
  EXPECT_EQ(card.open(), POET_PORT_OK);
}

TEST(SdSpi, RefusesCardsOfAnotherKind) {
  Card mmc;
  mmc.sim.is_mmc = 1;
  mmc.sim.is_first_version = 1;
  EXPECT_EQ(mmc.open(), POET_PORT_UNUSABLE);
  Card low;
  low.sim.other_voltage = 1;
  EXPECT_EQ(low.open(), POET_PORT_UNUSABLE);
}

TEST(SdSpi, GivesUpACardThatDoesNotBecomeReady) {
  Card card;
  card.sim.never_ready = 1;
  EXPECT_EQ(card.open(), POET_PORT_TIMEOUT);
}

// A chip that started again in the middle of a write, which the card still waits for.
TEST(SdSpi, OpensACardThatWasLeftWithinABlock) {
  Card card;
  ASSERT_EQ(card.open(), POET_PORT_OK);
  card.sim.waits = SIM_DATA;
  card.sim.block_bytes = 17;
  EXPECT_EQ(card.open(), POET_PORT_OK);
  Card reading;
  ASSERT_EQ(reading.open(), POET_PORT_OK);
  reading.sim.reads_several = 1;
  EXPECT_EQ(reading.open(), POET_PORT_OK);
}

TEST(SdSpi, WaitsForACardThatIsBusyAndNotForEver) {
  Card card;
  ASSERT_EQ(card.open(), POET_PORT_OK);
  card.sim.busy_bytes = 700'000;  // 224 ms at 25 MHz
  EXPECT_EQ(card.write(1, pattern(1)), POET_PORT_OK);
  EXPECT_EQ(card.blocks(1, 1), pattern(1));
  card.sim.busy_bytes = -1;
  EXPECT_EQ(card.write(1, pattern(1)), POET_PORT_TIMEOUT);
}

TEST(SdSpi, RepeatsWhatAWireSpoilt) {
  for (const std::uint32_t count : {1u, 6u}) {
    Card card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    std::vector<std::uint8_t> read(count * kBlock);
    card.sim.wrong_reads = 3;
    EXPECT_EQ(card.read(3, read), POET_PORT_OK);
    EXPECT_EQ(read, card.blocks(3, count));
    card.sim.wrong_writes = 3;
    EXPECT_EQ(card.write(3, pattern(count)), POET_PORT_OK);
    EXPECT_EQ(card.blocks(3, count), pattern(count));
    card.sim.wrong_reads = -1;
    EXPECT_EQ(card.read(3, read), POET_PORT_BAD_CHECKSUM);
    card.sim.wrong_writes = -1;
    EXPECT_EQ(card.write(3, pattern(count)), POET_PORT_BAD_CHECKSUM);
  }
}

TEST(SdSpi, TellsThatAWriteWasRefused) {
  for (const std::uint32_t count : {1u, 4u}) {
    Card card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    const std::vector<std::uint8_t> before = card.memory;
    card.sim.refused_writes = 1;
    EXPECT_EQ(card.write(3, pattern(count)), POET_PORT_REFUSED);
    EXPECT_EQ(card.memory, before);
    EXPECT_EQ(card.write(3, pattern(count)), POET_PORT_OK);
  }
}

// The card takes the data, and says only in its status that they were not written.
TEST(SdSpi, TellsThatAWriteFailedLater) {
  for (const std::uint32_t count : {1u, 4u}) {
    Card card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    card.sim.hidden_failures = 1;
    EXPECT_EQ(card.write(3, pattern(count)), POET_PORT_REFUSED);
  }
}

// The question for that status is what a wire spoils.
TEST(SdSpi, AsksAgainWhetherAWriteFailed) {
  for (const std::uint32_t count : {1u, 4u}) {
    Card card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    card.sim.hidden_failures = 1;
    card.sim.spoilt_command = 13;
    EXPECT_EQ(card.write(3, pattern(count)), POET_PORT_REFUSED);
    card.sim.spoilt_command = 13;
    EXPECT_EQ(card.write(3, pattern(count)), POET_PORT_OK);
    EXPECT_EQ(card.blocks(3, count), pattern(count));
  }
}

TEST(SdSpi, TellsThatAReadWasRefused) {
  for (const std::uint32_t count : {1u, 4u}) {
    Card card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    std::vector<std::uint8_t> read(count * kBlock);
    card.sim.refused_reads = 1;
    EXPECT_EQ(card.read(3, read), POET_PORT_REFUSED);
    EXPECT_EQ(card.read(3, read), POET_PORT_OK);
    EXPECT_EQ(read, card.blocks(3, count));
  }
}

TEST(SdSpi, AsksForNothingBehindTheEnd) {
  Card card;
  ASSERT_EQ(card.open(), POET_PORT_OK);
  const int commands = card.sim.commands;
  std::vector<std::uint8_t> read(2 * kBlock);
  EXPECT_EQ(card.read(kBlocks - 1, read), POET_PORT_OUT_OF_RANGE);
  EXPECT_EQ(card.write(0xFFFFFFFFu, read), POET_PORT_OUT_OF_RANGE);
  EXPECT_EQ(card.sim.commands, commands);
}

// Every call of the bus fails once: it is told each time, and afterwards the card works.
TEST(SdSpi, TellsOfEveryFailureOfTheBus) {
  const std::vector<std::function<poet_port_status(Card&)>> uses = {
      [](Card& card) { return card.open(); }, [](Card& card) { return card.write(3, pattern(3)); },
      [](Card& card) {
        std::vector<std::uint8_t> read(3 * kBlock);
        return card.read(3, read);
      }};
  for (const auto& use : uses) {
    for (long call = 1;; ++call) {
      Card card;
      ASSERT_EQ(card.open(), POET_PORT_OK);
      card.sim.calls_until_fault = call;
      const poet_port_status status = use(card);
      if (card.sim.calls_until_fault > 0) break;
      // The byte after a command that is over says nothing.
      EXPECT_TRUE(status == POET_PORT_BUS || status == POET_PORT_OK) << call << " " << status;
      ASSERT_EQ(card.open(), POET_PORT_OK) << call;
      ASSERT_EQ(card.write(3, pattern(3)), POET_PORT_OK) << call;
      EXPECT_EQ(card.blocks(3, 3), pattern(3)) << call;
    }
  }
}

// What was reported as written is there, whole, and nothing behind a block that is not.
TEST(SdSpi, NeverSaysOfATornWriteThatItIsDone) {
  for (long bytes = 1; bytes < 4 * 560; bytes += 37) {
    Card card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    const std::vector<std::uint8_t> before = card.memory;
    card.sim.bytes_until_off = bytes;
    const poet_port_status status = card.write(8, pattern(3));
    EXPECT_TRUE(status != POET_PORT_OK || card.blocks(8, 3) == pattern(3)) << bytes;
    const std::vector<std::uint8_t> wanted = pattern(3);
    const auto first_wrong =
        std::mismatch(wanted.begin(), wanted.end(), card.memory.begin() + 8 * kBlock);
    const auto done = first_wrong.first - wanted.begin();
    // Of the block that was torn a half; behind it what was there.
    for (std::uint32_t block = static_cast<std::uint32_t>(done) / kBlock + 1; block < 3; ++block)
      EXPECT_TRUE(std::equal(before.begin() + (8 + block) * kBlock,
                             before.begin() + (9 + block) * kBlock,
                             card.memory.begin() + (8 + block) * kBlock))
          << bytes;
  }
}

struct Storage : Card {
  poet_storage storage = {};
  poet_port_status status = poet_sd_storage(&driver, &bus, &storage);
};

TEST(SdStorage, KeepsWhatLiesBesideAPart) {
  struct Part {
    std::uint32_t offset, bytes;
  };
  for (const Part part :
       {Part{0, 12}, {100, 12}, {500, 24}, {512, 512}, {1000, 3000}, {1024, 1030}}) {
    Storage card;
    ASSERT_EQ(card.status, POET_PORT_OK);
    std::vector<std::uint8_t> wanted = card.memory;
    const std::vector<std::uint8_t> bytes(part.bytes, 0xA5);
    std::copy(bytes.begin(), bytes.end(), wanted.begin() + part.offset);
    EXPECT_EQ(card.storage.write(card.storage.user, part.offset, bytes.data(), part.bytes), 0);
    EXPECT_EQ(card.memory, wanted) << part.offset;
    std::vector<std::uint8_t> read(part.bytes + 1, 0x77);
    EXPECT_EQ(card.storage.read(card.storage.user, part.offset, read.data(), part.bytes), 0);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), read.begin()));
    EXPECT_EQ(read.back(), 0x77);
  }
}

TEST(SdStorage, SaysHowLargeItIsAndWhatFailed) {
  Storage card;
  EXPECT_EQ(card.storage.capacity(card.storage.user), kBlocks * kBlock);
  std::uint8_t byte = 0;
  EXPECT_NE(card.storage.read(card.storage.user, kBlocks * kBlock, &byte, 1), 0);
  EXPECT_EQ(card.driver.blocks.problem, POET_PORT_OUT_OF_RANGE);
  card.sim.refused_writes = 1;
  EXPECT_NE(card.storage.write(card.storage.user, 0, &byte, 1), 0);
  EXPECT_EQ(card.driver.blocks.problem, POET_PORT_REFUSED);
  EXPECT_EQ(card.storage.write(card.storage.user, 0, &byte, 1), 0);
  EXPECT_EQ(card.driver.blocks.problem, POET_PORT_OK);
}

// Of a card of 8 GiB, what 32 bits can name.
TEST(SdStorage, OffersNoMoreThanItsOffsetsReach) {
  poet_blocks blocks = {};
  blocks.block_bytes = kBlock;
  blocks.count = 1u << 24;
  poet_storage storage = {};
  poet_blocks_storage(&blocks, &storage);
  EXPECT_EQ(storage.capacity(storage.user), 0xFFFFFE00u);
}

TEST(SdStorage, WithoutACardHasNoRoom) {
  Card card;
  card.sim.is_absent = 1;
  poet_storage storage = {};
  EXPECT_EQ(poet_sd_storage(&card.driver, &card.bus, &storage), POET_PORT_NO_CARD);
  EXPECT_EQ(storage.capacity(storage.user), 0u);
}

}  // namespace
}  // namespace poet
