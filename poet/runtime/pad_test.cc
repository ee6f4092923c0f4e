#include "poet/runtime/pad.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"
#include "poet/runtime/strides_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

Values padded(const poet_pad_shape& shape, const Values& x) {
  std::size_t count = 1;
  for (int d = 0; d < shape.rank; ++d)
    count *= static_cast<std::size_t>(shape.before[d] + shape.x_extents[d] + shape.after[d]);
  Values y(count, -99);
  poet_pad_forward_f32(&shape, x.data(), y.data());
  return y;
}

TEST(Pad, PutsAConstantAround) {
  const poet_pad_shape shape = {POET_PAD_CONSTANT, 2, {2, 2}, {1, 0}, {0, 2}, 9};
  EXPECT_EQ(padded(shape, {1, 2, 3, 4}), (Values{9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9}));
}

TEST(Pad, RepeatsTheEdge) {
  const poet_pad_shape shape = {POET_PAD_EDGE, 2, {2, 2}, {1, 1}, {0, 2}, 0};
  EXPECT_EQ(padded(shape, {1, 2, 3, 4}), (Values{1, 1, 2, 2, 2, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4}));
}

TEST(Pad, MirrorsAtTheEdge) {
  const poet_pad_shape shape = {POET_PAD_REFLECT, 1, {4}, {3}, {2}, 0};
  EXPECT_EQ(padded(shape, {1, 2, 3, 4}), (Values{4, 3, 2, 1, 2, 3, 4, 3, 2}));
}

TEST(Pad, NegativeMarginsCut) {
  const poet_pad_shape shape = {POET_PAD_CONSTANT, 2, {3, 3}, {-1, 1}, {0, -2}, 9};
  EXPECT_EQ(padded(shape, {1, 2, 3, 4, 5, 6, 7, 8, 9}), (Values{9, 4, 9, 7}));
}

// Padding with zeros, edges or mirrors is linear, so <pad(x), dy> = <x, gradient(dy)>.
TEST(Pad, GradientIsTheAdjoint) {
  for (const std::int32_t mode : {POET_PAD_CONSTANT, POET_PAD_EDGE, POET_PAD_REFLECT}) {
    const poet_pad_shape shape = {mode, 3, {2, 3, 4}, {1, 0, 2}, {0, 2, 3}, 0};
    const Values x = arbitrary_values(24, 1);
    const Values y = padded(shape, x);
    const Values dy = arbitrary_values(y.size(), 2);
    Values dx(24, -99);
    poet_pad_gradient_f32(&shape, dy.data(), dx.data());
    EXPECT_NEAR(inner_product(as_doubles(y), dy), inner_product(as_doubles(x), dx), 1e-5) << mode;
  }
}

TEST(Pad, GradientOfACutIsZeroOutside) {
  const poet_pad_shape shape = {POET_PAD_CONSTANT, 1, {4}, {-1}, {-1}, 9};
  const Values dy = {5, 6};
  Values dx(4, -99);
  poet_pad_gradient_f32(&shape, dy.data(), dx.data());
  EXPECT_EQ(dx, (Values{0, 5, 6, 0}));
}

TEST(Pad, AgreesWithPyTorch) {
  const std::vector<GoldenCase> goldens = read_goldens("pad");
  ASSERT_EQ(goldens.size(), 3U);
  for (const GoldenCase& golden : goldens) {
    const poet_pad_shape shape = {golden.whole("mode"), 4, {1, 2, 4, 5}, {0, 0, 1, 2}, {0, 0, 3, 0},
                                  golden.real("value")};
    EXPECT_EQ(padded(shape, golden.floats("x")), golden.floats("y")) << golden.name;
    Values dx(40);
    poet_pad_gradient_f32(&shape, golden.floats("dy").data(), dx.data());
    EXPECT_LE(relative_error(dx, golden.floats("dx")), 1e-6) << golden.name;
  }
}

}  // namespace
}  // namespace poet
