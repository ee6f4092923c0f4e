#include "poet/runtime/where.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/strides_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

// y (2, 2, 3), the condition (1, 2, 3), a (2, 2, 3), b (2, 1, 1).
const poet_where_shape kShape = {3, {2, 2, 3}, {0, 3, 1}, {6, 3, 1}, {1, 0, 0}};
const std::vector<std::uint8_t> kCondition = {1, 0, 1, 0, 0, 255};

TEST(Where, ChoosesPlaceByPlace) {
  const Values a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Values b = {-1, -2};
  Values y(12);
  poet_where_forward_f32(&kShape, kCondition.data(), a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Values{1, -1, 3, -1, -1, 6, 7, -2, 9, -2, -2, 12}));
}

TEST(Where, InPlaceOfAnOperandGivesTheSameBits) {
  const Values a = arbitrary_values(12, 1);
  const Values b = arbitrary_values(2, 2);
  Values y(12);
  poet_where_forward_f32(&kShape, kCondition.data(), a.data(), b.data(), y.data());
  Values both = a;
  poet_where_forward_f32(&kShape, kCondition.data(), both.data(), b.data(), both.data());
  EXPECT_EQ(both, y);
}

TEST(Where, GradientsGiveEachPlaceToTheOperandThatWasChosen) {
  const Values dy = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  poet_broadcast_gradient_shape of_a = {};
  of_a.kept_rank = 3;
  fill_axes(of_a.kept_extents, {2, 2, 3});
  fill_axes(of_a.dy_kept_strides, {6, 3, 1});
  fill_axes(of_a.a_kept_strides, {0, 3, 1});
  Values da(12, -99);
  poet_where_a_gradient_f32(&of_a, dy.data(), kCondition.data(), da.data());
  EXPECT_EQ(da, (Values{1, 0, 3, 0, 0, 6, 7, 0, 9, 0, 0, 12}));

  poet_broadcast_gradient_shape of_b = {};
  of_b.kept_rank = 1;
  of_b.summed_rank = 2;
  fill_axes(of_b.kept_extents, {2});
  fill_axes(of_b.summed_extents, {2, 3});
  fill_axes(of_b.dy_kept_strides, {6});
  fill_axes(of_b.dy_summed_strides, {3, 1});
  fill_axes(of_b.a_kept_strides, {0});
  fill_axes(of_b.a_summed_strides, {3, 1});
  Values db(2, -99);
  poet_where_b_gradient_f32(&of_b, dy.data(), kCondition.data(), db.data());
  EXPECT_EQ(db, (Values{2 + 4 + 5, 8 + 10 + 11}));
}

TEST(Where, GradientInPlaceOfDyGivesTheSameBits) {
  poet_broadcast_gradient_shape shape = {};
  shape.kept_rank = 1;
  fill_axes(shape.kept_extents, {6});
  fill_axes(shape.dy_kept_strides, {1});
  fill_axes(shape.a_kept_strides, {1});
  Values both = {1, 2, 3, 4, 5, 6};
  poet_where_b_gradient_f32(&shape, both.data(), kCondition.data(), both.data());
  EXPECT_EQ(both, (Values{0, 2, 0, 4, 5, 0}));
}

}  // namespace
}  // namespace poet
