#include "poet/train/next_token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace poet {
namespace {

constexpr std::array<float, 5> kScores = {0.5F, 2, -1, 2, 1};
constexpr int kDraws = 20'000;

// How often each token was drawn.
std::vector<double> parts_of(Sampling sampling) {
  std::vector<double> parts(kScores.size());
  for (int place = 0; place < kDraws; ++place)
    parts[static_cast<std::size_t>(next_token(kScores, sampling, place))] += 1.0 / kDraws;
  return parts;
}

// Of the tokens of `kept`, by the definition of softmax.
void expect_softmax(const std::vector<double>& parts, const std::vector<std::size_t>& kept,
                    double temperature) {
  double sum = 0;
  for (const std::size_t token : kept) sum += std::exp(double{kScores[token]} / temperature);
  for (std::size_t token = 0; token < parts.size(); ++token) {
    const bool is_kept = std::find(kept.begin(), kept.end(), token) != kept.end();
    const double expected = is_kept ? std::exp(double{kScores[token]} / temperature) / sum : 0;
    // Four deviations of a share of so many draws.
    EXPECT_NEAR(parts[token], expected, 4 * std::sqrt(0.25 / kDraws)) << token;
    if (!is_kept) {
      EXPECT_EQ(parts[token], 0) << token;
    }
  }
}

TEST(NextToken, IsTheLikeliestWhereNoneIsDrawn) {
  EXPECT_EQ(next_token(kScores, {}, 0), 1);
  EXPECT_EQ(next_token(kScores, {}, 7), 1);
}

TEST(NextToken, IsDrawnByTheSoftmaxOfItsScore) {
  expect_softmax(parts_of({.temperature = 1.0F}), {0, 1, 2, 3, 4}, 1);
  expect_softmax(parts_of({.temperature = 2.5F, .seed = 9}), {0, 1, 2, 3, 4}, 2.5);
}

TEST(NextToken, IsOneOfTheLikeliestOnly) {
  expect_softmax(parts_of({.temperature = 1.0F, .most_tokens = 3}), {1, 3, 4}, 1);
  EXPECT_EQ(next_token(kScores, {.temperature = 1.0F, .most_tokens = 1}, 3), 1);
}

// 1 and 3 have 0.38 each, 4 has 0.14: half of the probability is had with two, 0.8 with three.
TEST(NextToken, IsOneOfThoseThatTogetherAreLikelyEnough) {
  expect_softmax(parts_of({.temperature = 1.0F, .probability = 0.5}), {1, 3}, 1);
  expect_softmax(parts_of({.temperature = 1.0F, .probability = 0.8}), {1, 3, 4}, 1);
  EXPECT_EQ(next_token(kScores, {.temperature = 1.0F, .probability = 1e-9}, 3), 1);
}

TEST(NextToken, IsTheSameForTheSameSeedAndPlace) {
  int different = 0;
  for (int place = 0; place < 100; ++place) {
    const Sampling one{.temperature = 1.0F, .seed = 1};
    const Sampling two{.temperature = 1.0F, .seed = 2};
    EXPECT_EQ(next_token(kScores, one, place), next_token(kScores, one, place));
    different += next_token(kScores, one, place) != next_token(kScores, two, place) ? 1 : 0;
  }
  EXPECT_GT(different, 40);
}

}  // namespace
}  // namespace poet
