#include "poet/graph/operators/strided_walk.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

namespace poet {
namespace {

using Offsets = std::vector<std::int64_t>;

// The offsets of one array in the order of the walk, counted out like an odometer.
Offsets offsets_of(const StridedWalk& walk, std::size_t array) {
  Offsets offsets;
  for (std::int64_t i = 0; i < value_count(walk.extents); ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (std::size_t d = walk.extents.size(); d-- > 0;) {
      offset += rest % walk.extents[d] * walk.strides[array][d];
      rest /= walk.extents[d];
    }
    offsets.push_back(offset);
  }
  return offsets;
}

TEST(DenseStrides, CountValuesToTheNextIndex) {
  EXPECT_EQ(dense_strides({2, 3, 4}), (Offsets{12, 4, 1}));
  EXPECT_EQ(dense_strides({}), Offsets{});
}

TEST(BroadcastStrides, AreZeroWhereTheOperandIsRepeated) {
  EXPECT_EQ(broadcast_strides({3, 1}, {2, 3, 4}), (Offsets{0, 1, 0}));
  EXPECT_EQ(broadcast_strides({}, {2, 3}), (Offsets{0, 0}));
}

TEST(MergedWalk, BecomesOneDimensionWhereAllAreDense) {
  const Shape shape = {2, 3, 1, 4};
  EXPECT_EQ(merged({shape, {dense_strides(shape), dense_strides(shape)}}),
            (StridedWalk{{24}, {{1}, {1}}}));
}

TEST(MergedWalk, KeepsApartWhatOneArrayRepeats) {
  const Shape shape = {2, 3, 4, 5};
  EXPECT_EQ(merged({shape, {dense_strides(shape), broadcast_strides({3, 1, 1}, shape)}}),
            (StridedWalk{{2, 3, 20}, {{60, 20, 1}, {0, 1, 0}}}));
}

TEST(MergedWalk, OfOneValueIsEmptyUnlessAskedOtherwise) {
  const StridedWalk one{{1, 1}, {{1, 1}}};
  EXPECT_EQ(merged(one), (StridedWalk{{}, {{}}}));
  EXPECT_EQ(merged_not_empty(one), (StridedWalk{{1}, {{0}}}));
}

TEST(MergedWalk, VisitsTheSamePlacesInTheSameOrder) {
  const StridedWalk walks[] = {
      {{2, 3, 4}, {{12, 4, 1}, {1, 2, 6}}},    // a transpose
      {{2, 3, 4}, {{12, 4, 1}, {0, 0, 1}}},    // a row
      {{4, 3, 2}, {{-6, -2, -1}, {6, 2, 1}}},  // a reversal
      {{2, 1, 3, 2, 1}, {{6, 0, 2, 1, 9}, {0, 5, 0, 0, 7}}},
      {{3, 3}, {{3, 1}, {1, 0}}},
  };
  for (const StridedWalk& walk : walks) {
    const StridedWalk shorter = merged(walk);
    for (std::size_t array = 0; array < 2; ++array)
      EXPECT_EQ(offsets_of(shorter, array), offsets_of(walk, array));
  }
}

// For each value of the gradient, in which order which values of dy, a and b make it.
using Terms =
    std::map<std::int64_t, std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>>;

std::int64_t dot(const std::vector<std::int64_t>& index, const std::vector<std::int64_t>& strides) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * strides[d];
  return sum;
}

std::vector<std::int64_t> index_of(std::int64_t position, const Shape& extents) {
  std::vector<std::int64_t> index(extents.size());
  for (std::size_t d = extents.size(); d-- > 0; position /= extents[d])
    index[d] = position % extents[d];
  return index;
}

// Walks over all of dy.
Terms naive_terms(const BroadcastGradient& gradient) {
  Terms terms;
  for (std::int64_t i = 0; i < value_count(gradient.dy); ++i) {
    const std::vector<std::int64_t> index = index_of(i, gradient.dy);
    const auto place = [&](const Shape& shape) {
      return dot(index, broadcast_strides(shape, gradient.dy));
    };
    terms[place(gradient.operand)].emplace_back(i, place(gradient.a), place(gradient.b));
  }
  return terms;
}

std::vector<std::int64_t> field(const std::vector<KernelWord>& words, const std::string& name) {
  std::vector<std::int64_t> values;
  for (const KernelWord& word : words)
    if (word.field == name || word.field.rfind(name + "[", 0) == 0)
      values.push_back(std::get<std::int32_t>(word.value));
  return values;
}

// Walks as the kernel does.
Terms terms_of_words(const std::vector<KernelWord>& words) {
  const Shape kept = field(words, "kept_extents");
  const Shape summed = field(words, "summed_extents");
  Terms terms;
  for (std::int64_t k = 0; k < value_count(kept); ++k)
    for (std::int64_t s = 0; s < value_count(summed); ++s) {
      const auto place = [&](const std::string& array) {
        return dot(index_of(k, kept), field(words, array + "_kept_strides")) +
               dot(index_of(s, summed), field(words, array + "_summed_strides"));
      };
      terms[k].emplace_back(place("dy"), place("a"), place("b"));
    }
  return terms;
}

TEST(BroadcastGradientWords, SumTheSameTermsInTheSameOrderAsAWalkOverAllOfDy) {
  const BroadcastGradient cases[] = {
      {.dy = {2, 3, 4}, .operand = {2, 3, 4}, .a = {3, 1}, .b = {4}},
      {.dy = {2, 3, 4}, .operand = {3, 1}, .a = {2, 3, 4}, .b = {2, 1, 1}},
      {.dy = {2, 3, 4}, .operand = {2, 1, 4}, .a = {2, 3, 4}, .b = {}},
      {.dy = {2, 3, 4}, .operand = {}, .a = {3, 4}, .b = {2, 3, 4}},
      {.dy = {1, 1}, .operand = {1}, .a = {1, 1}, .b = {}},
      {.dy = {2, 1, 3, 1, 2}, .operand = {1, 3, 1, 1}, .a = {2, 1, 1, 1, 2}, .b = {2}},
      {.dy = {2, 2, 2, 2}, .operand = {2, 1, 2, 1}, .a = {2, 1, 2}, .b = {1, 2, 2, 1}},
  };
  for (const BroadcastGradient& gradient : cases) {
    SCOPED_TRACE(to_text(gradient.dy) + " to " + to_text(gradient.operand));
    EXPECT_EQ(terms_of_words(broadcast_gradient_words(gradient)), naive_terms(gradient));
  }
}

}  // namespace

}  // namespace poet
