#include "poet/runtime/lane_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace poet {
namespace {

std::vector<float> wave(int count, double pace) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(1 + std::sin(pace * i)));
  return values;
}

// The order as the header says it, term by term.
float sum_as_described(const std::vector<float>& terms) {
  float sum = 0;
  for (std::size_t begin = 0; begin < terms.size(); begin += 256) {
    float lanes[8] = {};
    for (std::size_t i = begin; i < terms.size() && i < begin + 256; ++i)
      lanes[(i - begin) % 8] += terms[i];
    sum += ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
           ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  }
  return sum;
}

TEST(LaneSum, FollowsItsOrderToTheBit) {
  for (const int count : {0, 1, 7, 8, 9, 255, 256, 257, 1000}) {
    SCOPED_TRACE(count);
    const std::vector<float> x = wave(count, 0.7);
    const std::vector<float> y = wave(count, 1.3);
    std::vector<float> products;
    std::vector<float> squares;
    std::vector<float> deviations;
    for (int i = 0; i < count; ++i) {
      products.push_back(x[i] * y[i]);
      squares.push_back((x[i] - 0.3F) * (x[i] - 0.3F));
      deviations.push_back((x[i] - 0.3F) * y[i]);
    }
    EXPECT_EQ(poet_lane_sum_f32(count, x.data()), sum_as_described(x));
    EXPECT_EQ(poet_lane_dot_f32(count, x.data(), y.data()), sum_as_described(products));
    EXPECT_EQ(poet_lane_deviation_f32(count, x.data(), 0.3F), sum_as_described(squares));
    EXPECT_EQ(poet_lane_deviation_dot_f32(count, x.data(), 0.3F, y.data()),
              sum_as_described(deviations));
  }
}

// One after the other, the same sum is off by 2e-4.
TEST(LaneSum, LosesLittleOverALongRow) {
  const int count = 1000000;
  const std::vector<float> x = wave(count, 0.7);
  double exact = 0;
  for (const float value : x) exact += value;
  EXPECT_LT(std::abs(poet_lane_sum_f32(count, x.data()) - exact) / exact, 2e-6);
}

}  // namespace
}  // namespace poet
