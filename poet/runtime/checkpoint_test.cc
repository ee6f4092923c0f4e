#include "poet/runtime/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "poet/runtime/card_for_tests.h"
#include "poet/runtime/crc32.h"

namespace poet {
namespace {

using testing::TestCard;

// One value in RAM, of 40 bytes, and one in storage, of 100, behind both slots. Blocks of 32,
// erased by 128 at a time.
//   0 slot 0 (32 + 64 + 128), 256 slot 1, 512 the value at home
class Checkpoints : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kErase = 128;
  static constexpr std::uint32_t kSlot = 256;
  static constexpr std::uint32_t kHome = 2 * kSlot;

  Checkpoints() { begin_anew(); }

  void begin_anew() {
    card_ = {.bytes = std::vector<unsigned char>(kHome + 128)};
    storage_ = card_.callbacks();
    last_ = {};
  }

  void set_values(unsigned char to) {
    memory_.fill(to);
    std::fill_n(&card_.bytes[kHome], 100, to);
  }

  // Which value they all have; nothing when they differ.
  std::optional<unsigned char> values() const {
    const unsigned char first = memory_[0];
    const auto is_first = [first](unsigned char byte) { return byte == first; };
    const bool all = std::all_of(memory_.begin(), memory_.end(), is_first) &&
                     std::all_of(&card_.bytes[kHome], &card_.bytes[kHome] + 100, is_first);
    return all ? std::optional(first) : std::nullopt;
  }

  poet_status save(std::uint32_t step) {
    return poet_checkpoint_save(&storage_, &place_, &passage_, step, &last_);
  }

  poet_status load() { return poet_checkpoint_load(&storage_, &place_, &passage_, &last_); }

  // Two checkpoints: of step 1, all 11, and of step 2, all 22.
  void save_two() {
    begin_anew();
    for (unsigned char step = 1; step <= 2; ++step) {
      set_values(static_cast<unsigned char>(11 * step));
      ASSERT_EQ(save(step), POET_OK);
    }
  }

