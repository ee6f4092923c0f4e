#include "poet/runtime/class_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "poet/runtime/arbitrary_values_for_tests.h"
#include "poet/runtime/golden_test_support.h"
#include "poet/runtime/numeric_gradient_for_tests.h"

namespace poet {
namespace {

using Values = std::vector<float>;
using Shape = poet_class_loss_shape;
using Labels = std::vector<std::int64_t>;

enum class Weights { Ones, Given };

struct Case {
  std::string name;
  Shape shape;  // but for the reduction
  Labels labels;
  Weights weights;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {"Plain", {3, 4, 1, -100, 0, 0}, {0, 3, 1}, Weights::Ones},
      {"Weighted", {3, 4, 1, -100, 0, 0}, {0, 3, 1}, Weights::Given},
      {"Ignored", {4, 4, 1, 2, 0, 0}, {0, 2, 1, 2}, Weights::Given},
      {"AllIgnored", {2, 4, 1, -1, 0, 0}, {-1, -1}, Weights::Ones},
      {"Smoothed", {3, 4, 1, -100, 0, 0.125F}, {0, 3, -100}, Weights::Ones},
      {"SmoothedAndWeighted", {3, 4, 1, -100, 0, 0.25F}, {2, 3, 1}, Weights::Given},
      {"Pixels", {2, 3, 5, 7, 0, 0.125F}, {0, 1, 2, 7, 0, 2, 2, 7, 1, 0}, Weights::Given},
      {"MorePixelsThanATile", {2, 3, 37, -100, 0, 0}, Labels(74, 2), Weights::Ones},
  };
  return table;
}

// What the mean divides by, and the loss of one place from its log-probabilities.
double counted_weight(const Case& c, const Values& weights) {
  double total = 0;
  for (const std::int64_t label : c.labels)
    if (label != c.shape.ignore_index) total += static_cast<double>(weights[label]);
  return total;
}

Doubles end(const Case& c, std::int32_t reduction, const Values& weights, const Doubles& losses) {
  if (reduction == POET_LOSS_NONE) return losses;
  double sum = 0;
  for (const double loss : losses) sum += loss;
  const double counted = counted_weight(c, weights);
  if (reduction == POET_LOSS_MEAN) sum = counted == 0 ? 0 : sum / counted;
  return {sum};
}

double score(const Case& c, const Doubles& x, std::size_t place, std::int64_t label) {
  const std::size_t pixels = static_cast<std::size_t>(c.shape.pixels);
  const std::size_t classes = static_cast<std::size_t>(c.shape.classes);
  return x[(place / pixels * classes + static_cast<std::size_t>(label)) * pixels + place % pixels];
}

Doubles likelihood(const Case& c, std::int32_t reduction, const Values& weights, const Doubles& x) {
  Doubles losses;
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    const std::int64_t label = c.labels[i];
    const bool counts = label != c.shape.ignore_index;
    losses.push_back(counts ? -static_cast<double>(weights[label]) * score(c, x, i, label) : 0);
  }
  return end(c, reduction, weights, losses);
}

Doubles cross_entropy(const Case& c, std::int32_t reduction, const Values& weights,
                      const Doubles& x) {
  const double epsilon = static_cast<double>(c.shape.label_smoothing);
  Doubles losses;
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    double sum = 0;
    for (int k = 0; k < c.shape.classes; ++k) sum += std::exp(score(c, x, i, k));
    double loss = 0;
    for (int k = 0; k < c.shape.classes && c.labels[i] != c.shape.ignore_index; ++k) {
      const double share = (k == c.labels[i] ? 1 - epsilon : 0) + epsilon / c.shape.classes;
      loss -= share * static_cast<double>(weights[k]) * (score(c, x, i, k) - std::log(sum));
    }
    losses.push_back(loss);
  }
  return end(c, reduction, weights, losses);
}

class ClassLoss : public ::testing::TestWithParam<Case> {
 protected:
  const Case& c = GetParam();
  Values weights =
      c.weights == Weights::Ones ? Values(c.shape.classes, 1) : Values{0.5F, 1.5F, 2.25F, 0.75F};
  const float* weights_or_null = c.weights == Weights::Ones ? nullptr : weights.data();
  std::vector<std::int32_t> narrow{c.labels.begin(), c.labels.end()};
  Values x = [this] {
    Values values = arbitrary_values(c.labels.size() * c.shape.classes, 6);
    for (float& value : values) value = 4 * value - 4;  // below 0, as logarithms are
    return values;
  }();

