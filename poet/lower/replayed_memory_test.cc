#include "poet/lower/replayed_memory.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

constexpr TensorId kA{1};
constexpr TensorId kB{2};

TEST(ReplayedMemory, KnowWhatWasPut) {
  ReplayedMemory held;
  held.put(16, 8, {.value = kA});
  EXPECT_FALSE(held.first_other(16, 8, kA));
  EXPECT_FALSE(held.first_other(16, 4, kA));
  EXPECT_EQ(held.first_other(16, 8, kB)->value, kA);
}

TEST(ReplayedMemory, HoldNothingWhereNobodyPutAnything) {
  ReplayedMemory held;
  EXPECT_EQ(held.first_other(0, 4, kA)->value, std::nullopt);
  held.put(16, 8, {.value = kA});
  EXPECT_EQ(held.first_other(16, 9, kA)->value, std::nullopt);
  EXPECT_EQ(held.first_other(12, 8, kA)->value, std::nullopt);
}

TEST(ReplayedMemory, TellAValueFromAPieceOfIt) {
  ReplayedMemory held;
  held.put(16, 8, {.value = kA});
  EXPECT_EQ(held.first_other(20, 4, kA)->begins_at_bytes, 16);
}

TEST(ReplayedMemory, ForgetWhatIsWrittenOver) {
  ReplayedMemory held;
  held.put(0, 32, {.value = kA});
  held.put(8, 8, {.value = kB, .since = 5});
  EXPECT_FALSE(held.first_other(0, 8, kA));
  EXPECT_FALSE(held.first_other(8, 8, kB));
  EXPECT_EQ(held.first_other(0, 32, kA)->since, 5);
  EXPECT_EQ(held.first_other(16, 16, kA)->begins_at_bytes, 0);
}

TEST(ReplayedMemory, KnowTheLastTransferThatBringsAByte) {
  ReplayedMemory held;
  held.put(0, 8, {.value = kA, .transfer = 3});
  held.put(8, 8, {.value = kB, .transfer = 1});
  EXPECT_EQ(held.last_transfer(4, 8), 3);
  EXPECT_EQ(held.last_transfer(8, 8), 1);
  EXPECT_EQ(held.last_transfer(16, 8), std::nullopt);
}

TEST(ReplayedMemory, TakeNothingForNoBytes) {
  ReplayedMemory held;
  held.put(0, 8, {.value = kA});
  held.put(4, 0, {.value = kB});
  EXPECT_FALSE(held.first_other(0, 8, kA));
  EXPECT_FALSE(held.first_other(100, 0, kA));
}

}  // namespace
}  // namespace poet
