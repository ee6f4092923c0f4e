#include "poet/train/score.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "poet/base/check.h"
#include "poet/runtime/float_math.h"

namespace poet {
namespace {

template <typename T>
T value_at(std::span<const std::byte> values, std::size_t place) {
  T value{};
  std::memcpy(&value, values.data() + place * sizeof(T), sizeof(T));
  return value;
}

// -log softmax at the label.
double cross_entropy(const ClassRows& layout, std::span<const std::byte> outputs, std::int64_t row,
                     std::int64_t label) {
  const float most = value_at<float>(outputs, layout.place(row, likeliest(layout, outputs, row)));
  float sum = 0;
  for (std::int64_t c = 0; c < layout.classes; ++c)
    sum += poet_exp_f32(value_at<float>(outputs, layout.place(row, c)) - most);
  return static_cast<double>(poet_log_f32(sum)) + static_cast<double>(most) -
         static_cast<double>(value_at<float>(outputs, layout.place(row, label)));
}

// max(x, 0) - x t + log(1 + exp(-|x|)), which no x overflows.
double binary_cross_entropy(float x, float target) {
  return static_cast<double>(std::max(x, 0.0F) - x * target +
                             poet_log1p_f32(poet_exp_f32(-std::abs(x))));
}

double squared(float difference) {
  return static_cast<double>(difference) * static_cast<double>(difference);
}

}  // namespace

ClassRows class_rows(const Shape& shape) {
  POET_CHECK(shape.size() >= 2);
  if (shape.size() == 3) return {.rows = shape[0] * shape[1], .classes = shape[2]};
  const std::int64_t inner = value_count(shape) / (shape[0] * shape[1]);
  return {.rows = shape[0] * inner, .classes = shape[1], .inner = inner};
}

std::int64_t likeliest(const ClassRows& layout, std::span<const std::byte> outputs,
                       std::int64_t row) {
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < layout.classes; ++c)
    if (value_at<float>(outputs, layout.place(row, c)) >
        value_at<float>(outputs, layout.place(row, best)))
      best = c;
  return best;
}

void ScoreSum::add(const Shape& shape, std::span<const std::byte> outputs,
                   std::span<const std::byte> targets, std::int64_t examples) {
  switch (loss_) {
    case Loss::CrossEntropy:
      add_labels(shape, outputs, targets, examples);
      break;
    case Loss::None:
      add_loss(static_cast<double>(value_at<float>(outputs, 0)), examples_);
      break;
    case Loss::MeanSquaredError:
    case Loss::BinaryCrossEntropy:
      add_values(outputs, targets, static_cast<std::size_t>(value_count(shape) / shape[0]),
                 examples);
  }
  examples_ += examples;
}

void ScoreSum::add_loss(double loss, std::int64_t example) {
  if (!std::isfinite(loss) && !not_finite_) not_finite_ = example;
  loss_sum_ += loss;
  ++counted_;
}

void ScoreSum::add_labels(const Shape& shape, std::span<const std::byte> outputs,
                          std::span<const std::byte> labels, std::int64_t examples) {
  const ClassRows layout = class_rows(shape);
  is_of_sequences_ = shape.size() == 3;
  const std::int64_t each = layout.rows / shape[0];
  for (std::int64_t row = 0; row < each * examples; ++row) {
    const auto label = value_at<std::int64_t>(labels, static_cast<std::size_t>(row));
    if (ignored_label_ && label == *ignored_label_) continue;
    add_loss(cross_entropy(layout, outputs, row, label), examples_ + row / each);
    right_ += likeliest(layout, outputs, row) == label ? 1 : 0;
  }
}

void ScoreSum::add_values(std::span<const std::byte> outputs, std::span<const std::byte> targets,
                          std::size_t each, std::int64_t examples) {
  for (std::size_t k = 0; k < each * static_cast<std::size_t>(examples); ++k) {
    const auto x = value_at<float>(outputs, k);
    const auto target = value_at<float>(targets, k);
    add_loss(
        loss_ == Loss::MeanSquaredError ? squared(x - target) : binary_cross_entropy(x, target),
        examples_ + static_cast<std::int64_t>(k / each));
  }
}

Score ScoreSum::score() const {
  Score score{.examples = examples_, .not_finite = not_finite_};
  if (counted_ == 0) {
    score.loss = std::numeric_limits<double>::quiet_NaN();
    return score;
  }
  score.loss = loss_sum_ / static_cast<double>(counted_);
  if (loss_ == Loss::CrossEntropy)
    score.accuracy = static_cast<double>(right_) / static_cast<double>(counted_);
  if (is_of_sequences_) score.perplexity = std::exp(score.loss);
  if (loss_ == Loss::MeanSquaredError) score.error = std::sqrt(score.loss);
  return score;
}

}  // namespace poet
