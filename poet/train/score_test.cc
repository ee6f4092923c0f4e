#include "poet/train/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace poet {
namespace {

template <typename T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

TEST(Score, CountsLabelsThatAreToldRight) {
  ScoreSum sum(Loss::CrossEntropy, {});
  const std::vector<float> outputs = {0, 2, 1, 3, 0, 0, 9, 9, 9};
  const std::vector<std::int64_t> labels = {1, 2, 0};
  sum.add({3, 3}, bytes(outputs), bytes(labels), 2);  // the third only fills the batch
  const double first = std::log(1 + std::exp(2) + std::exp(1)) - 2;
  const double second = std::log(2 + std::exp(3));
  EXPECT_EQ(sum.score().examples, 2);
  EXPECT_EQ(sum.score().accuracy, 0.5);
  EXPECT_NEAR(sum.score().loss, (first + second) / 2, 1e-6);
}

// The same scores as rows (S, C) of a sequence, and as planes (C, H, W) of a picture.
TEST(Score, KnowsWhereTheClassesAre) {
  const std::vector<float> rows = {5, 0, 0, 5, 5, 0, 1, 2};
  const std::vector<float> planes = {5, 0, 5, 1, 0, 5, 0, 2};
  const std::vector<std::int64_t> labels = {0, 1, 1, 1};
  ScoreSum of_rows(Loss::CrossEntropy, {});
  ScoreSum of_planes(Loss::CrossEntropy, {});
  of_rows.add({1, 4, 2}, bytes(rows), bytes(labels), 1);
  of_planes.add({1, 2, 2, 2}, bytes(planes), bytes(labels), 1);
  EXPECT_EQ(of_rows.score().accuracy, 0.75);
  EXPECT_EQ(of_planes.score().accuracy, 0.75);
  EXPECT_EQ(of_rows.score().loss, of_planes.score().loss);
  EXPECT_EQ(of_rows.score().perplexity, std::exp(of_rows.score().loss));
  EXPECT_FALSE(of_planes.score().perplexity);
}

TEST(Score, LeavesIgnoredLabelsOut) {
  ScoreSum sum(Loss::CrossEntropy, -100);
  const std::vector<float> outputs = {1, 0, 1, 0};
  const std::vector<std::int64_t> labels = {-100, 0};
  sum.add({2, 2}, bytes(outputs), bytes(labels), 2);
  EXPECT_EQ(sum.score().accuracy, 1);
  // Where nothing counts there is no loss: 0 would be the best of all.
  ScoreSum none(Loss::CrossEntropy, -100);
  none.add({1, 2}, bytes(std::vector<float>{1, 0}), bytes(std::vector<std::int64_t>{-100}), 1);
  EXPECT_TRUE(std::isnan(none.score().loss));
}

// Over all batches, and none of what only fills one up.
TEST(Score, NamesTheFirstExampleThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  ScoreSum labels(Loss::CrossEntropy, {});
  const std::vector<std::int64_t> zeros(3, 0);
  labels.add({3, 2}, bytes(std::vector<float>{1, 0, 1, 0, nan, 0}), bytes(zeros), 2);
  EXPECT_FALSE(labels.score().not_finite);
  labels.add({3, 2}, bytes(std::vector<float>{1, 0, nan, 0, nan, 0}), bytes(zeros), 3);
  EXPECT_EQ(labels.score().not_finite, 3);
  EXPECT_TRUE(std::isnan(labels.score().loss));
  ScoreSum values(Loss::MeanSquaredError, {});
  values.add({2, 2}, bytes(std::vector<float>{1, 2, 3, infinite}), bytes(std::vector<float>(4, 0)),
             2);
  EXPECT_EQ(values.score().not_finite, 1);
}

TEST(Score, OfValuesHasNoAccuracy) {
  ScoreSum squares(Loss::MeanSquaredError, {});
  const std::vector<float> outputs = {1, 2, 3, 4};
  const std::vector<float> targets = {1, 0, 3, 0};
  squares.add({2, 2}, bytes(outputs), bytes(targets), 1);
  EXPECT_EQ(squares.score().loss, 2);
  EXPECT_EQ(squares.score().error, std::sqrt(2.0));
  EXPECT_FALSE(squares.score().accuracy);
  ScoreSum binary(Loss::BinaryCrossEntropy, {});
  const std::vector<float> sure = {100, -100};
  const std::vector<float> right = {1, 1};
  binary.add({1, 2}, bytes(sure), bytes(right), 1);
  EXPECT_NEAR(binary.score().loss, 50, 1e-5);
}

}  // namespace
}  // namespace poet
