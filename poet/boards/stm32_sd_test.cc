#include "poet/boards/ports/stm32_sd.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/simulated_registers.h"
#include "tests/support/simulated_sdio.h"

namespace poet {
namespace {

constexpr std::uint32_t kSdioBlocks = 1024;
constexpr std::uint32_t kSdioBlock = SimulatedSdioCard::kBlock;

// A card at its controller, what is written on it, and the driver of both.
struct SdioCard {
  SimulatedSdio sim;
  poet_sdio_card driver = {};
  poet_storage storage = {};

  SdioCard() {
    static const std::vector<std::uint8_t> written = [] {
      std::vector<std::uint8_t> bytes(kSdioBlocks * kSdioBlock);
      for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(i * 7 + i / kSdioBlock);
      return bytes;
    }();
    sim.card.memory = written;
    simulated_registers.read = [this](std::uint32_t address) { return sim.read(address); };
    simulated_registers.write = [this](std::uint32_t address, std::uint32_t value) {
      sim.write(address, value);
    };
  }
  ~SdioCard() { simulated_registers = {}; }
  SdioCard(const SdioCard&) = delete;
  SdioCard& operator=(const SdioCard&) = delete;

  poet_port_status open() {
    return poet_sdio_storage(&driver, SimulatedSdio::kBase, 48'000'000, &storage);
  }
  poet_port_status read(std::uint32_t first, std::vector<std::uint8_t>& into) {
    return driver.blocks.read(&driver, first, into.data(),
                              static_cast<std::uint32_t>(into.size()) / kSdioBlock);
  }
  poet_port_status write(std::uint32_t first, const std::vector<std::uint8_t>& from) {
    return driver.blocks.write(&driver, first, from.data(),
                               static_cast<std::uint32_t>(from.size()) / kSdioBlock);
  }
  std::vector<std::uint8_t> blocks(std::uint32_t first, std::uint32_t count) const {
    const auto begin = sim.card.memory.begin() + first * kSdioBlock;
    return {begin, begin + count * kSdioBlock};
  }
};

std::vector<std::uint8_t> sdio_pattern(std::uint32_t count, int seed = 5) {
  std::vector<std::uint8_t> bytes(count * kSdioBlock);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(i * 13 + static_cast<std::size_t>(seed));
  return bytes;
}

// Whether both ways work, at once, with one block and several.
void expect_works(SdioCard& card) {
  for (const std::uint32_t count : {3u, 1u}) {
    const std::vector<std::uint8_t> wanted = sdio_pattern(count, 77);
    std::vector<std::uint8_t> read(count * kSdioBlock);
    ASSERT_EQ(card.write(21, wanted), POET_PORT_OK);
    EXPECT_EQ(card.blocks(21, count), wanted);
    ASSERT_EQ(card.read(21, read), POET_PORT_OK);
    EXPECT_EQ(read, wanted);
  }
}

TEST(Stm32Sd, OpensCardsOfEveryKind) {
  for (const bool high_capacity : {true, false})
    for (const bool first_version : {true, false}) {
      if (high_capacity && first_version) continue;  // there are none
      SdioCard card;
      card.sim.card.is_high_capacity = high_capacity;
      card.sim.card.is_first_version = first_version;
      ASSERT_EQ(card.open(), POET_PORT_OK);
      EXPECT_EQ(card.driver.blocks.count, kSdioBlocks);
      EXPECT_EQ(card.driver.addresses_blocks != 0, high_capacity);
      EXPECT_TRUE(card.sim.card.has_four_wires);
      EXPECT_EQ(card.storage.capacity(card.storage.user), kSdioBlocks * kSdioBlock);
      expect_works(card);
      EXPECT_FALSE(card.sim.was_too_fast);
    }
}

TEST(Stm32Sd, MovesOneBlockAndMany) {
  for (const std::uint32_t count : {1u, 2u, 64u}) {
    SdioCard card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    // The last ones: a card that sends several complains of the one behind them.
    std::vector<std::uint8_t> read(count * kSdioBlock);
    ASSERT_EQ(card.read(kSdioBlocks - count, read), POET_PORT_OK);
    EXPECT_EQ(read, card.blocks(kSdioBlocks - count, count));
    const std::vector<std::uint8_t> wanted = sdio_pattern(count);
    const std::vector<std::uint8_t> before = card.blocks(0, 5);
    ASSERT_EQ(card.write(5, wanted), POET_PORT_OK);
    EXPECT_EQ(card.blocks(5, count), wanted);
    EXPECT_EQ(card.blocks(0, 5), before);
    EXPECT_EQ(card.driver.divisor, 2u);
  }
}

TEST(Stm32Sd, SaysThatThereIsNoCard) {
  SdioCard card;
  card.sim.card.is_absent = true;
  EXPECT_EQ(card.open(), POET_PORT_NO_CARD);
  std::vector<std::uint8_t> read(kSdioBlock);
  EXPECT_EQ(card.read(0, read), POET_PORT_NO_CARD);
  EXPECT_EQ(card.storage.capacity(card.storage.user), 0u);
  card.sim.card.begin_again();
  ASSERT_EQ(card.open(), POET_PORT_OK);
  expect_works(card);
}

TEST(Stm32Sd, RefusesCardsOfAnotherKind) {
  SdioCard low;
  low.sim.card.other_voltage = true;
  EXPECT_EQ(low.open(), POET_PORT_UNUSABLE);
  SdioCard slow;
  slow.sim.card.never_ready = true;
  EXPECT_EQ(slow.open(), POET_PORT_TIMEOUT);
}

TEST(Stm32Sd, SaysThatTheControllerDoesNothing) {
  SdioCard card;
  card.sim.is_dead = true;
  EXPECT_EQ(card.open(), POET_PORT_BUS);
  card.sim.is_dead = false;
  EXPECT_EQ(card.open(), POET_PORT_OK);
}

TEST(Stm32Sd, AsksForNothingBehindTheEnd) {
  SdioCard card;
  ASSERT_EQ(card.open(), POET_PORT_OK);
  const int commands = card.sim.commands;
  std::vector<std::uint8_t> read(2 * kSdioBlock);
  EXPECT_EQ(card.read(kSdioBlocks - 1, read), POET_PORT_OUT_OF_RANGE);
  EXPECT_EQ(card.write(0xFFFFFFFFu, read), POET_PORT_OUT_OF_RANGE);
  EXPECT_EQ(card.sim.commands, commands);
}

// What a wire does to a command, and to which.
struct Spoilt {
  std::string title;
  std::array<int, 64> SimulatedSdio::*of;
};

std::vector<Spoilt> all_spoilt() {
  return {{"spoilt answer", &SimulatedSdio::spoilt_answers},
          {"lost answer", &SimulatedSdio::lost_answers},
          {"lost command", &SimulatedSdio::lost_commands}};
}

struct SdioUse {
  std::string title;
  std::uint32_t blocks;
  bool writes;
  std::vector<std::uint32_t> commands;
};

const std::vector<SdioUse> kUses = {{"read of one", 1, false, {17, 13}},
                                    {"read of several", 4, false, {18, 12, 13}},
                                    {"write of one", 1, true, {24, 13}},
                                    {"write of several", 4, true, {25, 12, 13}}};

void expect_moves(SdioCard& card, const SdioUse& use) {
  const std::vector<std::uint8_t> wanted = sdio_pattern(use.blocks, 9);
  std::vector<std::uint8_t> read(use.blocks * kSdioBlock);
  ASSERT_EQ(use.writes ? card.write(8, wanted) : card.read(8, read), POET_PORT_OK);
  EXPECT_EQ(card.blocks(8, use.blocks), use.writes ? wanted : read);
}

// One of each: what a wire did once is not seen from outside.
TEST(Stm32Sd, SendsAgainWhatAWireSpoiltOnce) {
  for (const Spoilt& spoilt : all_spoilt())
    for (const SdioUse& use : kUses)
      for (const std::uint32_t command : use.commands) {
        SCOPED_TRACE(spoilt.title + " of CMD" + std::to_string(command) + ", " + use.title);
        SdioCard card;
        ASSERT_EQ(card.open(), POET_PORT_OK);
        (card.sim.*spoilt.of)[command] = 1;
        const std::int64_t begin = card.sim.card.now;
        expect_moves(card, use);
        // No timeout was waited for, and for a question nothing is written again.
        EXPECT_LT(card.sim.card.now - begin, 48'000'000 / 100);
        EXPECT_TRUE(command != 13 || card.sim.card.blocks_taken == (use.writes ? use.blocks : 0u));
        EXPECT_EQ((card.sim.*spoilt.of)[command], 0);
        EXPECT_EQ(card.driver.divisor, 2u);
        expect_works(card);
      }
}

// A wire that is loose for a while is told of, and forgotten.
TEST(Stm32Sd, TellsOfAWireThatSpoilsAllAndWorksAfterwards) {
  for (const Spoilt& spoilt : all_spoilt())
    for (const SdioUse& use : kUses)
      for (const std::uint32_t command : use.commands) {
        SCOPED_TRACE(spoilt.title + " of CMD" + std::to_string(command) + ", " + use.title);
        SdioCard card;
        ASSERT_EQ(card.open(), POET_PORT_OK);
        std::vector<std::uint8_t> read(use.blocks * kSdioBlock);
        (card.sim.*spoilt.of)[command] = -1;
        const poet_port_status status = use.writes ? card.write(8, read) : card.read(8, read);
        EXPECT_TRUE(status == POET_PORT_BAD_CHECKSUM || status == POET_PORT_NO_CARD) << status;
        (card.sim.*spoilt.of)[command] = 0;
        card.sim.card.now += 10'000;  // what it was busy with when it was last asked
        expect_works(card);
      }
}

// Of what a card is asked at first. None may leave it so that it cannot be asked again.
TEST(Stm32Sd, OpensAfterAnAnswerThatAWireSpoilt) {
  for (const Spoilt& spoilt : all_spoilt())
    for (const bool high_capacity : {true, false})
      for (const std::uint32_t command : {0, 8, 55, 41, 2, 3, 9, 7, 13, 42, 6, 16}) {
        SCOPED_TRACE(spoilt.title + " of CMD" + std::to_string(command));
        SdioCard card;
        card.sim.card.is_high_capacity = high_capacity;
        (card.sim.*spoilt.of)[command] = 1;
        poet_port_status status = card.open();
        const bool is_asked_again =
            spoilt.title == "spoilt answer" && (command == 8 || command == 55 || command == 13);
        EXPECT_TRUE(status == POET_PORT_OK || !is_asked_again) << status;
        if (status != POET_PORT_OK) {
          EXPECT_EQ(card.driver.blocks.count, 0u);
          status = card.open();
        }
        ASSERT_EQ(status, POET_PORT_OK);
        EXPECT_EQ(card.driver.blocks.count, kSdioBlocks);
        expect_works(card);
      }
}

// The one answer without a checksum says what addresses mean: so does what the card says of itself.
TEST(Stm32Sd, TakesNoAddressesForThoseOfAnotherKind) {
  for (const bool high_capacity : {true, false}) {
    SdioCard card;
    card.sim.card.is_high_capacity = high_capacity;
    card.sim.spoilt_bits = 1u << 30;
    card.sim.spoilt_answers[41] = -1;
    EXPECT_EQ(card.open(), POET_PORT_BAD_CHECKSUM);
    card.sim.spoilt_answers[41] = 0;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    expect_works(card);
  }
}

TEST(Stm32Sd, RepeatsDataThatAWireSpoilt) {
  for (const SdioUse& use : kUses) {
    SCOPED_TRACE(use.title);
    SdioCard card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    card.sim.spoilt_reads = card.sim.card.spoilt_writes = 2;
    expect_moves(card, use);
    card.sim.spoilt_reads = card.sim.card.spoilt_writes = -1;
    std::vector<std::uint8_t> read(use.blocks * kSdioBlock);
    EXPECT_EQ(use.writes ? card.write(8, read) : card.read(8, read), POET_PORT_BAD_CHECKSUM);
    card.sim.spoilt_reads = card.sim.card.spoilt_writes = 0;
    expect_works(card);
  }
}

TEST(Stm32Sd, WaitsForACardThatIsBusyAndNotForEver) {
  for (const std::uint32_t count : {1u, 3u}) {
    SdioCard card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    card.sim.card.busy_cycles = 48'000'000 / 4;  // 250 ms
    EXPECT_EQ(card.write(1, sdio_pattern(count)), POET_PORT_OK);
    EXPECT_EQ(card.blocks(1, count), sdio_pattern(count));
    card.sim.card.busy_cycles = 48'000'000;
    EXPECT_EQ(card.write(1, sdio_pattern(count)), POET_PORT_TIMEOUT);
    card.sim.card.busy_cycles = 3000;
    card.sim.card.now += 96'000'000;
    expect_works(card);
    card.sim.card.busy_cycles = -1;
    EXPECT_EQ(card.write(1, sdio_pattern(count)), POET_PORT_TIMEOUT);
    card.sim.card.busy_cycles = 3000;
    EXPECT_EQ(card.open(), POET_PORT_OK);
    expect_works(card);
  }
}

// The card takes the data, and says only in the answer to a command that they were not written.
TEST(Stm32Sd, TellsThatAWriteFailedLater) {
  for (const std::uint32_t count : {1u, 4u}) {
    SdioCard card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    card.sim.card.hidden_failures = 1;
    EXPECT_EQ(card.write(3, sdio_pattern(count)), POET_PORT_REFUSED) << count;
    expect_works(card);
  }
}

TEST(Stm32Sd, TellsThatAReadWasRefused) {
  for (const std::uint32_t count : {1u, 4u}) {
    SdioCard card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    std::vector<std::uint8_t> read(count * kSdioBlock);
    card.sim.card.refused_reads = 1;
    const std::int64_t begin = card.sim.card.now;
    EXPECT_EQ(card.read(3, read), POET_PORT_TIMEOUT);
    EXPECT_LT(card.sim.card.now - begin, 48'000'000);
    expect_works(card);
  }
}

// Something else has the processor for longer than the controller has room for words.
TEST(Stm32Sd, HalvesTheClockOfAProcessorThatIsTooSlow) {
  for (const SdioUse& use : kUses) {
    SCOPED_TRACE(use.title);
    SdioCard card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    card.sim.pause_cycles = 800;
    expect_moves(card, use);
    EXPECT_EQ(card.driver.divisor, 4u);
    EXPECT_EQ(card.sim.divisor(), 4u);
    card.sim.pause_cycles = 1'000'000;
    std::vector<std::uint8_t> read(use.blocks * kSdioBlock);
    EXPECT_EQ(use.writes ? card.write(8, read) : card.read(8, read), POET_PORT_BUS);
    card.sim.pause_cycles = 0;
    expect_works(card);
  }
}

// What was reported as written is there, whole, and nothing behind a block that is not.
TEST(Stm32Sd, NeverSaysOfATornWriteThatItIsDone) {
  int cuts = 0;
  for (std::int64_t cycles = 1; cycles < 20'000; cycles += 797) {
    SCOPED_TRACE(cycles);
    SdioCard card;
    ASSERT_EQ(card.open(), POET_PORT_OK);
    const std::vector<std::uint8_t> before = card.blocks(8, 4);
    const std::vector<std::uint8_t> wanted = sdio_pattern(3);
    card.sim.cycles_until_off = cycles;
    const poet_port_status status = card.write(8, wanted);
    cuts += status != POET_PORT_OK;
    const std::vector<std::uint8_t> after = card.blocks(8, 4);
    EXPECT_TRUE(status != POET_PORT_OK || card.blocks(8, 3) == wanted);
    const auto done = std::mismatch(wanted.begin(), wanted.end(), after.begin()).first;
    const auto torn = static_cast<std::uint32_t>(done - wanted.begin()) / kSdioBlock;
    for (std::size_t i = (torn + 1) * kSdioBlock; i < after.size(); ++i)
      ASSERT_EQ(after[i], before[i]);
    card.sim.cycles_until_off = 0;
    card.sim.card.begin_again();
    ASSERT_EQ(card.open(), POET_PORT_OK);
    expect_works(card);
  }
  EXPECT_GT(cuts, 10);
}

// The power is back before anything was noticed: the card has forgotten its address.
TEST(Stm32Sd, TellsOfACardThatBeganAgain) {
  SdioCard card;
  ASSERT_EQ(card.open(), POET_PORT_OK);
  card.sim.card.begin_again();
  EXPECT_EQ(card.write(8, sdio_pattern(2)), POET_PORT_NO_CARD);
  ASSERT_EQ(card.open(), POET_PORT_OK);
  expect_works(card);
}

}  // namespace
}  // namespace poet

extern "C" std::uint32_t poet_read_register(std::uint32_t address) {
  return poet::simulated_registers.read(address);
}
extern "C" void poet_write_register(std::uint32_t address, std::uint32_t value) {
  poet::simulated_registers.write(address, value);
}
extern "C" std::uint32_t poet_bus_address(const void* memory) {
  return poet::simulated_registers.bus_address(memory);
}