  Shape reduced(std::int32_t reduction) const {
    Shape shape = c.shape;
    shape.reduction = reduction;
    return shape;
  }
  Values some_dloss(std::int32_t reduction) const {
    return arbitrary_values(reduction == POET_LOSS_NONE ? c.labels.size() : 1, 7);
  }
};

TEST_P(ClassLoss, CrossEntropyIsTheFormulaForLabelsOfEitherType) {
  for (const std::int32_t reduction : {POET_LOSS_NONE, POET_LOSS_SUM, POET_LOSS_MEAN}) {
    const Shape shape = reduced(reduction);
    const Values expected = as_floats(cross_entropy(c, reduction, weights, as_doubles(x)));
    Values loss(expected.size(), -99);
    poet_softmax_cross_entropy_forward_f32_i64(&shape, x.data(), c.labels.data(), weights_or_null,
                                               loss.data());
    EXPECT_LE(relative_error(loss, expected), 1e-6) << reduction;
    Values again(expected.size(), -99);
    poet_softmax_cross_entropy_forward_f32_i32(&shape, x.data(), narrow.data(), weights_or_null,
                                               again.data());
    EXPECT_EQ(again, loss);
  }
}

TEST_P(ClassLoss, CrossEntropyGradientIsTheSlopeAndMayBeInPlace) {
  for (const std::int32_t reduction : {POET_LOSS_NONE, POET_LOSS_SUM, POET_LOSS_MEAN}) {
    const Shape shape = reduced(reduction);
    const Values dloss = some_dloss(reduction);
    Values dx(x.size(), -99);
    poet_softmax_cross_entropy_gradient_f32_i64(&shape, x.data(), c.labels.data(), weights_or_null,
                                                dloss.data(), dx.data());
    const auto f = [&](const Doubles& place) {
      return cross_entropy(c, reduction, weights, place);
    };
    EXPECT_LE(relative_error(dx, numeric_gradient(f, x, dloss)), 3e-6) << reduction;
    Values both = x;
    poet_softmax_cross_entropy_gradient_f32_i32(&shape, both.data(), narrow.data(), weights_or_null,
                                                dloss.data(), both.data());
    EXPECT_EQ(both, dx) << reduction;
  }
}

TEST_P(ClassLoss, LikelihoodIsTheFormulaForLabelsOfEitherType) {
  for (const std::int32_t reduction : {POET_LOSS_NONE, POET_LOSS_SUM, POET_LOSS_MEAN}) {
    const Shape shape = reduced(reduction);
    const Values expected = as_floats(likelihood(c, reduction, weights, as_doubles(x)));
    Values loss(expected.size(), -99);
    poet_negative_log_likelihood_forward_f32_i64(&shape, x.data(), c.labels.data(), weights_or_null,
                                                 loss.data());
    EXPECT_LE(relative_error(loss, expected), 1e-6) << reduction;
    Values again(expected.size(), -99);
    poet_negative_log_likelihood_forward_f32_i32(&shape, x.data(), narrow.data(), weights_or_null,
                                                 again.data());
    EXPECT_EQ(again, loss);
  }
}

TEST_P(ClassLoss, LikelihoodGradientIsTheSlope) {
  for (const std::int32_t reduction : {POET_LOSS_NONE, POET_LOSS_SUM, POET_LOSS_MEAN}) {
    const Shape shape = reduced(reduction);
    const Values dloss = some_dloss(reduction);
    Values dx(x.size(), -99);
    poet_negative_log_likelihood_gradient_f32_i64(&shape, c.labels.data(), weights_or_null,
                                                  dloss.data(), dx.data());
    const auto f = [&](const Doubles& place) { return likelihood(c, reduction, weights, place); };
    EXPECT_LE(relative_error(dx, numeric_gradient(f, x, dloss)), 3e-6) << reduction;
    Values again(x.size(), -99);
    poet_negative_log_likelihood_gradient_f32_i32(&shape, narrow.data(), weights_or_null,
                                                  dloss.data(), again.data());
    EXPECT_EQ(again, dx) << reduction;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ClassLoss, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return c.param.name; });

