#include "poet/runtime/pointwise_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;
using Shape = poet_pointwise_loss_shape;

struct Function {
  const char* name;
  void (*forward)(const Shape*, const float*, const float*, float*);
  void (*gradient)(const Shape*, const float*, const float*, const float*, float*);
  double (*truth)(double x, double target);
};

const Function kFunctions[] = {
    {"squared_error", poet_squared_error_forward_f32, poet_squared_error_gradient_f32,
     [](double x, double t) { return (x - t) * (x - t); }},
    {"binary_cross_entropy", poet_binary_cross_entropy_forward_f32,
     poet_binary_cross_entropy_gradient_f32,
     [](double x, double t) {
       const double s = 1 / (1 + std::exp(-x));
       return -t * std::log(s) - (1 - t) * std::log(1 - s);
     }},
};

Doubles losses(const Shape& shape, const Doubles& x, const Values& target,
               double (*truth)(double, double)) {
  Doubles each;
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    each.push_back(truth(x[i], static_cast<double>(target[i])));
    sum += each.back();
  }
  if (shape.reduction == POET_LOSS_NONE) return each;
  return {shape.reduction == POET_LOSS_MEAN ? sum / shape.count : sum};
}

class PointwiseLoss : public ::testing::TestWithParam<Function> {
 protected:
  static Values logits(std::int32_t count) {
    Values x = arbitrary_values(count, 1);
    for (float& value : x) value *= 5;
    return x;
  }
  static Values targets(std::int32_t count) {
    Values target = arbitrary_values(count, 2);
    for (float& value : target) value = 0.5F + 0.5F * value;
    return target;
  }
};

TEST_P(PointwiseLoss, IsTheFormula) {
  for (const std::int32_t count : {1, 5, 700}) {
    for (const std::int32_t reduction : {POET_LOSS_NONE, POET_LOSS_SUM, POET_LOSS_MEAN}) {
      const Shape shape = {count, reduction};
      const Values x = logits(count);
      const Values target = targets(count);
      const Values expected = as_floats(losses(shape, as_doubles(x), target, GetParam().truth));
      Values loss(expected.size(), -99);
      GetParam().forward(&shape, x.data(), target.data(), loss.data());
      EXPECT_LE(relative_error(loss, expected), 1e-6) << count << " " << reduction;
    }
  }
}

TEST_P(PointwiseLoss, GradientIsTheSlopeAndMayBeInPlaceOfXOrTarget) {
  for (const std::int32_t reduction : {POET_LOSS_NONE, POET_LOSS_SUM, POET_LOSS_MEAN}) {
    const Shape shape = {33, reduction};
    const Values x = logits(33);
    const Values target = targets(33);
    const Values dloss = arbitrary_values(reduction == POET_LOSS_NONE ? 33 : 1, 3);
    Values dx(33, -99);
    GetParam().gradient(&shape, x.data(), target.data(), dloss.data(), dx.data());
    const auto f = [&](const Doubles& place) {
      return losses(shape, place, target, GetParam().truth);
    };
    EXPECT_LE(relative_error(dx, numeric_gradient(f, x, dloss)), 3e-6) << reduction;
    Values over_x = x;
    GetParam().gradient(&shape, over_x.data(), target.data(), dloss.data(), over_x.data());
    EXPECT_EQ(over_x, dx);
    Values over_target = target;
    GetParam().gradient(&shape, x.data(), over_target.data(), dloss.data(), over_target.data());
    EXPECT_EQ(over_target, dx);
  }
}

TEST_P(PointwiseLoss, AgreesWithPyTorch) {
  int found = 0;
  for (const GoldenCase& golden : read_goldens("pointwise_loss")) {
    if (golden.name.rfind(GetParam().name, 0) != 0) continue;
    ++found;
    const Values x = golden.floats("x");
    const Values target = golden.floats("target");
    const Values dloss = golden.floats("dloss");
    const Shape shape = {static_cast<std::int32_t>(x.size()), golden.whole("reduction")};
    Values loss(dloss.size());
    GetParam().forward(&shape, x.data(), target.data(), loss.data());
    EXPECT_LE(relative_error(loss, golden.floats("loss")), 1e-6) << golden.name;
    Values dx(x.size());
    GetParam().gradient(&shape, x.data(), target.data(), dloss.data(), dx.data());
    EXPECT_LE(relative_error(dx, golden.floats("dx")), 1e-6) << golden.name;
  }
  EXPECT_EQ(found, 3);
}

INSTANTIATE_TEST_SUITE_P(All, PointwiseLoss, ::testing::ValuesIn(kFunctions),
                         [](const auto& function) { return function.param.name; });

TEST(PointwiseLossGoldens, AreEachComparedWithAFunction) {
  for (const GoldenCase& golden : read_goldens("pointwise_loss"))
    EXPECT_TRUE(
        std::any_of(std::begin(kFunctions), std::end(kFunctions),
                    [&](const auto& function) { return golden.name.rfind(function.name, 0) == 0; }))
        << "kFunctions has no line for the golden values of " << golden.name;
}

TEST(PointwiseLossEdges, CertainLogitsGiveFiniteLosses) {
  const Shape shape = {3, POET_LOSS_NONE};
  const Values x = {300, -300, 300};
  const Values target = {0, 1, 1};
  Values loss(3);
  poet_binary_cross_entropy_forward_f32(&shape, x.data(), target.data(), loss.data());
  EXPECT_EQ(loss, (Values{300, 300, 0}));
}

}  // namespace
}  // namespace poet
