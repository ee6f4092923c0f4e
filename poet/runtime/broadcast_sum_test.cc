#include "poet/runtime/broadcast_sum.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

// dy (2, 3) to d (3): the rows are added.
TEST(BroadcastSum, ScalesTheSumOverRows) {
  const poet_broadcast_sum_shape shape{.kept_rank = 1,
                                       .summed_rank = 1,
                                       .kept_extents = {3},
                                       .summed_extents = {2},
                                       .dy_kept_strides = {1},
                                       .dy_summed_strides = {3},
                                       .alpha = 0.5F};
  const std::vector<float> dy = {1, 2, 3, 10, 20, 30};
  std::vector<float> d(3);
  poet_broadcast_sum_forward_f32(&shape, dy.data(), d.data());
  EXPECT_EQ(d, (std::vector<float>{5.5F, 11, 16.5F}));
}

TEST(BroadcastSum, ScalesTheSumOfAll) {
  const poet_broadcast_sum_shape shape{.kept_rank = 0,
                                       .summed_rank = 1,
                                       .kept_extents = {},
                                       .summed_extents = {4},
                                       .dy_kept_strides = {},
                                       .dy_summed_strides = {1},
                                       .alpha = -2};
  const std::vector<float> dy = {1, 2, 3, 4};
  float d = 0;
  poet_broadcast_sum_forward_f32(&shape, dy.data(), &d);
  EXPECT_EQ(d, -20);
}

TEST(BroadcastSum, MayWriteOverWhatItDoesNotSum) {
  const poet_broadcast_sum_shape shape{.kept_rank = 1,
                                       .summed_rank = 0,
                                       .kept_extents = {3},
                                       .summed_extents = {},
                                       .dy_kept_strides = {1},
                                       .dy_summed_strides = {},
                                       .alpha = 3};
  std::vector<float> d = {1, -2, 4};
  poet_broadcast_sum_forward_f32(&shape, d.data(), d.data());
  EXPECT_EQ(d, (std::vector<float>{3, -6, 12}));
}

}  // namespace
