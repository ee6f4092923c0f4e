#include "poet/runtime/row_update.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/card_for_tests.h"
#include "poet/runtime/gather.h"
#include "poet/runtime/update.h"

namespace poet {
namespace {

using testing::TestCard;
using Floats = std::vector<float>;

constexpr poet_row_update_shape kShape = {7, 3, 6};

// Rows 2 (three times, once from the end), 0 and 6; one index outside.
const std::vector<std::int64_t> kIndices = {2, 6, -5, 7, 0, 2};

poet_step_words words(float rate) {
  poet_step_words step = {};
  step.learning_rate = rate;
  return step;
}

// Zeros of both signs, the smallest and the largest numbers.
Floats table() {
  Floats values = arbitrary_values(21, 1);
  values[3] = -0.0F;
  values[4] = 0.0F;
  values[10] = std::numeric_limits<float>::denorm_min();
  values[11] = -std::numeric_limits<float>::max();
  values[6] = -0.0F;  // in a row that is picked
  return values;
}

Floats gradient() {
  Floats dy = arbitrary_values(18, 2);
  dy[0] = -0.0F;
  return dy;
}

Floats by_gradient_and_update(const poet_step_words& step) {
  const poet_gather_shape gather = {4, 1, kShape.rows, kShape.inner, kShape.count};
  Floats sum(21);
  poet_gather_gradient_f32_i64(&gather, kIndices.data(), gradient().data(), sum.data());
  const poet_sgd_shape sgd = {21, 0};
  Floats updated(21);
  poet_sgd_update_f32(&sgd, table().data(), sum.data(), &step, nullptr, updated.data());
  return updated;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(RowUpdate, HasTheBitsOfTheGradientAndTheUpdate) {
  for (const float rate : {0.1F, 0.0F, 1e30F}) {
    const poet_step_words step = words(rate);
    Floats made(21);
    Floats row(3);
    poet_row_update_f32_i64(&kShape, table().data(), kIndices.data(), gradient().data(), &step,
                            made.data(), row.data());
    EXPECT_TRUE(same_bits(made, by_gradient_and_update(step))) << rate;
    const std::vector<std::int32_t> narrow(kIndices.begin(), kIndices.end());
    Floats in_place = table();
    poet_row_update_f32_i32(&kShape, in_place.data(), narrow.data(), gradient().data(), &step,
                            in_place.data(), row.data());
    EXPECT_TRUE(same_bits(in_place, made)) << rate;
  }
}

// A rate that is no number reaches the rows that are picked, and no others.
TEST(RowUpdate, LeavesRowsThatAreNotPicked) {
  const poet_step_words step = words(std::numeric_limits<float>::quiet_NaN());
  Floats made = table();
  Floats row(3);
  poet_row_update_f32_i64(&kShape, made.data(), kIndices.data(), gradient().data(), &step,
                          made.data(), row.data());
  for (std::size_t i = 0; i < made.size(); ++i)
    EXPECT_EQ(made[i] != made[i], i / 3 == 0 || i / 3 == 2 || i / 3 == 6) << i;
}

TEST(RowGradient, IsOfTheFirstIndexThatPicksARow) {
  Floats sum(3);
  const Floats dy = gradient();
  std::vector<std::int64_t> rows;
  for (std::int32_t i = 0; i < kShape.count; ++i)
    rows.push_back(poet_row_gradient_i64(&kShape, kIndices.data(), dy.data(), i, sum.data()));
  EXPECT_EQ(rows, (std::vector<std::int64_t>{2, 6, -1, -1, 0, -1}));
}

// --- In storage

constexpr std::size_t kOffset = 8;

TestCard card_with_table() {
  TestCard card{.bytes = std::vector<unsigned char>(kOffset + 21 * sizeof(float) + 4, 7)};
  std::memcpy(&card.bytes[kOffset], table().data(), 21 * sizeof(float));
  return card;
}

TEST(StoredRowUpdate, HasTheSameBitsAndTouchesNoOtherRow) {
  const poet_step_words step = words(0.1F);
  const poet_updated_rows stored = {kOffset, kShape};
  const std::vector<std::int32_t> narrow(kIndices.begin(), kIndices.end());
  for (const bool is_narrow : {false, true}) {
    TestCard card = card_with_table();
    const poet_storage storage = card.callbacks();
    Floats rows(6);
    EXPECT_EQ(is_narrow ? poet_storage_update_rows_i32(&storage, &stored, narrow.data(),
                                                       gradient().data(), &step, rows.data())
                        : poet_storage_update_rows_i64(&storage, &stored, kIndices.data(),
                                                       gradient().data(), &step, rows.data()),
              POET_OK);
    Floats made(21);
    std::memcpy(made.data(), &card.bytes[kOffset], 21 * sizeof(float));
    EXPECT_TRUE(same_bits(made, by_gradient_and_update(step)));
    EXPECT_EQ(card.bytes[kOffset - 1], 7);
    EXPECT_EQ(card.bytes[kOffset + 21 * sizeof(float)], 7);
    EXPECT_EQ(card.reads, 3);
    EXPECT_EQ(card.writes, 3);
  }
}

TEST(StoredRowUpdate, EndsWithTheFirstFailure) {
  const poet_step_words step = words(0.1F);
  const poet_updated_rows stored = {kOffset, kShape};
  const auto status_of = [&](TestCard card) {
    const poet_storage storage = card.callbacks();
    Floats rows(6);
    return poet_storage_update_rows_i64(&storage, &stored, kIndices.data(), gradient().data(),
                                        &step, rows.data());
  };
  TestCard card = card_with_table();
  card.failing_read = 1;
  EXPECT_EQ(status_of(card), POET_READ_FAILED);
  card.failing_read.reset();
  card.failing_write = 1;
  EXPECT_EQ(status_of(card), POET_WRITE_FAILED);
}

}  // namespace
}  // namespace poet
