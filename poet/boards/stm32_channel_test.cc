#include "poet/boards/ports/stm32_channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "poet/boards/ports/stm32_sd.h"
#include "poet/runtime/transfers.h"
#include "tests/support/simulated_dma.h"
#include "tests/support/simulated_registers.h"
#include "tests/support/simulated_sdio.h"

namespace poet {
namespace {

constexpr std::uint32_t kCardBlocks = 1024;
constexpr std::uint32_t kBlockBytes = SimulatedSdioCard::kBlock;
constexpr std::uint32_t kCacheControl = 0xE000ED14;  // SCB CCR
constexpr std::uint32_t kCoreMemory = 0x10000000;    // of the STM32F4, which DMA does not reach

alignas(16) std::array<std::uint8_t, 640 * kBlockBytes> main_memory;
alignas(16) std::array<std::uint8_t, 4 * kBlockBytes> core_memory;

class ChannelCard;
ChannelCard* on_the_chip = nullptr;

// An STM32 with a card, on which a step would issue transfers.
class ChannelCard {
 public:
  SimulatedSdio sim;
  SimulatedDma dma{sim};
  poet_sdio_card driver = {};
  bool has_cache = false;
  int looks = 0;  // at registers
  int ended = 0, failed = 0;

  ChannelCard() {
    sim.card.memory.resize(kCardBlocks * kBlockBytes);
    for (std::size_t i = 0; i < sim.card.memory.size(); ++i)
      sim.card.memory[i] = static_cast<std::uint8_t>(i * 7 + i / kBlockBytes);
    main_memory.fill(0xEE);
    core_memory.fill(0xEE);
    dma.memory = main_memory;
    sim.serve = [this] { dma.serve(); };
    simulated_registers = {
        .read = [this](std::uint32_t address) { return read_register(address); },
        .write = [this](std::uint32_t address,
                        std::uint32_t value) { write_register(address, value); },
        .bus_address = [this](const void* memory) { return bus_address(memory); }};
    on_the_chip = this;
    EXPECT_EQ(open(), POET_PORT_OK);
    transfers_.storage = &storage_;
    transfers_.queue = queue_.data();
    transfers_.size = static_cast<std::uint32_t>(queue_.size());
    transfers_.channel = poet_port_channel([](std::int32_t how) { on_the_chip->take_end(how); });
  }
  ~ChannelCard() {
    drain();
    on_the_chip = nullptr;
    simulated_registers = {};
    for (const std::string& complaint : dma.complaints) ADD_FAILURE() << complaint;
  }
  ChannelCard(const ChannelCard&) = delete;
  ChannelCard& operator=(const ChannelCard&) = delete;

  poet_port_status open() {
    return poet_sdio_storage(&driver, SimulatedSdio::kBase, 48'000'000, &storage_);
  }
  poet_status issue(const poet_transfer& transfer) {
    return poet_transfers_issue(&transfers_, &transfer);
  }
  poet_status wait(std::uint32_t left = 0) { return poet_transfers_wait(&transfers_, left); }
  void look() { poet_transfers_look(&transfers_); }
  void drain() { poet_transfers_drain(&transfers_); }
  poet_status move(const poet_transfer& transfer) {
    const poet_status status = issue(transfer);
    return status == POET_OK ? wait() : status;
  }
  std::vector<std::uint8_t> on_card(std::uint32_t offset, std::uint32_t bytes) const {
    const auto begin = sim.card.memory.begin() + offset;
    return {begin, begin + bytes};
  }

 private:
  bool is_dma(std::uint32_t address) const {
    return address == SimulatedDma::kClocks ||
           (address >= SimulatedDma::kBase && address < SimulatedDma::kEnd);
  }
  std::uint32_t read_register(std::uint32_t address) {
    looks += 1;
    if (address == kCacheControl) return has_cache ? 1u << 16 : 0;
    if (!is_dma(address)) return sim.read(address);
    sim.compute(4);
    return dma.read(address);
  }
  void write_register(std::uint32_t address, std::uint32_t value) {
    looks += 1;
    if (!is_dma(address)) return sim.write(address, value);
    sim.compute(4);
    dma.write(address, value);
  }
  std::uint32_t bus_address(const void* memory) const {
    const auto* const byte = static_cast<const std::uint8_t*>(memory);
    if (byte >= core_memory.data() && byte <= core_memory.data() + core_memory.size())
      return kCoreMemory + static_cast<std::uint32_t>(byte - core_memory.data());
    return dma.memory_begins + static_cast<std::uint32_t>(byte - main_memory.data());
  }
  void take_end(std::int32_t how) {
    EXPECT_FALSE(dma.runs() && (dma.stop_cycles >= 0 || sim.words_asked() > 0))
        << "memory is not the processor's yet";
    EXPECT_FALSE(dma.has_words() && dma.stop_cycles >= 0) << "words are on their way to memory";
    ended += 1;
    failed += how != 0;
    poet_transfers_ended(&transfers_, how);
  }

