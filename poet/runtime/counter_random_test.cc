#include "poet/runtime/counter_random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace {

std::array<std::uint32_t, 4> philox(poet_philox_block counter, poet_philox_key key) {
  const poet_philox_block block = poet_philox_4x32(counter, key);
  return {block.word[0], block.word[1], block.word[2], block.word[3]};
}

// The known answers that the authors publish with their implementation (Random123, kat_vectors).
TEST(Philox, GivesThePublishedAnswerForZeros) {
  EXPECT_EQ(philox({{0, 0, 0, 0}}, {{0, 0}}),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Philox, GivesThePublishedAnswerForOnes) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({{kOnes, kOnes, kOnes, kOnes}}, {{kOnes, kOnes}}),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Philox, GivesThePublishedAnswerForDigitsOfPi) {
  EXPECT_EQ(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}}),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

}  // namespace
