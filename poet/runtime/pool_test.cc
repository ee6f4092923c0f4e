#include "poet/runtime/pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

std::size_t volume_of(const std::int32_t* extents) {
  return static_cast<std::size_t>(extents[0] * extents[1] * extents[2]);
}

// The places of the input, and the number of places in input or padding, that one output meets.
struct Meeting {
  std::vector<std::size_t> inputs;  // row-major
  int counted = 0;
};

bool is_within(const std::int32_t* at, const std::int32_t* begins, const std::int32_t* ends) {
  for (int d = 0; d < 3; ++d) {
    if (at[d] < -begins[d] || at[d] >= ends[d]) return false;
  }
  return true;
}

// By trying every place of the window.
Meeting meet(const poet_pool_shape& s, std::size_t plane, const std::int32_t* output) {
  const std::int32_t none[3] = {0, 0, 0};
  std::int32_t padded[3];
  for (int d = 0; d < 3; ++d) padded[d] = s.input[d] + s.padding_end[d];
  Meeting meeting;
  for (std::size_t k = 0; k < volume_of(s.window); ++k) {
    const std::int32_t places[3] = {
        static_cast<std::int32_t>(k) / (s.window[1] * s.window[2]),
        static_cast<std::int32_t>(k) / s.window[2] % s.window[1],
        static_cast<std::int32_t>(k) % s.window[2],
    };
    std::int32_t at[3];
    for (int d = 0; d < 3; ++d)
      at[d] = output[d] * s.stride[d] + places[d] * s.dilation[d] - s.padding_begin[d];
    const bool is_inside = is_within(at, none, s.input);
    if (is_inside) {
      meeting.inputs.push_back(
          plane * volume_of(s.input) +
          static_cast<std::size_t>((at[0] * s.input[1] + at[1]) * s.input[2] + at[2]));
    }
    const bool counts = s.counts_padding ? is_within(at, s.padding_begin, padded) : is_inside;
    if (counts) ++meeting.counted;
  }
  return meeting;
}

std::vector<Meeting> meetings(const poet_pool_shape& s) {
  std::vector<Meeting> all;
  for (std::int32_t p = 0; p < s.planes; ++p) {
    for (std::int32_t d = 0; d < s.output[0]; ++d) {
      for (std::int32_t h = 0; h < s.output[1]; ++h) {
        for (std::int32_t w = 0; w < s.output[2]; ++w) {
          const std::int32_t output[3] = {d, h, w};
          all.push_back(meet(s, static_cast<std::size_t>(p), output));
        }
      }
    }
  }
  return all;
}

struct PoolCase {
  std::string name;
  poet_pool_shape shape;
};

void PrintTo(const PoolCase& pool, std::ostream* out) {
  *out << pool.name;
}

// planes, input, output, window, stride, dilation, padding before and behind, counts_padding
const std::vector<PoolCase>& pool_cases() {
  static const std::vector<PoolCase> cases = {
      {"halves",
       {3, {1, 4, 6}, {1, 2, 3}, {1, 2, 2}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0}},
      {"overlapping",
       {2, {1, 7, 8}, {1, 4, 4}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}, 0}},
      {"overlapping_counted",
       {2, {1, 7, 8}, {1, 4, 4}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}, 1}},
      {"rounded_up",
       {1, {1, 6, 6}, {1, 3, 3}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0}},
      {"rounded_up_counted",
       {1, {1, 6, 6}, {1, 4, 4}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}, 1}},
      {"dilated",
       {2, {1, 9, 9}, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {1, 3, 3}, {0, 2, 2}, {0, 2, 2}, 0}},
      {"dilated_counted",
       {2, {1, 9, 9}, {1, 7, 7}, {1, 3, 3}, {1, 1, 1}, {1, 3, 3}, {0, 2, 2}, {0, 2, 2}, 1}},
      {"uneven",
       {1, {1, 5, 7}, {1, 5, 3}, {1, 2, 3}, {1, 1, 3}, {1, 1, 1}, {0, 0, 2}, {0, 1, 0}, 1}},
      {"signal",
       {4, {1, 1, 11}, {1, 1, 5}, {1, 1, 3}, {1, 1, 2}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0}},
      {"volume",
       {2, {4, 5, 6}, {2, 3, 3}, {3, 3, 2}, {2, 2, 2}, {1, 1, 1}, {1, 1, 0}, {0, 1, 0}, 0}},
      {"global",
       {5, {1, 7, 7}, {1, 1, 1}, {1, 7, 7}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0}},
  };
  return cases;
}

class EveryPool : public ::testing::TestWithParam<PoolCase> {
 protected:
  const poet_pool_shape shape = GetParam().shape;
  const std::vector<Meeting> met = meetings(shape);
  const std::size_t inputs = static_cast<std::size_t>(shape.planes) * volume_of(shape.input);
  const Values x = arbitrary_values(inputs, 1);
  const Values dy = arbitrary_values(met.size(), 2);
  Values y = Values(met.size(), 99);
  Values dx = Values(inputs, 99);

  Doubles averages(const Doubles& of) const {
    Doubles result;
    for (const Meeting& meeting : met) {
      double sum = 0;
      for (const std::size_t i : meeting.inputs) sum += of[i];
      result.push_back(sum / meeting.counted);
    }
    return result;
  }