  poet_storage storage_ = {};
  std::array<poet_transfer, 4> queue_ = {};
  poet_transfers transfers_ = {};
};

void fill_memory(int seed) {
  for (std::size_t i = 0; i < main_memory.size(); ++i)
    main_memory[i] = static_cast<std::uint8_t>(i * 13 + i / 300 + static_cast<std::size_t>(seed));
  std::copy_n(main_memory.begin(), core_memory.size(), core_memory.begin());
}

std::vector<std::uint8_t> in_memory(const std::uint8_t* from, std::uint32_t bytes) {
  return {from, from + bytes};
}

poet_transfer reading(std::uint8_t* into, std::uint32_t offset, std::uint32_t bytes) {
  return {into, offset, bytes, 0};
}

poet_transfer writing(std::uint8_t* from, std::uint32_t offset, std::uint32_t bytes) {
  return {from, offset, bytes, 1};
}

// Both ways, at one place; `streams`: how many runs each took by DMA.
void expect_moves_both_ways(ChannelCard& card, std::uint8_t* memory, std::uint32_t offset,
                            std::uint32_t bytes, int streams) {
  const int before = card.dma.streams;
  const int failed = card.failed;
  fill_memory(static_cast<int>(bytes));
  const std::vector<std::uint8_t> wanted = in_memory(memory, bytes);
  const std::vector<std::uint8_t> behind = card.on_card(offset + bytes, kBlockBytes);
  ASSERT_EQ(card.move(writing(memory, offset, bytes)), POET_OK);
  EXPECT_EQ(card.on_card(offset, bytes), wanted);
  EXPECT_EQ(card.on_card(offset + bytes, kBlockBytes), behind);
  std::fill_n(memory, bytes, std::uint8_t{0});
  const std::uint8_t next = memory[bytes];
  ASSERT_EQ(card.move(reading(memory, offset, bytes)), POET_OK);
  EXPECT_EQ(in_memory(memory, bytes), wanted);
  EXPECT_EQ(memory[bytes], next);
  EXPECT_EQ(card.dma.streams - before, 2 * streams);
  EXPECT_EQ(card.failed, failed);
  EXPECT_EQ(card.driver.blocks.problem, POET_PORT_OK);
}

TEST(Stm32Channel, MovesBlocksAndWhatIsLessThanOne) {
  for (const std::uint32_t bytes : {512u, 1024u, 64u * 512u, 513u, 1500u, 3 * 512u + 508u, 100u}) {
    SCOPED_TRACE(bytes);
    ChannelCard card;
    expect_moves_both_ways(card, &main_memory[64], 5 * kBlockBytes, bytes, bytes < 512 ? 0 : 1);
    EXPECT_EQ(card.dma.words, 2 * (bytes / 512) * 128);
    EXPECT_EQ(card.ended, 2);
  }
}

// The stream counts words, and not so many.
TEST(Stm32Channel, MovesMoreThanAStreamCountsInRuns) {
  ChannelCard card;
  expect_moves_both_ways(card, main_memory.data(), 8 * kBlockBytes, 600 * kBlockBytes + 20, 2);
}

// Of one block, behind the first run: what a card says late may be of what came before.
TEST(Stm32Channel, DoesAllAgainWhenALaterRunFails) {
  ChannelCard card;
  fill_memory(8);
  card.sim.lost_commands[24] = 1;
  ASSERT_EQ(card.move(writing(main_memory.data(), 0, 512 * kBlockBytes)), POET_OK);
  EXPECT_EQ(card.on_card(0, 512 * kBlockBytes), in_memory(main_memory.data(), 512 * kBlockBytes));
  EXPECT_EQ(card.dma.streams, 2);
  EXPECT_EQ(card.sim.card.blocks_taken, 511u + 512u);
}

TEST(Stm32Channel, MovesTheLastBlockOfTheCardAndNothingBehindIt) {
  ChannelCard card;
  const std::uint32_t last = (kCardBlocks - 2) * kBlockBytes;
  ASSERT_EQ(card.move(reading(main_memory.data(), last, 2 * kBlockBytes)), POET_OK);
  EXPECT_EQ(in_memory(main_memory.data(), 2 * kBlockBytes), card.on_card(last, 2 * kBlockBytes));
  EXPECT_EQ(card.move(reading(main_memory.data(), last, 3 * kBlockBytes)), POET_READ_FAILED);
  EXPECT_EQ(card.driver.blocks.problem, POET_PORT_OUT_OF_RANGE);
}

TEST(Stm32Channel, LeavesToTheProcessorWhatDmaCannotMove) {
  const std::uint32_t bytes = 2 * kBlockBytes + 8;
  ChannelCard card;
  expect_moves_both_ways(card, &main_memory[2], 5 * kBlockBytes, bytes, 0);
  expect_moves_both_ways(card, main_memory.data(), 5 * kBlockBytes + 4, bytes, 0);
  expect_moves_both_ways(card, core_memory.data(), 5 * kBlockBytes, bytes, 0);
  card.has_cache = true;
  expect_moves_both_ways(card, main_memory.data(), 5 * kBlockBytes, bytes, 0);
  card.has_cache = false;
  expect_moves_both_ways(card, main_memory.data(), 5 * kBlockBytes, bytes, 1);
}

TEST(Stm32Channel, MovesWhileNobodyLooks) {
  for (const bool writes : {false, true}) {
    SCOPED_TRACE(writes);
    ChannelCard card;
    fill_memory(3);
    const std::uint32_t bytes = 8 * kBlockBytes;
    const std::vector<std::uint8_t> read = card.on_card(0, bytes);
    const std::vector<std::uint8_t> written = in_memory(main_memory.data(), bytes);
    card.looks = 0;
    ASSERT_EQ(card.issue({main_memory.data(), 0, bytes, writes ? 1u : 0u}), POET_OK);
    EXPECT_LT(card.looks, 60);
    card.sim.compute(10'000);
    EXPECT_GT(card.dma.words, 200);
    EXPECT_EQ(card.ended, 0);
    card.sim.compute(100'000);
    EXPECT_EQ(card.dma.words, 8 * 128);
    EXPECT_EQ(card.ended, 0);
    card.looks = 0;
    card.look();  // that all has moved
    card.sim.compute(10'000);
    card.look();  // that the card is no longer busy
    EXPECT_EQ(card.ended, 1);
    EXPECT_LT(card.looks, 60);
    EXPECT_EQ(writes ? card.on_card(0, bytes) : in_memory(main_memory.data(), bytes),
              writes ? written : read);
    EXPECT_EQ(card.wait(), POET_OK);
  }
}

TEST(Stm32Channel, MovesSeveralInTheirOrder) {
  ChannelCard card;
  fill_memory(1);
  const std::uint32_t bytes = 3 * kBlockBytes + 40;
  const std::vector<std::uint8_t> first = in_memory(main_memory.data(), bytes);
  std::uint8_t* const other = &main_memory[8 * kBlockBytes];
  std::uint8_t* const odd = &main_memory[20 * kBlockBytes + 1];
  // Each needs the one before; one of them DMA cannot move, and there are more than wait at once.
  ASSERT_EQ(card.issue(writing(main_memory.data(), 4096, bytes)), POET_OK);
  ASSERT_EQ(card.issue(reading(other, 4096, bytes)), POET_OK);
  ASSERT_EQ(card.issue(writing(other, 16384, bytes)), POET_OK);
  ASSERT_EQ(card.issue(reading(odd, 16384, bytes)), POET_OK);
  ASSERT_EQ(card.issue(writing(odd, 32768, bytes)), POET_OK);
  ASSERT_EQ(card.issue(reading(other, 0, kBlockBytes)), POET_OK);
  ASSERT_EQ(card.wait(1), POET_OK);
  EXPECT_GE(card.ended, 5);
  EXPECT_EQ(card.on_card(32768, bytes), first);
  ASSERT_EQ(card.wait(), POET_OK);
  EXPECT_EQ(card.ended, 6);
  EXPECT_EQ(in_memory(other, kBlockBytes), card.on_card(0, kBlockBytes));
}

TEST(Stm32Channel, GivesUpWhatHasNotBegun) {
  ChannelCard card;
  ASSERT_EQ(card.issue(reading(main_memory.data(), 0, 4 * kBlockBytes)), POET_OK);
  ASSERT_EQ(card.issue(reading(&main_memory[4096], 0, 4 * kBlockBytes)), POET_OK);
  card.drain();
  EXPECT_EQ(card.ended, 1);
  EXPECT_EQ(main_memory[4096], 0xEE);
  expect_moves_both_ways(card, main_memory.data(), 0, 2 * kBlockBytes, 1);
}

// What a test does to a card, and what comes of it: by the processor, or not at all.
struct Trouble {
  std::string title;
  std::function<void(ChannelCard&, int times)> make;
  bool of_writes = true, of_reads = true;
  poet_port_status problem = POET_PORT_BAD_CHECKSUM;
};

std::vector<Trouble> troubles() {
  std::vector<Trouble> list = {
      {"spoilt blocks, read", [](ChannelCard& card, int times) { card.sim.spoilt_reads = times; },
       false, true},
      {"spoilt blocks, written",
       [](ChannelCard& card, int times) { card.sim.card.spoilt_writes = times; }, true, false},
      {"refused reads", [](ChannelCard& card, int times) { card.sim.card.refused_reads = times; },
       false, true, POET_PORT_TIMEOUT},
      {"hidden failures",
       [](ChannelCard& card, int times) { card.sim.card.hidden_failures = times; }, true, false,
       POET_PORT_REFUSED},
      {"absent card", [](ChannelCard& card, int times) { card.sim.card.is_absent = times < 0; },
       true, true, POET_PORT_NO_CARD}};
  for (const std::uint32_t command : {12u, 13u, 17u, 18u, 24u, 25u}) {
    const bool writes = command != 17 && command != 18, reads = command < 24;
    list.push_back(
        {"spoilt answer of CMD" + std::to_string(command),
         [command](ChannelCard& card, int times) { card.sim.spoilt_answers[command] = times; },
         writes, reads});
    list.push_back(
        {"lost command CMD" + std::to_string(command),
         [command](ChannelCard& card, int times) { card.sim.lost_commands[command] = times; },
         writes, reads, command == 12 ? POET_PORT_TIMEOUT : POET_PORT_NO_CARD});
  }
  return list;
}

// Every case of a trouble: both ways, with one block and several.
template <typename Case>
void for_each_trouble(const Case& one) {
  for (const Trouble& trouble : troubles())
    for (const bool writes : {false, true})
      for (const std::uint32_t count : {1u, 4u}) {
        if (writes ? !trouble.of_writes : !trouble.of_reads) continue;
        const std::string what = (writes ? "write" : "read") + (" of " + std::to_string(count));
        SCOPED_TRACE(trouble.title + ", " + what);
        one(trouble, poet_transfer{&main_memory[32], 8 * kBlockBytes, count * kBlockBytes + 12,
                                   writes ? 1u : 0u});
      }
}

TEST(Stm32Channel, DoesAgainWithTheProcessorWhatFailedOnce) {
  for_each_trouble([](const Trouble& trouble, const poet_transfer& transfer) {
    ChannelCard card;
    fill_memory(9);
    trouble.make(card, 1);
    const std::int64_t begin = card.sim.card.now;
    ASSERT_EQ(card.move(transfer), POET_OK);
    EXPECT_EQ(card.on_card(transfer.offset, transfer.bytes),
              in_memory(&main_memory[32], transfer.bytes));
    EXPECT_EQ(card.driver.blocks.problem, POET_PORT_OK);
    EXPECT_LT(card.sim.card.now - begin, 48'000'000);
    expect_moves_both_ways(card, main_memory.data(), 0, 3 * kBlockBytes, 1);
  });
}

TEST(Stm32Channel, TellsWhatTheProcessorFailedOf) {
  for_each_trouble([](const Trouble& trouble, const poet_transfer& transfer) {
    const bool is_of_others =
        transfer.bytes < 2 * kBlockBytes
            ? trouble.title.ends_with("CMD18") || trouble.title.ends_with("CMD25") ||
                  trouble.title.ends_with("CMD12")
            : trouble.title.ends_with("CMD17") || trouble.title.ends_with("CMD24");
    if (is_of_others) return;
    ChannelCard card;
    trouble.make(card, -1);
    EXPECT_EQ(card.move(transfer), transfer.to_storage != 0 ? POET_WRITE_FAILED : POET_READ_FAILED);
    // A card whose answers are lost is one that may be busy yet, and not answer at all.
    const poet_port_status problem = card.driver.blocks.problem;
    EXPECT_TRUE(problem == trouble.problem ||
                (trouble.title.ends_with("CMD13") && problem == POET_PORT_NO_CARD))
        << problem;
    EXPECT_EQ(card.failed, 1);
    EXPECT_FALSE(card.dma.runs());
    trouble.make(card, 0);
    card.sim.card.now += 10'000;  // what it was busy with
    card.drain();
    expect_moves_both_ways(card, main_memory.data(), 0, 3 * kBlockBytes, 1);
  });
}

TEST(Stm32Channel, WaitsForACardThatIsBusyWithoutHoldingUpTheProcessor) {
  for (const std::uint32_t count : {1u, 3u}) {
    ChannelCard card;
    fill_memory(2);
    card.sim.card.busy_cycles = 48'000'000 / 4;  // 250 ms
    ASSERT_EQ(card.issue(writing(main_memory.data(), 0, count * kBlockBytes)), POET_OK);
    const std::int64_t begin = card.sim.card.now;
    for (; card.ended == 0; card.sim.compute(5000)) {
      card.looks = 0;
      card.look();
      ASSERT_LT(card.looks, 80);
    }
    EXPECT_GT(card.sim.card.now - begin, 48'000'000 / 4);
    EXPECT_EQ(card.on_card(0, count * kBlockBytes),
              in_memory(main_memory.data(), count * kBlockBytes));
    EXPECT_EQ(card.dma.streams, 1);
    EXPECT_EQ(card.wait(), POET_OK);
    card.sim.card.busy_cycles = -1;
    EXPECT_EQ(card.move(writing(main_memory.data(), 0, count * kBlockBytes)), POET_WRITE_FAILED);
    EXPECT_EQ(card.driver.blocks.problem, POET_PORT_TIMEOUT);
  }
}

// Words are in memory later than the host has them, the last ones after it says that all have come.
TEST(Stm32Channel, WaitsUntilTheLastWordsAreInMemory) {
  for (const std::int64_t cycles : {4, 40, 63, 64}) {
    SCOPED_TRACE(cycles);
    ChannelCard card;
    card.dma.burst_cycles = cycles;
    expect_moves_both_ways(card, main_memory.data(), 0, 4 * kBlockBytes, 1);
  }
  ChannelCard slow;  // more than the host has room for
  slow.dma.burst_cycles = 100;
  const std::uint32_t bytes = 4 * kBlockBytes;
  ASSERT_EQ(slow.move(reading(main_memory.data(), 0, bytes)), POET_OK);
  EXPECT_EQ(in_memory(main_memory.data(), bytes), slow.on_card(0, bytes));
}

// An interrupt between the answer and the moment when that is seen: all data may have come by then.
TEST(Stm32Channel, MissesNothingThatComesBeforeTheAnswerIsSeen) {
  for (const std::uint32_t count : {1u, 4u}) {
    ChannelCard card;
    card.sim.late_cycles = 20'000;
    ASSERT_EQ(card.move(reading(main_memory.data(), 0, count * kBlockBytes)), POET_OK);
    EXPECT_EQ(in_memory(main_memory.data(), count * kBlockBytes),
              card.on_card(0, count * kBlockBytes));
    EXPECT_EQ(card.dma.words, count * 128);
    EXPECT_LT(card.sim.card.now, 48'000'000);
  }
}

TEST(Stm32Channel, DoesAgainWhatTheBusOfDmaFailedAt) {
  for (const bool writes : {false, true}) {
    ChannelCard card;
    fill_memory(4);
    card.dma.bursts_until_error = 70;
    const std::uint32_t bytes = 4 * kBlockBytes;
    ASSERT_EQ(card.move({main_memory.data(), 0, bytes, writes ? 1u : 0u}), POET_OK);
    EXPECT_EQ(card.on_card(0, bytes), in_memory(main_memory.data(), bytes));
    expect_moves_both_ways(card, main_memory.data(), 0, bytes, 1);
  }
}

// Words that the host still has are not in memory, whatever else says that all is done.
TEST(Stm32Channel, TakesNoStreamForDoneThatStoppedBeforeTheLastWords) {
  ChannelCard card;
  card.dma.bursts_until_end = 124;
  const std::uint32_t bytes = 4 * kBlockBytes;
  ASSERT_EQ(card.move(reading(main_memory.data(), 0, bytes)), POET_OK);
  EXPECT_EQ(in_memory(main_memory.data(), bytes), card.on_card(0, bytes));
}

// A stream that goes on after it was stopped, until the host asks for no more.
TEST(Stm32Channel, GivesNoMemoryBackThatAStreamStillHas) {
  ChannelCard card;
  card.dma.stop_cycles = -1;
  card.sim.spoilt_reads = 1;
  EXPECT_EQ(card.move(reading(main_memory.data(), 0, 4 * kBlockBytes)), POET_READ_FAILED);
  EXPECT_EQ(card.driver.blocks.problem, POET_PORT_BUS);
  // As long as it does not stop, the processor moves all.
  card.drain();
  expect_moves_both_ways(card, &main_memory[8192], 0, 2 * kBlockBytes, 0);
  EXPECT_EQ(card.dma.streams, 1);
}

// For good, and only until it is told to stop.
TEST(Stm32Channel, WaitsNotForEverForAControllerThatStandsStill) {
  for (const bool for_good : {false, true}) {
    SCOPED_TRACE(for_good);
    ChannelCard card;
    const std::uint32_t bytes = 4 * kBlockBytes;
    ASSERT_EQ(card.issue(reading(main_memory.data(), 0, bytes)), POET_OK);
    card.sim.compute(5000);
    card.sim.is_dead = true;
    card.sim.serve = [&card, for_good, commands = card.sim.commands] {
      if (!for_good && card.sim.commands > commands) card.sim.is_dead = false;
      card.dma.serve();
    };
    EXPECT_EQ(card.wait(), for_good ? POET_READ_FAILED : POET_OK);
    EXPECT_EQ(card.driver.blocks.problem, for_good ? POET_PORT_BUS : POET_PORT_OK);
    EXPECT_EQ(in_memory(main_memory.data(), bytes) == card.on_card(0, bytes), !for_good);
    EXPECT_FALSE(card.dma.runs());
  }
}

// What was reported as written is there, whole, and nothing behind a block that is not.
TEST(Stm32Channel, NeverSaysOfATornWriteThatItIsDone) {
  int cuts = 0;
  for (std::int64_t cycles = 1; cycles < 20'000; cycles += 797) {
    SCOPED_TRACE(cycles);
    ChannelCard card;
    fill_memory(6);
    const std::uint32_t bytes = 3 * kBlockBytes;
    const std::vector<std::uint8_t> before = card.on_card(8 * kBlockBytes, bytes + kBlockBytes);
    const std::vector<std::uint8_t> wanted = in_memory(main_memory.data(), bytes);
    card.sim.cycles_until_off = cycles;
    const poet_status status = card.move(writing(main_memory.data(), 8 * kBlockBytes, bytes));
    cuts += status != POET_OK;
    EXPECT_TRUE(status != POET_OK || card.on_card(8 * kBlockBytes, bytes) == wanted);
    const std::vector<std::uint8_t> after = card.on_card(8 * kBlockBytes, bytes + kBlockBytes);
    const auto done = std::mismatch(wanted.begin(), wanted.end(), after.begin()).first;
    const auto torn = static_cast<std::size_t>(done - wanted.begin()) / kBlockBytes;
    for (std::size_t i = (torn + 1) * kBlockBytes; i < after.size(); ++i)
      ASSERT_EQ(after[i], before[i]);
    card.sim.cycles_until_off = 0;
    card.sim.card.begin_again();
    card.drain();
    ASSERT_EQ(card.open(), POET_PORT_OK);
    expect_moves_both_ways(card, main_memory.data(), 0, 2 * kBlockBytes, 1);
  }
  EXPECT_GT(cuts, 10);
}

}  // namespace
}  // namespace poet

extern "C" poet_sdio_card* poet_port_card(void) {
  return &poet::on_the_chip->driver;
}
