#include "poet/emit/storage_wear.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

// Two checkpoints of 512 + 3,584 bytes at 0 and 8,192, and pages from 16,384 on.
constexpr StorageMap kMap = {.block_bytes = 512,
                             .erase_bytes = 8192,
                             .header_bytes = 512,
                             .values_bytes = 3584,
                             .slot_bytes = 8192,
                             .pages_bytes = 16384};
// 1,000 bytes once, and 512 three times, in a step: 1,024 + 1,536 in whole blocks.
const std::vector<StorageWrite> kStep = {{.offset_bytes = 16384, .size_bytes = 1000},
                                         {.offset_bytes = 20480, .size_bytes = 512, .times = 3}};
constexpr DailyUse kUse = {.steps = 1000, .save_every = 100};

TEST(StorageWear, CountsWholeBlocks) {
  const StorageWear wear = storage_wear(kStep, kMap, {}, {});
  EXPECT_EQ(wear.step_bytes, 2560);
  EXPECT_EQ(wear.checkpoint_bytes, 4096);
  EXPECT_FALSE(wear.estimate);
}

// 1,000 steps of 2,560 bytes and 10 checkpoints of 4,096 are 2,600,960 bytes a day. On
// 8,000,000,000 bytes of 1,000 cycles that are 8e12 / 2,600,960 = 3,075,787 days, or 8,421 years,
// when nothing else is erased. When each transfer erases blocks of 4,096 bytes whole: 1,000 * (1 +
// 3) in a step, and of a checkpoint header and values, which touch one block each (0 to 4,095): 10
// * 2. So 4,020 erasures of 4,096 bytes, 16,465,920 bytes a day: 485,851 days, or 1,330 years.
TEST(StorageWear, OfACardIsBetweenWhatIsWrittenAndWhatIsTouched) {
  const StorageWear wear = storage_wear(
      kStep, kMap, {.cycles = 1000, .erase_bytes = 4096, .levelled_bytes = 8'000'000'000}, kUse);
  ASSERT_TRUE(wear.estimate);
  EXPECT_DOUBLE_EQ(wear.estimate->bytes_per_day, 2'600'960);
  EXPECT_NEAR(*wear.estimate->most_years, 8421.05, 0.05);
  EXPECT_NEAR(*wear.estimate->least_years, 1330.19, 0.05);
  EXPECT_EQ(wear_text(*wear.estimate), "2,600,960 bytes a day: 1.3e+03 to 8.4e+03 years");
}

// The block at 20,480 is written 3,000 times a day: 100,000 cycles are 33.3 days, whatever the
// others do.
TEST(StorageWear, OfBareFlashIsThatOfItsBusiestBlock) {
  const StorageWear wear = storage_wear(
      kStep, kMap, {.cycles = 100'000, .erase_bytes = 4096, .levelled_bytes = 0}, kUse);
  ASSERT_TRUE(wear.estimate);
  EXPECT_NEAR(*wear.estimate->most_years, 100'000 / 3000.0 / 365.25, 1e-9);
  EXPECT_EQ(wear.estimate->most_years, wear.estimate->least_years);
  EXPECT_EQ(wear_text(*wear.estimate),
            "2,600,960 bytes a day: 0.091 years until the block that is written most is worn out");
}

// Blocks of 8,192 bytes: both of the step's lie in one.
TEST(StorageWear, OfBareFlashAddsWhatLiesInOneBlock) {
  const StorageWear wear = storage_wear(
      kStep, kMap, {.cycles = 100'000, .erase_bytes = 8192, .levelled_bytes = 0}, kUse);
  EXPECT_NEAR(*wear.estimate->most_years, 100'000 / 4000.0 / 365.25, 1e-9);
}

// Where a step writes nothing, checkpoints do: 10 a day, each place 5 times, header and values in
// one block.
TEST(StorageWear, OfCheckpointsAlone) {
  const StorageWear wear =
      storage_wear({}, kMap, {.cycles = 100'000, .erase_bytes = 4096, .levelled_bytes = 0}, kUse);
  EXPECT_NEAR(*wear.estimate->most_years, 100'000 / 10.0 / 365.25, 1e-9);
}

TEST(StorageWear, SaysWhatIsNotKnown) {
  EXPECT_EQ(wear_text(*storage_wear(kStep, kMap, {}, kUse).estimate),
            "2,600,960 bytes a day; for how many years is unknown, as the device has no "
            "storage.cycles");
  EXPECT_EQ(storage_wear(kStep, kMap, {.cycles = 1000}, kUse).estimate->unknown,
            "storage.levelled");
  EXPECT_EQ(
      storage_wear(kStep, kMap, {.cycles = 1000, .levelled_bytes = 0}, kUse).estimate->unknown,
      "storage.erase");
  const StorageWear card =
      storage_wear(kStep, kMap, {.cycles = 1000, .levelled_bytes = 8'000'000'000}, kUse);
  EXPECT_EQ(wear_text(*card.estimate),
            "2,600,960 bytes a day: 8.4e+03 years at most; the least is unknown, as the device has "
            "no storage.erase");
}

// More bytes than an integer holds: once -9,223,372,036,854,775,808 of them.
TEST(StorageWear, AnyNumberOfStepsMayBeAskedAbout) {
  const DailyUse all_that_there_are{.steps = 9.2e18, .save_every = 1};
  const std::string text = wear_text(*storage_wear(kStep, kMap, {}, all_that_there_are).estimate);
  EXPECT_TRUE(text.find("e+2") != std::string::npos && text[0] != '-') << text;
}

}  // namespace
}  // namespace poet
