#include "poet/runtime/strided_copy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "poet/runtime/strides_for_tests.h"

namespace poet {
namespace {

struct Case {
  std::string name;
  Extents extents;
  std::int32_t offset;
  Extents strides;
  std::int32_t x_count;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {"Scalar", {}, 3, {}, 5},
      {"Dense", {4, 5}, 0, {5, 1}, 20},
      {"Transposed", {5, 4}, 0, {1, 5}, 20},
      {"TransposedInSeveralBands", {2, 19, 3}, 0, {57, 1, 19}, 114},
      {"HeadsAside", {2, 3, 4, 5}, 0, {60, 5, 15, 1}, 120},
      {"EverySecond", {3, 2}, 1, {10, 2}, 30},
      {"Reversed", {7}, 6, {-1}, 7},
      {"ReversedWithSteps", {2, 3}, 19, {-10, -3}, 20},
      {"EightAxes", {2, 1, 2, 1, 2, 1, 2, 2}, 0, {1, 1, 2, 1, 4, 1, 8, 16}, 32},
  };
  return table;
}

poet_strided_copy_shape shape_of(const Case& c, std::int32_t element_bytes) {
  poet_strided_copy_shape shape = {};
  shape.element_bytes = element_bytes;
  shape.rank = static_cast<std::int32_t>(c.extents.size());
  fill_axes(shape.extents, c.extents);
  shape.x_offset = c.offset;
  fill_axes(shape.x_strides, c.strides);
  shape.x_count = c.x_count;
  return shape;
}

template <class Element>
std::vector<Element> counting(std::size_t count) {
  std::vector<Element> values(count);
  std::iota(values.begin(), values.end(), Element{1});
  return values;
}

template <class Element>
void expect_forward(const Case& c) {
  const std::vector<Element> x = counting<Element>(static_cast<std::size_t>(c.x_count));
  std::vector<Element> y(volume(c.extents), Element{99});
  const poet_strided_copy_shape shape = shape_of(c, sizeof(Element));
  poet_strided_copy_forward(&shape, x.data(), y.data());
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], x[static_cast<std::size_t>(c.offset + place_of(i, c.extents, c.strides))]) << i;
}

template <class Element>
void expect_gradient(const Case& c) {
  const std::vector<Element> dy = counting<Element>(volume(c.extents));
  std::vector<Element> dx(static_cast<std::size_t>(c.x_count), Element{99});
  const poet_strided_copy_shape shape = shape_of(c, sizeof(Element));
  poet_strided_copy_gradient(&shape, dy.data(), dx.data());
  std::vector<Element> expected(dx.size(), Element{0});
  for (std::size_t i = 0; i < dy.size(); ++i)
    expected[static_cast<std::size_t>(c.offset + place_of(i, c.extents, c.strides))] = dy[i];
  EXPECT_EQ(dx, expected);
}

class StridedCopy : public ::testing::TestWithParam<Case> {};

TEST_P(StridedCopy, ReadsEveryPlaceForEverySizeOfElement) {
  expect_forward<std::uint8_t>(GetParam());
  expect_forward<std::uint16_t>(GetParam());
  expect_forward<float>(GetParam());
  expect_forward<std::int64_t>(GetParam());
}

TEST_P(StridedCopy, GradientPutsThePiecesBackAmongZeros) {
  expect_gradient<std::uint8_t>(GetParam());
  expect_gradient<std::uint16_t>(GetParam());
  expect_gradient<float>(GetParam());
  expect_gradient<std::int64_t>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, StridedCopy, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

TEST(StridedCopyEdges, RepeatsAlongAxesOfStrideZero) {
  const Case expanded = {"", {2, 3, 2}, 0, {0, 1, 0}, 3};
  const std::vector<float> x = {7, 8, 9};
  std::vector<float> y(12);
  const poet_strided_copy_shape shape = shape_of(expanded, 4);
  poet_strided_copy_forward(&shape, x.data(), y.data());
  EXPECT_EQ(y, (std::vector<float>{7, 7, 8, 8, 9, 9, 7, 7, 8, 8, 9, 9}));
}

}  // namespace
}  // namespace poet