  TestCard card_;
  poet_storage storage_ = {};
  std::array<unsigned char, 40> memory_ = {};
  std::array<poet_kept_value, 2> kept_ = {poet_kept_value{memory_.data(), 0, 40},
                                          poet_kept_value{nullptr, kHome, 100}};
  poet_checkpoint_place place_ = {kept_.data(), 2, 32, kSlot, 7};
  std::array<unsigned char, 64> way_ = {};
  poet_passage passage_ = {way_.data(), 64};
  poet_checkpoint last_ = {};
};

TEST_F(Checkpoints, BringTheLastValuesBack) {
  save_two();
  set_values(99);
  ASSERT_EQ(load(), POET_OK);
  EXPECT_EQ(values(), 22);
  EXPECT_EQ(last_.step, 2U);
}

TEST_F(Checkpoints, AreNoneOnAnEmptyCard) {
  EXPECT_EQ(load(), POET_NO_CHECKPOINT);
  EXPECT_EQ(card_.errors, std::vector<poet_status>{POET_NO_CHECKPOINT});
}

TEST_F(Checkpoints, OfAnotherPlanAreNotLoaded) {
  save_two();
  place_.fingerprint = 8;
  EXPECT_EQ(load(), POET_NO_CHECKPOINT);
}

// The heart of it: power fails after every possible number of bytes.
TEST_F(Checkpoints, SurviveAPowerCutAtAnyByte) {
  int lost = 0;
  for (std::size_t bytes = 0; bytes < 40 + 100 + 32; ++bytes) {
    SCOPED_TRACE("power for " + std::to_string(bytes) + " bytes");
    save_two();
    set_values(33);
    card_.power_bytes = bytes;
    EXPECT_EQ(save(3), POET_WRITE_FAILED);
    EXPECT_EQ(last_.step, 2U);
    card_.power_bytes.reset();
    set_values(99);
    ASSERT_EQ(load(), POET_OK);
    ASSERT_EQ(values(), 22);
    ++lost;
    // And life goes on.
    set_values(33);
    ASSERT_EQ(save(3), POET_OK);
    set_values(99);
    ASSERT_EQ(load(), POET_OK);
    EXPECT_EQ(values(), 33);
  }
  EXPECT_EQ(lost, 172);
}

// The same on flash, where a write that is cut off takes its neighbours with it.
TEST_F(Checkpoints, SurviveAPowerCutThatDamagesAWholePage) {
  for (std::size_t bytes = 0; bytes < 40 + 100 + 32; ++bytes) {
    SCOPED_TRACE("power for " + std::to_string(bytes) + " bytes");
    save_two();
    set_values(33);
    card_.erase_bytes = kErase;
    card_.power_bytes = bytes;
    EXPECT_EQ(save(3), POET_WRITE_FAILED);
    card_.power_bytes.reset();
    set_values(99);
    ASSERT_EQ(load(), POET_OK);
    ASSERT_EQ(values(), 22);
  }
}

TEST_F(Checkpoints, SurviveAPowerCutWhileTheValueAtHomeIsWritten) {
  for (std::size_t bytes = 0; bytes < 100; ++bytes) {
    SCOPED_TRACE("power for " + std::to_string(bytes) + " bytes");
    save_two();
    card_.erase_bytes = kErase;
    card_.power_bytes = bytes;
    const std::array<unsigned char, 100> fresh = {};
    EXPECT_EQ(poet_storage_write(&storage_, kHome, fresh.data(), 100), POET_WRITE_FAILED);
    card_.power_bytes.reset();
    set_values(99);
    ASSERT_EQ(load(), POET_OK);
    ASSERT_EQ(values(), 22);
  }
}

// Whatever stands where the word of the version is, with a checksum that is right.
TEST_F(Checkpoints, OfAnotherVersionAreNotLoaded) {
  save_two();
  for (const std::uint32_t slot : {0U, 1U}) {
    std::array<std::uint32_t, POET_CHECKPOINT_WORDS> words{};
    std::memcpy(words.data(), &card_.bytes[slot * kSlot], sizeof words);
    ASSERT_EQ(words[6], POET_CHECKPOINT_VERSION);
    words[6] = 0;
    words[7] = poet_crc32(0, words.data(), 7 * sizeof words[0]);
    std::memcpy(&card_.bytes[slot * kSlot], words.data(), sizeof words);
  }
  EXPECT_EQ(load(), POET_NO_CHECKPOINT);
}

TEST_F(Checkpoints, AreThereWithTheLastByteOfTheHeader) {
  save_two();
  set_values(33);
  card_.power_bytes = 40 + 100 + 32;
  ASSERT_EQ(save(3), POET_OK);
  card_.power_bytes.reset();
  set_values(99);
  ASSERT_EQ(load(), POET_OK);
  EXPECT_EQ(values(), 33);
}

// A byte that turned: the one before is taken.
TEST_F(Checkpoints, ThatAreDamagedGiveWayToTheOneBefore) {
  for (std::size_t byte = 0; byte < kHome; ++byte) {
    save_two();
    card_.bytes[byte] ^= 0x10;
    set_values(99);
    const poet_status status = load();
    ASSERT_EQ(status, POET_OK) << byte;
    ASSERT_TRUE(values() == 11 || values() == 22) << byte;
    EXPECT_EQ(*values(), 11 * last_.step);
  }
}

TEST_F(Checkpoints, CanBeReadFromOneSlotWhenTheOtherCannotBeRead) {
  for (int read = 0; read < 6; ++read) {
    save_two();
    set_values(99);
    card_.reads = 0;
    card_.failing_read = read;
    const poet_status status = load();
    card_.failing_read.reset();
    if (status == POET_OK) {
      EXPECT_EQ(values(), 11 * last_.step) << read;
      continue;
    }
    EXPECT_EQ(status, POET_READ_FAILED) << read;
    ASSERT_EQ(load(), POET_OK);
    EXPECT_EQ(values(), 22);
  }
}

TEST_F(Checkpoints, ThatFailToBeWrittenLeaveTheLastOne) {
  for (int write = 0; write < 4; ++write) {
    save_two();
    set_values(33);
    card_.writes = 0;
    card_.failing_write = write;
    EXPECT_EQ(save(3), POET_WRITE_FAILED) << write;
    card_.failing_write.reset();
    set_values(99);
    ASSERT_EQ(load(), POET_OK);
    EXPECT_EQ(values(), 22);
  }
}

TEST_F(Checkpoints, PassThroughAnyMemory) {
  for (const std::uint32_t bytes : {1U, 7U, 32U, 33U, 64U}) {
    passage_.bytes = bytes;
    save_two();
    set_values(99);
    ASSERT_EQ(load(), POET_OK);
    EXPECT_EQ(values(), 22) << bytes;
  }
}

TEST_F(Checkpoints, CountOnBeyondTheLastNumber) {
  last_.sequence = 0xFFFFFFFEU;
  for (unsigned char step = 1; step <= 3; ++step) {
    set_values(step);
    ASSERT_EQ(save(step), POET_OK);
    set_values(99);
    ASSERT_EQ(load(), POET_OK);
    EXPECT_EQ(values(), step);
  }
  EXPECT_EQ(last_.sequence, 1U);
}

}  // namespace
}  // namespace poet
