#include "poet/runtime/storage.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "poet/runtime/card_for_tests.h"

namespace poet {
namespace {

using testing::TestCard;

// A table of 4 rows of 2 bytes at offset 10: 10 11, 12 13, 14 15, 16 17.
TestCard card_of_twenty() {
  TestCard card{.bytes = std::vector<unsigned char>(20)};
  std::iota(card.bytes.begin(), card.bytes.end(), static_cast<unsigned char>(0));
  return card;
}
constexpr poet_stored_rows kRows = {10, 2, 4, 4};

TEST(StorageRows, ArePickedAsGatherPicksThem) {
  TestCard card = card_of_twenty();
  const poet_storage storage = card.callbacks();
  const std::array<std::int64_t, 4> indices = {3, -4, 4, -5};
  std::array<unsigned char, 8> into{};
  into.fill(99);
  EXPECT_EQ(poet_storage_rows_i64(&storage, &kRows, indices.data(), into.data()), POET_OK);
  EXPECT_EQ(into, (std::array<unsigned char, 8>{16, 17, 10, 11, 0, 0, 0, 0}));
  const std::array<std::int32_t, 4> narrow = {1, 1, -1, 0};
  EXPECT_EQ(poet_storage_rows_i32(&storage, &kRows, narrow.data(), into.data()), POET_OK);
  EXPECT_EQ(into, (std::array<unsigned char, 8>{12, 13, 12, 13, 16, 17, 10, 11}));
}

TEST(StorageRows, EndWithTheFirstFailure) {
  TestCard card = card_of_twenty();
  card.failing_read = 1;
  const poet_storage storage = card.callbacks();
  const std::array<std::int64_t, 4> indices = {0, 1, 2, 3};
  std::array<unsigned char, 8> into{};
  EXPECT_EQ(poet_storage_rows_i64(&storage, &kRows, indices.data(), into.data()), POET_READ_FAILED);
  EXPECT_EQ(card.reads, 2);
}

TEST(Storage, TellsWhatWentWrongBeforeItReturns) {
  TestCard card = card_of_twenty();
  const poet_storage storage = card.callbacks();
  unsigned char byte = 0;
  EXPECT_EQ(poet_storage_read(&storage, 20, &byte, 1), POET_READ_FAILED);
  EXPECT_EQ(poet_storage_write(&storage, 20, &byte, 1), POET_WRITE_FAILED);
  EXPECT_EQ(poet_storage_has(&storage, 21), POET_STORAGE_TOO_SMALL);
  EXPECT_EQ(poet_storage_has(&storage, 20), POET_OK);
  EXPECT_EQ(card.errors, (std::vector<poet_status>{POET_READ_FAILED, POET_WRITE_FAILED,
                                                   POET_STORAGE_TOO_SMALL}));
}

TEST(Storage, MayHaveNobodyToTell) {
  TestCard card = card_of_twenty();
  poet_storage storage = card.callbacks();
  storage.error = nullptr;
  unsigned char byte = 0;
  EXPECT_EQ(poet_storage_read(&storage, 20, &byte, 1), POET_READ_FAILED);
}

}  // namespace
}  // namespace poet