  Doubles maxima(const Doubles& of) const {
    Doubles result;
    for (const Meeting& meeting : met) {
      double largest = of[meeting.inputs[0]];
      for (const std::size_t i : meeting.inputs) largest = std::max(largest, of[i]);
      result.push_back(largest);
    }
    return result;
  }
};

TEST_P(EveryPool, TakesTheLargest) {
  poet_max_pool_forward_f32(&shape, x.data(), y.data());
  EXPECT_EQ(y, as_floats(maxima(as_doubles(x))));
}

TEST_P(EveryPool, GivesTheGradientToTheLargest) {
  poet_max_pool_gradient_f32(&shape, x.data(), dy.data(), dx.data());
  const auto forward = [&](const Doubles& place) { return maxima(place); };
  EXPECT_LT(relative_error(dx, numeric_gradient(forward, x, dy)), 1e-6);
}

TEST_P(EveryPool, GivesTheGradientToTheFirstOfEqualValues) {
  const Values level(inputs, 0.5F);
  poet_max_pool_gradient_f32(&shape, level.data(), dy.data(), dx.data());
  Values expected(inputs);
  for (std::size_t o = 0; o < met.size(); ++o) expected[met[o].inputs[0]] += dy[o];
  EXPECT_EQ(dx, expected);
}

TEST_P(EveryPool, Averages) {
  poet_average_pool_forward_f32(&shape, x.data(), y.data());
  EXPECT_LT(relative_error(y, as_floats(averages(as_doubles(x)))), 1e-6);
}

TEST_P(EveryPool, GivesSharesOfTheGradientInTheOrderOfOutputs) {
  poet_average_pool_gradient_f32(&shape, dy.data(), dx.data());
  Values expected(inputs);
  for (std::size_t o = 0; o < met.size(); ++o) {
    for (const std::size_t i : met[o].inputs)
      expected[i] += dy[o] / static_cast<float>(met[o].counted);
  }
  EXPECT_EQ(dx, expected);
  const auto forward = [&](const Doubles& place) { return averages(place); };
  EXPECT_LT(relative_error(dx, numeric_gradient(forward, x, dy)), 1e-6);
}

// <average(x), dy> = <x, gradient(dy)>
TEST_P(EveryPool, AveragesWithItsAdjointAsGradient) {
  poet_average_pool_forward_f32(&shape, x.data(), y.data());
  poet_average_pool_gradient_f32(&shape, dy.data(), dx.data());
  EXPECT_NEAR(inner_product(as_doubles(y), dy), inner_product(as_doubles(x), dx), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Pool, EveryPool, ::testing::ValuesIn(pool_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(Pool, SumsRowsFirst) {
  const poet_pool_shape shape = {1,         {1, 2, 2}, {1, 1, 1}, {1, 2, 2}, {1, 1, 1},
                                 {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0};
  const Values x = {1e8F, 1, -1e8F, 1};  // one after the other, they are 1
  Values y(1);
  poet_average_pool_forward_f32(&shape, x.data(), y.data());
  EXPECT_EQ(y[0], 0);
}

TEST(Pool, PassesOnWhatIsNotANumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const poet_pool_shape shape = {2,         {1, 1, 3}, {1, 1, 1}, {1, 1, 3}, {1, 1, 1},
                                 {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, 0};
  const Values x = {1, nan, 2, -infinity, -infinity, -infinity};
  const Values dy = {5, 7};
  Values y(2);
  Values dx(6);
  poet_max_pool_forward_f32(&shape, x.data(), y.data());
  poet_max_pool_gradient_f32(&shape, x.data(), dy.data(), dx.data());
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], -infinity);
  EXPECT_EQ(dx, (Values{0, 5, 0, 7, 0, 0}));
}

TEST(Pool, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("pool")) {
    SCOPED_TRACE(golden.name);
    poet_pool_shape shape = {};
    shape.planes = golden.whole("planes");
    shape.counts_padding = golden.whole("counts_padding");
    for (std::int32_t d = 0; d < 3; ++d) {
      shape.input[d] = golden.whole("input", d);
      shape.output[d] = golden.whole("output", d);
      shape.window[d] = golden.whole("window", d);
      shape.stride[d] = golden.whole("stride", d);
      shape.dilation[d] = golden.whole("dilation", d);
      shape.padding_begin[d] = shape.padding_end[d] = golden.whole("padding", d);
    }
    const Values x = golden.floats("x");
    const Values dy = golden.floats("dy");
    Values y(dy.size());
    Values dx(x.size());
    if (golden.whole("is_max")) {
      poet_max_pool_forward_f32(&shape, x.data(), y.data());
      poet_max_pool_gradient_f32(&shape, x.data(), dy.data(), dx.data());
    } else {
      poet_average_pool_forward_f32(&shape, x.data(), y.data());
      poet_average_pool_gradient_f32(&shape, dy.data(), dx.data());
    }
    EXPECT_LT(relative_error(y, golden.floats("y")), 1e-6);
    EXPECT_LT(relative_error(dx, golden.floats("dx")), 1e-6);
  }
}

}  // namespace
}  // namespace poet
