#include "poet/lower/transfers_under_way.h"

#include <gtest/gtest.h>

namespace poet {
namespace {

using Kind = TransfersUnderWay::Kind;

BytePlace bytes(std::int64_t begin, std::int64_t end) {
  return {AddressSpace::Arena, begin, end - begin};
}

TEST(TransfersUnderWay, WaitsBeforeReadingForWhatArrivesThere) {
  TransfersUnderWay transfers;
  transfers.begin(Kind::IntoMemory, bytes(10, 20));
  EXPECT_EQ(transfers.before_reading(bytes(19, 30)), 0);
  EXPECT_EQ(transfers.before_reading(bytes(20, 30)), std::nullopt);
  EXPECT_EQ(transfers.before_reading(bytes(0, 10)), std::nullopt);
}

TEST(TransfersUnderWay, LetsSeveralReadWhatIsWrittenToStorage) {
  TransfersUnderWay transfers;
  transfers.begin(Kind::OutOfMemory, bytes(10, 20));
  EXPECT_EQ(transfers.before_reading(bytes(10, 20)), std::nullopt);
  EXPECT_EQ(transfers.before_writing(bytes(10, 20)), 0);
}

TEST(TransfersUnderWay, WaitsForTheLastOfSeveral) {
  TransfersUnderWay transfers;
  transfers.begin(Kind::IntoMemory, bytes(0, 10));
  transfers.begin(Kind::OutOfMemory, bytes(5, 15));
  transfers.begin(Kind::IntoMemory, bytes(50, 60));
  EXPECT_EQ(transfers.before_writing(bytes(8, 12)), 1);
  EXPECT_EQ(transfers.before_reading(bytes(8, 12)), 0);
}

TEST(TransfersUnderWay, DoesNotWaitTwice) {
  TransfersUnderWay transfers;
  transfers.begin(Kind::IntoMemory, bytes(0, 10));
  const std::int64_t second = transfers.begin(Kind::IntoMemory, bytes(20, 30));
  transfers.ended(second);
  EXPECT_EQ(transfers.before_reading(bytes(0, 10)), std::nullopt);
  EXPECT_EQ(transfers.before_writing(bytes(20, 30)), std::nullopt);
}

TEST(TransfersUnderWay, TakesNothingForNoBytes) {
  TransfersUnderWay transfers;
  transfers.begin(Kind::IntoMemory, bytes(0, 10));
  EXPECT_EQ(transfers.before_writing(bytes(5, 5)), std::nullopt);
}

TEST(TransfersUnderWay, TouchTheArenaAlone) {
  TransfersUnderWay transfers;
  transfers.begin(Kind::IntoMemory, bytes(0, 10));
  EXPECT_EQ(transfers.before_reading({AddressSpace::Rom, 0, 10}), std::nullopt);
}

}  // namespace
}  // namespace poet
