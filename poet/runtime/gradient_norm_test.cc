#include "poet/runtime/gradient_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;

TEST(GradientNorm, AccumulatesInPlaceOfEitherGradient) {
  const poet_accumulate_shape shape = {3};
  Values a = {1, 2, 3};
  Values b = {10, 20, 30};
  Values y(3);
  poet_accumulate_forward_f32(&shape, a.data(), b.data(), y.data());
  EXPECT_EQ(y, (Values{11, 22, 33}));
  poet_accumulate_forward_f32(&shape, a.data(), b.data(), b.data());
  EXPECT_EQ(b, y);
  poet_accumulate_forward_f32(&shape, a.data(), a.data(), a.data());
  EXPECT_EQ(a, (Values{2, 4, 6}));
}

TEST(GradientNorm, SumsSquaresOfManyElementsWithoutLosingThem) {
  for (const std::int32_t count : {1, 15, 256, 1000003}) {
    const poet_square_norm_shape shape = {count};
    const Values x = arbitrary_values(count, 1);
    float y = 0;
    poet_square_norm_forward_f32(&shape, x.data(), &y);
    EXPECT_NEAR(static_cast<double>(y) / inner_product(as_doubles(x), x), 1, 1e-5) << count;
  }
}

TEST(GradientNorm, AddsThePartialsThatAreThere) {
  const Values x = {1, 2, 4, 8, 16, 32, 64, 128};
  float y = 0;
  poet_partials_shape shape = {8};
  poet_partials_forward_f32(&shape, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &y);
  EXPECT_EQ(y, 255);
  shape.count = 2;
  poet_partials_forward_f32(&shape, &x[0], &x[1], nullptr, nullptr, nullptr, nullptr, nullptr,
                            nullptr, &y);
  EXPECT_EQ(y, 3);
}

TEST(GradientNorm, ClipsWhatIsOverTheLimitOnly) {
  const float nine = 9;
  const float sixteen = 16;
  float clip = 0;
  poet_clip_shape shape = {2, 2.5F};
  poet_clip_scale_forward_f32(&shape, &nine, &sixteen, nullptr, nullptr, nullptr, nullptr, nullptr,
                              nullptr, &clip);
  EXPECT_FLOAT_EQ(clip, 2.5F / (5 + 1e-6F));
  shape.limit = 6;
  poet_clip_scale_forward_f32(&shape, &nine, &sixteen, nullptr, nullptr, nullptr, nullptr, nullptr,
                              nullptr, &clip);
  EXPECT_EQ(clip, 1);
}

TEST(GradientNorm, AgreesWithPyTorch) {
  const std::vector<GoldenCase> goldens = read_goldens("gradient_norm");
  ASSERT_EQ(goldens.size(), 2U);
  for (const GoldenCase& golden : goldens) {
    Values squares;
    for (const char* name : {"x0", "x1", "x2"}) {
      const Values x = golden.floats(name);
      const poet_square_norm_shape shape = {static_cast<std::int32_t>(x.size())};
      squares.push_back(0);
      poet_square_norm_forward_f32(&shape, x.data(), &squares.back());
    }
    const poet_clip_shape shape = {3, golden.real("limit")};
    float clip = 0;
    poet_clip_scale_forward_f32(&shape, &squares[0], &squares[1], &squares[2], nullptr, nullptr,
                                nullptr, nullptr, nullptr, &clip);
    for (const char* name : {"x0", "x1", "x2"}) {
      Values clipped = golden.floats(name);
      for (float& value : clipped) value *= clip;
      EXPECT_LE(relative_error(clipped, golden.floats(std::string("clipped_") + name)), 3e-7)
          << golden.name;
    }
  }
}

}  // namespace
}  // namespace poet
