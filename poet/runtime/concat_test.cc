#include "poet/runtime/concat.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace poet {
namespace {

using Values = std::vector<float>;

TEST(Concat, JoinsTwoAlongAMiddleAxis) {
  const poet_concat_shape shape = {4, 2, 2, {1, 2}};
  const Values a = {1, 2, 3, 4};
  const Values b = {11, 12, 13, 14, 15, 16, 17, 18};
  Values y(12);
  poet_concat2_forward(&shape, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Values{1, 2, 11, 12, 13, 14, 3, 4, 15, 16, 17, 18}));
}

TEST(Concat, JoinsEightOfBytes) {
  const poet_concat_shape shape = {1, 2, 1, {1, 1, 1, 1, 1, 1, 1, 2}};
  std::vector<std::vector<std::uint8_t>> x;
  for (std::uint8_t i = 0; i < 7; ++i) x.push_back({i, static_cast<std::uint8_t>(10 + i)});
  x.push_back({7, 8, 17, 18});
  std::vector<std::uint8_t> y(18);
  poet_concat8_forward(&shape, x[0].data(), x[1].data(), x[2].data(), x[3].data(), x[4].data(),
                       x[5].data(), x[6].data(), x[7].data(), y.data());
  EXPECT_EQ(y, (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17,
                                          18}));
}

TEST(Concat, LeavesOutAbsentInputs) {
  const poet_concat_shape shape = {8, 1, 2, {1, 0, 1}};
  const std::vector<std::int64_t> a = {1, 2};
  const std::vector<std::int64_t> c = {5, 6};
  std::vector<std::int64_t> y(4);
  poet_concat8_forward(&shape, a.data(), nullptr, c.data(), nullptr, nullptr, nullptr, nullptr,
                       nullptr, y.data());
  EXPECT_EQ(y, (std::vector<std::int64_t>{1, 2, 5, 6}));
}

}  // namespace
}  // namespace poet
