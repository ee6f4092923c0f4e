#include "poet/runtime/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

std::size_t count_of(const poet_softmax_shape& s) {
  return static_cast<std::size_t>(s.outer) * s.axis * s.inner;
}

Doubles log_softmax(const poet_softmax_shape& s, const Doubles& x) {
  Doubles y(x.size());
  for (std::int32_t o = 0; o < s.outer; ++o) {
    for (std::int32_t i = 0; i < s.inner; ++i) {
      const std::size_t first = static_cast<std::size_t>(o) * s.axis * s.inner + i;
      double sum = 0;
      for (std::int32_t a = 0; a < s.axis; ++a) sum += std::exp(x[first + a * s.inner]);
      for (std::int32_t a = 0; a < s.axis; ++a)
        y[first + a * s.inner] = x[first + a * s.inner] - std::log(sum);
    }
  }
  return y;
}

Doubles softmax(const poet_softmax_shape& s, const Doubles& x) {
  Doubles y = log_softmax(s, x);
  for (double& value : y) value = std::exp(value);
  return y;
}

using Forward = void(const poet_softmax_shape*, const float*, float*);
using Gradient = void(const poet_softmax_shape*, const float*, const float*, float*);

struct Kind {
  const char* name;
  Forward* forward;
  Gradient* gradient;
  Doubles (*naive)(const poet_softmax_shape&, const Doubles&);
};

const Kind kKinds[] = {
    {"softmax", poet_softmax_forward_f32, poet_softmax_gradient_f32, softmax},
    {"log_softmax", poet_log_softmax_forward_f32, poet_log_softmax_gradient_f32, log_softmax}};

const poet_softmax_shape kShapes[] = {{3, 10, 1}, {2, 5, 7}, {1, 4, 40}};

// Between -5 and 5.
Values logits(const poet_softmax_shape& shape) {
  Values x = arbitrary_values(count_of(shape), 1);
  for (float& value : x) value *= 5;
  return x;
}

TEST(Softmax, HasTheValuesAndGradientsOfItsFormula) {
  for (const Kind& kind : kKinds) {
    for (const poet_softmax_shape& shape : kShapes) {
      SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(shape.inner));
      const Values x = logits(shape);
      const Values dy = arbitrary_values(x.size(), 2);
      Values y(x.size());
      Values dx(x.size());
      kind.forward(&shape, x.data(), y.data());
      kind.gradient(&shape, y.data(), dy.data(), dx.data());
      const auto naive = [&](const Doubles& at) { return kind.naive(shape, at); };
      EXPECT_LT(relative_error(y, as_floats(naive(as_doubles(x)))), 1e-6);
      EXPECT_LT(relative_error(dx, numeric_gradient(naive, x, dy)), 1e-6);
    }
  }
}

TEST(Softmax, InPlaceGivesTheSameBits) {
  for (const Kind& kind : kKinds) {
    for (const poet_softmax_shape& shape : kShapes) {
      const Values x = logits(shape);
      const Values dy = arbitrary_values(x.size(), 2);
      Values y(x.size());
      Values dx(x.size());
      kind.forward(&shape, x.data(), y.data());
      kind.gradient(&shape, y.data(), dy.data(), dx.data());
      Values over_x = x;
      kind.forward(&shape, over_x.data(), over_x.data());
      EXPECT_EQ(over_x, y) << kind.name;
      Values over_y = y;
      kind.gradient(&shape, over_y.data(), dy.data(), over_y.data());
      EXPECT_EQ(over_y, dx) << kind.name;
      Values over_dy = dy;
      kind.gradient(&shape, y.data(), over_dy.data(), over_dy.data());
      EXPECT_EQ(over_dy, dx) << kind.name;
    }
  }
}

TEST(Softmax, OfOneValueIsOneWhateverItIs) {
  const poet_softmax_shape shape = {2, 1, 2};
  const Values x = {-3, 7, 1e30F, 0};
  const Values dy = {1, 2, 3, 4};
  Values y(4, 99);
  Values dx(4, 99);
  poet_softmax_forward_f32(&shape, x.data(), y.data());
  poet_softmax_gradient_f32(&shape, y.data(), dy.data(), dx.data());
  EXPECT_EQ(y, Values(4, 1));
  EXPECT_EQ(dx, Values(4, 0));
  poet_log_softmax_forward_f32(&shape, x.data(), y.data());
  poet_log_softmax_gradient_f32(&shape, y.data(), dy.data(), dx.data());
  EXPECT_EQ(y, Values(4, 0));
  EXPECT_EQ(dx, Values(4, 0));
}

TEST(Softmax, OfHugeAndInfiniteValuesIsFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const poet_softmax_shape shape = {2, 3, 1};
  const Values x = {1e30F, 1e30F, -infinity, -1e30F, 0, -500};
  Values y(6);
  poet_softmax_forward_f32(&shape, x.data(), y.data());
  EXPECT_EQ(y, (Values{0.5F, 0.5F, 0, 0, 1, 0}));
  poet_log_softmax_forward_f32(&shape, x.data(), y.data());
  EXPECT_FLOAT_EQ(y[0], -std::log(2.0F));
  EXPECT_EQ(y[2], -infinity);
  EXPECT_EQ(y[5], -500);
}

TEST(Softmax, AgreesWithPyTorch) {
  for (const GoldenCase& golden : read_goldens("softmax")) {
    SCOPED_TRACE(golden.name);
    const Kind& kind = kKinds[golden.whole("is_log")];
    const poet_softmax_shape shape = {golden.whole("outer"), golden.whole("axis"),
                                      golden.whole("inner")};
    const Values x = golden.floats("x");
    const Values dy = golden.floats("dy");
    Values y(x.size());
    Values dx(x.size());
    kind.forward(&shape, x.data(), y.data());
    kind.gradient(&shape, y.data(), dy.data(), dx.data());
    EXPECT_LT(relative_error(y, golden.floats("y")), 1e-6);
    EXPECT_LT(relative_error(dx, golden.floats("dx")), 1e-6);
  }
}

}  // namespace
}  // namespace poet
