#include "poet/runtime/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace poet {
namespace {

using Values = std::vector<float>;
using Places = std::vector<std::int64_t>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Few different values, so that many are equal, and some that are no numbers.
Values crowded(std::size_t count, unsigned seed) {
  std::mt19937 bits(seed);
  Values x(count);
  for (float& value : x) {
    const auto draw = static_cast<float>(bits() % 9);
    value = draw == 8 ? kNaN : draw - 3;
  }
  return x;
}

bool is_above(float a, float b) {
  return std::isnan(a) ? !std::isnan(b) : a > b;
}

// One line, all of it sorted.
Places sorted_places(const Values& line, bool largest) {
  Places places(line.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    const float of_a = line[static_cast<std::size_t>(a)];
    const float of_b = line[static_cast<std::size_t>(b)];
    return largest ? is_above(of_a, of_b) : is_above(of_b, of_a);
  });
  return places;
}

Values line_of(const poet_top_k_shape& shape, const Values& x, int outer, int inner) {
  Values line;
  for (int i = 0; i < shape.axis; ++i)
    line.push_back(x[static_cast<std::size_t>((outer * shape.axis + i) * shape.inner + inner)]);
  return line;
}

void expect_as_sorted(const poet_top_k_shape& shape, unsigned seed) {
  const Values x = crowded(static_cast<std::size_t>(shape.outer * shape.axis * shape.inner), seed);
  const auto chosen = static_cast<std::size_t>(shape.outer * shape.count * shape.inner);
  Values values(chosen, -99);
  Places places(chosen, -99);
  poet_top_k_forward_f32(&shape, x.data(), values.data(), places.data());
  for (int outer = 0; outer < shape.outer; ++outer)
    for (int inner = 0; inner < shape.inner; ++inner) {
      const Values line = line_of(shape, x, outer, inner);
      const Places wanted = sorted_places(line, shape.largest != 0);
      for (int k = 0; k < shape.count; ++k) {
        const auto at = static_cast<std::size_t>((outer * shape.count + k) * shape.inner + inner);
        const std::int64_t place = wanted[static_cast<std::size_t>(k)];
        ASSERT_EQ(places[at], place) << "seed " << seed << ", value " << k;
        const float value = line[static_cast<std::size_t>(place)];
        ASSERT_TRUE(values[at] == value || (std::isnan(values[at]) && std::isnan(value)));
      }
    }
}

TEST(TopK, IsTheBeginningOfWhatIsSorted) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 bits(seed);
    const auto below = [&bits](std::int32_t end) {
      return static_cast<std::int32_t>(bits() % static_cast<unsigned>(end));
    };
    poet_top_k_shape shape = {1 + below(3), 1 + below(20), 1 + below(3), 1, below(2)};
    shape.count = 1 + below(shape.axis);
    expect_as_sorted(shape, seed);
  }
}

TEST(TopK, TakesTheLowerPlaceOfEqualValues) {
  const poet_top_k_shape shape = {1, 5, 1, 3, 1};
  const Values x = {2, 7, 2, 7, 2};
  Values values(3);
  Places places(3);
  poet_top_k_forward_f32(&shape, x.data(), values.data(), places.data());
  EXPECT_EQ(values, (Values{7, 7, 2}));
  EXPECT_EQ(places, (Places{1, 3, 0}));
}

TEST(Arg, IsTheFirstOrTheLastOfTheLargestOrSmallest) {
  const Values x = {1, 5, 0, 5, 0};
  const auto place = [&x](auto function, std::int32_t last) {
    const poet_arg_shape shape = {4, 1, 5, 1, last};
    std::int64_t found = -99;
    function(&shape, x.data(), &found);
    return found;
  };
  EXPECT_EQ(place(poet_arg_max_forward_f32, 0), 1);
  EXPECT_EQ(place(poet_arg_max_forward_f32, 1), 3);
  EXPECT_EQ(place(poet_arg_min_forward_f32, 0), 2);
  EXPECT_EQ(place(poet_arg_min_forward_f32, 1), 4);
}

TEST(Arg, TakesWhatIsNoNumber) {
  const Values x = {1, kNaN, 5, kNaN, 0};
  std::int64_t found = -99;
  const poet_arg_shape first = {4, 1, 5, 1, 0};
  poet_arg_max_forward_f32(&first, x.data(), &found);
  EXPECT_EQ(found, 1);
  poet_arg_min_forward_f32(&first, x.data(), &found);
  EXPECT_EQ(found, 1);
  const poet_arg_shape last = {4, 1, 5, 1, 1};
  poet_arg_max_forward_f32(&last, x.data(), &found);
  EXPECT_EQ(found, 3);
}

TEST(Arg, LooksAlongAMiddleAxisOfWholeNumbers) {
  const poet_arg_shape shape = {8, 2, 3, 2, 0};
  const Places wide = {1, 9, 3, 8, 2, 7, std::int64_t{1} << 40, 0, 5, 0, 6, 1};
  Places found(4, -99);
  poet_arg_max_forward_i64(&shape, wide.data(), found.data());
  EXPECT_EQ(found, (Places{1, 0, 0, 2}));
  poet_arg_min_forward_i64(&shape, wide.data(), found.data());
  EXPECT_EQ(found, (Places{0, 2, 1, 0}));
  const std::vector<std::int32_t> narrow = {1, 9, 3, 8, 2, 7, 70, 0, 5, 0, 6, 1};
  poet_arg_max_forward_i32(&shape, narrow.data(), found.data());
  EXPECT_EQ(found, (Places{1, 0, 0, 2}));
  poet_arg_min_forward_i32(&shape, narrow.data(), found.data());
  EXPECT_EQ(found, (Places{0, 2, 1, 0}));
}

}  // namespace
}  // namespace poet