TEST(ClassLossEdges, OfOneClassNothingIsLost) {
  const Shape shape = {2, 1, 1, -100, POET_LOSS_MEAN, 0.125F};
  const Values x = {3, -5};
  const Labels labels = {0, 0};
  const float dloss = 1;
  float loss = -99;
  poet_softmax_cross_entropy_forward_f32_i64(&shape, x.data(), labels.data(), nullptr, &loss);
  EXPECT_EQ(loss, 0);
  Values dx(2, -99);
  poet_softmax_cross_entropy_gradient_f32_i64(&shape, x.data(), labels.data(), nullptr, &dloss,
                                              dx.data());
  EXPECT_EQ(dx, (Values{0, 0}));
}

TEST(ClassLossEdges, LargeScoresDoNotOverflow) {
  const Shape shape = {1, 2, 1, -100, POET_LOSS_SUM, 0};
  const Values x = {1000, -1000};
  const Labels labels = {1};
  float loss = 0;
  poet_softmax_cross_entropy_forward_f32_i64(&shape, x.data(), labels.data(), nullptr, &loss);
  EXPECT_EQ(loss, 2000);
}

TEST(ClassLossEdges, ALabelThatIsNoClassSpoilsItsPlaceAndNoOther) {
  const Shape shape = {3, 2, 1, -100, POET_LOSS_NONE, 0};
  const Values x = {1, 2, 3, 4, 5, 6};
  const Labels labels = {0, 2, -1};
  Values loss(3);
  poet_softmax_cross_entropy_forward_f32_i64(&shape, x.data(), labels.data(), nullptr, loss.data());
  EXPECT_FALSE(std::isnan(loss[0]));
  EXPECT_TRUE(std::isnan(loss[1]) && std::isnan(loss[2]));
  poet_negative_log_likelihood_forward_f32_i64(&shape, x.data(), labels.data(), nullptr,
                                               loss.data());
  EXPECT_FALSE(std::isnan(loss[0]));
  EXPECT_TRUE(std::isnan(loss[1]) && std::isnan(loss[2]));
  const Values dloss = {1, 1, 1};
  Values dx(6);
  poet_softmax_cross_entropy_gradient_f32_i64(&shape, x.data(), labels.data(), nullptr,
                                              dloss.data(), dx.data());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(dx[i]), i >= 2) << i;
  poet_negative_log_likelihood_gradient_f32_i64(&shape, labels.data(), nullptr, dloss.data(),
                                                dx.data());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(dx[i]), i >= 2) << i;
}

TEST(ClassLossEdges, AgreesWithPyTorch) {
  const std::vector<GoldenCase> goldens = read_goldens("class_loss");
  ASSERT_EQ(goldens.size(), 12U);
  for (const GoldenCase& golden : goldens) {
    const Shape shape = {golden.whole("batch"),     golden.whole("classes"),
                         golden.whole("pixels"),    golden.whole("ignore_index"),
                         golden.whole("reduction"), golden.real("label_smoothing")};
    const Values x = golden.floats("x");
    const std::vector<std::int32_t> labels = golden.words("labels");
    const Values weights = golden.has("weights") ? golden.floats("weights") : Values();
    const float* given = weights.empty() ? nullptr : weights.data();
    const Values dloss = golden.floats("dloss");
    Values loss(dloss.size());
    Values dx(x.size());
    if (golden.whole("softmax") == 1) {
      poet_softmax_cross_entropy_forward_f32_i32(&shape, x.data(), labels.data(), given,
                                                 loss.data());
      poet_softmax_cross_entropy_gradient_f32_i32(&shape, x.data(), labels.data(), given,
                                                  dloss.data(), dx.data());
    } else {
      poet_negative_log_likelihood_forward_f32_i32(&shape, x.data(), labels.data(), given,
                                                   loss.data());
      poet_negative_log_likelihood_gradient_f32_i32(&shape, labels.data(), given, dloss.data(),
                                                    dx.data());
    }
    EXPECT_LE(relative_error(loss, golden.floats("loss")), 1e-6) << golden.name;
    EXPECT_LE(relative_error(dx, golden.floats("dx")), 1e-6) << golden.name;
  }
}

}  // namespace
}  // namespace poet
