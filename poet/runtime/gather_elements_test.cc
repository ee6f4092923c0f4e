#include "poet/runtime/gather_elements.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;
using Indices = std::vector<std::int64_t>;

std::size_t size(std::int32_t count) {
  return static_cast<std::size_t>(count);
}

// Some of them from the end, and some outside.
Indices drawn_indices(const poet_elements_shape& shape, unsigned seed) {
  std::mt19937 bits(seed);
  Indices indices(size(shape.outer * shape.count * shape.inner));
  for (std::int64_t& index : indices)
    index = static_cast<std::int64_t>(bits() % static_cast<unsigned>(2 * shape.axis + 2)) -
            shape.axis - 1;
  return indices;
}

// Of pick (o, i, j): which value of x it means, or none; one division after the other.
int value_of(const poet_elements_shape& shape, const Indices& indices, int pick) {
  const int j = pick % shape.inner;
  const int o = pick / shape.inner / shape.count;
  std::int64_t index = indices[size(pick)];
  if (index < -shape.axis || index >= shape.axis) return -1;
  if (index < 0) index += shape.axis;
  return (o * shape.axis + static_cast<int>(index)) * shape.inner + j;
}

struct Case {
  poet_elements_shape shape;
  Indices indices;
  Values x;
  Values picked;
};

Case drawn(unsigned seed) {
  std::mt19937 bits(seed);
  const auto some = [&bits](unsigned most) { return static_cast<std::int32_t>(1 + bits() % most); };
  Case one = {
      .shape = {4, 8, some(3), some(5), some(3), some(6)}, .indices = {}, .x = {}, .picked = {}};
  one.indices = drawn_indices(one.shape, seed);
  one.x = arbitrary_values(one.shape.outer * one.shape.axis * one.shape.inner, seed + 1);
  one.picked = arbitrary_values(static_cast<std::int32_t>(one.indices.size()), seed + 2);
  return one;
}

std::vector<std::int32_t> narrow(const Indices& indices) {
  return {indices.begin(), indices.end()};
}

class Elements : public ::testing::TestWithParam<unsigned> {
 protected:
  Case one_ = drawn(GetParam());
  int picks_ = static_cast<int>(one_.indices.size());
  poet_elements_shape of_narrow() const {
    poet_elements_shape shape = one_.shape;
    shape.index_bytes = 4;
    return shape;
  }
};
INSTANTIATE_TEST_SUITE_P(Drawn, Elements, ::testing::Range(0U, 60U));

TEST_P(Elements, ArePickedByTheirIndex) {
  Values wanted;
  for (int pick = 0; pick < picks_; ++pick) {
    const int value = value_of(one_.shape, one_.indices, pick);
    wanted.push_back(value < 0 ? 0 : one_.x[size(value)]);
  }
  Values y(size(picks_), -99);
  poet_gather_elements_forward(&one_.shape, one_.x.data(), one_.indices.data(), y.data());
  EXPECT_EQ(y, wanted);
  const poet_elements_shape shape = of_narrow();
  Values again(size(picks_), -99);
  poet_gather_elements_forward(&shape, one_.x.data(), narrow(one_.indices).data(), again.data());
  EXPECT_EQ(again, wanted);
}

TEST_P(Elements, AddUpTheirGradientInOrder) {
  Values wanted(one_.x.size());
  for (int pick = 0; pick < picks_; ++pick)
    if (const int value = value_of(one_.shape, one_.indices, pick); value >= 0)
      wanted[size(value)] += one_.picked[size(pick)];
  Values dx(one_.x.size(), -99);
  poet_gather_elements_gradient_f32(&one_.shape, one_.indices.data(), one_.picked.data(),
                                    dx.data());
  EXPECT_EQ(dx, wanted);
}

TEST_P(Elements, ArePlacedTheLastOfSeveral) {
  Values wanted = one_.x;
  for (int pick = 0; pick < picks_; ++pick)
    if (const int value = value_of(one_.shape, one_.indices, pick); value >= 0)
      wanted[size(value)] = one_.picked[size(pick)];
  Values y(one_.x.size(), -99);
  poet_scatter_elements_forward(&one_.shape, one_.x.data(), one_.indices.data(), one_.picked.data(),
                                y.data());
  EXPECT_EQ(y, wanted);
  Values in_place = one_.x;
  poet_scatter_elements_forward(&one_.shape, in_place.data(), one_.indices.data(),
                                one_.picked.data(), in_place.data());
  EXPECT_EQ(in_place, wanted);
}

TEST_P(Elements, AreAddedInOrder) {
  Values wanted = one_.x;
  for (int pick = 0; pick < picks_; ++pick)
    if (const int value = value_of(one_.shape, one_.indices, pick); value >= 0)
      wanted[size(value)] += one_.picked[size(pick)];
  Values y(one_.x.size(), -99);
  poet_scatter_elements_add_forward_f32(&one_.shape, one_.x.data(), one_.indices.data(),
                                        one_.picked.data(), y.data());
  EXPECT_EQ(y, wanted);
}

// Of each value of y it is known where it came from: from x, or from one of the updates.
TEST_P(Elements, GiveTheGradientToWhatIsThereInTheEnd) {
  std::vector<int> source(one_.x.size(), -1);
  for (int pick = 0; pick < picks_; ++pick)
    if (const int value = value_of(one_.shape, one_.indices, pick); value >= 0)
      source[size(value)] = pick;
  const Values& dy = one_.x;
  Values of_x(dy.size());
  Values of_updates(size(picks_));
  for (std::size_t value = 0; value < dy.size(); ++value)
    (source[value] < 0 ? of_x[value] : of_updates[size(source[value])]) = dy[value];
  Values dx(dy.size(), -99);
  poet_scatter_elements_kept_gradient_f32(&one_.shape, one_.indices.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, of_x);
  Values du(size(picks_), -99);
  std::vector<std::uint8_t> workspace(size(one_.shape.axis * one_.shape.inner), 0xA5);
  poet_scatter_elements_update_gradient_f32(&one_.shape, one_.indices.data(), dy.data(), du.data(),
                                            workspace.data());
  EXPECT_EQ(du, of_updates);
}

TEST(Elements, ArePickedAndPlacedInAnySize) {
  const poet_elements_shape shape = {1, 8, 1, 3, 1, 2};
  const std::vector<std::uint8_t> x = {5, 6, 7};
  const std::vector<std::uint8_t> updates = {8, 9};
  const Indices indices = {2, -3};
  std::vector<std::uint8_t> y(2);
  poet_gather_elements_forward(&shape, x.data(), indices.data(), y.data());
  EXPECT_EQ(y, (std::vector<std::uint8_t>{7, 5}));
  std::vector<std::uint8_t> placed(3);
  poet_scatter_elements_forward(&shape, x.data(), indices.data(), updates.data(), placed.data());
  EXPECT_EQ(placed, (std::vector<std::uint8_t>{9, 6, 8}));
}

}  // namespace
}  // namespace poet
