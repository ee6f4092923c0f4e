#include "poet/runtime/gather.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

TEST(Gather, PicksRowsAsAnEmbedding) {
  const poet_gather_shape shape = {4, 1, 3, 2, 4};
  const Values table = {1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> indices = {2, 0, 2, -2};
  Values y(8);
  poet_gather_forward_i64(&shape, table.data(), indices.data(), y.data());
  EXPECT_EQ(y, (Values{5, 6, 1, 2, 5, 6, 3, 4}));
}

TEST(Gather, PicksAlongAMiddleAxisForAnySizeOfElement) {
  const poet_gather_shape shape = {1, 2, 3, 2, 2};
  const std::vector<std::uint8_t> x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::vector<std::int32_t> indices = {1, -1};
  std::vector<std::uint8_t> y(8);
  poet_gather_forward_i32(&shape, x.data(), indices.data(), y.data());
  EXPECT_EQ(y, (std::vector<std::uint8_t>{3, 4, 5, 6, 9, 10, 11, 12}));
}

TEST(Gather, DoesNotFollowAnIndexOutside) {
  const poet_gather_shape shape = {4, 1, 2, 1, 4};
  const Values x = {1, 2};
  const std::vector<std::int64_t> indices = {2, -3, 1, std::int64_t{1} << 40};
  Values y(4, -99);
  poet_gather_forward_i64(&shape, x.data(), indices.data(), y.data());
  EXPECT_EQ(y, (Values{0, 0, 2, 0}));
  const Values dy = {1, 2, 3, 4};
  Values dx(2, -99);
  poet_gather_gradient_f32_i64(&shape, indices.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{0, 3}));
}

TEST(Gather, GradientIsTheAdjointForIndicesOfEitherType) {
  const poet_gather_shape shape = {4, 3, 5, 2, 4};
  const std::vector<std::int32_t> narrow = {4, -5, 4, 2};
  const std::vector<std::int64_t> wide(narrow.begin(), narrow.end());
  const Values x = arbitrary_values(30, 1);
  const Values dy = arbitrary_values(24, 2);
  Values y(24);
  poet_gather_forward_i32(&shape, x.data(), narrow.data(), y.data());
  Values dx(30, -99);
  poet_gather_gradient_f32_i32(&shape, narrow.data(), dy.data(), dx.data());
  EXPECT_NEAR(inner_product(as_doubles(y), dy), inner_product(as_doubles(x), dx), 1e-5);
  Values again(30, -99);
  poet_gather_gradient_f32_i64(&shape, wide.data(), dy.data(), again.data());
  EXPECT_EQ(again, dx);
}

}  // namespace
}  // namespace poet
