#include "poet/data/synthetic.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "poet/data/files_for_tests.h"

namespace poet {
namespace {

const std::vector<ExamplePart> kPictures = {
    {.name = "image", .type = {ElementType::Float32, {1, 16, 16}}},
    {.name = "labels", .type = {ElementType::Int64, {}}, .value_limit = 10}};

std::unique_ptr<Dataset> made(const std::vector<ExamplePart>& parts,
                              const SyntheticOptions& options) {
  Result<std::unique_ptr<Dataset>> data = synthetic_dataset(parts, options);
  EXPECT_TRUE(data.ok());
  return *std::move(data);
}

std::int64_t label_at(const Dataset& data, std::int64_t example) {
  return values_of<std::int64_t>(data, example, data.parts().size() - 1).front();
}

TEST(Synthetic, GivesTheSamePictureWheneverItIsRead) {
  const auto data = made(kPictures, {.examples = 10});
  EXPECT_EQ(values_of<float>(*data, 4, 0), values_of<float>(*data, 4, 0));
  EXPECT_NE(values_of<float>(*data, 4, 0), values_of<float>(*data, 5, 0));
  const auto other = made(kPictures, {.examples = 10, .seed = 2});
  EXPECT_NE(values_of<float>(*data, 4, 0), values_of<float>(*other, 4, 0));
}

// So the examples that are held out are others, and of the same kind.
TEST(Synthetic, RangesArePartsOfOneRow) {
  const auto all = made(kPictures, {.examples = 20});
  const auto later = made(kPictures, {.examples = 5, .first_example = 15});
  EXPECT_EQ(values_of<float>(*all, 17, 0), values_of<float>(*later, 2, 0));
  EXPECT_EQ(label_at(*all, 17), label_at(*later, 2));
}

TEST(Synthetic, HasAllClassesAboutEquallyOften) {
  const auto data = made(kPictures, {.examples = 2000});
  std::array<int, 10> counts{};
  for (std::int64_t i = 0; i < data->size(); ++i)
    ++counts[static_cast<std::size_t>(label_at(*data, i))];
  for (const int count : counts) {
    EXPECT_GT(count, 150);
    EXPECT_LT(count, 250);
  }
}

// The nearest mean of a class says more than chance, and is far from enough.
TEST(Synthetic, PicturesAreNotToldApartByTheirMeans) {
  const auto data = made(kPictures, {.examples = 2000});
  std::array<std::vector<double>, 10> means;
  for (std::vector<double>& mean : means) mean.resize(256);
  std::array<int, 10> counts{};
  for (std::int64_t i = 0; i < 1000; ++i) {
    const auto label = static_cast<std::size_t>(label_at(*data, i));
    const std::vector<float> image = values_of<float>(*data, i, 0);
    for (std::size_t p = 0; p < 256; ++p) means[label][p] += image[p];
    ++counts[label];
  }
  int right = 0;
  for (std::int64_t i = 1000; i < 2000; ++i) {
    const std::vector<float> image = values_of<float>(*data, i, 0);
    std::size_t nearest = 0;
    double least = 1e30;
    for (std::size_t k = 0; k < 10; ++k) {
      double far = 0;
      for (std::size_t p = 0; p < 256; ++p)
        far += std::pow(image[p] - means[k][p] / std::max(counts[k], 1), 2);
      if (far < least) {
        least = far;
        nearest = k;
      }
    }
    right += static_cast<std::int64_t>(nearest) == label_at(*data, i) ? 1 : 0;
  }
  EXPECT_GT(right, 200);
  EXPECT_LT(right, 700);
}

TEST(Synthetic, MasksSayWhereTheShapeIs) {
  const std::vector<ExamplePart> parts = {
      kPictures[0], {.name = "labels", .type = {ElementType::Int64, {16, 16}}, .value_limit = 2}};
  const auto data = made(parts, {.examples = 50});
  std::int64_t covered = 0;
  for (std::int64_t i = 0; i < 50; ++i)
    for (const std::int64_t label : values_of<std::int64_t>(*data, i, 1)) {
      ASSERT_TRUE(label == 0 || label == 1);
      covered += label;
    }
  EXPECT_GT(covered, 50 * 256 / 10);
  EXPECT_LT(covered, 50 * 256 / 2);
}

TEST(Synthetic, RowsOfTokensCountOn) {
  const std::vector<ExamplePart> parts = {
      {.name = "input_ids", .type = {ElementType::Int64, {40}}, .value_limit = 1000},
      {.name = "labels", .type = {ElementType::Int64, {40}}, .value_limit = 1000}};
  const auto data = made(parts, {.examples = 100});
  int same_stride = 0;
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::vector<std::int64_t> tokens = values_of<std::int64_t>(*data, i, 0);
    const std::vector<std::int64_t> next = values_of<std::int64_t>(*data, i, 1);
    for (std::size_t t = 0; t + 1 < tokens.size(); ++t) ASSERT_EQ(next[t], tokens[t + 1]);
    for (std::size_t t = 0; t + 2 < tokens.size(); ++t)
      same_stride += (tokens[t + 2] - 2 * tokens[t + 1] + tokens[t]) % 64 == 0 ? 1 : 0;
  }
  EXPECT_GT(same_stride, 3100);  // of 3,800; three tokens in a row are astray no more often
  EXPECT_LT(same_stride, 3700);
}

TEST(Synthetic, WordsOfTheTopicComeMoreOftenThanOthers) {
  const std::vector<ExamplePart> parts = {
      {.name = "input_ids", .type = {ElementType::Int64, {64}}, .value_limit = 30'000},
      {.name = "token_type_ids", .type = {ElementType::Int64, {64}}, .value_limit = 2},
      {.name = "labels", .type = {ElementType::Int64, {}}, .value_limit = 4}};
  const auto data = made(parts, {.examples = 100});
  std::array<int, 2> counts{};
  for (std::int64_t i = 0; i < 100; ++i)
    for (const std::int64_t word : values_of<std::int64_t>(*data, i, 0))
      ++counts[word % 4 == label_at(*data, i) ? 1 : 0];
  EXPECT_GT(counts[1], 6400 * 43 / 100);
  EXPECT_LT(counts[1], 6400 * 53 / 100);
  EXPECT_EQ(values_of<std::int64_t>(*data, 3, 1), std::vector<std::int64_t>(64, 0));
}

TEST(Synthetic, TargetsOfPointsAreFunctionsOfThem) {
  const std::vector<ExamplePart> parts = {{.name = "x", .type = {ElementType::Float32, {6}}},
                                          {.name = "targets", .type = {ElementType::Float32, {2}}}};
  const auto data = made(parts, {.examples = 400});
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    const float target = values_of<float>(*data, i, 1)[0];
    sum += target;
    squares += target * target;
  }
  EXPECT_LT(std::abs(sum / 400), 0.5);
  EXPECT_GT(squares / 400, 0.02);
}

TEST(Synthetic, RefusesWhatItCannotMakeUp) {
  const Result<std::unique_ptr<Dataset>> data = synthetic_dataset(
      {{.name = "ids", .type = {ElementType::Int64, {4}}}}, {.has_target = false});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().message,
            "no examples can be made up for 'ids', int64 (4): give data of your own");
}

}  // namespace
}  // namespace poet
