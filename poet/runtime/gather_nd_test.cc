#include "poet/runtime/gather_nd.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

TEST(GatherNd, PicksSlicesByTheirCoordinates) {
  // x (2, 3, 2): rows of two.
  const poet_gather_nd_shape shape = {4, 8, 1, 3, 2, 2, {2, 3}};
  const Values x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::vector<std::int64_t> indices = {1, 2, 0, -1, -2, 0};
  Values y(6, -99);
  poet_gather_nd_forward(&shape, x.data(), indices.data(), y.data());
  EXPECT_EQ(y, (Values{10, 11, 4, 5, 0, 1}));
}

TEST(GatherNd, PicksInEachOfABatch) {
  // x (2, 3), and one coordinate for each of two picks.
  const poet_gather_nd_shape shape = {4, 4, 2, 2, 1, 1, {3}};
  const Values x = {0, 1, 2, 3, 4, 5};
  const std::vector<std::int32_t> indices = {2, 0, 1, 1};
  Values y(4, -99);
  poet_gather_nd_forward(&shape, x.data(), indices.data(), y.data());
  EXPECT_EQ(y, (Values{2, 0, 4, 4}));
  const Values dy = {1, 2, 3, 4};
  Values dx(6, -99);
  poet_gather_nd_gradient_f32(&shape, indices.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{2, 0, 1, 0, 7, 0}));
}

TEST(GatherNd, DoesNotFollowCoordinatesOutside) {
  const poet_gather_nd_shape shape = {4, 8, 1, 3, 2, 1, {2, 2}};
  const Values x = {1, 2, 3, 4};
  const std::vector<std::int64_t> indices = {0, 2, -3, 0, 1, 1};
  Values y(3, -99);
  poet_gather_nd_forward(&shape, x.data(), indices.data(), y.data());
  EXPECT_EQ(y, (Values{0, 0, 4}));
  const Values dy = {1, 2, 3};
  Values dx(4, -99);
  poet_gather_nd_gradient_f32(&shape, indices.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{0, 0, 0, 3}));
}

TEST(GatherNd, GradientIsTheAdjoint) {
  const poet_gather_nd_shape shape = {4, 8, 2, 5, 2, 3, {4, 2}};
  const std::vector<std::int64_t> indices = {3, 1, 0, 0,  3, 1, -1, -1, 2, 0,
                                             1, 0, 1, -2, 0, 1, 0,  1,  3, 0};
  const Values x = arbitrary_values(48, 1);
  const Values dy = arbitrary_values(30, 2);
  Values y(30, -99);
  poet_gather_nd_forward(&shape, x.data(), indices.data(), y.data());
  Values dx(48, -99);
  poet_gather_nd_gradient_f32(&shape, indices.data(), dy.data(), dx.data());
  EXPECT_NEAR(inner_product(as_doubles(y), dy), inner_product(as_doubles(x), dx), 1e-5);
}

}  // namespace
}  // namespace poet
